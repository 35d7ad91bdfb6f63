"""Tell the variants of a device apart by what is said near its name: form factor, capacity, laptop or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indexer.types import Device, DeviceId
from service.parts import Part

_DENIED = re.compile(r"\b(?:not|no|instead of|rather than)\b[^.?!,;]{0,12}$", re.IGNORECASE)
_DENIED_REACH = 24
_FORMS = ("sxm", "pcie", "nvl", "oam", "server")
_LAPTOP = frozenset({"laptop", "notebook", "mobile"})
_BYTES = frozenset({"gb", "gib", "g", "gigabytes", "gigs", "gig"})
_JOINED = r"(?:,|/|\bor\b|\bvs\.?|\bversus\b|\band\b|\bagainst\b|\bcompared (?:to|with)\b)"
_JOINT = re.compile(_JOINED, re.IGNORECASE)
_QUALIFIER = (
    r"(?:sxm\d?|pcie|nvl|oam|laptop|mobile|notebook|desktop|\d{1,3}\s?g(?:i?b)?)"
    r"(?:[\s-]+(?:card|module|version|variant|one|gpu|\d{1,3}\s?g(?:i?b)?|sxm\d?|pcie))?"
)
# "H100 SXM or PCIe", "A100 40 GB vs 80 GB": another variant of the name before, named by its qualifier alone. A
# quantity of something else ("and 40 GB of RAM") is none.
_ALTERNATIVE = re.compile(
    rf"{_JOINED}\s*(?:the\s+|an?\s+)?(?P<words>{_QUALIFIER})(?!\s*(?:of|ram|checkpoint|file|model|disk|host|per|/|\w*\d))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said near a name: words in lower case, capacities in GB."""

    words: frozenset[str]
    capacities: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A variant named by its qualifier alone: its words and their span in the text."""

    words: str
    start: int
    end: int


def said_near(near: Sequence[Part], text: str) -> Said:
    """Form factors and capacities among the parts near a name; what follows "not" does not count."""
    words: set[str] = set()
    capacities: list[float] = []
    for position, part in enumerate(near):
        if _DENIED.search(text, max(0, part.start - _DENIED_REACH), part.start):
            continue
        words.add(part.text)
        unit = near[position + 1].text if position + 1 < len(near) else ""
        if part.text.isdigit() and unit in _BYTES:
            capacities.append(float(part.text))
    return Said(words=frozenset(words), capacities=tuple(capacities))


def after_joint(before: Sequence[Part], text: str) -> list[Part]:
    """Of the parts before a name those behind the last "and", comma and the like: the others speak of another name."""
    if not before:
        return []
    start = before[0].start
    joints = [match.end() for match in _JOINT.finditer(text, start, before[-1].end)]
    return [part for part in before if part.start >= max(joints, default=start)]


def alternatives(text: str, start: int, stop: int) -> list[Alternative]:
    """The further variants that a text names by qualifier between a name's end and the next name."""
    return [
        Alternative(words=match["words"], start=match.start("words"), end=match.end("words"))
        for match in _ALTERNATIVE.finditer(text, start, min(stop, start + 80))
    ]


def narrow(
    devices: frozenset[DeviceId],
    said: Said,
    sheets: Mapping[DeviceId, Device],
    capacities: Mapping[DeviceId, float],
) -> frozenset[DeviceId]:
    """Keep the variants that agree with what was said; a qualifier that fits none does not count."""
    kept = _by_laptop(devices, said, sheets)
    for word in _FORMS:
        if word in said.words:
            named = frozenset(device for device in kept if f"-{word}" in device)
            kept = (
                named
                or frozenset(device for device in kept if word in _form(sheets[device]))
                or kept
            )
    for capacity in said.capacities:
        kept = frozenset(device for device in kept if capacities.get(device) == capacity) or kept
    return kept


def _by_laptop(
    devices: frozenset[DeviceId], said: Said, sheets: Mapping[DeviceId, Device]
) -> frozenset[DeviceId]:
    if said.words & _LAPTOP:
        return (
            frozenset(DeviceId(f"{device}-laptop") for device in devices) & sheets.keys()
            or frozenset(device for device in devices if sheets[device].segment == "laptop")
            or devices
        )
    return frozenset(device for device in devices if sheets[device].segment != "laptop") or devices


def _form(device: Device) -> str:
    return f"{device.form_factor} {device.variant} {device.id}".casefold()
