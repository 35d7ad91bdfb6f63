"""Parsers: bytes in, a Document with spans out. One module a format, one table of media types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import PurePosixPath

from indexer.errors import CorpusError
from indexer.parsing.encodings import decode_any, decode_strictly
from indexer.parsing.media import known_suffix, media_type_of
from indexer.types import Document, DocumentKind

__all__ = ["SourceFile", "decode", "is_document", "kind_of", "parse_document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of the corpus: its path relative to the corpus root, with forward slashes, and its bytes."""

    path: str
    content: bytes


_KINDS: dict[str, DocumentKind] = {
    "guidance": "guidance",
    "hardware": "hardware",
    "offers": "offers",
    "benchmarks": "benchmarks",
    "models": "models",
}


def is_document(path: str) -> bool:
    """Whether a file of this name is looked at: a format that is read or refused with a reason, and no README.

    A README speaks to contributors. Files that editors leave beside the one they write are none either.
    """
    name = PurePosixPath(path)
    return (
        known_suffix(path)
        and name.stem.lower() != "readme"
        and not name.name.startswith(("~$", "."))
    )


def kind_of(path: str) -> DocumentKind:
    """The kind of a document by the folder of the corpus that it lies in; "user" for any other place."""
    return _KINDS.get(PurePosixPath(path).parts[0], "user")


def parse_document(source: SourceFile) -> Document:
    """Parse one file by its content, in this process. See `indexer.parsing.sandbox` for files of strangers.

    Raises:
        CorpusError: with path, line and reason, when the file cannot be used. No text at all is a failure too.
    """
    media = media_type_of(source.path, source.content)
    module, function = media.parser.split(":")
    parse: Callable[[SourceFile], Document] = getattr(import_module(module), function)
    document = parse(source)
    if not any(block.end > block.start for block in document.blocks):
        raise CorpusError(source.path, 1, "nothing to read: the file holds no text")
    return (
        replace(document, media_type=media.name)
        if document.media_type == "text/markdown"
        else document
    )


def decode(source: SourceFile) -> str:
    """The file's text with line ends made one newline: strictly UTF-8 in the shipped folders, any encoding elsewhere.

    Raises:
        CorpusError: with the line of the first byte that is not UTF-8, or of a NUL.
    """
    if kind_of(source.path) == "user":
        return decode_any(source.path, source.content)
    return decode_strictly(source.path, source.content)
