"""Facts of one device that contradict each other: both are shown, with source and date."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.types import Device, Document, Fact
from service.phrases import amount, cited, quote_of
from service.types import Statement

# Facts that differ in one of these speak of different things and do not contradict each other.
_APART = (
    "precision",
    "sparsity",
    "accumulate",
    "engine",
    "direction",
    "link",
    "memory_type",
    "term",
    "basis",
    "new",
    "supported",
)
_NOT_COMPARED = frozenset({"price", "note", "software", "precisions", "interconnect", "pcie"})
_NAMES = {
    "memory": "memory",
    "memory_usable": "usable memory",
    "memory_bandwidth": "memory bandwidth",
    "matmul_measured": "measured matrix product",
    "interconnect_bandwidth": "interconnect bandwidth",
}


def rivals(facts: Sequence[Fact]) -> list[list[Fact]]:
    """The facts in groups that speak of the same thing, in their order; a group of several values is a conflict.

    In a conflict the vendor's newest statement leads; equal values are one fact.
    """
    groups: dict[tuple[str, ...], list[Fact]] = {}
    for fact in facts:
        key = (fact.name, *(fact.qualifier(name) for name in _APART))
        if fact.name in _NOT_COMPARED or fact.value is None:
            key = (*key, fact.text)
        group = groups.setdefault(key, [])
        if all(other.value != fact.value or other.unit != fact.unit for other in group):
            group.append(fact)
    return [
        sorted(group, key=lambda fact: (fact.level != "vendor", _reversed(fact.as_of)))
        for group in groups.values()
    ]


def _reversed(date: str) -> tuple[int, ...]:
    """A key that puts later ISO dates first."""
    return tuple(-ord(character) for character in date)


def disagree(device: Device, facts: Sequence[Fact], document: Document) -> Statement:
    """One statement with every value, its source and its date."""
    titles = {source.key: source.title for source in document.sources}
    told = "; ".join(_told(fact, titles) for fact in facts)
    return Statement(
        text=f"Sources differ on the {_subject(facts[0])} of the {device.name}: {told}.",
        quotes=tuple(quote_of(fact) for fact in facts),
        numbers=tuple(cited(fact) for fact in facts if fact.value is not None),
    )


def _told(fact: Fact, titles: dict[str, str]) -> str:
    note = f", {fact.qualifier('note')}" if fact.qualifier("note") else ""
    doubt = ", unconfirmed" if fact.level == "unconfirmed" else ""
    source = titles.get(fact.source, fact.source)
    dated = f", as of {fact.as_of}" if fact.as_of else ""
    return f"{amount(fact)} ({source}{dated}{note}{doubt})"


def _subject(fact: Fact) -> str:
    if fact.name == "peak":
        parts = (fact.qualifier("precision").upper(), fact.qualifier("sparsity"), "peak")
        return " ".join(part for part in parts if part)
    if fact.name == "power":
        return fact.qualifier("term") or "power"
    kind = fact.qualifier("memory_type")
    name = _NAMES.get(fact.name, fact.name.replace("_", " "))
    return f"{kind} {name}" if fact.name == "memory" and kind else name
