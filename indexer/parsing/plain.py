"""Plain text: paragraphs between empty lines; a short line over a paragraph may be its heading."""

from __future__ import annotations

import re
from typing import Final

from indexer.parsing import SourceFile, decode
from indexer.parsing.writer import Writer
from indexer.types import Document

_UNDERLINE: Final = re.compile(r"^(.{1,100})\n(={3,}|-{3,})\s*$")
_NUMBERED: Final = re.compile(r"^(?:\d{1,2}\.)+\d*\s+[A-Z][^.!?]{2,80}$")


def parse(source: SourceFile) -> Document:
    """Parse a text file; form feeds are page breaks.

    Raises:
        CorpusError: the encoding cannot be told, or the file holds a NUL.
    """
    writer = Writer()
    pages = decode(source).split("\f")
    for number, page in enumerate(pages, start=1):
        for piece in re.split(r"\n\s*\n", page):
            _add(writer, piece.strip("\n"), number if len(pages) > 1 else None)
    return writer.document(source, "text/plain")


def _add(writer: Writer, piece: str, page: int | None) -> None:
    underlined = _UNDERLINE.match(piece)
    if underlined:
        writer.heading(1 if underlined[2][0] == "=" else 2, underlined[1])
    elif _NUMBERED.match(piece.strip()):
        number = piece.split()[0].strip(".")
        writer.heading(number.count(".") + 1, piece)
    else:
        writer.prose(piece, page=page)
