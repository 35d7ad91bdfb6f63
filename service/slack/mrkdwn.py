"""Slack's own markup: escaping, links, and cutting a text only where that does no harm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final
from unicodedata import combining

from markdown_it import MarkdownIt
from markdown_it.token import Token

from service.slack.limits import units

_WORD: Final = 200  # characters of a word (CJK has no spaces) beyond which it may be cut
_URL: Final = re.compile(r"https?://[^\s<>]+")
_SPACED: Final = re.compile(r"\s+|\S+")
_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")
_PAIRS: Final = {")": "(", "]": "["}


def escape(text: str) -> str:
    """The text with the three characters escaped that Slack reads as markup of its own."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def link(url: str, label: str) -> str:
    """A link. What would end the address early is percent-encoded; a label stays on one line."""
    safe = re.sub(r"[\s<>|]", lambda found: f"%{ord(found.group()):02X}", url)
    return f"<{safe.replace('&', '&amp;')}|{escape(' '.join(label.split()))}>"


def atoms(text: str) -> Iterator[str]:
    """The text in Slack's markup, in pieces that must not be cut: words, spaces, code spans, links."""
    for inline in _parser().parseInline(text):
        yield from _atoms(inline.children or [])


def pack(pieces: Iterable[str], limit: int) -> tuple[str, ...] | None:
    """The pieces joined to texts of at most `limit` units; None: a piece is longer than that."""
    texts: list[str] = []
    current, length = "", 0
    for piece in pieces:
        size = units(piece)
        if size > limit:
            return None
        if length + size > limit:
            texts.append(current.strip())
            current, length = "", 0
        current, length = current + piece, length + size
    return tuple(text for text in (*texts, current.strip()) if text)


def _atoms(tokens: list[Token]) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.type == "link_open":
            end = next(i for i in range(place, len(tokens)) if tokens[i].type == "link_close")
            yield from _linked(str(token.attrGet("href")), tokens[place + 1 : end])
            place = end
        elif token.type == "code_inline" and "`" not in token.content and token.content.strip():
            yield f"`{escape(token.content)}`"
        else:
            yield from _plain(token.content)
        place += 1


def _linked(url: str, inside: list[Token]) -> Iterator[str]:
    label = "".join(token.content for token in inside)
    if _URL.match(url):
        yield link(url, label or url)
    else:  # a link to nowhere that a reader could go
        yield from _plain(f"[{label}]({url})")


def _plain(text: str) -> Iterator[str]:
    place = 0
    for found in _URL.finditer(text):
        url = _trimmed(found.group())
        yield from _words(text[place : found.start()])
        yield link(url, url)
        place = found.start() + len(url)
    yield from _words(text[place:])


def _trimmed(url: str) -> str:
    """The address without the punctuation of the sentence around it; brackets that it opened itself stay."""
    while url[-1] in ".,;:!?'\"" or (
        url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]])
    ):
        url = url[:-1]
    return url


def _words(text: str) -> Iterator[str]:
    for word in _SPACED.findall(text):
        start = 0
        while len(word) - start > _WORD:
            end = start + _WORD
            while end > start + 1 and _belongs(word[end - 1], word[end]):
                end -= 1
            yield escape(word[start:end])
            start = end
        yield escape(word[start:])


def _belongs(before: str, after: str) -> bool:
    """Whether two characters are shown as one."""
    toned = "\U0001f3fb" <= after <= "\U0001f3ff"
    return bool(combining(after)) or toned or after in _JOINERS or before == "\u200d"


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("zero").enable(["backticks", "link"])
