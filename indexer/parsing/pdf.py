"""PDF: text with page numbers, headings, columns and tables; pages without text are read as pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.geometry import PageLayout
from indexer.parsing.pages import measure, write_pages
from indexer.parsing.pdfium import open_pdf, read_page
from indexer.parsing.writer import Writer
from indexer.types import Document

MOST_PAGES: Final = 3000
_MOST_PICTURES: Final = 150
_FEW_WORDS: Final = 3
_SCALE: Final = 2.0


def parse(source: SourceFile) -> Document:
    """Parse a PDF.

    Raises:
        CorpusError: encrypted, damaged, too many pages, or pictures only while no reader of pictures is installed.
    """
    document = open_pdf(source)
    try:
        if len(document) > MOST_PAGES:
            raise CorpusError(
                source.path,
                1,
                f"{len(document)} pages; at most {MOST_PAGES} are read: split the file",
            )
        pages = _Pages(source, document)
        style = measure(len(document), pages.read)
        writer = Writer()
        title = write_pages(writer, (pages.read(index) for index in range(len(document))), style)
        told = document.get_metadata_dict()
        named = (told.get("Title") or "").strip()
        shown = title or (named if " " in named else "")
        return writer.document(source, "application/pdf", title=shown, as_of=_date(told))
    finally:
        document.close()


def _date(told: Mapping[str, str]) -> str:
    """The day of the last change that the file tells, or an empty string."""
    match = re.match(
        r"D:(\d{4})(\d\d)(\d\d)", told.get("ModDate") or told.get("CreationDate") or ""
    )
    return f"{match[1]}-{match[2]}-{match[3]}" if match else ""


class _Pages:
    """Reads pages, by their text or as pictures; the last ones read are kept."""

    def __init__(self, source: SourceFile, document: Any) -> None:
        self._source = source
        self._document = document
        self._pictures = 0
        self.read: Callable[[int], PageLayout] = lru_cache(maxsize=64)(self._read)

    def _read(self, index: int) -> PageLayout:
        import pypdfium2 as pdfium

        try:
            layout = read_page(self._document, index)
            if len(layout.words) > _FEW_WORDS or not _has_picture(self._document, index):
                return layout
            self._pictures += 1
            if self._pictures > _MOST_PICTURES:
                raise CorpusError(
                    self._source.path,
                    1,
                    f"more than {_MOST_PICTURES} scanned pages: split the file",
                )
            return self._scanned(index)
        except pdfium.PdfiumError as error:
            raise CorpusError(
                self._source.path, 1, f"page {index + 1} is damaged: {error}"
            ) from error

    def _scanned(self, index: int) -> PageLayout:
        from indexer.parsing.ocr import read_picture

        page = self._document[index]
        try:
            picture = page.render(scale=_SCALE).to_numpy()
        finally:
            page.close()
        return read_picture(self._source.path, picture, number=index + 1, scale=_SCALE)


def _has_picture(document: Any, index: int) -> bool:
    import pypdfium2.raw as raw

    page = document[index]
    try:
        objects: Iterator[Any] = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4)
        return next(iter(objects), None) is not None
    finally:
        page.close()
