"""The table of media types: what a file is, told by its bytes first and by its name only between kinds of text."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from indexer.errors import CorpusError


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaType:
    """A format: its name, the endings that files of it have, the parser as "module:function", or why there is none."""

    name: str
    suffixes: tuple[str, ...]
    parser: str = ""
    refusal: str = ""

    @property
    def is_text(self) -> bool:
        """Whether a file of this format is characters, so that its encoding has to be found out."""
        return self.name.startswith("text/") or self.name == "application/json"


_OLD: Final = "an old or encrypted Office file; save it as .docx, .xlsx or .pdf without a password"
_PACKED: Final = "an archive; unpack it and add the files"
_OTHER: Final = "a format that is not read; save it as PDF, DOCX, HTML or Markdown"
MEDIA_TYPES: Final = (
    MediaType(
        name="text/markdown", suffixes=(".md", ".markdown"), parser="indexer.parsing.markdown:parse"
    ),
    MediaType(
        name="text/csv", suffixes=(".csv", ".tsv", ".tab"), parser="indexer.parsing.table:parse"
    ),
    MediaType(
        name="text/plain", suffixes=(".txt", ".text", ".log"), parser="indexer.parsing.plain:parse"
    ),
    MediaType(name="text/x-rst", suffixes=(".rst", ".rest"), parser="indexer.parsing.rst:parse"),
    MediaType(
        name="text/html",
        suffixes=(".html", ".htm", ".xhtml"),
        parser="indexer.parsing.webpage:parse",
    ),
    MediaType(
        name="application/json",
        suffixes=(".json", ".jsonl", ".ndjson"),
        parser="indexer.parsing.records:parse",
    ),
    MediaType(name="application/pdf", suffixes=(".pdf",), parser="indexer.parsing.pdf:parse"),
    MediaType(name="application/docx", suffixes=(".docx",), parser="indexer.parsing.docx:parse"),
    MediaType(
        name="application/xlsx", suffixes=(".xlsx", ".xlsm"), parser="indexer.parsing.xlsx:parse"
    ),
    MediaType(
        name="image",
        suffixes=(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"),
        parser="indexer.parsing.picture:parse",
    ),
    MediaType(name="application/ole", suffixes=(".doc", ".xls", ".ppt"), refusal=_OLD),
    MediaType(
        name="archive",
        suffixes=(".zip", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar"),
        refusal=_PACKED,
    ),
    MediaType(
        name="other", suffixes=(".pptx", ".odt", ".ods", ".odp", ".epub", ".rtf"), refusal=_OTHER
    ),
)
_BY_NAME: Final = {media.name: media for media in MEDIA_TYPES}
_BY_SUFFIX: Final = {suffix: media for media in MEDIA_TYPES for suffix in media.suffixes}
_MAGIC: Final = (
    (b"%PDF-", "application/pdf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/ole"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"BM", "image"),
    (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ\x00", "archive"),
    (b"(\xb5/\xfd", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"{\\rtf", "other"),
)
_OFFICE: Final = (
    ("word/document.xml", "application/docx"),
    ("xl/workbook.xml", "application/xlsx"),
)
_OPEN: Final = (("mimetype", "other"), ("ppt/presentation.xml", "other"))
_MARKUP: Final = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
# What zipfile raises for a file that it cannot open: NotImplementedError stands for a newer version or compression.
UNREADABLE: Final = (zipfile.BadZipFile, ValueError, OSError, NotImplementedError)
_HEAD: Final = 4096


def suffix_of(path: str) -> str:
    """The ending of a path in lower case."""
    return PurePosixPath(path).suffix.lower()


def known_suffix(path: str) -> bool:
    """Whether files of this ending are looked at: parsed, or refused with a reason."""
    return suffix_of(path) in _BY_SUFFIX


def media_type_of(path: str, content: bytes) -> MediaType:
    """The format of a file. Bytes win over the name; the name chooses between kinds of plain text.

    Raises:
        CorpusError: an empty file, a format that is not read, or text in a file that is named otherwise.
    """
    if not content.strip():
        raise CorpusError(path, 1, "the file is empty")
    named = _BY_SUFFIX.get(suffix_of(path))
    media = _BY_NAME.get(_binary(content)) or _text(path, content, named)
    if media.refusal:
        raise CorpusError(path, 1, f"this is {media.refusal}")
    return media


def _binary(content: bytes) -> str:
    head = content[:_HEAD]
    if head.startswith(b"PK\x03\x04"):
        return _zipped(content)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    for magic, name in _MAGIC:
        if head.startswith(magic) and not (magic == b"BM" and head[6:10] != bytes(4)):
            return name
    # The standard lets some bytes stand before a PDF's first line.
    return (
        "application/pdf"
        if b"%PDF-" in head[:1024] and b"\0" not in head[: head.index(b"%PDF-")]
        else ""
    )


def _zipped(content: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except UNREADABLE:
        names = {name for name, _ in _OFFICE if name.encode() in content}
    return next((kind for name, kind in (*_OFFICE, *_OPEN) if name in names), "archive")


def _text(path: str, content: bytes, named: MediaType | None) -> MediaType:
    head = content[:_HEAD]
    if b"\0" in head and not head.startswith(_WIDE):
        raise CorpusError(path, 1, "holds NUL bytes and is of no known format: not a document")
    if _MARKUP.match(head.removeprefix(b"\xef\xbb\xbf")):
        return _BY_NAME["text/html"]
    if named is None:
        raise CorpusError(
            path, 1, f"unknown format {suffix_of(path)!r}; known: {', '.join(_BY_SUFFIX)}"
        )
    if not named.is_text and not named.refusal:
        raise CorpusError(
            path,
            1,
            f"is named {suffix_of(path)} but does not hold that format: damaged or misnamed",
        )
    return named
