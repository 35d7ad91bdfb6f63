"""How devices differ: a sentence a property with the ratio, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from indexer.types import Catalog, Device, Fact
from service.compose.facts import (
    DEFAULT_PRECISIONS,
    VARIANTS_SHOWN,
    devices_of,
    distinct,
    facts_for,
)
from service.phrases import amount, number, quote_of
from service.properties import Asked
from service.query import Query
from service.types import Computation, Input, Number, Statement, Table

_COMPARED = ("memory", "memory_bandwidth", "peak", "power", "interconnect_bandwidth", "price")
# Figures that differ in one of these have no ratio: a used price and a new one, a sparse peak and a dense one.
_SAME_KIND = ("sparsity", "precision", "new", "direction")
_HALF = ("bf16", "fp16")
# Figures nearer than this are not worth a ratio.
_DIFFERENT = 1.05
# The figures that decide, and what each bounds.
_DECISIVE = {
    "memory": "memory, which decides what fits,",
    "memory_bandwidth": "memory bandwidth, which bounds text generation for one user,",
    "peak": "peak arithmetic, which bounds training and long prompts,",
}
_LABELS = {
    "memory": "Memory",
    "memory_usable": "Memory seen by software",
    "memory_bandwidth": "Memory bandwidth",
    "memory_bus": "Memory bus",
    "peak": "Peak",
    "matmul_measured": "Measured matrix product",
    "power": "Power",
    "interconnect_bandwidth": "Interconnect",
    "price": "Price",
    "mig_instances": "MIG instances",
    "compute_capability": "Compute capability",
    "cores": "Cores",
    "memory_channels": "Memory channels",
}


def compared(query: Query, catalog: Catalog) -> tuple[list[Statement], Table | None]:
    """How the named devices differ: a sentence a property with the ratio, and a table."""
    devices = [
        device
        for mention in distinct(query.mentions)
        for device in devices_of(mention, catalog)[:3]
    ]
    devices = list({device.id: device for device in devices}.values())[:VARIANTS_SHOWN]
    if len(devices) < 2:
        return [], None
    names = [name for name in query.asked.properties if name in _LABELS] or list(_COMPARED)
    names = list(dict.fromkeys([*names, *_COMPARED]))
    asked = _asked_of(query.asked, devices)
    rows = [(name, [_fact(device, name, asked) for device in devices]) for name in names]
    rows = [(name, facts) for name, facts in rows if any(facts)]
    statements = [_difference(name, devices, facts) for name, facts in rows]
    verdict = _verdict(devices, dict(rows))
    return [*([verdict] if verdict else []), *statements], _table(devices, rows)


def _asked_of(asked: Asked, devices: Sequence[Device]) -> Asked:
    """The asked precisions; else 16 bits (bf16, or fp16 where a device has no bf16), else one that all have."""
    if asked.precisions:
        return asked
    if any(device.find("peak", precision=name) for name in _HALF for device in devices):
        return replace(asked, precisions=_HALF)
    shared = (
        name
        for name in DEFAULT_PRECISIONS
        if all(device.find("peak", precision=name) for device in devices)
    )
    return replace(asked, precisions=tuple(shared)[:1])


def _fact(device: Device, name: str, asked: Asked) -> Fact | None:
    """The fact that is compared: the most fitting one, of prices the newest."""
    facts = facts_for(device, name, asked)
    if name == "price":
        return max(facts, key=lambda fact: (fact.as_of, fact.id), default=None)
    return next(iter(facts), None)


def _difference(name: str, devices: Sequence[Device], facts: Sequence[Fact | None]) -> Statement:
    """One property over all devices, equal figures together; the ratio where there are two figures of one kind."""
    known = [
        (device, fact) for device, fact in zip(devices, facts, strict=True) if fact is not None
    ]
    groups: dict[str, list[str]] = {}
    for device, fact in known:
        groups.setdefault(f"{amount(fact)}{_detail(fact)}", []).append(f"the {device.name}")
    said = ", ".join(f"{figure} for {' and '.join(names)}" for figure, names in groups.items())
    text = f"{_LABELS[name]}: {said}"
    numbers = [
        Number(value=fact.value, unit=fact.unit, origin="cited", qualifiers=fact.qualifiers)
        for _, fact in known
        if fact.value is not None
    ]
    ratio = _ratio(name, known)
    if ratio is not None:
        text += f" ({number(ratio.value)} times)"
        numbers.append(ratio)
    return Statement(
        text=f"{text}.", quotes=tuple(quote_of(fact) for _, fact in known), numbers=tuple(numbers)
    )


def _verdict(
    devices: Sequence[Device], rows: Mapping[str, Sequence[Fact | None]]
) -> Statement | None:
    """Who leads in the two figures that decide, and by how much; nothing where a ratio cannot be told."""
    told: list[str] = []
    numbers: list[Number] = []
    for name, meaning in _DECISIVE.items():
        facts = rows.get(name, ())
        known = [
            (device, fact)
            for device, fact in zip(devices, facts, strict=False)
            if fact is not None and fact.value
        ]
        ratio = _ratio(name, known)
        if ratio is None or len(known) < len(devices):
            continue
        best = max(fact.value or 0.0 for _, fact in known)
        leaders = [f"the {device.name}" for device, fact in known if fact.value == best]
        verb = "leads" if len(leaders) == 1 else "lead"
        told.append(f"in {meaning} {' and '.join(leaders)} {verb} {number(ratio.value)} times")
        numbers.append(ratio)
    if not told:
        return None
    text = "; ".join(told)
    return Statement(text=f"{text[0].upper()}{text[1:]}.", quotes=(), numbers=tuple(numbers))


def _ratio(name: str, known: Sequence[tuple[Device, Fact]]) -> Number | None:
    """Largest over smallest, where there are exactly two figures of one unit and kind."""
    values = {fact.value for _, fact in known if fact.value}
    units = {fact.unit for _, fact in known}
    kinds = {tuple(fact.qualifier(key) for key in _SAME_KIND) for _, fact in known}
    if len(values) != 2 or len(units) != 1 or len(kinds) != 1:
        return None
    largest, smallest = max(values), min(values)
    if largest < _DIFFERENT * smallest:
        return None
    inputs = tuple(
        Input(
            name=device.id,
            value=fact.value or 0.0,
            unit=fact.unit,
            basis="cited",
            quote=quote_of(fact),
        )
        for device, fact in known
    )
    return Number(
        value=round(largest / smallest, 2),
        unit="times",
        origin="computed",
        computation=Computation(formula=f"larger {name} / smaller {name}", inputs=inputs),
    )


def _detail(fact: Fact) -> str:
    parts = {
        "peak": ("precision", "sparsity", "accumulate"),
        "matmul_measured": ("precision",),
        "memory": ("memory_type",),
        "power": ("term",),
        "interconnect_bandwidth": ("link", "direction"),
        "price": ("term",),
    }.get(fact.name, ())
    words = [fact.qualifier(part) for part in parts if fact.qualifier(part)]
    if fact.name == "peak" and fact.qualifier("accumulate"):
        words[-1] = f"accumulating in {fact.qualifier('accumulate').upper()}"
    if fact.name == "price":
        words += ["used"] if fact.qualifier("new") == "no" else []
        words.append(f"as of {fact.as_of}")
    if fact.level == "unconfirmed":
        words.append("unconfirmed")
    shown = [
        word.upper()
        if word in {"bf16", "fp16", "fp8", "fp32", "int8", "tf32", "fp64", "fp4"}
        else word
        for word in words
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _table(devices: Sequence[Device], rows: Sequence[tuple[str, list[Fact | None]]]) -> Table:
    cells = tuple(
        (
            _LABELS[name],
            *(f"{amount(fact)}{_detail(fact)}" if fact else "not known here" for fact in facts),
        )
        for name, facts in rows
    )
    statements = tuple(_difference(name, devices, facts) for name, facts in rows)
    return Table(header=("", *(device.name for device in devices)), rows=statements, cells=cells)
