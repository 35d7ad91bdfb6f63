"""The table of fact kinds: which units a fact may have, which qualifiers it needs, which values are plausible."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import pint

_NUMBER = re.compile(r"([+-]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?:\s+([^\d\s].*))?")
_COUNT_WORD: Final = "count"
_COUNT_WORDS: Final = re.compile(
    r"[a-z -]*(?:core|thread|channel|socket|instance|chip|unit|processor|engine|lane|die)s?",
    re.IGNORECASE,
)
# Pint's own table takes a bit for a bare number, so that 80 GB and 80 would have one dimension.
_DEFINITIONS: Final = (
    "micro- = 1e-6 = u-",
    "milli- = 1e-3 = m-",
    "kilo- = 1e3 = k-",
    "mega- = 1e6 = M-",
    "giga- = 1e9 = G-",
    "tera- = 1e12 = T-",
    "peta- = 1e15 = P-",
    "kibi- = 2**10 = Ki-",
    "mebi- = 2**20 = Mi-",
    "gibi- = 2**30 = Gi-",
    "tebi- = 2**40 = Ti-",
    "second = [time] = s",
    "hour = 3600 * second = h",
    "watt = [power] = W",
    "bit = [information]",
    "byte = 8 * bit = B",
    "hertz = 1 / second = Hz",
    "FLOP = [operation]",
    "FLOPS = FLOP / second",
    "OPS = FLOP / second",
    "megatransfer = [transfer] = MT",
    "gigatransfer = 1000 * megatransfer = GT",
    "USD = [currency]",
    "count = [count]",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKind:
    """What a fact of one name looks like.

    `unit` is the unit that `low` and `high` count in; a fact may use any unit of its dimension.
    An empty `unit` means a bare number, None a fact in words. `required` are the qualifiers that it needs.
    """

    unit: str | None
    low: float = 0.0
    high: float = float("inf")
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and the unit as it was spelled."""

    value: float
    unit: str


def _count(low: float, high: float) -> FactKind:
    return FactKind(unit=_COUNT_WORD, low=low, high=high)


_TEXT: Final = FactKind(unit=None)
FACT_KINDS: Final[Mapping[str, FactKind]] = {
    "memory": FactKind(unit="GB", low=0.001, high=2e5, required=("basis", "memory_type", "ecc")),
    "memory_usable": FactKind(unit="MiB", low=64, high=2e8, required=("basis",)),
    "memory_bandwidth": FactKind(unit="GB/s", low=1, high=3e7),
    "memory_bus": FactKind(unit="bit", low=16, high=131072),
    "peak": FactKind(
        unit="TFLOPS", low=1e-3, high=3e6, required=("precision", "sparsity", "engine")
    ),
    "matmul_measured": FactKind(unit="TFLOPS", low=1e-3, high=1e6, required=("precision",)),
    "sparsity_multiplier": FactKind(unit="", low=1, high=4),
    "power": FactKind(unit="W", low=0.5, high=2e5, required=("term",)),
    "interconnect_bandwidth": FactKind(
        unit="GB/s", low=0.5, high=5e5, required=("link", "direction")
    ),
    "interconnect": _TEXT,
    "pcie": _TEXT,
    "compute_capability": _TEXT,
    "precisions": FactKind(unit=None, required=("supported",)),
    "mig_instances": _count(0, 64),
    "ecc": _TEXT,
    "price": FactKind(unit="USD", low=1, high=1e7, required=("term", "new")),
    "cores": _count(1, 2e6),
    "threads": _count(1, 1e4),
    "gpu_cores": _count(1, 1e6),
    "tensor_cores": _count(1, 1e6),
    "memory_channels": _count(1, 64),
    "sockets": _count(1, 16),
    "memory_speed": FactKind(unit="MT/s", low=100, high=4e4),
    "memory_max": FactKind(unit="GB", low=0.001, high=1e6),
    "clock_base": FactKind(unit="MHz", low=50, high=7000),
    "clock_boost": FactKind(unit="MHz", low=50, high=7000),
    "cache_l3": FactKind(unit="MiB", low=0.1, high=4096),
    "software": FactKind(unit=None, required=("supported",)),
    "note": _TEXT,
}


def parse_quantity(text: str) -> Quantity | None:
    """Read '80 GB' as 80.0 and 'GB'; None where the text is not a number with at most one unit."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    return Quantity(value=float(match[1].replace(",", "")), unit=(match[2] or "").strip())


def convert(quantity: Quantity, unit: str) -> float | None:
    """The quantity in `unit`, or None where the two have different dimensions or a unit is unknown."""
    if not quantity.unit or not unit:
        return quantity.value if quantity.unit == unit else None
    registry = _registry()
    try:
        return float(registry.Quantity(quantity.value, _spelled(quantity.unit)).to(unit).magnitude)
    except (pint.PintError, ValueError, AttributeError, TypeError):
        return None


def _spelled(unit: str) -> str:
    return _COUNT_WORD if _COUNT_WORDS.fullmatch(unit) else unit


@cache
def _registry() -> pint.UnitRegistry[float]:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(None)
    registry.load_definitions(list(_DEFINITIONS))
    return registry
