"""Word documents: headings by style, paragraphs, lists and tables in their order."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.archive import check_archive
from indexer.parsing.footnotes import note_of
from indexer.parsing.grid import make_grid, with_notes
from indexer.parsing.writer import Writer
from indexer.types import Document

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_HEADING: Final = re.compile(r"heading (\d)", re.IGNORECASE)


def parse(source: SourceFile) -> Document:
    """Parse a Word document; the title is the one of its properties or the first paragraph in the style Title.

    Raises:
        CorpusError: damaged, encrypted, or larger unpacked than it may be.
    """
    check_archive(source)
    document = _open(source)
    writer = Writer()
    for item, following in _with_next(document):
        _add(writer, item, following)
    changed = document.core_properties.modified
    as_of = changed.date().isoformat() if changed is not None else ""
    return writer.document(source, "application/docx", title=_title(document), as_of=as_of)


def _open(source: SourceFile) -> WordDocument:
    from docx import Document as open_document
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import LxmlError

    try:
        return open_document(io.BytesIO(source.content))
    except (
        PackageNotFoundError,
        LxmlError,
        KeyError,
        ValueError,
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        AttributeError,
    ) as error:
        raise CorpusError(source.path, 1, f"the document cannot be read: {error}") from error


def _with_next(document: WordDocument) -> list[tuple[Paragraph | Table, list[str]]]:
    """Each piece with the texts of the paragraphs that follow it before the next table: footnotes may stand there."""
    items = list(document.iter_inner_content())
    found: list[tuple[Paragraph | Table, list[str]]] = []
    texts: list[str] = []
    for item in reversed(items):
        found.append((item, texts[:8]))
        texts = [item.text, *texts] if hasattr(item, "text") else []
    return found[::-1]


def _add(writer: Writer, item: Paragraph | Table, following: list[str]) -> None:
    from docx.table import Table

    if isinstance(item, Table):
        grid = make_grid([_cells(row) for row in _rows(item)])
        notes = [note for text in following if (note := note_of(text))]
        if grid:
            writer.table(with_notes(grid, notes))
        else:
            writer.prose("\n".join(cell for row in _rows(item) for cell in _cells(row) if cell))
        return
    style = (item.style.name or "") if item.style is not None else ""
    level = _HEADING.match(style)
    if level:
        writer.heading(int(level[1]) + 1, item.text)
    elif style == "Title":
        writer.heading(1, item.text)
    else:
        bullet = "- " if style.startswith("List") else ""
        writer.prose(f"{bullet}{item.text}" if item.text.strip() else "")


def _rows(table: Table) -> list[object]:
    return list(table.rows)


def _cells(row: object) -> list[str]:
    """The cells' texts, merged ones repeated; superscripts stand in brackets, so that marks are told from numbers."""
    return ["\n".join(_marked(paragraph) for paragraph in cell.paragraphs) for cell in row.cells]  # type: ignore[attr-defined]


def _marked(paragraph: Paragraph) -> str:
    parts = []
    for run in paragraph.runs:
        mark = run.text.strip()
        raised = bool(run.font.superscript) and len(mark) <= 2 and bool(mark)
        parts.append(f" [{mark}]" if raised and mark.isalnum() else run.text)
    return "".join(parts) or paragraph.text


def _title(document: WordDocument) -> str:
    named = (document.core_properties.title or "").strip()
    styled = next(
        (p.text for p in document.paragraphs if p.style is not None and p.style.name == "Title"), ""
    )
    return "" if named.casefold() in {"", "word document"} and not styled else styled or named
