"""Bytes to text: byte-order marks, UTF-8, then the likeliest other encoding; never the locale's."""

from __future__ import annotations

import codecs
from typing import Final

from indexer.errors import CorpusError

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# How much of a file the guess looks at.
_SAMPLE: Final = 200_000
_CONTROLS: Final = dict.fromkeys(c for c in range(32) if chr(c) not in "\t\n\f")


def decode_strictly(path: str, content: bytes) -> str:
    """UTF-8 with or without its mark, line ends made one newline.

    Raises:
        CorpusError: with the line of the first byte that is not UTF-8, or of a NUL.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            path, line, f"not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    return _clean(path, text)


def decode_any(path: str, content: bytes, *, declared: str = "") -> str:
    """The text of a user's file: a byte-order mark decides, then UTF-8, then `declared`, then the likeliest encoding.

    Raises:
        CorpusError: no encoding fits, or the text holds a NUL.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            try:
                return _clean(path, content.decode(name))
            except UnicodeDecodeError as error:
                raise CorpusError(
                    path, 1, f"starts like {name} but is not: {error.reason}"
                ) from error
    for name in ("utf-8", declared):
        try:
            return _clean(path, content.decode(name)) if name else _guess(path, content)
        except (UnicodeDecodeError, LookupError):
            continue
    return _guess(path, content)


def without_controls(text: str) -> str:
    """The text without control characters other than tabs and newlines; all line ends are one newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)


def _guess(path: str, content: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_SAMPLE]).best()
    if best is None:
        raise CorpusError(path, 1, "the encoding cannot be told; save it as UTF-8")
    return _clean(path, content.decode(best.encoding, errors="replace"))


def _clean(path: str, text: str) -> str:
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise CorpusError(path, line, "holds a NUL byte: not a text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")
