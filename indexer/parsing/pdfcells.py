"""The cells of a table's row: which column each word belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from indexer.parsing.geometry import Segment, Word, lines_of, segments_of, text_of


def cells_of(words: Sequence[Word], edges: Sequence[float], right: float) -> tuple[str, ...]:
    """A band's cells: lines of a cell joined by spaces; a segment over several columns stands in each."""
    columns: list[list[str]] = [[] for _ in edges]
    bounds = [*edges[1:], right + 1000]
    for line in lines_of(words):
        for segment in segments_of(line, gap=0.75):
            for part, first, last in _placed(segment, edges, bounds):
                for column in range(first, last + 1):
                    columns[column].append(part)
    return tuple(join_lines(parts) for parts in columns)


def join_lines(lines: Sequence[str]) -> str:
    """Lines of a paragraph or cell as one; a hyphen at a line's end joins without a space."""
    text = ""
    for line in lines:
        text += line if not text or (text.endswith("-") and text[-2:-1].isalpha()) else f" {line}"
    return text


def _placed(
    segment: Segment, edges: Sequence[float], bounds: Sequence[float]
) -> list[tuple[str, int, int]]:
    """The columns that a segment covers. One that starts at a column's edge is cut there, a centered one covers both."""
    touched = [
        column for column, (left, right) in enumerate(zip(edges, bounds, strict=True))
        if min(right, segment.right) - max(left, segment.left) > 2.0
    ] or [max(0, sum(1 for edge in edges if edge <= segment.left) - 1)]  # fmt: skip
    if len(touched) == 1:
        return [(segment.text, touched[0], touched[0])]
    straddles = any(
        word.left < edge - 1 < word.right - 2
        for word in segment.words
        for edge in bounds[touched[0] : touched[-1]]
    )
    spaced = all(
        _gap_at(segment, edge) > 1.25 * _usual_gap(segment)
        for edge in bounds[touched[0] : touched[-1]]
    )
    if straddles or not spaced:
        return [(segment.text, touched[0], touched[-1])]
    parts = []
    for column in touched:
        inside = [
            w for w in segment.words if edges[column] <= (w.left + w.right) / 2 < bounds[column]
        ]
        if inside:
            parts.append((text_of(inside), column, column))
    return parts


def _gap_at(segment: Segment, edge: float) -> float:
    before = [word.right for word in segment.words if word.right <= edge + 1]
    after = [word.left for word in segment.words if word.left >= edge - 1]
    return min(after) - max(before) if before and after else 0.0


def _usual_gap(segment: Segment) -> float:
    gaps = sorted(
        after.left - before.right for before, after in pairwise(segment.words) if not after.glued
    )
    return max(0.5, gaps[len(gaps) // 2] if len(gaps) > 2 else 0.28 * segment.size)
