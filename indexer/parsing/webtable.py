"""Tables of web pages: spans over rows and columns, several header rows, footnote marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MOST_SPAN: Final = 200
_MOST_CELLS: Final = 500_000
_BREAKS: Final = frozenset("br p div li tr".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class WebTable:
    """Rows as they stand, spans filled in; `header_rows` is None where the markup does not tell."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int | None
    caption: str


def text_of(element: HtmlElement, *, without: tuple[str, ...] = ()) -> str:
    """The text of an element: breaks and blocks as newlines, footnote marks in brackets, powers as superscripts."""
    parts: list[str] = []
    if element.text:
        parts.append(element.text)
    for event, child in _walk(element):
        if event == "start" and child.tag in without:
            continue
        if event == "start":
            parts.append("\n" if child.tag in _BREAKS else "")
            if child.tag == "sup":
                parts.append(_superscript("".join(parts), child))
            elif not _inside(child, "sup", element) and not _in_any(child, without, element):
                parts.append(child.text or "")
        elif not _inside(child, "sup", element) and not _in_any(child, without, element):
            parts.append(child.tail or "")
    return "".join(parts)


def _walk(element: HtmlElement) -> list[tuple[str, HtmlElement]]:
    from lxml import etree

    events = etree.iterwalk(element, events=("start", "end"))
    return [
        (str(event), child)
        for event, child in events
        if child is not element and isinstance(child.tag, str)
    ]


def _inside(child: HtmlElement, tag: str, top: HtmlElement) -> bool:
    return _in_any(child, (tag,), top)


def _in_any(child: HtmlElement, tags: tuple[str, ...], top: HtmlElement) -> bool:
    parent = child.getparent()
    while parent is not None and parent is not top:
        if parent.tag in tags:
            return True
        parent = parent.getparent()
    return False


def _superscript(before: str, element: HtmlElement) -> str:
    """A power stays one ("10⁶", "mm²"); anything else short is a footnote's mark."""
    words = "".join(element.text_content().split()).strip("[]()")
    if re.search(r"(?:10|\bmm|\bcm|\bm)$", before) and re.fullmatch(r"-?\d+", words):
        return words.translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    if re.fullmatch(r"[*†‡]{1,3}", words):
        return words
    marks = [mark for mark in re.split(r"[,;]", words) if mark]
    if marks and all(re.fullmatch(r"\w{1,2}", mark) for mark in marks):
        return "".join(f" [{mark}]" for mark in marks)
    return words


def read_table(element: HtmlElement) -> WebTable:
    """Read a table without the tables inside it; a cell over several rows or columns stands in each."""
    rows = [row for row in element.iter("tr") if next(row.iterancestors("table"), None) is element]
    grid: list[dict[int, str]] = [{} for _ in rows]
    heads: list[bool] = []
    budget = _MOST_CELLS
    for number, row in enumerate(rows):
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        heads.append(_is_head(row, cells))
        column = 0
        for cell in cells:
            while column in grid[number]:
                column += 1
            width, height = _span(cell, "colspan"), _span(cell, "rowspan")
            budget -= width * height
            if budget < 0:
                break
            _fill(grid, (number, column), (height, width), " ".join(text_of(cell).split()))
            column += width
    caption = element.find("caption")
    width = max((max(row, default=-1) for row in grid), default=-1) + 1
    return WebTable(
        rows=tuple(tuple(row.get(column, "") for column in range(width)) for row in grid),
        header_rows=_leading(heads) or None,
        caption=" ".join(text_of(caption).split()) if caption is not None else "",
    )


def _fill(
    grid: list[dict[int, str]], at: tuple[int, int], size: tuple[int, int], text: str
) -> None:
    for row in range(at[0], min(at[0] + size[0], len(grid))):
        for column in range(at[1], at[1] + size[1]):
            grid[row].setdefault(column, text)


def _is_head(row: HtmlElement, cells: list[HtmlElement]) -> bool:
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    return len(cells) > 1 and all(cell.tag == "th" for cell in cells)


def _leading(heads: list[bool]) -> int:
    return next((position for position, head in enumerate(heads) if not head), len(heads))


def _span(cell: HtmlElement, name: str) -> int:
    text = (cell.attrib.get(name) or "1").strip()
    return (
        min(_MOST_SPAN, max(1, int(text)))
        if text.isascii() and text.isdigit() and len(text) < 9
        else 1
    )
