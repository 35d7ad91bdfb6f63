"""Codes, dates, regions and counts: words with digits that are no quantity and no device."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from service.checks.names import Named
from service.checks.quoted import Quoted
from service.numbers import Quantity, quantities

_WORD = re.compile(r"[\w][\w.:/+#-]*\d[\w.:/+#-]*|\d[\w.,:/+#-]*")
_SMALL = re.compile(r"\d{1,3}(?:-bits?)?")
_EXPONENT = re.compile(r"\d+(?:\.\d+)?e\+?\d+")
_STRIP = ".,:;-/"
_FIXED = re.compile(
    r"^Option \d+: |needed is (?:at most |at least )?\d+, it has \d+|\b2:4 sparsity|\b\d+ variants\b|\b\d+ x(?= )|\bhas no \w+(?=:)",
    re.MULTILINE,
)
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})\b(?=,? (?:of )?(\d{{4}}))", re.IGNORECASE)
_COUNT = re.compile(r"(\d+) x $")
_MACHINES = re.compile(r"\b(\d+) x (?!\S* ?\d+ ?GB)(\S+) at\b")
_PRICE_OF = re.compile(r"\bis of (\S+) and may have changed")
_ROUND = re.compile(r"(?<=\d),(?=\d{3})")
_BARE = re.compile(r"\d+(?:\.\d+)?")


class _Held(NamedTuple):
    """A text that supports: as it is compared, and its words."""

    text: str
    words: frozenset[str]


def _held(text: str) -> _Held:
    plain = _ROUND.sub("", text).casefold()
    plain = f"{plain}\n{plain.replace('_', ' ')}"
    return _Held(plain, frozenset(re.split(r"[\s,;()\"'\[\]]+", plain)))


# Quotes and titles come again in many answers.
_quoted = lru_cache(maxsize=4096)(_held)


def strangers(
    text: str,
    quotes: Sequence[Quoted],
    taken: Sequence[Named | Quantity],
    notes: str,
    *,
    bare: bool,
) -> Iterator[str]:
    """Words with digits that stand in no quote, no note and no title; `bare`: plain small numbers too."""
    held = [_held(notes)]
    for quote in quotes:
        held.extend((_quoted(quote.text), _quoted(quote.document.title)))
    plain = _FIXED.sub(lambda match: " " * len(match.group()), text)
    for match in _WORD.finditer(plain):
        if any(each.start < match.end() and match.start() < each.end for each in taken):
            continue
        word = _spelled_out(_ROUND.sub("", match.group()).strip(_STRIP).casefold())
        if not bare and _SMALL.fullmatch(word):
            continue
        if word and not any(word in each.words for each in held) and not _in_any(word, held):
            yield f"{match.group()} stands in no quote"
    for month in _MONTH.finditer(text):
        if not any(_names_month(month, each.text) for each in held):
            yield f"{month.group()} {month.group(2)} stands in no quote"


def _spelled_out(word: str) -> str:
    """A number with an exponent as digits."""
    return f"{float(word):.15g}" if _EXPONENT.fullmatch(word) else word


def _in_any(word: str, held: Iterable[_Held]) -> bool:
    return any(word in each.text and _inside(word, each.text) for each in held)


def _inside(word: str, held: str) -> bool:
    """Whether a word stands in a text, not as part of a longer number or code."""
    return re.search(rf"(?<![\w.]){re.escape(word)}(?!\w|\.\d)", held) is not None


def _names_month(month: re.Match[str], held: str) -> bool:
    number = _MONTHS.index(month.group(1).casefold()) + 1
    return month.group(1).casefold() in held or f"{month.group(2)}-{number:02}" in held


def miscounted(text: str, quotes: Sequence[Quoted], named: Sequence[Named]) -> Iterator[str]:
    """A count of devices that is not the count of the quoted machine, times the number of machines."""
    counts = [
        int(quote.fields["count"]) for quote in quotes if quote.fields.get("count", "").isdigit()
    ]
    if not counts:
        return
    machines = _MACHINES.search(text)
    times = int(machines.group(1)) if machines else 1
    for name in named:
        said = _COUNT.search(text, max(0, name.start - 6), name.start)
        if said and int(said.group(1)) not in {count * times for count in counts}:
            yield f"{said.group().strip()}: the quoted machine has {counts[0]}"


def misplaced(text: str, quotes: Sequence[Quoted]) -> Iterator[str]:
    """A price without its machine, region, date or billing, or under another billing."""
    prices = [each for each in quantities(text) if each.dimension == "usd/h"]
    rows = [quote for quote in quotes if "instance" in quote.fields]
    dated = _PRICE_OF.search(text)
    if dated and any(row.fields.get("as of", dated.group(1)) != dated.group(1) for row in rows):
        yield f"the quoted price is not of {dated.group(1)}"
    if not prices or not rows:
        return
    lowered = text.casefold()
    for row in rows:
        for name in ("instance", "region", "as of"):
            wanted = row.fields.get(name, "").strip("()").casefold()
            if wanted and not _inside(wanted, lowered):
                yield f"it does not say the {name} {wanted}"
        for billing in ("on demand", "spot"):
            if billing in lowered and not _at(row.fields.get(billing, ""), prices):
                yield f"the quoted {billing} price is {row.fields.get(billing) or 'not known'}"


def _at(price: str, stated: Sequence[Quantity]) -> bool:
    """Whether a price, or a whole multiple of it for several machines, is stated."""
    found = _BARE.search(price)
    one = float(found.group()) if found else 0.0
    return one > 0 and any(
        abs(each.value - max(1, round(each.value / one)) * one) <= 1e-4 * each.value
        for each in stated
    )
