"""Refuses what Slack refuses in blocks. The numbers are written out anew here, from Slack's reference, not imported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# docs.slack.dev/reference/block-kit: the pages of each block and object, read 2026-12-01.
TEXTS = {"section": 3000, "header": 150, "alert": 3000}
LENGTHS = {"context": 10, "actions": 25, "context_actions": 5}
BLOCK_TYPES = {
    "section", "context", "actions", "context_actions", "divider", "header", "table", "alert", "input", "markdown",
}  # fmt: skip
BLOCKS = {"message": 50, "modal": 100, "home": 100}
MESSAGE_UNITS = 13_000  # slackapi/bolt-js#2509: msg_blocks_too_long seen at about 13,200


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def faults(blocks: list[dict[str, Any]], surface: str = "message") -> list[str]:
    """What Slack would find wrong; empty: it takes them."""
    found = [] if len(blocks) <= BLOCKS[surface] else [f"{len(blocks)} blocks"]
    for block in blocks:
        found += _block(block)
    if sum(block["type"] == "table" for block in blocks) > 1:
        found.append("only_one_table_allowed")
    if surface == "message" and sum(units(text) for text in texts(blocks)) > MESSAGE_UNITS:
        found.append("msg_blocks_too_long")
    actions = [each.get("action_id") for block in blocks for each in block.get("elements", ())]
    named = [each for each in actions if each]
    return found + (["action_id twice"] if len(set(named)) < len(named) else [])


def texts(value: Any) -> Iterator[str]:
    """All texts that a reader sees."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def _block(block: dict[str, Any]) -> Iterator[str]:
    kind = str(block.get("type"))
    if kind not in BLOCK_TYPES:
        yield f"unsupported block {kind}"
    if kind in TEXTS:
        yield from _text(block["text"], TEXTS[kind])
    if kind in LENGTHS and not 1 <= len(block["elements"]) <= LENGTHS[kind]:
        yield f"{kind} with {len(block['elements'])} elements"
    for element in block.get("elements", ()):
        yield from _element(kind, element)
    if kind == "table":
        yield from _table(block)


def _element(kind: str, element: dict[str, Any]) -> Iterator[str]:
    if kind == "context":
        yield from _text(element, 3000)
    elif element["type"] == "button":
        yield from _text(element["text"], 75)
        if not 1 <= units(element["value"]) <= 2000:
            yield "button value"
    elif element["type"] == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            yield from _text(element[side]["text"], 75)
    if len(element.get("action_id", "")) > 255:
        yield "action_id too long"


def _text(text: dict[str, Any], most: int) -> Iterator[str]:
    if not 1 <= units(text["text"]) <= most or not text["text"].strip():
        yield f"text of {units(text['text'])} units, 1 to {most} allowed"
    if text["type"] == "mrkdwn":
        yield from markup(text["text"])


def markup(text: str) -> Iterator[str]:
    """Escapes and links that are cut or never closed."""
    rest = text
    while "<" in rest:
        _, _, rest = rest.partition("<")
        inside, closed, rest = rest.partition(">")
        if not closed or "<" in inside:
            yield f"broken link <{inside[:60]}"
        ours = f"<{inside}> asked: " in text or text == f"Settings of <{inside}>"
        if not inside.startswith(("http://", "https://")) and not ours:
            yield f"link to {inside[:60]}"
    for piece in text.split("&")[1:]:
        if not piece.startswith(("amp;", "lt;", "gt;")):
            yield f"bare & before {piece[:20]}"


def _table(block: dict[str, Any]) -> Iterator[str]:
    rows = block["rows"]
    if not 1 <= len(rows) <= 100 or any(not 1 <= len(row) <= 20 for row in rows):
        yield "table too large"
    if len({len(row) for row in rows}) > 1:
        yield "rows of different lengths"
    if sum(units(text) for text in texts(rows)) > 10_000:
        yield "table with too many characters"
    if any(not text for text in texts(rows)):
        yield "empty cell"
