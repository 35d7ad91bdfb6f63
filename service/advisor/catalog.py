"""The shelf: devices as machines to choose from, with usable memory, speed, price and offers; made once a catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from indexer.types import Catalog, Device, DeviceId, Fact, Offer
from service.advisor.formula import computation
from service.advisor.kinds import (
    Platform,
    buy_counts_of,
    capability_of,
    formats_of,
    has_fast_links,
    platform_of,
)
from service.advisor.parts import given
from service.advisor.types import ModelShape
from service.types import Computation, Input, Quote

UNIFIED_SHARE = 0.75
_OF_SIBLING = "as software reports it for another variant of the family with the same memory"
_BYTES = {"GB": 1e9, "GiB": 2.0**30, "MiB": 2.0**20, "TB": 1e12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a device can hold at most, and how that is known."""

    gib: float
    how: str
    work: Computation
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A device that can be had: `offers` by count for rent, `buy_counts` where it is sold.

    `scope_note` tells that memory is the whole board's or system's. `system` names the machine that a module is sold in.
    """

    device: Device
    platform: Platform
    memory: Memory
    offers: Mapping[int, tuple[Offer, ...]]
    buy_counts: tuple[int, ...]
    prices: tuple[Fact, ...]
    bandwidth: Fact | None
    power: Fact | None
    fast_links: bool
    formats: frozenset[str]
    no_formats: frozenset[str]
    capability: float
    systems: Mapping[int, Device]

    @property
    def id(self) -> DeviceId:
        """The device's id."""
        return self.device.id

    @property
    def name(self) -> str:
        """The device's name."""
        return self.device.name

    def peak(self, precision: str) -> Fact | None:
        """The dense peak for training in 16 bits, or in the precision that is meant."""
        for name in (precision, "bf16", "fp16"):
            fact = self.device.find("peak", precision=name, sparsity="dense")
            if fact is not None and fact.value:
                return fact
        return None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shelf:
    """All machines in the order of ids, the models, and machines without an accelerator for rent."""

    machines: Mapping[DeviceId, Machine]
    models: Mapping[str, ModelShape]
    cpu_offers: tuple[Offer, ...]
    catalog: Catalog


def build_shelf(catalog: Catalog, models: Mapping[str, ModelShape]) -> Shelf:
    """Sort offers and systems to their devices, and settle what each device can hold."""
    offers: dict[DeviceId, dict[int, list[Offer]]] = {}
    for offer in catalog.offers:
        if offer.device_id is not None and offer.on_demand_usd_per_hour:
            offers.setdefault(offer.device_id, {}).setdefault(offer.count, []).append(offer)
    systems: dict[DeviceId, dict[int, Device]] = {}
    for device in catalog.devices:
        if (
            device.component_id is not None
            and device.status not in {"legacy", "announced"}
            and device.component_count <= 16
        ):
            held = systems.setdefault(device.component_id, {})
            held.setdefault(device.component_count, device)
            if _price(device) and not _price(held[device.component_count]):
                held[device.component_count] = device
    machines = {}
    for device in catalog.devices:
        memory = memory_of(device, siblings=catalog.devices)
        machine = _machine(device, memory, offers.get(device.id, {}), systems.get(device.id, {}))
        if machine is not None:
            machines[device.id] = machine
    bare = [
        offer
        for offer in catalog.offers
        if offer.device_id is None and offer.on_demand_usd_per_hour and offer.ram_gib
    ]
    bare.sort(
        key=lambda offer: (
            offer.on_demand_usd_per_hour or 0.0,
            offer.provider,
            offer.region,
            offer.instance,
        )
    )
    return Shelf(machines=machines, models=models, cpu_offers=tuple(bare), catalog=catalog)


def _machine(
    device: Device,
    memory: Memory | None,
    offers: dict[int, list[Offer]],
    systems: dict[int, Device],
) -> Machine | None:
    if memory is None or (device.kind == "system" and device.component_id is not None):
        return None
    return Machine(
        device=device,
        platform=platform_of(device),
        memory=memory,
        offers={
            count: tuple(sorted(rows, key=offer_order)) for count, rows in sorted(offers.items())
        },
        buy_counts=buy_counts_of(device, systems),
        prices=tuple(fact for fact in device.facts if fact.name == "price" and fact.value),
        bandwidth=device.find("memory_bandwidth"),
        power=device.find("power"),
        fast_links=has_fast_links(device),
        formats=formats_of(device, "yes")
        | {fact.qualifier("precision") for fact in device.facts if fact.name == "peak"},
        no_formats=formats_of(device, "no"),
        capability=capability_of(device),
        systems=systems,
    )


def offer_order(offer: Offer) -> tuple[float, str, str, str]:
    """Cheapest first; equal prices in the order of names."""
    return (offer.on_demand_usd_per_hour or 0.0, offer.provider, offer.region, offer.instance)


def memory_of(device: Device, *, siblings: Sequence[Device] = ()) -> Memory | None:
    """What software can use of a device's memory.

    As software reports it where that is known, of the device or of one of its family with the same memory; of unified
    memory three quarters, macOS's default; else the printed size with GB read as 10**9 bytes, the smaller reading.
    """
    usable, nominal, most = (
        device.find("memory_usable"),
        device.find("memory"),
        device.find("memory_max"),
    )
    if usable is not None and usable.value and device.kind != "system":
        return _memory(usable, "as software reports it", share=1.0)
    if device.kind == "cpu":
        if most is None or device.scope != "system":
            return None
        return _memory(most, "the largest fitting of the class", share=1.0)
    if device.kind == "soc" and (fact := most or nominal) is not None:
        limit = next(
            (each for each in device.facts if each.name == "note" and "75 percent" in each.text),
            None,
        )
        return _memory(
            fact,
            "three quarters of the unified memory, the system's default share",
            share=UNIFIED_SHARE,
            limit=limit,
        )
    if nominal is None:
        return None
    return _of_sibling(device, nominal, siblings) or _memory(
        nominal, "as printed, taken as decimal GB", share=1.0
    )


def _of_sibling(device: Device, nominal: Fact, siblings: Sequence[Device]) -> Memory | None:
    """What software reports of another variant of the family that has the same memory."""
    for other in siblings if device.family and device.kind == "gpu" else ():
        same, usable = other.find("memory"), other.find("memory_usable")
        if (
            (other.vendor, other.family) != (device.vendor, device.family)
            or same is None
            or usable is None
            or (same.value, same.unit) != (nominal.value, nominal.unit)
        ):
            continue
        found = _memory(usable, _OF_SIBLING, share=1.0)
        return replace(found, quotes=(quote_of(nominal),)) if found is not None else None
    return None


def _memory(fact: Fact, how: str, *, share: float, limit: Fact | None = None) -> Memory | None:
    if not fact.value or fact.unit not in _BYTES:
        return None
    printed = Input(
        name="memory", value=fact.value, unit=fact.unit, basis="cited", quote=quote_of(fact)
    )
    formula = f"memory*{_BYTES[fact.unit]:.0f}/2**30" + ("*share" if share != 1.0 else "")
    extra = (
        given("share", share, "", basis="assumed" if limit is None else "cited")
        if share != 1.0
        else ()
    )
    work = computation(formula, (printed,), extra, source=how)
    quotes = (quote_of(fact), *((quote_of(limit),) if limit is not None else ()))
    return Memory(
        gib=fact.value * _BYTES[fact.unit] / 2**30 * share, how=how, work=work, quotes=quotes
    )


def quote_of(fact: Fact) -> Quote:
    """The span that states a fact."""
    return Quote(document_id=fact.document_id, start=fact.start, end=fact.end)


def quote_of_offer(offer: Offer) -> Quote:
    """The row that states an offer."""
    return Quote(document_id=offer.document_id, start=offer.start, end=offer.end)


def price_of(machine: Machine, *, needed_gib: float, new_only: bool = False) -> Fact | None:
    """The price that counts: the newest; of one day the highest, so that no budget is passed by luck.

    Chips with unified memory are priced in their smallest configuration; that price counts only if it holds the need.
    """
    prices = [fact for fact in machine.prices if not new_only or fact.qualifier("new") != "no"]
    if machine.device.find("memory_max") is not None and machine.device.kind == "soc":
        prices = [fact for fact in prices if configured_gib(fact) * UNIFIED_SHARE >= needed_gib]
    return max(prices, key=lambda fact: (fact.as_of, fact.value or 0.0), default=None)


def configured_gib(price: Fact) -> float:
    """The memory of the configuration that a price is for, or 0."""
    found = re.search(r"(\d+) GB", price.qualifier("note"))
    return float(found[1]) * 1e9 / 2**30 if found else 0.0


def _price(device: Device) -> Fact | None:
    return device.find("price")
