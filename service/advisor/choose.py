"""Candidates that pass: for each device and place the smallest number that holds the workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from indexer.types import DeviceId, Offer
from service.advisor.allowed import Failure, is_device_allowed
from service.advisor.catalog import Machine, Shelf, price_of
from service.advisor.constraints import (
    NO_DEAL,
    Candidate,
    Deal,
    first_failure,
    is_offer_allowed,
    is_place_allowed,
    limits_of,
)
from service.advisor.needs import Needs, verdict_of
from service.advisor.run import TRAINING
from service.advisor.types import ModelShape, Stated, Workload

_NODES = (2, 4, 8, 16, 32)
_SERVER = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A candidate that passes, and by how much the stated batch is divided and accumulated for it."""

    candidate: Candidate
    accumulate: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The needs of a workload as stated, and with its batch in halves that are accumulated."""

    whole: Needs
    halved: Needs | None


def ways_of(workload: Workload, models: Mapping[str, ModelShape]) -> Ways:
    """Gradient accumulation keeps the batch that was asked for with half of the activations."""
    halved = None
    if workload.task.value in TRAINING and workload.batch is not None and workload.batch.value > 1:
        half = replace(
            workload,
            batch=Stated(value=workload.batch.value // 2, origin="assumed"),
            gradient_accumulation=Stated(value=2, origin="assumed"),
        )
        halved = Needs(half, models)
    return Ways(whole=Needs(workload, models), halved=halved)


def choices(workload: Workload, shelf: Shelf, ways: Ways) -> list[Choice]:
    """Everything that passes all constraints: for each device and place the smallest number that does."""
    found: list[Choice] = []
    for name, count in _owned(workload).items():
        if name in shelf.machines:
            found.extend(_first(workload, _at_home(shelf.machines[name], count, ways.whole), 1))
    at_home = {each.candidate.machine.id for each in found}
    allowed = [
        machine
        for machine in shelf.machines.values()
        if machine.id not in at_home and is_device_allowed(workload, machine) is None
    ]
    for machine in allowed:
        for place in (_rented, _bought):
            passed = _first(workload, place(workload, machine, ways.whole), 1)
            if not passed and ways.halved is not None:
                passed = _first(workload, place(workload, machine, ways.halved), 2)
            found.extend(passed)
    if not found:
        for machine in allowed:
            found.extend(_first(workload, _several_machines(workload, machine, ways.whole), 1))
    return found


def _owned(workload: Workload) -> Counter[DeviceId]:
    return Counter(workload.devices_owned.value if workload.devices_owned is not None else ())


def _first(workload: Workload, tries: Iterator[Candidate], accumulate: int) -> list[Choice]:
    passing = next((each for each in tries if first_failure(workload, each) is None), None)
    return [Choice(candidate=passing, accumulate=accumulate)] if passing is not None else []


def _at_home(machine: Machine, owned: int, needs: Needs) -> Iterator[Candidate]:
    for count in sorted({1, owned}):
        yield candidate_of(machine, count, needs, where="own")


def _rented(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    if not is_place_allowed(workload, "rent"):
        return
    exact = workload.device_count.value if workload.device_count is not None else 0
    for count, offers in sorted(machine.offers.items(), reverse=bool(exact)):
        nodes = exact // count if exact and exact % count == 0 else 1
        if (exact and count * nodes != exact) or not _may_fit(
            workload, machine, count * nodes, needs
        ):
            continue
        offer = next((each for each in offers if is_offer_allowed(workload, each)), None)
        if offer is not None:
            deal = Deal(offer=offer, nodes=nodes)
            yield candidate_of(machine, count * nodes, needs, where="rent", deal=deal)


def _several_machines(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    """Whole servers of eight joined by a network, where no single machine is large enough."""
    count = max(machine.offers, default=0)
    if (
        count < _SERVER
        or machine.device.segment == "consumer"
        or not is_place_allowed(workload, "rent")
    ):
        return
    offer = next((each for each in machine.offers[count] if is_offer_allowed(workload, each)), None)
    for nodes in _NODES if offer is not None else ():
        if _may_fit(workload, machine, count * nodes, needs):
            deal = Deal(offer=offer, nodes=nodes)
            yield candidate_of(machine, count * nodes, needs, where="rent", deal=deal)


def _bought(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    if not is_place_allowed(workload, "buy"):
        return
    new_only = workload.new_only is not None and workload.new_only.value
    exact = workload.device_count.value if workload.device_count is not None else 0
    for count in machine.buy_counts:
        if exact and count != exact:
            continue
        if _may_fit(workload, machine, count, needs):
            system = machine.systems.get(count)
            each = needs.sizes(count)[0]
            price = (
                system.find("price")
                if system is not None
                else price_of(machine, needed_gib=each, new_only=new_only)
            )
            yield candidate_of(machine, count, needs, where="buy", deal=Deal(price=price))


def _may_fit(workload: Workload, machine: Machine, count: int, needs: Needs) -> bool:
    most = workload.device_count_max or workload.device_count
    if most is not None and count > most.value:
        return False
    return needs.sizes(count)[0] <= machine.memory.gib


def candidate_of(
    machine: Machine, count: int, needs: Needs, *, where: str, deal: Deal = NO_DEAL
) -> Candidate:
    """A number of devices at a place, with the verdict on its memory."""
    sizes = needs.sizes(count)
    return Candidate(
        machine=machine,
        count=count,
        where=where,
        deal=deal,
        need=needs.at(count),
        needed_gib=sizes[0],
        verdict=verdict_of(sizes, machine.memory.gib),
    )


def failures(
    workload: Workload, machine: Machine, count: int, ways: Ways, *, where: str
) -> Failure | None:
    """Why a device is not among the options: the first constraint that it fails at its smallest number."""
    found = is_device_allowed(workload, machine)
    if found is not None:
        return found
    offer: Offer | None = None
    bare = candidate_of(machine, count, ways.whole, where=where)
    if where == "rent" and bare.verdict != "no":
        rows = [
            each
            for offers in machine.offers.values()
            for each in offers
            if is_offer_allowed(workload, each)
        ]
        if not rows:
            return Failure(
                constraint="availability",
                needed=f"an offer to rent ({limits_of(workload)})",
                has="none known here",
            )
        offer = min(rows, key=lambda each: (each.on_demand_usd_per_hour or inf, each.instance))
        count = offer.count
    price = price_of(machine, needed_gib=ways.whole.sizes(count)[0]) if where == "buy" else None
    return first_failure(
        workload,
        candidate_of(machine, count, ways.whole, where=where, deal=Deal(offer=offer, price=price)),
    )
