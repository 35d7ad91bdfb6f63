"""What kind of machine a device is: its software platform, in which numbers it is sold, its formats and links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from indexer.types import Device

Platform = Literal["cuda", "rocm", "metal", "tpu", "neuron", "gaudi", "intel", "cpu", "other"]
_MODULE = re.compile(
    r"sxm|oam|module|baseboard|superchip|gb200|gb300|sh5|wafer|rack|bow-2000|cloud only",
    re.IGNORECASE,
)
_SERVER_COUNTS = (4, 8)
_PLATFORMS: dict[str, Platform] = {
    "NVIDIA": "cuda",
    "AMD": "rocm",
    "Apple": "metal",
    "Google": "tpu",
}


def formats_of(device: Device, supported: str) -> frozenset[str]:
    """The number formats that a sheet says the matrix units do or do not take."""
    texts = [
        fact.text
        for fact in device.facts
        if fact.name == "precisions" and (fact.qualifier("supported") or "yes") == supported
    ]
    return frozenset(name.strip() for text in texts for name in text.split(","))


def capability_of(device: Device) -> float:
    """The compute capability; high where none is stated."""
    fact = device.find("compute_capability")
    return float(fact.text) if fact is not None and fact.text.replace(".", "").isdigit() else 99.0


def platform_of(device: Device) -> Platform:
    """The software platform of a device."""
    if device.kind == "cpu":
        return "cpu"
    if device.vendor == "AWS" or device.id.startswith("aws-"):
        return "neuron"
    if device.vendor == "Intel":
        return "gaudi" if "gaudi" in device.id else "intel"
    return _PLATFORMS.get(device.vendor, "other")


def buy_counts_of(device: Device, systems: Mapping[int, Device]) -> tuple[int, ...]:
    """In which numbers a device is sold. Modules come in whole servers, cards one by one, chips with their machine."""
    if not {"buy", "used"} & set(device.acquire) or device.segment == "cloud":
        return ()
    if device.kind == "superchip" and _MODULE.search(device.form_factor):
        return ()
    if device.kind in {"soc", "superchip", "system", "cpu"} or device.segment in {
        "laptop",
        "embedded",
    }:
        return (1,)
    if _MODULE.search(device.form_factor):
        return tuple(sorted(systems)) if systems else _SERVER_COUNTS[1:]
    return (1, 2, 4)


def has_fast_links(device: Device) -> bool:
    """Whether devices of the kind are joined by more than PCIe."""
    fact = device.find("interconnect_bandwidth")
    if fact is None or not fact.value:
        return False
    link = fact.qualifier("link").casefold()
    return (
        "nvlink" in link
        or "infinity" in link
        or "ici" in link
        or (fact.value >= 300 and "pcie" not in link)
    )
