"""CSV and TSV: each row becomes a line of "name: value unit" pairs, so that one row can be read and quoted alone.

Tables of the corpus's own folders are held to one form (commas, one line a row). A user's table is sniffed: delimiter,
decimal comma, encoding, header.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from indexer.csv_rows import csv_header, csv_rows
from indexer.errors import CorpusError
from indexer.parsing import SourceFile, decode, kind_of
from indexer.parsing.grid import guess_header, make_grid
from indexer.parsing.writer import Writer
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
# Columns that nobody looks a row up by; they stay in its line, and so in its quote.
_DOCUMENTING: Final = frozenset(
    "source note as_of residency tenancy availability division round software framework processor weight_types "
    "runs successful_runs global_batch_samples result_id local_nvme_gb memory_each_gb unit task accelerator licence "
    "hf_org params_b_untied params_b_tied kv_bytes_per_token_fp16 release_precision".split()
)
_NUMBER = re.compile(r"-?\d[\d.,]*(?:[eE][-+]?\d+)?")
_DELIMITERS: Final = ",;\t|"
_DECIMAL_COMMA: Final = re.compile(r"-?\d{1,3}(?:[.\s]\d{3})*,\d+|-?\d+,\d+")
_MOST_COLUMNS: Final = 2000
_LONGEST_CELL: Final = 100_000
_SNIFFED: Final = 50


def parse(source: SourceFile) -> Document:
    """Parse a table with a header row; empty cells are left out of a row's line.

    Raises:
        CorpusError: no header, a single column, too many columns, or (in the corpus's own folders) not UTF-8 or a row
            with another number of cells.
    """
    return _foreign(source) if kind_of(source.path) == "user" else _own(source)


def _foreign(source: SourceFile) -> Document:
    text = decode(source)
    delimiter = sniff_delimiter(text)
    if not delimiter:
        raise CorpusError(
            source.path,
            1,
            "one column only: no comma, semicolon, tab or bar separates cells in every row",
        )
    rows = _read(source.path, text, delimiter)
    width = max(map(len, rows))
    if width > _MOST_COLUMNS:
        raise CorpusError(source.path, 1, f"{width} columns; at most {_MOST_COLUMNS} are read")
    if delimiter != "," and _has_decimal_comma(rows):
        rows = [[_pointed(cell) for cell in row] for row in rows]
    cells = [row for row in rows if any(cell.strip() for cell in row)]
    grid = make_grid(cells, header_rows=_header_rows(cells))
    if grid is None:
        raise CorpusError(
            source.path, 1, "no table: fewer than two columns, or no row below the column names"
        )
    writer = Writer()
    name = PurePosixPath(source.path).stem.replace("-", " ").replace("_", " ")
    writer.table(grid)
    return writer.document(source, "text/csv", title=name)


def sniff_delimiter(text: str) -> str:
    """The character that separates cells: the one that gives most rows the same number of them; empty for none."""
    sample = text[:200_000].split("\n")[: _SNIFFED + 1]
    lines = [
        line for line in (sample[:-1] if len(sample) > 1 else sample) if line.strip()
    ] or sample
    best, best_score = "", 0.0
    for delimiter in _DELIMITERS:
        counts = [len(row) for row in _rows_of(lines, delimiter)]
        usual = max(set(counts), key=lambda count: (counts.count(count), count), default=1)
        score = counts.count(usual) / max(1, len(counts)) + min(usual, 50) / 1000
        if usual > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _rows_of(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _read(path: str, text: str, delimiter: str) -> list[list[str]]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise CorpusError(path, reader.line_num, f"not a table: {error}") from error
    if not rows:
        raise CorpusError(path, 1, "the table is empty")
    return rows


def _header_rows(rows: Sequence[Sequence[str]]) -> int:
    """A first row without a bare number names the columns."""
    first = [cell.strip() for cell in rows[0]] if rows else []
    return 1 if first and not any(_NUMBER.fullmatch(cell) for cell in first) else guess_header(rows)


def _has_decimal_comma(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell.strip() for row in rows[1 : _SNIFFED * 4] for cell in row]
    commas = sum(1 for cell in cells if _DECIMAL_COMMA.fullmatch(cell))
    points = sum(
        1 for cell in cells if re.fullmatch(r"-?\d+\.\d+|-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", cell)
    )
    return commas > points


def _pointed(cell: str) -> str:
    """The German number 1.234,5 as 1234.5; anything else as it is."""
    bare = cell.strip()
    return re.sub(r"[.\s]", "", bare).replace(",", ".") if _DECIMAL_COMMA.fullmatch(bare) else cell


def _own(source: SourceFile) -> Document:
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
        found_by=tuple(_sought(header, row) for row in rows),
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


def _sought(header: Sequence[str], row: Sequence[str]) -> str:
    """What a row is looked for by: its values, without columns that only document it."""
    cells = zip(header, row, strict=True)
    return " ".join(cell for name, cell in cells if cell and name not in _DOCUMENTING)


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
