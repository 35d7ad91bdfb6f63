"""A table as values, and its rows as lines that can be read and quoted alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from indexer.parsing.footnotes import Note, clean_cell, marks_in
from indexer.parsing.units import NUMBER, split_corner, split_unit, with_unit

_NO_FIGURE: Final = re.compile(r"notes?$|ref|source|year|date", re.IGNORECASE)
# The longest footnote that a row repeats: its own, one of its column's name, and one in the lead; then the lead itself.
_LONGEST_LINE: Final = 360
_ROW_NOTE: Final = 160
_HEAD_NOTE: Final = 60
_LEAD_NOTE: Final = 100
_LEAD: Final = 420


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The cells of a data row, the page it stands on, and the heading row that it stands under."""

    cells: tuple[str, ...]
    page: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: column names (joined paths where a header has several rows; empty without any), rows, what belongs to it."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    notes: tuple[Note, ...] = ()


def make_grid(
    rows: Sequence[Sequence[str]], *, header_rows: int | None = None, caption: str = ""
) -> Grid | None:
    """A grid out of rows of text; None where fewer than one data row or two columns remain.

    Without `header_rows` the first rows that look like column names are the header. A row with one cell alone is the
    heading of those below it. Empty rows and columns are dropped.
    """
    cells = [[clean_cell(cell) for cell in row] for row in rows]
    width = max((len(row) for row in cells), default=0)
    cells = [row + [""] * (width - len(row)) for row in cells]
    used = [column for column in range(width) if any(row[column] for row in cells)]
    kept = [[row[column] for column in used] for row in cells if any(row)]
    if len(used) < 2 or not kept:
        return None
    count = header_rows if header_rows is not None else guess_header(kept)
    if len(kept) <= count:
        return None
    header = _joined(kept[:count]) if count else ()
    return Grid(header=header, rows=tuple(_sections(kept[count:])), caption=clean_cell(caption))


def guess_header(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows are column names: an empty corner, or words above columns of numbers."""
    if len(rows) < 2:
        return 0
    first = rows[0]
    if not first[0] and sum(map(bool, first)) >= max(1, len(first) - 1):
        return 1
    if len(first) > 2 and all(first) and not any(NUMBER.match(cell) for cell in first):
        return 1
    if len(first) == 2 and all(first) and _is_titles(first):
        return 1
    return 1 if len(first) > 1 and all(first) and _over_numbers(rows) else 0


def _is_titles(cells: Sequence[str]) -> bool:
    words = {"feature", "specification", "specifications", "parameter", "value", "values", "item", "attribute", "description",
             "property", "name", "model", "details", "component", "metric"}  # fmt: skip
    return all(words & set(cell.casefold().split()) for cell in cells)


def _over_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at least one column holds words on top and bare numbers in all rows below."""
    columns = list(zip_longest(*rows, fillvalue=""))[1:]
    return any(
        not any(map(str.isdigit, column[0]))
        and all(NUMBER.fullmatch(cell) for cell in column[1:] if cell)
        for column in columns
        if any(column[1:])
    )


def _joined(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(
        " ".join(dict.fromkeys(cell for cell in column if cell))
        for column in zip(*rows, strict=True)
    )


def _sections(rows: Sequence[Sequence[str]]) -> list[Row]:
    found, section = [], ""
    for row in rows:
        if _is_section(row):
            section = row[0]
        else:
            found.append(Row(cells=tuple(row), section=section))
    return found or [Row(cells=tuple(row)) for row in rows]


def _is_section(row: Sequence[str]) -> bool:
    """One cell alone, or one cell over all columns: a heading within the table."""
    spans = len(row) > 2 and len(set(row)) == 1
    return 0 < len(row[0]) <= 80 and (spans or not any(row[1:])) and not row[0][0].isdigit()


def with_notes(grid: Grid, notes: Sequence[Note]) -> Grid:
    """The grid with those of the notes whose marks stand in it."""
    used = {mark for row in grid.rows for cell in row.cells for mark in marks_in(cell)}
    used |= {mark for cell in grid.header for mark in marks_in(cell)} | set(marks_in(grid.caption))
    kept = {note.mark: note for note in (*grid.notes, *notes) if note.mark in used}
    return replace(grid, notes=tuple(kept.values()))


def row_line(grid: Grid, row: Row, subject_of_all: str = "") -> str:
    """A row as "subject; column: value unit; …", with its section before and the words of its footnotes behind.

    A pair of label and value stands under `subject_of_all`, what the whole table is about.
    """
    label, label_unit = split_unit(row.cells[0])
    names = grid.header or ("",) * len(row.cells)
    first, corner = split_corner(names[0])
    names = (first, *names[1:])
    subject = f"{names[0]}: {row.cells[0]}" if names[0] and row.cells[0] else row.cells[0]
    if len(row.cells) == 2 and not names[1]:
        parts = [f"{label}: {with_unit(row.cells[1], label_unit)}" if label else row.cells[1]]
        if subject_of_all and subject_of_all.casefold() not in parts[0].casefold():
            parts[0] = f"{subject_of_all} - {parts[0]}"
    else:
        parts = [subject] if subject else []
        for name, cell in zip(names[1:], row.cells[1:], strict=True):
            shown, unit = split_unit(name)
            value = with_unit(
                cell, unit or label_unit or ("" if _NO_FIGURE.match(name) else corner)
            )
            parts += [f"{shown}: {value}" if shown else value] if cell else []
    if row.section and row.section.casefold() not in parts[0].casefold():
        parts[0] = f"{row.section} - {parts[0]}"
    own = {mark for text in (*row.cells, row.section) for mark in marks_in(text)}
    above = {mark for name in (*names, grid.caption) for mark in marks_in(name)}
    notes = [
        note
        for note in grid.notes
        if len(note.text) <= (_ROW_NOTE if note.mark in own else _HEAD_NOTE * (note.mark in above))
    ]
    return "; ".join([*parts, *(f"[{note.mark}] {note.text}" for note in notes)])


def row_pieces(grid: Grid, row: Row) -> list[Row]:
    """A row whose line is long as several, each with its first cell, so that each can be read and quoted alone."""
    if len(row.cells) < 4 or len(row_line(grid, row)) <= _LONGEST_LINE:
        return [row]
    pieces: list[Row] = []
    kept: list[int] = []
    for column in range(1, len(row.cells)):
        piece = _only(row, [*kept, column])
        if kept and row.cells[column] and len(row_line(grid, piece)) > _LONGEST_LINE:
            pieces.append(_only(row, kept))
            kept = []
        kept.append(column)
    return [piece for piece in (*pieces, _only(row, kept)) if any(piece.cells[1:])]


def _only(row: Row, columns: Sequence[int]) -> Row:
    kept = {0, *columns}
    return replace(
        row, cells=tuple(cell if column in kept else "" for column, cell in enumerate(row.cells))
    )


def lead_of(grid: Grid) -> str:
    """What each group of rows repeats when it is embedded: caption, column names, footnotes."""
    names = " | ".join(name for name in grid.header if name)
    notes = [f"[{note.mark}] {note.text[:_LEAD_NOTE]}" for note in grid.notes]
    lead = grid.caption[:_LEAD_NOTE]
    for part in (*notes, names):
        lead += f"\n{part}" if part and len(lead) + len(part) <= _LEAD else ""
    return lead.strip()
