"""Read numbers with their units off a text, in base units, so that two spellings of one quantity compare equal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as it stands in a text: `base` is its value in the dimension's base unit, [start:end] its span.

    `digits` is half a unit of the last printed digit, in base units: what rounding can hide.
    """

    value: float
    unit: str
    dimension: str
    base: float
    digits: float
    start: int
    end: int


_PREFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
# Spelling (as a pattern): dimension and factor to its base unit.
_WORDS: tuple[tuple[str, str, float], ...] = (
    (
        r"(?:USD|US dollars|dollars|\$)\s?(?:/|per|an|a)\s?(?:h|hr|hour)\b(?:\s?(?:a|per) device)?",
        "usd/h",
        1.0,
    ),
    (r"USD|US dollars|dollars|\$", "usd", 1.0),
    (r"EUR|euros?|€", "eur", 1.0),
    (r"gigabytes?|gigs?", "byte", 1e9),
    (r"terabytes?", "byte", 1e12),
    (r"megabytes?", "byte", 1e6),
    (r"[tT]eraFLOPS|TFLOP/s|TFLOPs?", "flop/s", 1e12),
    (r"[pP]etaFLOPS|PFLOP/s|PFLOPs", "flop/s", 1e15),
    (r"TOPS|TOP/s", "flop/s", 1e12),
    (r"FLOPs?", "flop", 1.0),
    (r"GFLOP", "flop", 1e9),
    (r"kWh", "joule", 3.6e6),
    (r"MWh", "joule", 3.6e9),
    (r"GWh", "joule", 3.6e12),
    (r"Wh", "joule", 3.6e3),
    (r"kilowatts?", "watt", 1e3),
    (r"watts?", "watt", 1.0),
    (r"milliseconds?|ms", "second", 1e-3),
    (r"seconds?|s", "second", 1.0),
    (r"minutes?|mins?", "second", 60.0),
    (r"(?:GPU |GPU-|chip-|chip |device-|device )?hours?|hrs?|h", "second", 3600.0),
    (r"days?", "second", 86400.0),
    (r"weeks?", "second", 604800.0),
    (r"(?:tokens?|tok)(?:/| per |\sa\s)s(?:ec(?:ond)?)?", "token/s", 1.0),
    (r"images?(?:/| per |\sa\s)s(?:ec(?:ond)?)?", "image/s", 1.0),
    (r"tokens?", "token", 1.0),
    (r"(?:billion|bn) parameters|B parameters|B params", "parameter", 1e9),
    (r"million parameters|M parameters", "parameter", 1e6),
    (r"(?:bytes?|B)\s?(?:/|per|a)\s?(?:parameter|param)", "byte/parameter", 1.0),
    (r"bits? (?:per|a) weight", "bit/weight", 1.0),
    (r"%|percent|per cent", "percent", 1.0),
    (r"times|-?fold|x(?= (?:as|the|faster|more|less|slower|larger|cheaper))", "ratio", 1.0),
    (r"MHz", "hertz", 1e6),
    (r"GHz", "hertz", 1e9),
    (r"MT/s", "transfer/s", 1e6),
    (r"GT/s", "transfer/s", 1e9),
    (r"(?:MIG )?(?:instances?|slices)", "instance", 1.0),
    (r"(?:memory )?channels?", "channel", 1.0),
    (r"CUDA cores|(?:[CG]PU |[cg]pu )?cores?", "core", 1.0),
    (r"threads?", "thread", 1.0),
    (r"volts?|V", "volt", 1.0),
    (r"amperes?|amps?|A", "ampere", 1.0),
)


def _systematic() -> dict[str, tuple[str, float]]:
    units: dict[str, tuple[str, float]] = {
        "B": ("byte", 1.0),
        "bytes": ("byte", 1.0),
        "W": ("watt", 1.0),
        "J": ("joule", 1.0),
        "bit": ("bit", 1.0),
    }
    for prefix, factor in (_PREFIXES | _BINARY).items():
        units[f"{prefix}B"] = ("byte", factor)
        for per in ("/s", "ps"):
            units[f"{prefix}B{per}"] = ("byte/s", factor)
            units[f"{prefix}bit{per}"] = ("bit/s", factor)
            units[f"{prefix}b{per}"] = ("bit/s", factor)
        units[f"{prefix}bit"] = ("bit", factor)
    for prefix, factor in _PREFIXES.items():
        units[f"{prefix}W"] = ("watt", factor)
        units[f"{prefix}FLOPS"] = ("flop/s", factor)
        units[f"{prefix}FLOP/s"] = ("flop/s", factor)
    return units


_SYSTEMATIC = _systematic()
_UNIT = re.compile(
    "(?:"
    + "|".join(f"(?P<w{number}>{pattern})" for number, (pattern, _, _) in enumerate(_WORDS))
    + "|(?P<si>"
    + "|".join(sorted((re.escape(unit) for unit in _SYSTEMATIC), key=len, reverse=True))
    + r"))(?![\w/])"
)
_NUMBER = re.compile(
    r"(?<![\w.,])(?P<money>\$|€|USD\s)?(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?P<gap>[\s\u00a0-]?)"
)
_HOURLY = re.compile(r"\s?(?:/|per\b|an\b|a\b)\s?(?:h|hr|hour)\b")
_SI_FIRST = re.compile(
    "(?:"
    + "|".join(sorted((re.escape(unit) for unit in _SYSTEMATIC), key=len, reverse=True))
    + r")(?![\w/])"
)


def quantities(text: str) -> list[Quantity]:
    """All numbers of a text that have a unit, left to right."""
    return list(_read(text))


@lru_cache(maxsize=8192)
def _read(text: str) -> tuple[Quantity, ...]:
    """The same, kept: quotes and computed numbers come again and again."""
    found = []
    for match in _NUMBER.finditer(text):
        unit = _unit_at(text, match.end())
        if unit is None and match["money"]:
            unit = _money(match["money"], text, match.end("number"))
        if unit is None:
            continue
        spelling, dimension, factor, end = unit
        value = float(match["number"].replace(",", ""))
        found.append(
            Quantity(
                value=value,
                unit=spelling,
                dimension=dimension,
                base=value * factor,
                digits=_half_digit(match["number"]) * factor,
                start=match.start("number"),
                end=end,
            )
        )
    return tuple(found)


def _money(sign: str, text: str, end: int) -> tuple[str, str, float, int]:
    """The currency that stands before a number, by the hour where the text goes on so: "$6.88 per hour"."""
    currency = "EUR" if sign == "€" else "USD"
    hourly = _HOURLY.match(text, end)
    if hourly:
        return f"{currency}/h", f"{currency.lower()}/h", 1.0, hourly.end()
    return currency, currency.lower(), 1.0, end


def _unit_at(text: str, position: int) -> tuple[str, str, float, int] | None:
    plain = _SI_FIRST.match(text, position)
    worded = _UNIT.match(text, position)
    if plain and not (worded and worded.end() > plain.end()):
        dimension, factor = _SYSTEMATIC[plain.group()]
        return plain.group(), dimension, factor, plain.end()
    if worded is None or worded.lastgroup is None:
        return None
    number = int(worded.lastgroup.removeprefix("w"))
    return worded.group(), _WORDS[number][1], _WORDS[number][2], worded.end()


def _half_digit(number: str) -> float:
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    # Six digits of an exponent are more than any float holds.
    return float(f"5e{int(exponent[:6] or 0) - decimals - 1}")


def same(stated: Quantity, known: Quantity) -> bool:
    """Whether a stated quantity equals a known one, up to the rounding of the statement's last printed digit."""
    if stated.dimension != known.dimension:
        return False
    return abs(stated.base - known.base) <= max(stated.digits, 1e-6 * abs(known.base)) * 1.0001
