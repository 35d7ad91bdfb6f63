"""Parsers: bytes in, a Document with spans out. One module a format, one table of media types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath

from indexer.errors import CorpusError
from indexer.types import Document, DocumentKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of the corpus: its path relative to the corpus root, with forward slashes, and its bytes."""

    path: str
    content: bytes


_PARSERS = {
    ".md": ("text/markdown", "indexer.parsing.markdown:parse"),
    ".csv": ("text/csv", "indexer.parsing.table:parse"),
}
_KINDS: dict[str, DocumentKind] = {
    "guidance": "guidance",
    "hardware": "hardware",
    "offers": "offers",
    "benchmarks": "benchmarks",
    "models": "models",
}


def is_document(path: str) -> bool:
    """Whether a file of this name is a document: a known format, and no README, which speaks to contributors."""
    name = PurePosixPath(path)
    return name.suffix.lower() in _PARSERS and name.stem.lower() != "readme"


def kind_of(path: str) -> DocumentKind:
    """The kind of a document by the folder of the corpus that it lies in; "user" for any other place."""
    return _KINDS.get(PurePosixPath(path).parts[0], "user")


def parse_document(source: SourceFile) -> Document:
    """Parse one file by its format.

    Raises:
        CorpusError: with path, line and reason, when the file cannot be used.
    """
    suffix = PurePosixPath(source.path).suffix.lower()
    if suffix not in _PARSERS:
        raise CorpusError(
            source.path, 1, f"unknown format {suffix!r}; known: {', '.join(_PARSERS)}"
        )
    module, function = _PARSERS[suffix][1].split(":")
    parse: Callable[[SourceFile], Document] = getattr(import_module(module), function)
    document = parse(source)
    if not document.blocks:
        raise CorpusError(source.path, 1, "nothing to read: the file holds no text")
    return document


def decode(source: SourceFile) -> str:
    """The file's text: UTF-8 (a byte-order mark is dropped), line ends made one newline.

    Raises:
        CorpusError: with the line of the first byte that is not UTF-8, or of a NUL.
    """
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.content.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            source.path, line, f"not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    if "\0" in text:
        raise CorpusError(
            source.path,
            text.count("\n", 0, text.index("\0")) + 1,
            "holds a NUL byte: not a text file",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")
