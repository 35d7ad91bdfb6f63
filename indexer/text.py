"""Text in small: sentences with spans, and the tokens of the lexical leg (the same at index and query time)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from Stemmer import Stemmer

_FOOTNOTE = re.compile(r"(?:\[\^[^\]\s]+\])+")
# A line with the lines that continue it, cut behind a full stop that carries a footnote mark.
_PIECE = re.compile(
    rf"(?s:(?=[^\n])(?:(?!\n[\n\-*+|>#]|\n\d+[.)]\s).)+?(?:[.!?]{_FOOTNOTE.pattern}|(?=\n[\n\-*+|>#]|\n\d+[.)]\s|\Z)))"
)
_BLANK = re.compile(r"\s*")
_QUOTE_MARK = re.compile(r"[\s>]*")
_TAIL = re.compile(r"(?:\s|\[\^[^\]\s]+\])+\Z")
_LIST_MARK = re.compile(r"(?:[-*+]|\d+[.)])\s+")
_TOKEN = re.compile(
    r"[a-z0-9]+(?:[.,]\d+)*(?:[a-z0-9]*)|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W_]+",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
_STOPWORDS = frozenset(
    "a an and are as at be but by for from had has have he her his i if in into is it its me my no not of on or our "
    "she so such that the their then there these they this to us was we were what when where which who will with "
    "you your do does did how can could should would am any".split()
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text, without white space, list marks and footnote marks around them.

    A footnote mark behind a full stop ends a sentence; lines of a list or a table are sentences of their own. Empty
    ones are left out.
    """
    from nupunkt import sent_spans

    spans = []
    for piece in _PIECE.finditer(text):
        for start, end in sent_spans(piece.group()):
            trimmed = _trim(text, piece.start() + start, piece.start() + end)
            if trimmed[0] < trimmed[1]:
                spans.append(trimmed)
    return spans


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    for pattern in (_BLANK, _FOOTNOTE, _QUOTE_MARK):
        match = pattern.match(text, start, end)
        if match:
            start = match.end()
    mark = _LIST_MARK.match(text, start, end)
    if mark and not text[text.rfind("\n", 0, start) + 1 : start].strip(" \t>"):
        start = mark.end()
    tail = _TAIL.search(text[start:end])
    return start, (start + tail.start() if tail else end)


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("english")


def lexical_tokens(text: str) -> list[str]:
    """Tokens for BM25: NFKC, lower case, thousands commas dropped, stop words left out, words stemmed.

    "H100-SXM" gives h100 and sxm; "80GB" gives 80 and gb, as "80 GB" does; CJK text gives overlapping pairs of
    characters.
    """
    folded = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    tokens: list[str] = []
    words: list[str] = []
    for match in _TOKEN.finditer(folded):
        word = match.group()
        if _CJK.match(word):
            tokens.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif quantity := _QUANTITY.fullmatch(word):
            words.extend(quantity.groups())
        elif word not in _STOPWORDS:
            words.append(word)
    tokens.extend(_stemmer().stemWords(words))
    return tokens
