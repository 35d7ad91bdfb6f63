"""Draw messages of the bot as a reader of Slack sees them.

python -m tools.draw_slack

The messages are those of today's index and code; the page that shows them is ours, close to Slack's and offline. Needs
chromium and writes docs/pictures/slack-*.png.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from rigwise.wiring import embedder_of, wire
from service.render import answer_object
from service.settings import load_settings
from service.slack.actions import quoted
from service.slack.blocks import answer_message
from service.types import Question

Block = Mapping[str, Any]
FOLDER: Final = Path(__file__).parent.parent / "docs" / "pictures"
QUESTIONS: Final = {
    "answer": "How much memory does an H200 have?",
    "recommendation": "What should I rent to fine-tune Llama 3.1 8B with LoRA under $5/h?",
    "clarify": "How much memory does the H300 have?",
    "abstain": "What will an H100 cost in 2030?",
}
_LINK: Final = re.compile(r"&lt;(https?://[^|]+?)\|(.+?)&gt;")
_CODE: Final = re.compile(r"`([^`]+)`")
_BOLD: Final = re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])")
_STYLE: Final = """
body { margin: 0; background: #fff; color: #1d1c1d; font: 15px/1.46 Lato, "DejaVu Sans", sans-serif; }
main { width: 720px; padding: 16px 20px; }
.message { display: grid; grid-template-columns: 36px 1fr; gap: 4px 10px; margin-bottom: 14px; }
.face { width: 36px; height: 36px; border-radius: 6px; background: #1f3a4d; color: #fff; font-weight: 700;
  display: grid; place-items: center; }
.asker .face { background: #8a5a2b; }
.name { font-weight: 900; } .name small { font-weight: 400; color: #616061; margin-left: 6px; }
.tag { background: #ebeaeb; color: #454447; border-radius: 3px; font-size: 10px; padding: 1px 4px; margin-left: 4px; }
.block { margin: 5px 0; overflow-wrap: anywhere; }
.context { color: #616061; font-size: 12.5px; } .context div { margin: 3px 0; }
.alert { border: 1px solid #e8c46a; background: #fdf6e3; border-radius: 8px; padding: 7px 10px; font-size: 14px; }
a { color: #1264a3; text-decoration: none; }
code { background: #f6f6f6; border: 1px solid #ddd; border-radius: 3px; color: #c01343; font-size: 12px; padding: 1px 3px; }
table { border-collapse: collapse; font-size: 13px; } td { border: 1px solid #ddd; padding: 4px 8px; vertical-align: top; }
tr:first-child td { font-weight: 700; background: #f8f8f8; }
.button { display: inline-block; border: 1px solid #bbb; border-radius: 8px; padding: 3px 12px; margin: 2px 6px 2px 0;
  font-weight: 700; font-size: 13.5px; } .thumb { color: #616061; border-radius: 12px; padding: 1px 9px; font-weight: 400; font-size: 12px; }
"""


def main() -> None:
    """Draw all pictures."""
    settings = load_settings()
    engine = wire(settings, embedder_of(settings)).engine
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 760, "height": 600})
        for name, question in QUESTIONS.items():
            answer = engine.answer(Question(text=question, id=f"slack-{name}"))
            message = answer_message(answer_object(answer), links="https://rigwise.example.org")
            page.set_content(page_of(question, message.blocks))
            page.locator("main").screenshot(path=FOLDER / f"slack-{name}.png")
            sys.stdout.write(f"docs/pictures/slack-{name}.png: {question}\n")
        browser.close()


def page_of(question: str, blocks: tuple[Block, ...]) -> str:
    """A thread with the question and the bot's message."""
    shown = "".join(_DRAW[block["type"]](block) for block in blocks)
    asked = f"<a>@Rigwise</a> {_marked({'text': quoted(question)})}"
    return (
        f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style><main>"
        f"{_message('asker', 'Ada', 'A', asked)}{_message('bot', 'Rigwise', 'R', shown)}</main>"
    )


def _message(kind: str, name: str, letter: str, inside: str) -> str:
    tag = '<span class="tag">APP</span>' if kind == "bot" else ""
    return (
        f'<div class="message {kind}"><div class="face">{letter}</div><div>'
        f'<div class="name">{name}{tag}<small>9:41</small></div>{inside}</div></div>'
    )


def _marked(text: Block) -> str:
    """Slack's markup as HTML. Its three escapes are those of HTML, and the page escapes the quotes."""
    if text.get("type") == "plain_text":
        return escape(str(text["text"]))
    html = str(text["text"]).replace("<", "&lt;").replace(">", "&gt;")
    html = _LINK.sub(r'<a href="\1">\2</a>', html)
    return _BOLD.sub(r"<b>\1</b>", _CODE.sub(r"<code>\1</code>", html)).replace("\n", "<br>")


def _section(block: Block) -> str:
    return f'<div class="block">{_marked(block["text"])}</div>'


def _context(block: Block) -> str:
    lines = "".join(f"<div>{_marked(each)}</div>" for each in block["elements"])
    return f'<div class="block context">{lines}</div>'


def _alert(block: Block) -> str:
    return f'<div class="block alert">⚠ {_marked(block["text"])}</div>'


def _actions(block: Block) -> str:
    inside = "".join(
        f'<span class="button">{_marked(each["text"])}</span>' for each in block["elements"]
    )
    return f'<div class="block">{inside}</div>'


def _feedback(block: Block) -> str:
    sides = block["elements"][0]
    inside = "".join(
        f'<span class="button thumb">{_marked(sides[side]["text"])}</span>'
        for side in ("positive_button", "negative_button")
    )
    return f'<div class="block">{inside}</div>'


def _table(block: Block) -> str:
    rows = "".join(
        f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in block["rows"]
    )
    return f'<div class="block"><table>{rows}</table></div>'


def _cell(cell: Block) -> str:
    if cell["type"] == "raw_text":
        return escape(cell["text"])
    parts = cell["elements"][0]["elements"]
    return " ".join(
        f'<a href="{escape(part["url"])}">{escape(part["text"])}</a>'
        if "url" in part
        else escape(part["text"])
        for part in parts
    )


_DRAW: Final[Mapping[str, Callable[[Block], str]]] = {
    "section": _section,
    "context": _context,
    "alert": _alert,
    "actions": _actions,
    "context_actions": _feedback,
    "table": _table,
}

if __name__ == "__main__":
    main()
