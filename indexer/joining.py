"""Devices of added documents joined to known ones: by exact name, a family's variants told apart by their memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from indexer.fact_kinds import Quantity, convert
from indexer.names import name_key
from indexer.types import Catalog, Device, DeviceId, Fact, ModelRow, Offer, Place

# Values closer than this say the same: sheets round.
_SAME: Final = 0.006
# Nor do values that one sheet rounds more than the other contradict each other, up to this share.
_ROUNDED: Final = 0.015
# Facts that differ in one of these speak of different things; an empty one agrees with any.
_APART: Final = (
    "precision",
    "sparsity",
    "engine",
    "accumulate",
    "link",
    "direction",
    "memory_type",
    "term",
    "basis",
    "new",
)
_COUNTED: Final = frozenset({"gpu_cores", "tensor_cores", "cores", "threads"})
_LOOSE: Final = frozenset({"term", "direction", "basis", "memory_type", "new", "accumulate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two facts about one thing of one device with different values: the known one and the added document's."""

    device: Device
    known: Fact
    added: Fact


def make_catalog(
    devices: Iterable[Device], offers: Sequence[Offer], models: Sequence[ModelRow]
) -> Catalog:
    """The catalog of devices as their documents state them: those of added documents join known ones or stand alone.

    A document's fact that agrees with a known one becomes a second place of that; any other is appended, so that two
    that differ stand side by side.
    """
    raw = tuple(sorted(devices, key=lambda device: device.id))
    known = {device.id: device for device in raw if not device.from_document}
    names = _names(known.values())
    for device in raw:
        if device.from_document:
            target = _target(device, names, known)
            if target is not None:
                known[target] = _joined(known[target], device)
    joined = tuple(sorted(known.values(), key=lambda device: device.id))
    return Catalog(
        devices=joined,
        offers=tuple(offers),
        models=tuple(models),
        by_id={device.id: device for device in joined},
        raw=raw,
    )


def conflicts(catalog: Catalog) -> Iterator[Conflict]:
    """Where an added document contradicts what is known of a device."""
    for device in catalog.devices:
        for added in device.facts:
            if added.level == "document" and not device.from_document:
                rival = next(
                    (
                        fact
                        for fact in device.facts
                        if fact.level != "document" and _compatible(fact, added)
                    ),
                    None,
                )
                if rival is not None and added.value is not None and not _agree(rival, added):
                    yield Conflict(device=device, known=rival, added=added)


def _names(devices: Iterable[Device]) -> dict[tuple[str, ...], set[DeviceId]]:
    names: dict[tuple[str, ...], set[DeviceId]] = {}
    for device in devices:
        for name in (device.name, device.family, *device.aliases):
            if name and (key := name_key(name)):
                names.setdefault(key, set()).add(device.id)
    return names


def _target(
    device: Device, names: dict[tuple[str, ...], set[DeviceId]], known: dict[DeviceId, Device]
) -> DeviceId | None:
    """The known device of that name; a new one under its own id; None where the name could mean several."""
    keys = [name_key(name) for name in (*device.aliases, device.name)]
    found = set[DeviceId]().union(*(names.get(key, set()) for key in keys))
    if not found:
        # "A100 PCIe" where only its variants of 40 and 80 GB are known: a name for several, and no new device.
        if any(name[: len(key)] == key for name in names for key in keys):
            return None
        known[device.id] = replace(device, facts=())
        for key in keys:
            names.setdefault(key, set()).add(device.id)
        return device.id
    if len(found) > 1:
        found = {candidate for candidate in found if _same_memory(known[candidate], device)}
    return next(iter(found)) if len(found) == 1 else None


def _same_memory(known: Device, device: Device) -> bool:
    mine, theirs = device.find("memory"), known.find("memory")
    return mine is not None and theirs is not None and _agree(theirs, mine)


def _joined(known: Device, device: Device) -> Device:
    facts = list(known.facts)
    for fact in device.facts:
        position = next(
            (
                number
                for number, other in enumerate(facts)
                if _compatible(other, fact) and _agree(other, fact)
            ),
            None,
        )
        if position is None:
            facts.append(_adopted(known, fact))
        else:
            place = Place(document_id=fact.document_id, start=fact.start, end=fact.end)
            other = facts[position]
            if (other.document_id, other.start, other.end) != (
                place.document_id,
                place.start,
                place.end,
            ):
                facts[position] = replace(other, also=tuple(dict.fromkeys((*other.also, place))))
    return replace(known, facts=tuple(facts))


def _adopted(known: Device, fact: Fact) -> Fact:
    """The fact under the known device's id; what it leaves open is filled as in the fact that it contradicts."""
    rival = next(
        (other for other in known.facts if other.level != "document" and _compatible(other, fact)),
        None,
    )
    kept = dict(fact.qualifiers)
    if rival is not None:
        kept = {
            **{key: value for key, value in rival.qualifiers if key in _APART},
            **{k: v for k, v in kept.items() if k not in _LOOSE},
        }
    return replace(fact, device_id=known.id, qualifiers=tuple(sorted(kept.items())))


def _compatible(one: Fact, other: Fact) -> bool:
    if one.name != other.name:
        return False
    mine, theirs = dict(one.qualifiers), dict(other.qualifiers)
    return all(_alike(key, mine, theirs) for key in _APART)


def _alike(key: str, one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    a, b = one.get(key, ""), other.get(key, "")
    if not a or not b or a == b or key in _LOOSE:
        return True
    return key == "link" and bool(_words(a) & _words(b))


def _words(link: str) -> set[str]:
    return {"".join(filter(str.isalpha, word.casefold())) for word in link.split()} - {
        "",
        "nvidia",
        "amd",
        "gen",
        "generation",
        "bandwidth",
    }


def _agree(one: Fact, other: Fact) -> bool:
    if one.value is None or other.value is None:
        return "".join(one.text.casefold().split()) == "".join(other.text.casefold().split())
    if one.name in _COUNTED:
        return one.value == other.value
    value = (
        convert(Quantity(value=other.value, unit=other.unit), one.unit)
        if other.unit != one.unit
        else other.value
    )
    room = max(_SAME, min(_ROUNDED, max(_last_place(one.value), _last_place(other.value))))
    return value is not None and abs(value - one.value) <= room * max(abs(one.value), abs(value))


def _last_place(value: float) -> float:
    """Half of the last place that a value is printed to, as a share of it: 0.0128 for 3.9."""
    digits = f"{abs(value):.10g}".replace(".", "").strip("0")
    return 0.5 / float(digits) if digits.isdigit() else 0.0
