"""Table blocks: whole rows as far as Slack takes them, and a count of those left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.slack.limits import TABLE_CHARS, TABLE_COLUMNS, TABLE_ROWS, units

Block = dict[str, Any]
_SOURCES: Final = "Sources"
_HEADER: Final = ("#", "Machine", "Where", "USD/h", "Total USD", "Memory per device", "Fit")
_WHERE: Final = {"own": "yours", "buy": "to buy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A table as far as it fits; `block` is None when nothing of it does."""

    block: Block | None
    chars: int
    left_out: int


def answer_table(table: Mapping[str, Any], urls: Mapping[int, str], *, room: int) -> Shown:
    """The table of an answer, with a column of links to the sources of each row."""
    header = [*table["header"], _SOURCES]
    rows = [[*map(_text, row["cells"]), _links(row["citations"], urls)] for row in table["rows"]]
    return _fitted(header, rows, room=room)


def option_table(options: Sequence[Mapping[str, Any]], *, room: int) -> Shown:
    """The machines of a recommendation, best first."""
    return _fitted(_HEADER, [[_text(cell) for cell in _cells(each)] for each in options], room=room)


def _cells(option: Mapping[str, Any]) -> Iterable[str]:
    cost = option["cost"] or {}
    fit = option["fit"]
    place = (option["provider"], option["instance"], option["region"])
    yield str(option["rank"])
    yield f"{option['count']} x {option['device']}"
    yield _WHERE.get(option["where"]) or " ".join(part for part in place if part)
    yield _number(cost.get("usd_per_hour"))
    yield _number(cost.get("total_usd"))
    yield f"{fit['needed_gib']:.1f} of {fit['available_gib']:.1f} GiB"
    yield str(fit["verdict"])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.6g}" if value < 1e6 else f"{value:,.0f}"


def _fitted(header: Sequence[str], rows: Sequence[Sequence[Block]], *, room: int) -> Shown:
    top = [_text(cell) for cell in header]
    most, chars = min(room, TABLE_CHARS), _chars(top)
    kept: list[Sequence[Block]] = []
    for row in rows[: TABLE_ROWS - 1]:
        if chars + _chars(row) > most:
            break
        chars += _chars(row)
        kept.append(row)
    if not kept or len(header) > TABLE_COLUMNS:
        return Shown(block=None, chars=0, left_out=len(rows))
    block = {"type": "table", "rows": [top, *kept], "column_settings": [{"is_wrapped": True}]}
    return Shown(block=block, chars=chars, left_out=len(rows) - len(kept))


def _text(text: str) -> Block:
    """A cell. Slack wants at least one character in it."""
    return {"type": "raw_text", "text": text or " "}


def _links(numbers: Sequence[int], urls: Mapping[int, str]) -> Block:
    if not numbers:
        return _text("")
    parts = [
        {"type": "link", "url": urls[n], "text": f"[{n}]"}
        if urls.get(n)
        else {"type": "text", "text": f"[{n}]"}
        for n in numbers
    ]
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": parts}]}


def _chars(row: Sequence[Block]) -> int:
    return sum(_length(cell) for cell in row)


def _length(cell: Block) -> int:
    if cell["type"] == "raw_text":
        return units(cell["text"])
    return sum(
        units(part["text"]) + units(part.get("url", "")) for part in cell["elements"][0]["elements"]
    )
