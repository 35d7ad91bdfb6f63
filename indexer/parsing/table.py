"""CSV: each row becomes a line of "name: value unit" pairs, so that one row can be read and quoted alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from indexer.csv_rows import csv_header, csv_rows
from indexer.errors import CorpusError
from indexer.parsing import SourceFile, decode, kind_of
from indexer.types import Block, Document, DocumentId

# Endings of column names that state a unit, and the unit as it is written behind the value.
_UNITS = (
    ("_usd_per_hour", "USD/h"),
    ("_tokens_per_s", "tokens/s"),
    ("_gflop", "GFLOP"),
    ("_tflops", "TFLOPS"),
    ("_gb_s", "GB/s"),
    ("_gib", "GiB"),
    ("_gb", "GB"),
    ("_mib", "MiB"),
    ("_min", "min"),
    ("_usd", "USD"),
    ("_w", "W"),
)
_NUMBER = re.compile(r"-?\d[\d.,]*(?:[eE][-+]?\d+)?")


def parse(source: SourceFile) -> Document:
    """Parse a CSV file with a header row; empty cells are left out of a row's line.

    Raises:
        CorpusError: not UTF-8, no header, a single column, or a row with another number of cells.
    """
    raw = decode(source)
    header = csv_header(source.path, raw)
    if len(header) < 2:
        raise CorpusError(
            source.path,
            1,
            "fewer than two columns; separate columns with commas and name them in row 1",
        )
    lines, spans, rows, offset = [], [], [], 0
    for row in csv_rows(source.path, raw):
        line = "; ".join(_pairs(row.cells))
        lines.append(line)
        spans.append((offset, offset + len(line)))
        rows.append(tuple(row.cells.values()))
        offset += len(line) + 1
    text = "\n".join(lines)
    name = PurePosixPath(source.path).stem.replace("-", " ").replace("_", " ")
    block = Block(
        kind="table",
        start=0,
        end=len(text),
        heading_path=(name,),
        rows=tuple(spans),
        header=header,
        cells=tuple(rows),
    )
    dates = [row[header.index("as_of")] for row in rows] if "as_of" in header else []
    return Document(
        id=DocumentId(source.path.removesuffix(".csv")),
        path=source.path,
        title=name,
        kind=kind_of(source.path),
        text=text,
        as_of=max(dates, default=""),
        media_type="text/csv",
        blocks=(block,) if lines else (),
    )


def _pairs(cells: Mapping[str, str]) -> Iterator[str]:
    for name, cell in cells.items():
        value = " ".join(cell.split())
        if not value:
            continue
        label, unit = _unit_of(name)
        shown = f"{value} {unit}" if unit and _NUMBER.fullmatch(value) else value
        yield f"{label.replace('_', ' ')}: {shown}"


def _unit_of(name: str) -> tuple[str, str]:
    for ending, unit in _UNITS:
        if name.lower().endswith(ending):
            return name[: -len(ending)], unit
    return name, ""
