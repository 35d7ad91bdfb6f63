"""Candidates that pass: for each device and place the smallest number that holds the workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from indexer.types import DeviceId, Fact, Offer
from service.advisor.allowed import Failure, is_device_allowed
from service.advisor.catalog import Machine, Shelf, offer_order, price_of
from service.advisor.configured import fitted
from service.advisor.constraints import (
    NO_DEAL,
    Candidate,
    Deal,
    first_failure,
    is_offer_allowed,
    is_place_allowed,
    limits_of,
    may_be_late,
    most_devices,
    rent_in_all,
)
from service.advisor.needs import USABLE_SHARE, Needs, verdict_of
from service.advisor.run import TRAINING
from service.advisor.types import ModelShape, Stated, Workload

_NODES = (2, 4, 8, 16, 32)
_SERVER = 8
_HAIR_GIB = 0.01


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
    """Everything that passes all constraints; on demand where machines that may be taken away are priced nowhere."""
    found = _passing(workload, shelf, ways)
    if is_spot(workload) and not any(each.candidate.where == "rent" for each in found):
        return _passing(replace(workload, spot=None), shelf, ways)
    return found


def _passing(workload: Workload, shelf: Shelf, ways: Ways) -> list[Choice]:
    """For each device and place the smallest number that passes."""
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
    passed = (each for each in tries if first_failure(workload, each) is None)
    if workload.deadline_hours is None:
        passing = next(passed, None)
    else:
        passing = min(passed, key=lambda each: _haste(workload, each), default=None)
    return [Choice(candidate=passing, accumulate=accumulate)] if passing is not None else []


def _haste(workload: Workload, candidate: Candidate) -> tuple[bool, float, int]:
    """Under a deadline: what is surely in time, then the cheaper run, then fewer devices."""
    whole = rent_in_all(workload, candidate) if candidate.where == "rent" else candidate.usd_to_buy
    late = may_be_late(workload, candidate)
    return late, inf if whole is None else whole, candidate.count if not late else -candidate.count


def _at_home(machine: Machine, owned: int, needs: Needs) -> Iterator[Candidate]:
    for count in sorted({1, owned}):
        yield candidate_of(machine, count, needs, where="own")


def _rented(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    if not is_place_allowed(workload, "rent"):
        return
    exact = most_devices(workload, machine, "rent") if workload.device_count is not None else 0
    for count, offers in sorted(machine.offers.items(), reverse=bool(exact)):
        nodes = exact // count if exact and exact % count == 0 and count >= _SERVER else 1
        if (exact and count * nodes != exact) or not _may_fit(
            workload, machine, count * nodes, needs
        ):
            continue
        offer = next(iter(_by_price(workload, offers)), None)
        if offer is not None:
            deal = Deal(offer=offer, nodes=nodes, spot=is_spot(workload))
            yield candidate_of(machine, count * nodes, needs, where="rent", deal=deal)


def is_spot(workload: Workload) -> bool:
    """Whether machines that may be taken away are asked for."""
    return workload.spot is not None and workload.spot.value


def _by_price(workload: Workload, offers: Sequence[Offer]) -> list[Offer]:
    """The offers that may be used, cheapest first: of spot prices where those are asked for."""
    allowed = [each for each in offers if is_offer_allowed(workload, each)]
    if not is_spot(workload):
        return allowed
    priced = [each for each in allowed if each.spot_usd_per_hour]
    return sorted(priced, key=lambda each: (each.spot_usd_per_hour or inf, offer_order(each)))


def _several_machines(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    """Whole servers of eight joined by a network, where no single machine is large enough."""
    count = max(machine.offers, default=0)
    if (
        count < _SERVER
        or machine.device.segment == "consumer"
        or not is_place_allowed(workload, "rent")
    ):
        return
    offer = next(iter(_by_price(workload, machine.offers[count])), None)
    for nodes in _NODES if offer is not None else ():
        if _may_fit(workload, machine, count * nodes, needs):
            deal = Deal(offer=offer, nodes=nodes, spot=is_spot(workload))
            yield candidate_of(machine, count * nodes, needs, where="rent", deal=deal)


def _bought(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    if not is_place_allowed(workload, "buy"):
        return
    new_only = workload.new_only is not None and workload.new_only.value
    exact = workload.device_count.value if workload.device_count is not None else 0
    for count in machine.buy_counts:
        if exact and count != exact:
            continue
        if _may_fit(workload, machine, count, needs, where="buy"):
            sold, price = _sold(machine, needs.sizes(count), new_only=new_only)
            system = machine.systems.get(count)
            if system is not None:
                price = system.find("price")
            yield candidate_of(sold, count, needs, where="buy", deal=Deal(price=price))


def _sold(
    machine: Machine, sizes: tuple[float, float], *, new_only: bool
) -> tuple[Machine, Fact | None]:
    """The size of it that is bought, and its price: a tight one with a price before a roomy one without."""
    sold = fitted(machine, sizes)
    if sold is machine:
        return machine, price_of(machine, needed_gib=sizes[0], new_only=new_only)
    price = price_of(machine, needed_gib=sold.memory.gib - _HAIR_GIB, new_only=new_only)
    if price is None:
        close = fitted(machine, (sizes[0], USABLE_SHARE * sizes[0]))
        price = price_of(machine, needed_gib=close.memory.gib - _HAIR_GIB, new_only=new_only)
        sold = sold if price is None else close
    return sold, price


def _may_fit(
    workload: Workload, machine: Machine, count: int, needs: Needs, *, where: str = "rent"
) -> bool:
    most = most_devices(workload, machine, where)
    if most and count > most:
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
