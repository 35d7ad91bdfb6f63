"""The order in which a page is read: columns side by side, then paragraphs from top to bottom."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from indexer.parsing.footnotes import note_of
from indexer.parsing.geometry import (
    Box,
    PageLayout,
    Segment,
    around,
    gutters,
    lines_of,
    segments_of,
)
from indexer.parsing.pdfcells import join_lines
from indexer.parsing.pdftable import FoundTable, find_tables

_DEEPEST: Final = 30
_GUTTER: Final = 9.0
# White strips in font sizes: between parts of a page, and between paragraphs.
_TALL: Final = 2.5
_LEADING: Final = 0.9
_BULLET: Final = re.compile(r"^\s*[•●▪◦‣∙·–—-]\s*(?=\S)")
_TICK: Final = re.compile(r"[-+]?[\d.,]+[xX%KMGTkms]?|[IX]{1,2}|[-–|•]")
_LARGER: Final = 1.12
_LONGEST_HEADING: Final = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Lines that belong together; `size` of most of its words."""

    text: str
    size: float
    bold: bool
    lines: int
    box: Box


Item = Paragraph | FoundTable


def read_items(page: PageLayout, *, without: frozenset[str] = frozenset()) -> list[Item]:
    """Paragraphs and tables of a page in reading order. `without`: running heads (see `running_key`)."""
    tables = find_tables(page)
    taken = frozenset(word for table in tables for word in table.words)
    segments: list[Segment] = []
    for line in lines_of([word for word in page.words if word not in taken]):
        parts = segments_of(line)
        if not (
            _at_edge(page, parts[0])
            and running_key(" ".join(part.text for part in parts)) in without
        ):
            segments += parts
    items: list[Item] = []
    for leaf in _cut([*segments, *tables], 0):
        items += _leaf(leaf)
    return items


def running_key(text: str) -> str:
    """A line with its digits made one sign, so that page numbers do not tell heads apart."""
    return re.sub(r"\d+", "#", " ".join(text.split())).casefold()


def edge_lines(page: PageLayout) -> list[str]:
    """The keys of the lines near the upper and lower edge of a page."""
    lines = [segments_of(line) for line in lines_of(page.words)]
    return [
        running_key(" ".join(part.text for part in parts))
        for parts in lines
        if _at_edge(page, parts[0])
    ]


def _at_edge(page: PageLayout, box: Box) -> bool:
    return box.middle < 0.08 * page.height or box.middle > 0.92 * page.height


def _cut(boxes: Sequence[Segment | FoundTable], depth: int) -> list[list[Segment | FoundTable]]:
    """Cut along the widest white strip between columns, else along white between rows; in reading order."""
    if len(boxes) < 2 or depth > _DEEPEST:
        return [list(boxes)] if boxes else []
    for parts in (_rows(boxes, white=_TALL), _columns(boxes), _rows(boxes, white=_LEADING)):
        if len(parts) > 1:
            return [leaf for part in parts for leaf in _cut(part, depth + 1)]
    return [list(boxes)]


def _columns(boxes: Sequence[Segment | FoundTable]) -> list[list[Segment | FoundTable]]:
    places = [_place(box) for box in boxes]
    for at in gutters(places, around(places), least=_GUTTER):
        left = [box for box, place in zip(boxes, places, strict=True) if place.right <= at + 1]
        right = [box for box, place in zip(boxes, places, strict=True) if place.right > at + 1]
        if _is_column(left) and _is_column(right):
            return [left, right]
    return [list(boxes)]


def _is_column(boxes: Sequence[Segment | FoundTable]) -> bool:
    return len(boxes) > 1 or any(isinstance(box, FoundTable) for box in boxes)


def _place(box: Segment | FoundTable) -> Box:
    return box.box if isinstance(box, FoundTable) else box


def _rows(
    boxes: Sequence[Segment | FoundTable], *, white: float
) -> list[list[Segment | FoundTable]]:
    """Parts between horizontal strips that are higher than `white` font sizes, or around a table."""
    ordered = sorted(boxes, key=lambda box: _place(box).top)
    parts: list[list[Segment | FoundTable]] = [[ordered[0]]]
    bottom = _place(ordered[0]).bottom
    for box in ordered[1:]:
        place = _place(box)
        table = isinstance(box, FoundTable) or isinstance(parts[-1][-1], FoundTable)
        size = box.size if isinstance(box, Segment) else 10.0
        if place.top - bottom > (0.0 if table and white == _LEADING else white * size):
            parts.append([])
        parts[-1].append(box)
        bottom = max(bottom, place.bottom)
    return parts


def _leaf(boxes: Sequence[Segment | FoundTable]) -> list[Item]:
    items: list[Item] = [box for box in boxes if isinstance(box, FoundTable)]
    lines = _lines([box for box in boxes if isinstance(box, Segment)])
    group: list[list[Segment]] = []
    for line in [*lines, []]:
        if group and (not line or _begins(group[-1], line)):
            paragraph = _paragraph(group)
            items += [paragraph] if paragraph else []
            group = []
        group += [line] if line else []
    return sorted(items, key=lambda item: (item.box.top, item.box.left))


def _lines(segments: Sequence[Segment]) -> list[list[Segment]]:
    lines: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: (segment.top, segment.left)):
        if lines and abs(lines[-1][0].middle - segment.middle) < 0.5 * segment.height:
            lines[-1].append(segment)
        else:
            lines.append([segment])
    return [sorted(line, key=lambda segment: segment.left) for line in lines]


def _begins(before: Sequence[Segment], line: Sequence[Segment]) -> bool:
    """Whether a line begins a paragraph: white above it, another size or weight, a bullet, a footnote's mark."""
    first, last = line[0], before[0]
    size = max(first.size, last.size)
    apart = first.middle - last.middle > 1.75 * size
    resized = abs(first.size - last.size) > 0.12 * size
    weight = first.bold != last.bold and (all(s.bold for s in before) or all(s.bold for s in line))
    return (
        apart
        or resized
        or weight
        or bool(_BULLET.match(first.text))
        or (note_of(first.text) is not None and not first.text[0].isalpha())
    )


def _paragraph(lines: Sequence[Sequence[Segment]]) -> Paragraph | None:
    """None for the ticks of a chart's axis."""
    texts = [" ".join(segment.text for segment in line) for line in lines]
    text = join_lines(texts)
    if all(_TICK.fullmatch(word) for word in text.split()):
        return None
    segments = [segment for line in lines for segment in line]
    return Paragraph(
        text=_BULLET.sub("- ", text),
        size=max(segment.size for segment in segments[:3]),
        bold=all(segment.bold for segment in segments),
        lines=len(lines),
        box=around(segments),
    )


def is_heading(paragraph: Paragraph, body: float) -> bool:
    """Larger than the body's text, or bold, short and not a sentence."""
    text = paragraph.text
    short = len(text) <= _LONGEST_HEADING and paragraph.lines <= 3 and any(map(str.isalpha, text))
    larger = paragraph.size > _LARGER * body
    return (
        short
        and not text.endswith((".", ";", ","))
        and (larger or (paragraph.bold and paragraph.size >= 0.8 * body))
        and " www." not in f" {text}"
        and "://" not in text
    )
