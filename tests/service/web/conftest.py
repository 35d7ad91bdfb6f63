"""The page in Debian's chromium, before a real server on loopback."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import httpx2
import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from service.http.app import Equipment, create_app
from service.store.keeper import Keeper
from service.store.spool import Spool
from service.store.store import Store
from tests.service.http.conftest import ready_state

CHROMIUM = shutil.which("chromium")
PATIENCE_MS = 20_000  # other tests run beside these
expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def serving(app) -> Iterator[str]:
    """The address of a server that runs on a thread."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        try:
            for _ in range(100):
                if httpx2.get(f"{address}readyz").status_code == 200:
                    break
            yield address
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def site(sheet_engine, tmp_path_factory) -> Iterator[str]:
    """The address of a service without a key that keeps answers, over the small index of true figures."""
    folder = tmp_path_factory.mktemp("kept")
    keeper = Keeper(Store(f"sqlite:///{folder / 'store.sqlite3'}"), Spool(folder / "spool"))
    app = create_app(ready_state(sheet_engine), equipment=Equipment(keeper=keeper))
    with serving(app) as address:
        yield address


@pytest.fixture(scope="session")
def whole_site(real_engine) -> Iterator[str]:
    """The same over the whole corpus with the real model."""
    with serving(create_app(ready_state(real_engine))) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's browser; the tests of the page are skipped where it is missing (`make browser` installs it).

    Playwright leaves an event loop running on this thread, so it ends with its module: others start loops of their own.
    """
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched(browser: Browser, site: str, **options) -> Iterator[Page]:
    """A tab in a fresh profile that fails when the console has an error or another host is asked."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if _is_fault(line) else None)
    page.on(
        "request",
        lambda request: None if request.url.startswith(site) else faults.append(request.url),
    )
    yield page
    context.close()
    assert faults == []


def _is_fault(line: ConsoleMessage) -> bool:
    """An error of the console; the browser's own note on a refusal by the API, which the page tells, is none."""
    refused = "Failed to load resource" in line.text and "/v1/" in line.location["url"]
    return line.type == "error" and not refused


@pytest.fixture
def page(chromium, site) -> Iterator[Page]:
    """A tab at the page for questions."""
    with watched(chromium, site) as page:
        page.goto(site)
        yield page


def faults_of(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds wrong for people with disabilities: WCAG 2.2 AA and what is good practice."""
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = Axe().run(page, options={"runOnly": tags}).response["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def asked(page: Page, question: str):
    """Ask, and wait until the last answer is whole."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    answer = page.locator("article.answer").last
    answer.locator(".checks").wait_for()
    return answer
