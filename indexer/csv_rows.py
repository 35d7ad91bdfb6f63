"""The rows of a CSV document, each with its line and the span that states it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexer.errors import CorpusError


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvRow:
    """One data row: cells by column name, the line counted from 1, the span without its line end."""

    line: int
    start: int
    end: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    number: int
    start: int
    text: str


def csv_header(path: str, text: str) -> tuple[str, ...]:
    """The names of the columns, in their order."""
    first = next(_lines(text), None)
    if first is None:
        raise CorpusError(path, 1, "the table is empty; its first line has to name the columns")
    header = tuple(cell.strip() for cell in _cells(path, first))
    doubled = next((name for name in header if header.count(name) > 1), None)
    if doubled is not None:
        raise CorpusError(path, 1, f"column {doubled!r} stands here twice")
    return header


def csv_rows(path: str, text: str) -> Iterator[CsvRow]:
    """The data rows in their order. One row is one line: a row can be cited alone."""
    header = csv_header(path, text)
    lines = _lines(text)
    next(lines)
    for line in lines:
        cells = _cells(path, line)
        if len(cells) != len(header):
            raise CorpusError(
                path,
                line.number,
                f"{len(cells)} cells where the header names {len(header)} columns",
            )
        yield CsvRow(
            line=line.number,
            start=line.start,
            end=line.start + len(line.text),
            cells=dict(zip(header, (cell.strip() for cell in cells), strict=True)),
        )


def _lines(text: str) -> Iterator[_Line]:
    start = 1 if text.startswith("\ufeff") else 0
    for number, raw in enumerate(text[start:].split("\n"), start=1):
        content = raw.removesuffix("\r")
        if content.strip():
            yield _Line(number=number, start=start, text=content)
        start += len(raw) + 1


def _cells(path: str, line: _Line) -> list[str]:
    try:
        return next(csv.reader([line.text], strict=True))
    except csv.Error as error:
        raise CorpusError(path, line.number, f"not CSV: {error}") from error
