"""Choose and order: what passes every constraint, without what another beats in all respects, seven at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from indexer.types import DeviceId, Fact, Offer
from service.advisor.catalog import Machine, Shelf, price_of
from service.advisor.constraints import (
    Candidate,
    Failure,
    first_failure,
    is_device_allowed,
    is_offer_allowed,
    is_place_allowed,
    limits_of,
)
from service.advisor.needs import Needs, verdict_of
from service.advisor.run import TRAINING
from service.advisor.types import ModelShape, Stated, Workload

MOST = 7
_ENOUGH = 3
_NODES = (2, 4, 8, 16, 32)
_SERVER = 8
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
        yield candidate_of(machine, count, "own", needs)


def _rented(workload: Workload, machine: Machine, needs: Needs) -> Iterator[Candidate]:
    if not is_place_allowed(workload, "rent"):
        return
    exact = workload.device_count.value if workload.device_count is not None else 0
    for count, offers in reversed(machine.offers.items()) if exact else machine.offers.items():
        nodes = exact // count if exact and exact % count == 0 else 1
        if (exact and count * nodes != exact) or not _may_fit(
            workload, machine, count * nodes, needs
        ):
            continue
        offer = next((each for each in offers if is_offer_allowed(workload, each)), None)
        if offer is not None:
            yield candidate_of(machine, count * nodes, "rent", needs, offer=offer, nodes=nodes)


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
            yield candidate_of(machine, count * nodes, "rent", needs, offer=offer, nodes=nodes)


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
            yield candidate_of(machine, count, "buy", needs, price=price)


def _may_fit(workload: Workload, machine: Machine, count: int, needs: Needs) -> bool:
    most = workload.device_count_max or workload.device_count
    if most is not None and count > most.value:
        return False
    return needs.sizes(count)[0] <= machine.memory.gib


def candidate_of(
    machine: Machine,
    count: int,
    where: str,
    needs: Needs,
    *,
    offer: Offer | None = None,
    nodes: int = 1,
    price: Fact | None = None,
) -> Candidate:
    """A number of devices at a place, with the verdict on its memory."""
    sizes = needs.sizes(count)
    return Candidate(
        machine=machine,
        count=count,
        where=where,
        offer=offer,
        nodes=nodes,
        price=price,
        need=needs.at(count),
        needed_gib=sizes[0],
        verdict=verdict_of(sizes, machine.memory.gib),
    )


def order_of(workload: Workload) -> str:
    """The ordering that applies: as asked for, else the cheapest first."""
    name = workload.order.value if workload.order is not None else "cheapest"
    return name if name in ORDERS else "cheapest"


def ranked(workload: Workload, found: Sequence[Choice]) -> list[Choice]:
    """At most seven: what is owned first, then the other places in turn, each place by the order of the answer."""
    order = order_of(workload)
    groups: dict[str, list[Choice]] = {"own": [], "rent": [], "buy": []}
    for choice in sorted(
        _simplest(workload, found), key=lambda each: sort_key(workload, each, order)
    ):
        groups[choice.candidate.where].append(choice)
    kept = {where: _mixed(front(workload, rows)) for where, rows in groups.items()}
    turns = (
        ("buy", "rent")
        if workload.budget_usd is not None or _is_home(workload)
        else ("rent", "buy")
    )
    first = [*kept["own"], *_named(workload, groups)]
    rest = [row for row in _in_turn([kept[where] for where in turns]) if row not in first]
    return [*first, *rest][:MOST]


def _is_close(row: Choice, best: Choice) -> bool:
    """Whether it fits tightly, alone and undivided, and costs less than the best."""
    candidate = row.candidate
    plain = candidate.verdict == "tight" and candidate.count == 1 and row.accumulate == 1
    return (
        plain
        and best.candidate.verdict == "comfortable"
        and _price(candidate) < _price(best.candidate)
    )


def _named(workload: Workload, groups: dict[str, list[Choice]]) -> list[Choice]:
    """What the question names and what fits, once for each device, before what it does not name."""
    wanted = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    found: dict[DeviceId, Choice] = {}
    for where in ("rent", "buy"):
        for row in groups[where]:
            if row.candidate.machine.id in wanted:
                found.setdefault(row.candidate.machine.id, row)
    return list(found.values())[:3]


def _simplest(workload: Workload, found: Sequence[Choice]) -> Sequence[Choice]:
    """Without several devices where enough single ones do, unless several are owned, named or asked for."""
    single = [row for row in found if row.candidate.count == 1 or row.candidate.where == "own"]
    if len(single) < _ENOUGH or workload.device_count is not None:
        return found
    wanted = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    return [
        *single,
        *(row for row in found if row not in single and row.candidate.machine.id in wanted),
    ]


def _mixed(rows: Sequence[Choice]) -> list[Choice]:
    """Two cards of the usual platform, then one of another kind, and so on: alternatives are seen, and stay few.

    A cheaper card that holds it with little room to spare comes second.
    """
    cards = [
        row
        for row in rows
        if row.candidate.machine.platform == "cuda" and row.candidate.machine.device.kind != "soc"
    ]
    others = [row for row in rows if row not in cards]
    close = next((row for row in cards if _is_close(row, cards[0])), None)
    if close is not None:
        cards.remove(close)
        cards.insert(1, close)
    mixed: list[Choice] = []
    while cards or others:
        mixed.extend(cards[:2] + others[:1])
        cards, others = cards[2:], others[1:]
    return mixed


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
        float(candidate.verdict == "tight"),
    )
    last = (candidate.machine.id, candidate.offer.instance if candidate.offer else "")
    if order == "fastest":
        return (-_speed(candidate), *strain, price, *last)
    if order == "least_power":
        return (candidate.watts or inf, *strain, price, *last)
    return (*strain, price, -_speed(candidate), *last)


def _is_unfit_for_rooms(workload: Workload, candidate: Candidate) -> bool:
    """In a server room, cards made for servers and workstations come before cards for games."""
    rooms = workload.form is not None and "server_room" in workload.form.value
    return rooms and candidate.where == "buy" and candidate.machine.device.segment == "consumer"


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
        if not any(_same_kind(other, row) and _is_alike(theirs, own) for theirs, other in kept):
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
        -candidate.machine.memory.gib * candidate.count,
        -_speed(candidate),
        float(candidate.count),
        float(choice.accumulate),
        float(candidate.verdict == "tight"),
        float(_is_unfit_for_rooms(workload, candidate)),
    )


def _beats(theirs: tuple[float, ...], own: tuple[float, ...]) -> bool:
    return all(a <= b for a, b in zip(theirs, own, strict=True))


def _is_alike(theirs: tuple[float, ...], own: tuple[float, ...]) -> bool:
    """Whether a dearer one has no more memory and hardly more speed: not worth a line of its own."""
    near = (*own[:3], own[3] * 0.95, *own[4:])
    return _beats(theirs, near)


def failures(
    workload: Workload, machine: Machine, count: int, where: str, ways: Ways
) -> Failure | None:
    """Why a device is not among the options: the first constraint that it fails at its smallest number."""
    found = is_device_allowed(workload, machine)
    if found is not None:
        return found
    offer: Offer | None = None
    bare = candidate_of(machine, count, where, ways.whole)
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
        workload, candidate_of(machine, count, where, ways.whole, offer=offer, price=price)
    )
