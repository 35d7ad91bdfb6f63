"""Checks of how the facts of one sheet go together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from indexer.checking.finding import Finding, Severity
from indexer.checking.sheets import Sheet
from indexer.fact_kinds import FACT_KINDS, convert, parse_quantity
from indexer.schema import FactLine

_SPARSE_TOLERANCE: Final = 0.02
_CLOCK_TOLERANCE: Final = 0.10
_DEFAULT_MULTIPLIER: Final = 2.0
_SAME: Final = 1e-6
_NOT_IDENTITY: Final = {"value", "source", "as_of", "level", "note", "ecc", "memory_type"}
# Two operations (a fused multiply-add) a unit and clock; newer Radeons issue two such; an Apple core has 128 units.
_UNIT_FACTORS: Final = {"gpu": (2, 4), "soc": (256,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Amount:
    """A fact with its figure in the unit of its kind."""

    index: int
    fact: FactLine
    value: float


def check_consistency(sheet: Sheet) -> Iterator[Finding]:
    """Contradictions between the facts of a sheet; what a `note` explains is let pass."""
    amounts = tuple(_amounts(sheet))
    yield from _contradictions(sheet, amounts)
    yield from _sparse_against_dense(sheet, amounts)
    yield from _usable_against_nominal(sheet, amounts)
    yield from _peak_against_clock(sheet, amounts)


def _amounts(sheet: Sheet) -> Iterator[_Amount]:
    for index, fact in enumerate(sheet.front.facts):
        kind = FACT_KINDS.get(fact.fact)
        quantity = parse_quantity(fact.value)
        if kind is not None and kind.unit is not None and quantity is not None:
            value = convert(quantity, kind.unit)
            if value is not None:
                yield _Amount(index=index, fact=fact, value=value)


def _contradictions(sheet: Sheet, amounts: tuple[_Amount, ...]) -> Iterator[Finding]:
    seen: dict[tuple[tuple[str, str], ...], _Amount] = {}
    for amount in amounts:
        stated = amount.fact.model_dump(exclude_none=True, exclude=_NOT_IDENTITY)
        first = seen.setdefault(tuple(sorted(stated.items())), amount)
        differs = abs(first.value - amount.value) > _SAME * max(abs(first.value), 1)
        if differs and not (first.fact.note or amount.fact.note):
            yield _finding(
                sheet,
                amount,
                problem=f"line {sheet.line(first.index)} states {first.fact.value} for the same fact",
                remedy="add a note that says why the sources differ, or a qualifier that tells them apart",
                severity="warning",
            )


def _sparse_against_dense(sheet: Sheet, amounts: tuple[_Amount, ...]) -> Iterator[Finding]:
    multiplier = next(
        (a.value for a in amounts if a.fact.fact == "sparsity_multiplier"), _DEFAULT_MULTIPLIER
    )
    peaks = [amount for amount in amounts if amount.fact.fact == "peak"]
    for sparse in (peak for peak in peaks if peak.fact.sparsity == "sparse"):
        dense = [peak for peak in peaks if _dense_partner(sparse.fact, peak.fact)]
        fits = (
            abs(sparse.value / (multiplier * peak.value) - 1) <= _SPARSE_TOLERANCE for peak in dense
        )
        if dense and not sparse.fact.note and not any(fits):
            found = ", ".join(peak.fact.value for peak in dense)
            yield _finding(
                sheet,
                sparse,
                problem=f"a sparse peak is {multiplier:g} times the dense one, which is {found} here",
                remedy="check which of the two the source prints, or explain the difference in a note",
            )


def _dense_partner(sparse: FactLine, other: FactLine) -> bool:
    same_sums = (
        None in (sparse.accumulate, other.accumulate) or sparse.accumulate == other.accumulate
    )
    same = (sparse.precision, sparse.engine) == (other.precision, other.engine)
    return other.sparsity == "dense" and same and same_sums


def _usable_against_nominal(sheet: Sheet, amounts: tuple[_Amount, ...]) -> Iterator[Finding]:
    """What a vendor prints as GB of a GPU is GiB, so the figures are compared as GiB."""
    nominal = [parse_quantity(a.fact.value) for a in amounts if a.fact.fact == "memory"]
    limit_gib = max((quantity.value for quantity in nominal if quantity), default=None)
    large = any(quantity.unit not in ("GB", "GiB") for quantity in nominal if quantity)
    for usable in (amount for amount in amounts if amount.fact.fact == "memory_usable"):
        if limit_gib is not None and not large and usable.value / 1024 > limit_gib:
            yield _finding(
                sheet,
                usable,
                problem=f"usable memory of {usable.value / 1024:.1f} GiB is more than the nominal {limit_gib:g}",
                remedy="check both figures and their units; usable memory is below nominal",
            )


def _peak_against_clock(sheet: Sheet, amounts: tuple[_Amount, ...]) -> Iterator[Finding]:
    by_name = {amount.fact.fact: amount.value for amount in reversed(amounts)}
    units, clock_mhz = by_name.get("gpu_cores"), by_name.get("clock_boost")
    factors = _UNIT_FACTORS.get(sheet.front.kind)
    if units is None or clock_mhz is None or factors is None:
        return
    expected = [factor * units * clock_mhz / 1e6 for factor in factors]
    for peak in amounts:
        fact = peak.fact
        plain = (fact.fact, fact.precision, fact.engine) == ("peak", "fp32", "vector")
        fits = any(abs(peak.value / value - 1) <= _CLOCK_TOLERANCE for value in expected)
        if plain and fact.sparsity == "dense" and not fact.note and not fits:
            yield _finding(
                sheet,
                peak,
                problem=f"units times clock give {' or '.join(f'{v:.1f}' for v in expected)} TFLOPS",
                remedy="check the peak, the number of units and the boost clock",
                severity="warning",
            )


def _finding(
    sheet: Sheet, amount: _Amount, *, problem: str, remedy: str, severity: Severity = "error"
) -> Finding:
    return Finding(
        path=sheet.path,
        line=sheet.line(amount.index),
        value=amount.fact.value,
        problem=problem,
        remedy=remedy,
        severity=severity,
    )
