"""Units of tables: behind a name in brackets, in a table's corner, and behind the bare figures that they belong to."""

from __future__ import annotations

import re
from typing import Final

from indexer.parsing.footnotes import clean_cell

# A unit in brackets at the end of a header or label, and the same behind a comma.
_UNIT: Final = re.compile(
    r"^(?P<name>.*\S)\s*[(\[](?P<unit>[^()\[\]]{1,18})[)\]]\s*(?P<mark>[*†‡]*|\[\w{1,2}\])$"
)
_CORNER: Final = re.compile(r"^(.*\S)\s*[\\\\/|]\s*(\S{1,12})$")
_UNIT_WORD: Final = re.compile(
    r"(?:[KMGTPE]i?)?(?:B|b|bit|bits|bytes?|Hz|W|FLOPS?|OPS?|FLOP/s|OP/s|USD|EUR|\$|%|mm|mm\^?2|mm²|nm|V|A|s|ms|min|h|hours?|"
    r"years?|cores?|threads?|lanes?|U|kg|g|in|°C|C|IOPS|T/s|tokens/s|[kKMGT]?[bB]ps)"
    r"(?:/(?:s|sec|second|h|hour|chip|GPU|s/chip|sec/chip|pin))?|millions?|billions?|count",
    re.IGNORECASE,
)
NUMBER: Final = re.compile(
    r"[-+~≈≤≥<>]?\s*\$?\d[\d.,\s]*(?:e[-+]?\d+)?(?:\s*[-–/x]\s*\d[\d.,]*)*[*†‡]*", re.IGNORECASE
)
# Base units that tables of numbers use, and what readers call them.
_SCALED: Final = {
    "bytes": "B", "byte": "B", "b": "B", "byte/s": "B/s", "bytes/s": "B/s", "flop/s": "FLOPS", "flops": "FLOPS",
    "op/s": "OPS", "ops": "OPS", "bit/s": "bit/s",
}  # fmt: skip
_PREFIXES: Final = ((1e15, "P"), (1e12, "T"), (1e9, "G"))


def split_unit(name: str) -> tuple[str, str]:
    """A column name or label and the unit that stands in brackets behind it ("Memory (GiB)"), or an empty unit."""
    match = _UNIT.match(name)
    if match is None or not _UNIT_WORD.fullmatch(match["unit"].strip()):
        return name, ""
    return clean_cell(f"{match['name']}{match['mark']}"), match["unit"].strip()


def split_corner(name: str) -> tuple[str, str]:
    r"""The name in a table's corner and the unit of all columns behind it: "Accelerator \ TFLOPS"."""
    match = _CORNER.match(name)
    return (match[1], match[2]) if match and _UNIT_WORD.fullmatch(match[2]) else (name, "")


def with_unit(value: str, unit: str) -> str:
    """A bare number with its unit; large numbers of base units are scaled, the original in brackets."""
    if not unit or not NUMBER.fullmatch(value):
        return value
    base = _SCALED.get(unit.casefold())
    if base is None:
        return f"${value}" if unit == "$" else f"{value} {unit}"
    try:
        number = float(value.replace(",", ""))
    except ValueError:
        return f"{value} {unit}"
    for factor, prefix in _PREFIXES:
        if number >= factor:
            return f"{number / factor:.6g} {prefix}{base} ({value} {unit})"
    return f"{value} {unit}"
