"""Typed facts as sentences: each with its number, unit and the qualifiers that it must not lose."""

from __future__ import annotations

import re
from collections.abc import Callable

from indexer.types import Device, Fact
from service.types import Computation, Input, Number, Quote, Statement

_SCOPES = {
    "die": " (one die of the package)",
    "board": " (the whole board)",
    "superchip": " (the whole superchip)",
    "system": " (the whole system)",
}
_BYTES = {"GB": 1e9, "GiB": 2.0**30, "MiB": 2.0**20, "TB": 1e12}


def quote_of(fact: Fact) -> Quote:
    """The span that states a fact."""
    return Quote(document_id=fact.document_id, start=fact.start, end=fact.end)


def quotes_of(fact: Fact) -> tuple[Quote, ...]:
    """The span that states a fact, and those of added documents that state it too."""
    also = (
        Quote(document_id=place.document_id, start=place.start, end=place.end)
        for place in fact.also
    )
    return (quote_of(fact), *also)


def say(device: Device, fact: Fact) -> Statement:
    """One fact as a statement; a fact without a phrase of its own is shown as name and value."""
    phrase = _PHRASES.get(fact.name, _plain)
    text = phrase(device, fact)
    if fact.level == "unconfirmed":
        text = f"{text.removesuffix('.')} (unconfirmed: no source was read)."
    numbers = () if fact.value is None else (cited(fact),)
    return Statement(text=text, quotes=quotes_of(fact), numbers=numbers + _converted(fact, text))


def cited(fact: Fact) -> Number:
    """The fact's number, as it stands in its quote."""
    return Number(
        value=fact.value or 0.0, unit=fact.unit, origin="cited", qualifiers=fact.qualifiers
    )


def amount(fact: Fact) -> str:
    """Value and unit for reading: thousands separated, no needless zeros."""
    return fact.text if fact.value is None else f"{number(fact.value)} {fact.unit}".strip()


def number(value: float) -> str:
    """A number for reading: "3,350", "989.4", "0.8048"."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    text = f"{value:,.4f}".rstrip("0")
    return text if text.strip("0.,-") else f"{value:.4g}"


def _converted(fact: Fact, text: str) -> tuple[Number, ...]:
    """The conversions that a phrase added, each with its computation."""
    if fact.value is None or fact.unit not in _BYTES or "=" not in text:
        return ()
    other = _other_unit(fact.unit)
    source = Input(
        name=fact.name, value=fact.value, unit=fact.unit, basis="cited", quote=quote_of(fact)
    )
    return (
        Number(
            value=round(fact.value * _BYTES[fact.unit] / _BYTES[other], _DIGITS[other]),
            unit=other,
            origin="computed",
            computation=Computation(
                formula=f"{fact.name} in bytes / {_BYTES[other]:g}", inputs=(source,)
            ),
        ),
    )


_DIGITS = {"GB": 1, "GiB": 2}


def _other_unit(unit: str) -> str:
    return "GB" if unit == "GiB" else "GiB"


def _in_other(fact: Fact) -> str:
    if fact.value is None or fact.unit not in _BYTES:
        return ""
    other = _other_unit(fact.unit)
    return (
        f"{number(round(fact.value * _BYTES[fact.unit] / _BYTES[other], _DIGITS[other]))} {other}"
    )


def _memory(device: Device, fact: Fact) -> str:
    kind = fact.qualifier("memory_type")
    of = f" of {kind} memory" if kind else " of memory"
    ecc = {"yes": ", with ECC", "no": ", without ECC", "optional": ", ECC can be switched on"}.get(
        fact.qualifier("ecc"), ""
    )
    binary = f" (= {_in_other(fact)})" if fact.unit == "GiB" else ""
    return f"The {device.name} has {amount(fact)}{binary}{of}, nominal{ecc}{_SCOPES.get(device.scope, '')}."


def _memory_usable(device: Device, fact: Fact) -> str:
    return f"Software sees {amount(fact)} (= {_in_other(fact)}) of memory on the {device.name}."


def _bandwidth(device: Device, fact: Fact) -> str:
    return f"The {device.name} has a memory bandwidth of {amount(fact)}{_SCOPES.get(device.scope, '')}."


def _peak(device: Device, fact: Fact) -> str:
    precision = fact.qualifier("precision").upper()
    engine = {"tensor": " on its matrix units", "vector": " on its vector units"}.get(
        fact.qualifier("engine"), ""
    )
    accumulate = fact.qualifier("accumulate").upper()
    adding = f", accumulating in {accumulate}" if accumulate else ""
    if fact.qualifier("sparsity") == "sparse":
        return (
            f"The printed {precision} figure of {amount(fact)} for the {device.name} assumes structured 2:4 sparsity"
            f"{adding}; it does not hold for dense matrices."
        )
    dense = "dense" if fact.qualifier("sparsity") == "dense" else "sparsity not stated"
    return f"The {device.name} peaks at {amount(fact)} in {precision}{engine}, {dense}{adding}{_SCOPES.get(device.scope, '')}."


def _matmul(device: Device, fact: Fact) -> str:
    return f"A measured {fact.qualifier('precision').upper()} matrix product reached {amount(fact)} on the {device.name}."


def _power(device: Device, fact: Fact) -> str:
    term = fact.qualifier("term") or "power"
    name = {"maximum": "maximum power", "package": "package power", "TDP": "TDP"}.get(term, term)
    return f"The {device.name} has a {name} of {amount(fact)}{_SCOPES.get(device.scope, '')}."


def _link(device: Device, fact: Fact) -> str:
    direction = {"total": "both directions together", "each": "in each direction"}.get(
        fact.qualifier("direction"), ""
    )
    link = fact.qualifier("link") or "its interconnect"
    behind = f", {direction}" if direction else ""
    return f"The {device.name} has {amount(fact)} over {link}{behind}."


def _interconnect(device: Device, fact: Fact) -> str:
    if fact.text.casefold().startswith(("none", "no ")):
        return f"The {device.name} has no direct link to other devices such as NVLink (interconnect: {fact.text})."
    return f"The {device.name} has this interconnect: {fact.text}."


def _mig(device: Device, fact: Fact) -> str:
    if not fact.value:
        return f"The {device.name} does not support MIG: it cannot be split ({amount(fact)})."
    return f"The {device.name} can be split into at most {amount(fact)} by MIG."


def _capability(device: Device, fact: Fact) -> str:
    return f"The {device.name} has compute capability {fact.text}."


def _precisions(device: Device, fact: Fact) -> str:
    names = fact.text.upper()
    if fact.qualifier("supported") == "no":
        return f"The matrix units of the {device.name} do not support {_either(names)}: there is no native hardware for it."
    return f"The matrix units of the {device.name} support {names}."


def _either(names: str) -> str:
    parts = [part.strip() for part in names.split(",")]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _price(device: Device, fact: Fact) -> str:
    term = {"MSRP": "launch price (MSRP)", "street": "street price"}.get(
        fact.qualifier("term"), "price"
    )
    used = "used " if fact.qualifier("new") == "no" else ""
    return f"The {device.name} had a {used}{term} of {amount(fact)} as of {fact.as_of}."


def _words(device: Device, fact: Fact) -> str:
    text = fact.text if fact.text.endswith((".", "!")) else f"{fact.text}."
    known = re.sub(r"^the ", "", device.name, flags=re.IGNORECASE)
    short = known.split(" ", 1)[-1].split(" ")[0]
    return text if short.casefold() in text.casefold() else f"{device.name}: {text}"


def _ecc(device: Device, fact: Fact) -> str:
    said = {
        "yes": "has ECC memory",
        "no": "has no ECC memory",
        "optional": "has memory whose ECC can be switched on",
    }
    return f"The {device.name} {said.get(fact.text, f'has ECC: {fact.text}')}."


def _plain(device: Device, fact: Fact) -> str:
    label = _LABELS.get(fact.name)
    if label:
        return f"The {device.name} has {label} {amount(fact)}."
    name = fact.name.replace("_", " ")
    if fact.value is not None and name.endswith(fact.unit):
        return f"The {device.name} has {number(fact.value)} {name}."
    return f"The {device.name} has {amount(fact)} ({name})."


_LABELS = {
    "memory_bus": "a memory bus of",
    "clock_boost": "a boost clock of",
    "clock_base": "a base clock of",
    "memory_max": "room for memory up to",
    "memory_speed": "memory at",
    "cache_l3": "an L3 cache of",
}


_PHRASES: dict[str, Callable[[Device, Fact], str]] = {
    "memory": _memory,
    "memory_usable": _memory_usable,
    "memory_bandwidth": _bandwidth,
    "peak": _peak,
    "matmul_measured": _matmul,
    "power": _power,
    "interconnect_bandwidth": _link,
    "mig_instances": _mig,
    "compute_capability": _capability,
    "precisions": _precisions,
    "price": _price,
    "note": _words,
    "software": _words,
    "interconnect": _interconnect,
    "pcie": lambda device, fact: f"The {device.name} connects over {fact.text}.",
    "ecc": _ecc,
}
