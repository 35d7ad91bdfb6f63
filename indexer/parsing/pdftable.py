"""Tables on a page: with rules between the rows, or by aligned columns alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from indexer.parsing.footnotes import note_of
from indexer.parsing.geometry import (
    Box,
    PageLayout,
    Rule,
    Segment,
    Word,
    around,
    gutters,
    lines_of,
    segments_of,
    text_of,
)
from indexer.parsing.pdfcells import cells_of
from indexer.parsing.pdfrules import merged

_SAME_EDGE: Final = 6.0
# A band higher than this share of the page, or with more lines than this, is a page's frame and no row.
_TALLEST_BAND: Final = 0.25
_MOST_LINES: Final = 14
_LEAST_GUTTER: Final = 3.5
_LONGEST_CELL: Final = 60
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTable:
    """Rows of cells with the place they stand in; `edges` are the left edges of the columns."""

    box: Box
    rows: tuple[tuple[str, ...], ...]
    bold: tuple[bool, ...]
    edges: tuple[float, ...]
    words: frozenset[Word]


def find_tables(page: PageLayout) -> list[FoundTable]:
    """All tables of a page from top to bottom: ruled ones first, then aligned ones in the words that remain."""
    found = [table for box, bands in _ruled_boxes(page) if (table := _ruled(page, box, bands))]
    taken = frozenset(word for table in found for word in table.words)
    found += _aligned([word for word in page.words if word not in taken])
    return sorted(found, key=lambda table: (table.box.top, table.box.left))


def _ruled_boxes(page: PageLayout) -> list[tuple[Box, list[float]]]:
    """Places between rules of the same extent, each with the heights of its rules."""
    groups: list[list[Rule]] = []
    for rule in sorted(merged(page.across), key=lambda rule: (rule.at, rule.start)):
        for group in reversed(groups):
            last = group[-1]
            same = (
                abs(last.start - rule.start) < _SAME_EDGE and abs(last.end - rule.end) < _SAME_EDGE
            )
            if same and rule.at - last.at < _TALLEST_BAND * page.height:
                group.append(rule)
                break
        else:
            groups.append([rule])
    found = []
    for group in groups:
        if len(group) >= 3 and group[0].end - group[0].start > 60:
            box = Box(
                left=min(r.start for r in group),
                right=max(r.end for r in group),
                top=group[0].at,
                bottom=group[-1].at,
            )
            found.append((box, [rule.at for rule in group]))
    return [
        item
        for item in found
        if not any(other is not item and _inside(item[0], other[0]) for other in found)
    ]


def _inside(inner: Box, outer: Box) -> bool:
    return outer.holds(inner) and outer.width * outer.height > inner.width * inner.height * 1.05


def _ruled(page: PageLayout, box: Box, bands: list[float]) -> FoundTable | None:
    inside = [word for word in page.words if box.holds(word)]
    above = _header_above(page, box, inside)
    below = _row_below(page, box, bands)
    words = [*above, *inside, *below]
    edges = _column_edges(page, box, words)
    if len(edges) < 2 or not inside:
        return None
    heights = [
        *([bands[0] - 1000.0] if above else []),
        *bands,
        *([bands[-1] + 1000.0] if below else []),
    ]
    rows, bold = [], []
    for top, bottom in pairwise(heights):
        band = [word for word in words if top - 0.5 <= word.middle < bottom + 0.5]
        for part in _rows_in(band, edges, box.right):
            rows.append(cells_of(part, edges, box.right))
            bold.append(all(word.bold for word in part))
    if not _is_table(rows):
        return None
    whole = around([box, *above, *below])
    return FoundTable(
        box=whole, rows=tuple(rows), bold=tuple(bold), edges=tuple(edges), words=frozenset(words)
    )


def _rows_in(band: Sequence[Word], edges: Sequence[float], right: float) -> list[list[Word]]:
    """The rows between two rules: one, or one for each line where every line fills every column with a figure."""
    lines = lines_of(band) if band else []
    if not lines or len(lines) > _MOST_LINES * 4:
        return []
    cells = [cells_of(line, edges, right) for line in lines]
    whole = all(all(row) and any(map(_DIGIT.search, row[1:])) for row in cells)
    if len(lines) > 1 and whole:
        return lines
    return [list(band)] if len(lines) <= _MOST_LINES else _by_label(lines, cells)


def _by_label(lines: Sequence[list[Word]], cells: Sequence[tuple[str, ...]]) -> list[list[Word]]:
    """A tall band without rules inside: a filled first column begins a row."""
    rows: list[list[Word]] = []
    for line, row in zip(lines, cells, strict=True):
        if (row[0] and any(row[1:])) or not rows:
            rows.append(list(line))
        else:
            rows[-1] += line
    return rows


def _header_above(page: PageLayout, box: Box, inside: Sequence[Word]) -> list[Word]:
    """Column names that stand over the first rule: the lines right above it that have several segments."""
    if not inside:
        return []
    size = inside[0].size or 8.0
    near = [
        w
        for w in page.words
        if box.left - 2 <= w.left
        and w.right <= box.right + 2
        and box.top - 3.2 * size <= w.middle < box.top
    ]
    found: list[Word] = []
    for line in reversed(lines_of(near)):
        if len(segments_of(line)) < 2:
            break
        found += line
    return found


def _row_below(page: PageLayout, box: Box, bands: Sequence[float]) -> list[Word]:
    """The last row of a table that has no rule at its foot: lines of several segments, as near as a row is high."""
    heights = sorted(after - before for before, after in pairwise(bands))
    reach = box.bottom + heights[len(heights) // 2]
    near = [
        w
        for w in page.words
        if box.left - 2 <= w.left and w.right <= box.right + 2 and box.bottom < w.middle < reach
    ]
    lines = lines_of(near)
    return (
        near
        if lines and len(segments_of(lines[0])) > 1 and note_of(text_of(lines[0])) is None
        else []
    )


def _column_edges(page: PageLayout, box: Box, words: Sequence[Word]) -> list[float]:
    """Left edges of the columns: by vertical rules where they are drawn, else by the white between the words."""
    height = box.height or 1.0
    drawn = sorted(
        rule.at
        for rule in merged(
            [
                r
                for r in page.down
                if box.left - 3 <= r.at <= box.right + 3
                and r.end > box.top
                and r.start < box.bottom
            ]
        )
        if min(rule.end, box.bottom) - max(rule.start, box.top) > 0.45 * height
    )
    inner = [at for at in _distinct(drawn) if box.left + 4 < at < box.right - 4]
    if inner:
        return [box.left, *inner]
    return [box.left, *_white(words, box)]


def _distinct(values: Sequence[float]) -> list[float]:
    kept: list[float] = []
    for value in values:
        if not kept or value - kept[-1] > 4:
            kept.append(value)
    return kept


def _white(words: Sequence[Word], box: Box) -> list[float]:
    """Middles of the white strips between columns; lines of one segment (titles, merged cells) do not count."""
    lines = [segments_of(line) for line in lines_of(words)]
    several = [segments for segments in lines if len(segments) > 1]
    return _gutters(several, box)


def _gutters(lines: Sequence[Sequence[Segment]], box: Box) -> list[float]:
    """Of many lines the white between their words is enough; of few only the white between their segments."""
    segments = [segment for line in lines for segment in line]
    size = segments[0].size if segments else 8.0
    if len(lines) < 4:
        return gutters(segments, box, least=max(_LEAST_GUTTER, 0.8 * size))
    words = [word for segment in segments for word in segment.words]
    return gutters(words, box, least=max(_LEAST_GUTTER, 0.45 * size), crossings=len(lines) // 12)


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """At least two rows with two filled cells, and labels in words: the ticks of a chart are no table."""
    filled = [row for row in rows if sum(map(bool, row)) > 1]
    labels = [row[0] for row in filled if re.search(r"[^\W\d_]{2,}", row[0]) or not row[0]]
    return len(filled) >= 2 and len(labels) * 2 >= len(filled) and len(filled) * 3 >= len(rows)


def _aligned(words: Sequence[Word]) -> list[FoundTable]:
    """Runs of at least three neighboring lines whose segments start at common edges and hold figures."""
    lines = [segments_of(line) for line in lines_of(words)]
    found: list[FoundTable] = []
    run: list[list[Segment]] = []
    for segments in [*lines, []]:
        if (
            len(segments) > 1
            and all(len(s.text) <= _LONGEST_CELL for s in segments)
            and (not run or _continues(run[-1], segments))
        ):
            run.append(segments)
            continue
        table = _from_run(run) if len(run) >= 3 else None
        if table:
            found.append(table)
        run = [segments] if len(segments) > 1 else []
    return found


def _continues(before: Sequence[Segment], segments: Sequence[Segment]) -> bool:
    """Near below, and at least two segments overlap with one above."""
    gap = segments[0].top - before[0].bottom
    shared = sum(
        1 for s in segments if any(min(s.right, b.right) - max(s.left, b.left) > 0 for b in before)
    )
    return gap < 2.2 * segments[0].size and shared >= 2


def _from_run(run: Sequence[Sequence[Segment]]) -> FoundTable | None:
    segments = [segment for line in run for segment in line]
    box = around(segments)
    edges = [box.left, *_gutters(run, box)]
    if len(edges) < 2:
        return None
    rows = [
        cells_of([word for segment in line for word in segment.words], edges, box.right)
        for line in run
    ]
    values = [cell for row in rows for cell in row[1:] if cell]
    numeric = sum(1 for cell in values if _DIGIT.search(cell) and len(cell) < 40)
    if not _is_table(rows) or numeric * 5 < len(values) * 2:
        return None
    words = frozenset(word for segment in segments for word in segment.words)
    bold = tuple(all(segment.bold for segment in line) for line in run)
    return FoundTable(box=box, rows=tuple(rows), bold=bold, edges=tuple(edges), words=words)
