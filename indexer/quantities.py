"""Quantities as foreign tables write them: "3.35TB/s", "1,979 teraFLOPS", "2.5 PFLOPS", "350-400W", "216000000000.0 bytes"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from indexer.fact_kinds import FACT_KINDS, Quantity, convert
from indexer.parsing.footnotes import marks_in

_UNITS: Final = (
    (r"(?:tera\s?flop/?s|tera\s?flops?|t\s?flop/s|tflops?|tf/s)", "TFLOPS"),
    (r"(?:peta\s?flops?|pflop/s|pflops?)", "PFLOPS"),
    (r"(?:exa\s?flops?|eflops?)", "EFLOPS"),
    (r"(?:giga\s?flops?|gflop/s|gflops?)", "GFLOPS"),
    (r"(?:tera\s?ops?|tops|top/s)", "TOPS"),
    (r"(?:peta\s?ops?|pops|pop/s)", "POPS"),
    (r"(?:flop/s|flops)", "FLOPS"),
    (r"(?:op/s|ops)", "OPS"),
    (r"(?-i:TBps)", "TB/s"), (r"(?-i:GBps)", "GB/s"),
    (r"(?:tb\s?/\s?s(?:ec(?:ond)?)?|tbyte/s)", "TB/s"),
    (r"(?:gib\s?/\s?s(?:ec)?)", "GiB/s"),
    (r"(?:gb\s?/\s?s(?:ec(?:ond)?)?|gbyte/s|gbs)", "GB/s"),
    (r"(?:mb\s?/\s?s(?:ec)?)", "MB/s"),
    (r"(?:bytes?/s)", "B/s"),
    (r"(?:gbps|gb(?:it)?/s|gbit/s)", "Gbit/s"),
    (r"(?:bit/s)", "bit/s"),
    (r"(?:tib)", "TiB"), (r"(?:gib)", "GiB"), (r"(?:mib)", "MiB"),
    (r"(?:tb|terabytes?)", "TB"), (r"(?:gb|gbytes?|gigabytes?)", "GB"), (r"(?:mb)", "MB"), (r"(?:bytes?)", "B"),
    (r"(?:bits?)", "bit"),
    (r"(?:kw|kilowatts?)", "kW"), (r"(?:w|watts?)", "W"),
    (r"(?:ghz)", "GHz"), (r"(?:mhz)", "MHz"),
    (r"(?:usd|us\$|\$)", "USD"),
)  # fmt: skip
_UNIT: Final = "|".join(f"(?P<u{number}>{pattern})" for number, (pattern, _) in enumerate(_UNITS))
_FOUND: Final = re.compile(
    rf"(?P<dollar>\$\s?)?(?<![\w.])(?P<low>\d[\d,]*(?:\.\d+)?\s*(?:[-–]|to)\s*)?(?P<number>\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)"
    rf"(?:[\s\-]*(?:{_UNIT})(?![a-z/]))?",
    re.IGNORECASE,
)
# Base units that tables of numbers use, made the unit that people say.
_SCALED: Final = {"B": ("GB", 1e9), "B/s": ("GB/s", 1e9), "FLOPS": ("TFLOPS", 1e12), "OPS": ("TOPS", 1e12), "bit/s": ("GB/s", 8e9),
                  "Gbit/s": ("GB/s", 8.0)}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A quantity in a cell: its span there, the value (the upper end of a range) and the unit in the house's spelling.

    `marks` are the footnote marks right behind it; `implied` when the unit stands in the label and not in the cell.
    """

    start: int
    end: int
    quantity: Quantity
    marks: tuple[str, ...]
    implied: bool
    ranged: bool


def quantities_in(cell: str, unit: str = "") -> list[Written]:
    """All quantities of a cell in their order; bare numbers get `unit`, that of the label or column."""
    implied = unit_named(unit)
    found = []
    for match in _FOUND.finditer(cell):
        named = next(
            (_UNITS[number][1] for number in range(len(_UNITS)) if match[f"u{number}"]), ""
        )
        spelled = named or ("USD" if match["dollar"] else "") or implied
        value = float(match["number"].replace(",", ""))
        house, factor = _SCALED.get(spelled, (spelled, 1.0))
        found.append(
            Written(
                start=match.start(),
                end=match.end(),
                quantity=Quantity(value=value / factor, unit=house),
                marks=marks_in(cell[: match.end() + 4][match.start() :]),
                implied=not named,
                ranged=match["low"] is not None,
            )
        )
    return found


def unit_named(text: str) -> str:
    """The house's spelling of a unit written alone, or an empty string."""
    return next(
        (name for pattern, name in _UNITS if re.fullmatch(pattern, text.strip(), re.IGNORECASE)), ""
    )


def plausible(kind: str, quantity: Quantity) -> bool:
    """Whether a quantity has the dimension of the kind of fact and lies within its bounds."""
    known = FACT_KINDS[kind]
    if known.unit in {None, ""}:
        return False
    value = convert(quantity, known.unit or "")
    return value is not None and known.low <= value <= known.high


def spelled(quantity: Quantity) -> str:
    """As in "80 GB"; whole numbers without a point."""
    number = f"{quantity.value:.10g}"
    return f"{number} {quantity.unit}".strip()
