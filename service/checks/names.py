"""Devices by name, read from the heads of the spec sheets themselves: the checker trusts no lexicon of the composer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from indexer.types import Document

_HEAD_CHARS = 1500
_LINE = re.compile(r"^(id|name|aliases|family|vendor): *(.+)$", re.MULTILINE)
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_GAP = re.compile(r"[\s\u2011-]?|\s\(")
_BUILT_OF = re.compile(r"^devices: .*?\bid: *([\w-]+)", re.MULTILINE)
_MAKERS = frozenset(
    "nvidia amd intel google aws amazon apple geforce tesla instinct radeon cloud habana the".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A name as it stands in a text, and the spec sheets that it can mean."""

    devices: frozenset[str]
    start: int
    end: int


class Names:
    """The names, aliases, families and ids of all spec sheets of a generation."""

    def __init__(self, documents: Iterable[Document]) -> None:
        known: dict[tuple[str, ...], set[str]] = {}
        self._parts: dict[str, list[str]] = {}
        for document in documents:
            if document.kind == "hardware":
                device, head = document.id.rsplit("/", 1)[-1], document.text[:_HEAD_CHARS]
                for spelling in _spellings(head):
                    known.setdefault(spelling, set()).add(device)
                self._parts[device] = _BUILT_OF.findall(head)
        self._known: Mapping[tuple[str, ...], frozenset[str]] = {
            spelling: frozenset(devices) for spelling, devices in known.items()
        }
        self._longest = max((len(spelling) for spelling in known), default=0)
        self._first = frozenset(spelling[0] for spelling in known)

    def find(self, text: str) -> list[Named]:
        """Names left to right, the longest first; parts of longer words are none."""
        tokens = list(_TOKEN.finditer(text))
        words = [token.group().casefold() for token in tokens]
        found: list[Named] = []
        position = 0
        while position < len(tokens):
            length = self._length(text, tokens, words, position)
            if length:
                key = tuple(words[position : position + length])
                start, end = tokens[position].start(), tokens[position + length - 1].end()
                found.append(Named(devices=self._known[key], start=start, end=end))
            position += length or 1
        return found

    def _length(
        self, text: str, tokens: list[re.Match[str]], words: list[str], position: int
    ) -> int:
        start = tokens[position].start()
        if words[position] not in self._first or (start and text[start - 1].isalnum()):
            return 0
        for length in range(min(self._longest, len(words) - position), 0, -1):
            end = tokens[position + length - 1].end()
            if tuple(words[position : position + length]) not in self._known:
                continue
            if _ends(text, end) and _is_one(text, tokens[position : position + length]):
                return length
        return 0

    def parts(self, devices: Iterable[str]) -> frozenset[str]:
        """The devices, and those that they are built of."""
        found = set(devices)
        return frozenset(found.union(*(self._parts.get(device, ()) for device in devices)))


def _ends(text: str, end: int) -> bool:
    """Whether a word ends here, a plural s aside."""
    rest = text[end : end + 2]
    return not rest[:1].isalnum() or (rest[:1] == "s" and not rest[1:].isalnum())


def _is_one(text: str, tokens: list[re.Match[str]]) -> bool:
    """Whether nothing but blanks and hyphens stands between the tokens; the "a" of "a 40 GB card" begins no name."""
    gaps = [text[one.end() : two.start()] for one, two in pairwise(tokens)]
    article = bool(gaps) and tokens[0].group().casefold() == "a" and bool(gaps[0])
    return not article and all(_GAP.fullmatch(gap) for gap in gaps)


@lru_cache(maxsize=8192)
def _spellings(head: str) -> tuple[tuple[str, ...], ...]:
    found: set[tuple[str, ...]] = set()
    for key, value in _LINE.findall(head):
        names = value.strip().strip("[]").split(",") if key == "aliases" else [value]
        for name in names if key != "vendor" else ():
            parts = tuple(part.casefold() for part in _TOKEN.findall(name))
            short = tuple(part for part in parts if part not in _MAKERS)
            found.update(spelling for spelling in (parts, short) if _is_name(spelling))
    return tuple(sorted(found))


def _is_name(spelling: tuple[str, ...]) -> bool:
    """A lone number, a lone short word or a maker alone names nothing."""
    if len(spelling) == 1:
        return len(spelling[0]) > 3 and not spelling[0][0].isdigit() and spelling[0] not in _MAKERS
    return bool(spelling) and not all(part in _MAKERS for part in spelling)
