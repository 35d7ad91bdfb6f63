"""Devices within a budget or a power limit, best first by memory, then bandwidth, then price."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from indexer.types import Fact
from service.advisor.allowed import is_device_allowed
from service.advisor.catalog import UNIFIED_SHARE, Machine, Shelf, configured_gib, price_of
from service.advisor.constraints import LITTLE_WATTS, REST_WATTS
from service.advisor.types import Stated, Workload
from service.advisor.understand.money import money_fields
from service.advisor.understand.place import place_fields
from service.advisor.understand.words import amount_of, amount_pattern, cue

_TRAINS = r"\btrain\w*|fine-?tun\w*"
_CIRCUIT = r"(?P<amps>\d{1,2})[- ]?a(?:mps?|mperes?)?\b[^.?!]{0,20}?(?P<volts>1[012]\d|2[0-4]\d)\s?v(?:olts?)?\b"
_LOW_WATTS = (
    rf"(?:under|below|less than|at most|within|max(?:imum)?)\s+{amount_pattern()}\s?(?:w|watts?)\b"
)
_BREAKER_SHARE = 0.8
_CARD = r"\bgpus?\b|\bcards?\b|graphics"
_MOST_CARDS = 4
# Options of other platforms than CUDA that are shown.
_OTHERS = 3
# Below this many, devices that others beat are shown too.
_FEW = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A number of one device within the limits, with its price, and what it holds in all."""

    machine: Machine
    count: int
    price: Fact | None
    gib: float

    @property
    def rank(self) -> tuple[float, float, float, str]:
        """Most memory, then most bandwidth, then the lowest price."""
        speed = self.machine.bandwidth
        usd = self.price.value or 0.0 if self.price is not None else float("inf")
        each = speed.value or 0.0 if speed is not None else 0.0
        return (-round(self.gib * self.count), -each, usd, self.machine.id)


def limits_in(text: str) -> Workload:
    """The limits that a text sets, as a workload without a model."""
    place = place_fields(text, regions=frozenset())
    watts = place["watts_max"] or _watts(text)
    task: Stated = Stated(  # type: ignore[type-arg]
        value="training" if cue(_TRAINS, text) else "inference", origin="assumed"
    )
    fields = {name: value for name, value in place.items() if name not in {"region", "watts_max"}}
    return Workload(task=task, watts_max=watts, **fields, **_vendors(text), **money_fields(text))


def _watts(text: str) -> Stated[float] | None:
    circuit, few = cue(_CIRCUIT, text), cue(_LOW_WATTS, text)
    if circuit is not None:
        load = float(circuit["volts"]) * float(circuit["amps"]) * _BREAKER_SHARE
        return Stated(value=load, words=circuit.group())
    return Stated(value=amount_of(few), words=few.group()) if few is not None else None


def with_card_limit(workload: Workload, text: str) -> Workload:
    """The workload with the power limit that a text sets to a card alone ("under 75 W"), which then is one to buy."""
    few = cue(_LOW_WATTS, text)
    if workload.watts_max is not None or few is None or amount_of(few) >= LITTLE_WATTS:
        return workload
    place = workload.placement or Stated(value="buy", origin="assumed", words=few.group())
    limit = Stated(value=amount_of(few), words=few.group())
    return replace(workload, watts_max=limit, placement=place)


def is_edge(workload: Workload, text: str) -> bool:
    """Whether the power limit is below what a computer with a card draws, and no card is spoken of."""
    return is_little(workload) and cue(_CARD, text) is None


def is_little(workload: Workload) -> bool:
    """Whether the power limit is below what a computer draws: the device alone is meant."""
    return workload.watts_max is not None and workload.watts_max.value < LITTLE_WATTS


def _vendors(text: str) -> dict[str, Any]:
    mac = cue(r"\bmacs?\b|\bmacbooks?\b|apple silicon", text)
    return {"vendors_wanted": Stated(value=("Apple",), words=mac.group())} if mac else {}


def picks_within(workload: Workload, shelf: Shelf, text: str) -> list[Pick]:
    """What is within the limits, best first, without what another beats in memory, bandwidth and price."""
    found = [
        pick
        for machine in shelf.machines.values()
        for pick in [_pick(workload, machine, text)]
        if pick is not None
    ]
    cards = cue(_CARD, text) is not None
    found.sort(key=lambda pick: (cards and pick.machine.device.kind != "gpu", pick.rank))
    kept: list[Pick] = []
    for pick in found:
        same = [other for other in kept if other.machine.platform == pick.machine.platform]
        if not any(
            all(a <= b for a, b in zip(other.rank[:3], pick.rank[:3], strict=True))
            for other in same
        ):
            kept.append(pick)
    if len(kept) < _FEW:
        kept.extend([pick for pick in found if pick not in kept][: _FEW - len(kept)])
        kept.sort(key=found.index)
    others = [pick for pick in kept if pick.machine.platform != "cuda"]
    return [pick for pick in kept if pick not in others[_OTHERS:]]


def _pick(workload: Workload, machine: Machine, text: str) -> Pick | None:
    device = machine.device
    edge = is_edge(workload, text)
    if edge != (device.segment == "embedded") or device.scope != "device":
        return None
    if not edge and is_device_allowed(workload, machine) is not None:
        return None
    if device.status in {"legacy", "announced"} or 1 not in machine.buy_counts:
        return None
    new_only = workload.new_only is not None and workload.new_only.value
    price = price_of(machine, needed_gib=0.0, new_only=new_only)
    gib = machine.memory.gib
    if device.kind == "soc" and not edge:
        if price is None:
            return None
        gib = configured_gib(price) * UNIFIED_SHARE
    if workload.budget_usd is not None and (
        price is None or (price.value or 0.0) > workload.budget_usd.value
    ):
        return None
    count = _count(workload, machine, edge=edge)
    if workload.budget_usd is not None:
        count = min(count, 1)
    return Pick(machine=machine, count=count, price=price, gib=gib) if count and gib else None


def _count(workload: Workload, machine: Machine, *, edge: bool) -> int:
    """How many the power limit lets run: one, or as many cards as a usual board takes."""
    if workload.watts_max is None:
        return 1
    watts = _least_watts(machine) if edge else machine.power.value if machine.power else None
    if not watts:
        return 0
    limit = workload.watts_max.value - (0.0 if is_little(workload) else REST_WATTS)
    most = _MOST_CARDS if machine.device.kind == "gpu" and not is_little(workload) else 1
    return min(most, int(limit // watts))


def _least_watts(machine: Machine) -> float | None:
    """The power limit of a module, or the lowest that its note says it can be set to."""
    if machine.power is None or machine.power.value is None:
        return None
    modes = re.findall(r"(\d+)(?: to \d+)? W", machine.power.qualifier("note"))
    return min(machine.power.value, *(float(each) for each in modes), machine.power.value)
