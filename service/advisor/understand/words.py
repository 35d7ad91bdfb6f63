"""Read amounts, cues and negations off a question; every finding keeps the words that it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from service.advisor.types import Stated, T

_UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS: dict[str, float] = {
    **{word: float(number) for number, word in enumerate(_UNITS, start=1)},
    **{word: 10.0 * number for number, word in enumerate(_TENS, start=2)},
    "a dozen": 12.0,
    "a single": 1.0,
    "einer": 1.0,
    "eine": 1.0,
    "einen": 1.0,
    "ein": 1.0,
    "zwei": 2.0,
    "drei": 3.0,
    "vier": 4.0,
    "acht": 8.0,
    "dos": 2.0,
    "tres": 3.0,
    "cuatro": 4.0,
    "ocho": 8.0,
    "deux": 2.0,
    "trois": 3.0,
    "quatre": 4.0,
    "huit": 8.0,
    "一": 1.0,
    "两": 2.0,
    "三": 3.0,
    "四": 4.0,
    "八": 8.0,
}
_SCALES = (
    (r"trillions?|tn|billonen|billones", 1e12),
    (r"billions?|bill?ion|bn|mrd\.?|milliarden?|milliards?|mil millones|十亿", 1e9),
    (r"millions?|mio\.?|mn|millionen|millones|百万", 1e6),
    (r"hundred thousand", 1e5),
    (r"万", 1e4),
    (r"thousand|tausend|mil|mille|千", 1e3),
    (r"hundred", 1e2),
    (r"k", 1e3),
    (r"m", 1e6),
    (r"b", 1e9),
    (r"t", 1e12),
)
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SPELT = "|".join(sorted((re.escape(word) for word in _WORDS), key=len, reverse=True))
_SCALE = "|".join(pattern for pattern, _ in _SCALES)
_NOT_HERE = re.compile(
    r"(?:\b(?:not|no|non|never|without|instead of|rather than|other than|anything but|besides|apart from|aside from|except(?: for)?|"
    r"alternatives? (?:to|for)|nor|avoid|excluding|don'?t|do not|isn'?t|can'?t|cannot|nothing|nicht|kein\w*|ohne|außer|statt|anstatt|sin|"
    r"salvo|excepto|que no sean?|aparte de|sans|pas|sauf|hormis|autres? qu[e'’]|à part)\b|不|没有|无|除了)"
    r"(?:[\s-]+(?:just|only|any|a|an|the|to|want|use|be|in|go|really|into|from|by|made|activation|gradient|full|die|von|la|le|de|du|en|une?|una))*[\s-]*$",
    re.IGNORECASE,
)


def amount_pattern(name: str = "n") -> str:
    """A pattern for an amount such as "1,200", "8k", "fifty million"; read it with `amount_of`."""
    return (
        rf"(?<![A-Za-z0-9_.,])(?P<{name}>{_DIGITS}|(?:{_SPELT})(?![a-z]))"
        rf"(?:[\s-]?(?P<{name}scale>{_SCALE})(?![a-z]))?"
    )


def amount_of(match: re.Match[str], name: str = "n", *, binary: bool = False) -> float:
    """The amount of a match. With `binary`, "8k" counts 8192, as lengths of contexts do."""
    raw = match[name].lower()
    value = _WORDS[raw] if raw in _WORDS else float(raw.replace(",", ""))
    scale = (match[f"{name}scale"] or "").lower()
    if not scale:
        return value
    if binary and scale == "k" and value == int(value) and int(value) & (int(value) - 1) == 0:
        return value * 1024
    return value * next(size for pattern, size in _SCALES if re.fullmatch(pattern, scale))


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, without regard to case, compiled once."""
    return re.compile(pattern, re.IGNORECASE)


def is_negated(text: str, position: int) -> bool:
    """Whether a negation stands right before the position, in the same clause."""
    before = re.split(r"[.;:!?]", text[max(0, position - 40) : position])[-1]
    return _NOT_HERE.search(before) is not None


def cues(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """The matches of a cue that are not negated."""
    return (
        found for found in compiled(pattern).finditer(text) if not is_negated(text, found.start())
    )


def cue(pattern: str, text: str) -> re.Match[str] | None:
    """The first match of a cue that is not negated."""
    return next(cues(pattern, text), None)


def denied(pattern: str, text: str) -> re.Match[str] | None:
    """The first match of a cue that is negated."""
    return next(
        (found for found in compiled(pattern).finditer(text) if is_negated(text, found.start())),
        None,
    )


def stated(value: T, match: re.Match[str] | str) -> Stated[T]:
    """A field that stands in the question, with its words."""
    words = match if isinstance(match, str) else match.group()
    return Stated(value=value, origin="question", words=" ".join(words.split()))


def assumed(value: T, why: str = "") -> Stated[T]:
    """A field that is assumed, and why."""
    return Stated(value=value, origin="assumed", words=why)


def blank(text: str, *spans: tuple[int, int]) -> str:
    """The text with some spans replaced by spaces of the same length."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def spaced(text: str) -> str:
    """The text with a blank between Chinese characters and Latin ones, so that words have ends."""
    text = re.sub(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])", " ", text)
    return re.sub(r"(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])", " ", text)
