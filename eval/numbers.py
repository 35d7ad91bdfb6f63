"""Numbers of an answer against the number that is expected: units, ranges, spelled counts.

The reader is `service.numbers.quantities`, the one that the service checks its own answers with; here
are only the ways in which people write quantities beyond it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from service.numbers import quantities

_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_SPELLED = re.compile(rf"\b({'|'.join(_WORDS)})\b(?=[ -]\w)", re.IGNORECASE)
_PER_SECOND = re.compile(r"(?<=[KMGTkmgti]B)(?: per | a )sec(?:ond)?\b|(?<=[KMGT]B)ps\b")
_DOLLARS = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)\s?(?:/|per |an |a )\s?(?:h|hr|hour)\b")
_PARAMETERS = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s?(?:B\b|bn\b|[Bb]illion\b)(?!\s?(?:rows|tokens|/))"
)
_RANGE = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?(?:to|-|–|—|and|or)\s?$")
_BARE = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:[eE]([+-]?\d+))?(?![\w]|[.,]\d)")
# A range counts as the number inside it only while it is a statement of that size.
_WIDEST_RANGE = 1.6
_NEAR_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A quantity of a text in base units; `low` and `high` differ for a range."""

    dimension: str
    low: float
    high: float
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A number that is looked for. Without a `dimension` its `words` must stand near it."""

    value: float
    dimension: str
    base: float
    tolerance: float
    words: tuple[str, ...] = ()


def expected(value: float, unit: str, tolerance: float | None) -> Expected:
    """A value and unit as a case file states them. The unit may be one that no reader knows."""
    read = quantities(f"{value!r} {unit}") or quantities(f"{value:.10g} {unit}")
    if read and len(read[0].unit) == len(unit):
        return Expected(
            value=value, dimension=read[0].dimension, base=read[0].base, tolerance=tolerance or 0.0
        )
    words = tuple(word for word in re.split(r"[\W_]+", unit.casefold()) if word)
    return Expected(value=value, dimension="", base=value, tolerance=tolerance or 0.0, words=words)


def read_numbers(text: str) -> list[Found]:
    """All quantities of a text, ranges and spelled counts included."""
    plain = _normalized(text)
    found: list[Found] = []
    for quantity in quantities(plain):
        before = _RANGE.search(plain, max(0, quantity.start - 16), quantity.start)
        low = quantity.base
        if before and quantity.value:
            low = float(before[1].replace(",", "")) * quantity.base / quantity.value
            found.append(
                Found(dimension=quantity.dimension, low=low, high=low, start=before.start(1))
            )
        ends = sorted((low, quantity.base))
        found.append(
            Found(dimension=quantity.dimension, low=ends[0], high=ends[1], start=quantity.start)
        )
        if before:
            found.append(
                Found(
                    dimension=quantity.dimension,
                    low=quantity.base,
                    high=quantity.base,
                    start=quantity.start,
                )
            )
    return found + [
        Found(
            dimension="parameter",
            low=float(match[1]) * 1e9,
            high=float(match[1]) * 1e9,
            start=match.start(),
        )
        for match in _PARAMETERS.finditer(plain)
    ]


def states(text: str, wanted: Expected) -> bool:
    """Whether a text states the expected number, within its tolerance and after unit conversion."""
    if not wanted.dimension:
        return any(_close(value, value, wanted) for value in _bare_near(text, wanted.words))
    return any(
        item.dimension == wanted.dimension and _close(item.low, item.high, wanted)
        for item in read_numbers(text)
    )


def _normalized(text: str) -> str:
    spelled = _SPELLED.sub(lambda match: str(_WORDS.index(match[1].lower())), text)
    return _DOLLARS.sub(r"\1 USD/h", _PER_SECOND.sub("/s", spelled))


def _close(low: float, high: float, wanted: Expected) -> bool:
    allowed = abs(wanted.base) * (wanted.tolerance + 1e-9)
    inside = low < wanted.base < high <= low * _WIDEST_RANGE
    return inside or any(abs(end - wanted.base) <= allowed for end in {low, high})


def _bare_near(text: str, words: Sequence[str]) -> list[float]:
    """Numbers with one of the unit's words within a few words of them."""
    lowered = text.casefold()
    values = []
    for match in _BARE.finditer(lowered):
        around = lowered[max(0, match.start() - _NEAR_CHARS) : match.end() + _NEAR_CHARS]
        if any(word in around for word in words):
            values.append(float(match.group().replace(",", "")))
    return values
