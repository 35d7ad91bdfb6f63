"""Footnotes of tables: their marks in cells and labels, and the lines that explain them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MARK: Final = re.compile(
    r"(?<=[^\s*†‡])\s?([*†‡]{1,3}|\[[0-9a-z]{1,2}\])(?=$|[\s,;:)])|([¹²³⁰-⁹]+)$"
)
_NOTE: Final = re.compile(
    r"^\s*(?:([*†‡]{1,3})|\[([0-9a-z]{1,2}|[*†‡]{1,3})\]|([¹²³⁰-⁹])|\((\d{1,2})\)|(\d{1,2})[.)](?=\s))\s*(\S.*)$",
    re.DOTALL,
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A footnote: its mark without brackets, and its words."""

    mark: str
    text: str


def clean_cell(text: str) -> str:
    """Cell text on one line."""
    return " ".join(text.split())


def note_of(line: str) -> Note | None:
    """The footnote that a line opens with a mark, or None."""
    match = _NOTE.match(line)
    if match is None:
        return None
    mark = next(group for group in match.groups()[:-1] if group)
    return Note(mark=mark.translate(_SUPERSCRIPTS), text=clean_cell(match[6]))


def marks_in(text: str) -> tuple[str, ...]:
    """The footnote marks in a cell or label, without brackets."""
    return tuple((m[1] or m[2]).strip("[]").translate(_SUPERSCRIPTS) for m in _MARK.finditer(text))


def without_marks(text: str) -> str:
    """A cell or label without its footnote marks."""
    return clean_cell(_MARK.sub("", text))
