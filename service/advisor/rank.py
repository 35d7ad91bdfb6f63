"""Choose and order: what passes every constraint, without what another beats in all respects, seven at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from indexer.types import DeviceId, Offer
from service.advisor.catalog import Machine, Shelf, price_of
from service.advisor.constraints import (
    Candidate,
    Failure,
    first_failure,
    is_device_allowed,
)
from service.advisor.needs import Needs, fit_of
from service.advisor.run import TRAINING
from service.advisor.types import ModelShape, Stated, Workload

MOST = 7
_NODES = (1, 2, 4, 8, 16, 32)
_FIRST = {"own": 0, "rent": 1, "buy": 2}
ORDERS = {
    "cheapest": "one device before several, a comfortable fit before a tight one, then the lower price",
    "fastest": "the higher memory bandwidth and peak first",
    "least_power": "the lower power limit first",
}


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


def ways_of(workload: Workload, models: dict[str, ModelShape]) -> Ways:
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
    for machine in shelf.machines.values():
        if is_device_allowed(workload, machine) is not None:
            continue
        for place in (_rented, _bought):
            passed = _first(workload, place(workload, machine, ways.whole), 1)
            if not passed and ways.halved is not None:
                passed = _first(workload, place(workload, machine, ways.halved), 2)
            found.extend(passed)
    return found


def _owned(workload: Workload) -> Counter[DeviceId]:
    return Counter(workload.devices_owned.value if workload.devices_owned is not None else ())


def _first(workload: Workload, tries: Iterator[Candidate], accumulate: int) -> list[Choice]:
    passing = next((each for each in tries if first_failure(workload, each) is None), None)
    return [Choice(candidate=passing, accumulate=accumulate)] if passing is not None else []


def _at_home(machine: Machine, owned: int, needs: Needs) -> Iterator[Candidate]:
    for count in sorted({1, owned}):
        yield _candidate(machine, count, "own", needs)


def _rented(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    counts = sorted(machine.offers)
    for nodes in _NODES:
        for count in counts if nodes == 1 else counts[-1:]:
            total = count * nodes
            if nodes > 1 and (count < 8 or machine.device.segment == "consumer"):
                return
            if not _may_fit(machine, total, needs):
                continue
            plain = _candidate(machine, total, "rent", needs)
            for offer in machine.offers[count]:
                candidate = replace(plain, offer=offer, nodes=nodes)
                yield candidate
                if not (workload.providers or workload.region or workload.residency):
                    break


def _bought(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    new_only = workload.new_only is not None and workload.new_only.value
    for count in machine.buy_counts:
        if _may_fit(machine, count, needs):
            plain = _candidate(machine, count, "buy", needs)
            system = machine.systems.get(count)
            price = system.find("price") if system is not None else price_of(machine, needed_gib=plain.fit.needed_gib, new_only=new_only)
            yield replace(plain, price=price)


def _may_fit(machine: Machine, count: int, needs: Needs) -> bool:
    needed = needs.at(count).device_gib
    return needed is not None and needed <= machine.memory.gib


def _candidate(machine: Machine, count: int, where: str, needs: Needs) -> Candidate:
    need = needs.at(count)
    return Candidate(machine=machine, count=count, where=where, need=need, fit=fit_of(need, machine.memory.gib))


def order_of(workload: Workload) -> str:
    """The ordering that applies: as asked for, else the cheapest first."""
    name = workload.order.value if workload.order is not None else "cheapest"
    return name if name in ORDERS else "cheapest"


def ranked(workload: Workload, found: Sequence[Choice]) -> list[Choice]:
    """At most seven: what is owned first, then the other places in turn, each place by the order of the answer."""
    order = order_of(workload)
    groups: dict[str, list[Choice]] = {"own": [], "rent": [], "buy": []}
    for choice in sorted(found, key=lambda each: sort_key(workload, each, order)):
        groups[choice.candidate.where].append(choice)
    kept = {where: front(workload, rows) for where, rows in groups.items()}
    turns = ("buy", "rent") if workload.budget_usd is not None or _is_home(workload) else ("rent", "buy")
    return (kept["own"] + list(_in_turn([kept[where] for where in turns])))[:MOST]


def _is_home(workload: Workload) -> bool:
    return workload.placement is not None and workload.placement.value in {"local", "onprem", "buy"}


def _in_turn(rows: Sequence[Sequence[Choice]]) -> Iterable[Choice]:
    for place in range(max((len(row) for row in rows), default=0)):
        for row in rows:
            if place < len(row):
                yield row[place]


def sort_key(workload: Workload, choice: Choice, order: str) -> tuple[float | str, ...]:
    """The order of two choices at one place; smaller is better."""
    candidate = choice.candidate
    price = _price(candidate)
    strain = (
        float(_is_unfit_for_rooms(workload, candidate)),
        float(choice.accumulate > 1),
        float(candidate.count > 1),
        float(candidate.fit.verdict == "tight"),
    )
    last = (candidate.machine.id, candidate.offer.instance if candidate.offer else "")
    if order == "fastest":
        return (-_speed(candidate), *strain, price, *last)
    if order == "least_power":
        return (candidate.watts or inf, *strain, price, *last)
    return (*strain, price, -_speed(candidate), *last)


def _is_unfit_for_rooms(workload: Workload, candidate: Candidate) -> bool:
    """In a server room, cards made for servers and workstations come before cards for games."""
    onprem = workload.placement is not None and workload.placement.value == "onprem"
    return onprem and candidate.where == "buy" and candidate.machine.device.segment == "consumer"


def _price(candidate: Candidate) -> float:
    price = candidate.usd_per_hour if candidate.where == "rent" else candidate.usd_to_buy
    return inf if price is None else price


def _speed(candidate: Candidate) -> float:
    fact = candidate.machine.bandwidth
    return (fact.value or 0.0) * candidate.count if fact is not None else 0.0


def front(workload: Workload, rows: Sequence[Choice]) -> list[Choice]:
    """Without what another of the same platform beats or equals in price, memory, speed, number and fit.

    `rows` are sorted, so that whatever beats a row stands before it.
    """
    kept: list[tuple[tuple[float, ...], Choice]] = []
    for row in rows:
        own = _measures(workload, row)
        if not any(_same_kind(other, row) and _beats(theirs, own) for theirs, other in kept):
            kept.append((own, row))
    return [row for _, row in kept]


def _same_kind(one: Choice, other: Choice) -> bool:
    return one.candidate.machine.platform == other.candidate.machine.platform


def _measures(workload: Workload, choice: Choice) -> tuple[float, ...]:
    """Numbers of which a smaller one is better."""
    candidate = choice.candidate
    power = candidate.watts or inf if order_of(workload) == "least_power" else 0.0
    return (
        power,
        _price(candidate),
        -candidate.fit.available_gib * candidate.count,
        -_speed(candidate),
        float(candidate.count),
        float(choice.accumulate),
        float(candidate.fit.verdict == "tight"),
        float(_is_unfit_for_rooms(workload, candidate)),
    )


def _beats(theirs: tuple[float, ...], own: tuple[float, ...]) -> bool:
    return all(a <= b for a, b in zip(theirs, own, strict=True))


def failures(workload: Workload, machine: Machine, count: int, where: str, ways: Ways) -> Failure | None:
    """Why a device is not among the options: the first constraint that it fails at its smallest number."""
    found = is_device_allowed(workload, machine)
    if found is not None:
        return found
    candidate = _candidate(machine, count, where, ways.whole)
    offer: Offer | None = next(iter(machine.offers.get(count, ())), None) if where == "rent" else None
    price = price_of(machine, needed_gib=candidate.fit.needed_gib) if where == "buy" else None
    return first_failure(workload, replace(candidate, offer=offer, price=price))
