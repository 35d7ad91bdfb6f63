"""Walk a first-time user's path through the page in chromium, and keep a picture of each step in docs/page/.

python -m tools.film        open, ask, open a citation, a recommendation, change the budget, share
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Final

from playwright.sync_api import Page, ViewportSize, sync_playwright

from eval.speed.load import serving

PICTURES: Final = Path(__file__).parent.parent / "docs" / "page"
SIZE: Final = ViewportSize(width=860, height=640)
_SERVE: Final = (sys.executable, "-m", "rigwise", "serve", "--host", "127.0.0.1", "--port")
_LOOKUP: Final = "What is the memory bandwidth of the H200?"
_ADVICE: Final = (
    "Which GPU should I rent to fine-tune a 70B model with QLoRA for under 500 dollars?"
)


def walk(page: Page, address: str) -> Iterator[str]:
    """The path; each name is that of a step that has just been made."""
    page.goto(address)
    page.locator("#about").filter(has_text="document").wait_for()
    yield "1-open"
    _ask(page, _LOOKUP)
    yield "2-answer"
    page.locator(".cite").nth(2).click()
    page.locator(".card-source a").wait_for()
    yield "3-citation"
    page.get_by_role("button", name="Open the document").click()
    page.locator("#document-text mark").wait_for()
    yield "4-document"
    page.keyboard.press("Escape")
    _ask(page, _ADVICE)
    page.get_by_label("Million tokens to train on").fill("100")
    page.get_by_label("Budget in USD").fill("100")
    page.locator(".facts", has_text="at most $100").wait_for()
    page.locator(".controls").evaluate("controls => controls.scrollIntoView()")
    yield "5-budget"
    page.locator("figure").evaluate("figure => figure.scrollIntoView()")
    yield "6-chart"
    page.get_by_role("button", name="Share").last.click()
    page.get_by_label("Link to share").evaluate("link => link.scrollIntoView({block: 'center'})")
    yield "7-share"


def _ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator("article.answer").last.locator(".checks").wait_for()


@contextmanager
def _tab() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox"]
        )
        yield browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        browser.close()


def main() -> None:
    """Film the path with the index of `make index`."""
    PICTURES.mkdir(exist_ok=True)
    with serving(_SERVE) as address, _tab() as page:
        for name in walk(page, f"http://{address}/"):
            page.screenshot(path=PICTURES / f"{name}.png")
            print(name)


if __name__ == "__main__":
    main()
