"""Excel workbooks: each sheet under its name, its cells as a table."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.archive import check_archive
from indexer.parsing.grid import guess_header, make_grid
from indexer.parsing.writer import Writer
from indexer.types import Document

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_MOST_CELLS: Final = 2_000_000


def parse(source: SourceFile) -> Document:
    """Parse a workbook; hidden sheets are left out, formulas give their stored values.

    Raises:
        CorpusError: damaged, encrypted, or larger unpacked than it may be.
    """
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    check_archive(source)
    writer = Writer()
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.content))
        for number, meta in enumerate(book.sheets_metadata):
            if meta.visible == SheetVisibleEnum.Visible:
                sheet = book.get_sheet_by_index(number)
                if sheet.total_height * sheet.total_width > _MOST_CELLS:
                    raise CorpusError(
                        source.path, 1, f"sheet {meta.name!r} spans more than {_MOST_CELLS} cells"
                    )
                writer.heading(1, meta.name)
                _write(writer, _cells(sheet))
    except (CalamineError, OSError, ValueError, OverflowError) as error:
        raise CorpusError(source.path, 1, f"the workbook cannot be read: {error}") from error
    name = PurePosixPath(source.path).stem.replace("_", " ").replace("-", " ")
    return writer.document(source, "application/xlsx", title=name)


def _cells(sheet: CalamineSheet) -> list[list[str]]:
    return [[_shown(value) for value in row] for row in sheet.to_python(skip_empty_area=True)]


def _write(writer: Writer, rows: list[list[str]]) -> None:
    """Lines of one cell above the table are prose; empty rows part one table from the next."""
    part: list[list[str]] = []
    for row in [*rows, []]:
        if any(row):
            part.append(row)
            continue
        while part and sum(map(bool, part[0])) == 1 and len(part[0]) > 1:
            writer.prose(next(cell for cell in part.pop(0) if cell))
        grid = make_grid(part, header_rows=_header_rows(part))
        if grid:
            writer.table(grid)
        else:
            writer.prose("\n".join(" ".join(filter(None, cells)) for cells in part))
        part = []


def _header_rows(rows: list[list[str]]) -> int:
    first = [cell for cell in rows[0] if cell] if rows else []
    words = len(first) > 1 and not any(
        cell.replace(".", "").replace(",", "").isdigit() for cell in first
    )
    return 1 if words and len(rows) > 1 and len(first) > 2 else guess_header(rows)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return (
            f"{value:.15g}"
            if abs(value) < 1e15
            else str(int(value))
            if abs(value) < 1e21
            else repr(value)
        )
    if isinstance(value, dt.datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    return " ".join(str(value).split())
