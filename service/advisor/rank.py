"""Order what passes: without what another beats in all respects, seven at most, as the answer says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf

from indexer.types import DeviceId
from service.advisor.choose import Choice
from service.advisor.constraints import Candidate, may_be_late, rent_in_all
from service.advisor.pace import SLOW_TOKENS_S, each_user_gets, speed_of
from service.advisor.types import Workload

MOST = 7
_ENOUGH = 3
_NAMED = 4
_SERVER = 8
# Shares of memory in use below which a device is too large: any device, and whole servers or what has no price.
_IDLE = 0.05
_HALF_IDLE = 0.5
ORDERS = {
    "cheapest": "one device before several, a comfortable fit before a tight one, then the lower price",
    "fastest": "the higher memory bandwidth and peak first",
    "least_power": "the lower power limit first",
}
TURNS = "what is owned and what is named come first; places to run, and kinds of device, take turns"


def order_of(workload: Workload) -> str:
    """The ordering that applies: as asked for, else the cheapest first."""
    name = workload.order.value if workload.order is not None else "cheapest"
    return name if name in ORDERS else "cheapest"


def ranked(workload: Workload, found: Sequence[Choice]) -> list[Choice]:
    """At most seven: what is owned first, then the other places in turn, each place by the order of the answer."""
    order = order_of(workload)
    groups: dict[str, list[Choice]] = {"own": [], "rent": [], "buy": []}
    for choice in sorted(
        _simplest(workload, _sensible(workload, found)),
        key=lambda each: sort_key(workload, each, order),
    ):
        groups[choice.candidate.where].append(choice)
    kept = {where: _mixed(workload, front(workload, rows)) for where, rows in groups.items()}
    turns = (
        ("buy", "rent")
        if workload.budget_usd is not None or _is_home(workload)
        else ("rent", "buy")
    )
    first = [*kept["own"], *_named(workload, groups)]
    rest = [row for row in _in_turn([kept[where] for where in turns]) if row not in first]
    chosen = [*first, *sorted(rest, key=lambda row: _drawback(workload, row))][:MOST]
    for where in turns:
        if kept[where] and not any(row.candidate.where == where for row in chosen):
            chosen[-1] = kept[where][0]
    return chosen


def _drawback(workload: Workload, row: Choice) -> tuple[bool, ...]:
    """What puts an option behind those of other places: too slow, perhaps late, without a price, several devices."""
    candidate = row.candidate
    return (
        is_slow(workload, candidate),
        may_be_late(workload, candidate),
        candidate.where == "buy" and candidate.price is None,
        candidate.count > 1,
    )


def _is_close(workload: Workload, row: Choice, best: Choice) -> bool:
    """Whether it fits tightly, alone and undivided, and costs less than the best."""
    candidate = row.candidate
    plain = candidate.verdict == "tight" and candidate.count == 1 and row.accumulate == 1
    return (
        plain
        and best.candidate.verdict == "comfortable"
        and _price(workload, candidate) < _price(workload, best.candidate)
    )


def _named(workload: Workload, groups: dict[str, list[Choice]]) -> list[Choice]:
    """What the question names and what fits, once for each device, before what it does not name."""
    wanted = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    found: dict[DeviceId, Choice] = {}
    for where in ("rent", "buy"):
        for row in groups[where]:
            if row.candidate.machine.id in wanted:
                found.setdefault(row.candidate.machine.id, row)
    # One of each family first: of "one MI300X or one H100" both are there.
    families: dict[str, int] = {}
    turn = {}
    for name, row in found.items():
        family = row.candidate.machine.device.family or str(name)
        turn[name] = families[family] = families.get(family, -1) + 1
    return sorted(found.values(), key=lambda row: turn[row.candidate.machine.id])[:_NAMED]


def _simplest(workload: Workload, found: Sequence[Choice]) -> Sequence[Choice]:
    """Without several devices at a place where enough single ones do, unless several are named or asked for."""
    if workload.device_count is not None:
        return found
    if workload.deadline_hours is not None and any(
        row.candidate.need.compute_flop is not None for row in found
    ):
        return found
    wanted = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    single = Counter(
        row.candidate.where
        for row in _distinct(workload, [row for row in found if row.candidate.count == 1])
        if row.candidate.where == "rent" or row.candidate.price is not None
    )
    return [
        row
        for row in found
        if row.candidate.count == 1
        or row.candidate.where == "own"
        or single[row.candidate.where] < _ENOUGH
        or row.candidate.machine.id in wanted
    ]


def _distinct(workload: Workload, rows: Sequence[Choice]) -> list[Choice]:
    """What is left of rows at each place when what another beats is out."""
    ordered = sorted(rows, key=lambda each: sort_key(workload, each, order_of(workload)))
    places = dict.fromkeys(row.candidate.where for row in ordered)
    return [
        kept
        for place in places
        for kept in front(workload, [row for row in ordered if row.candidate.where == place])
    ]


def _sensible(workload: Workload, found: Sequence[Choice]) -> list[Choice]:
    """Without what stays almost empty, or is bought as a whole server, where cheaper ones fit with room."""
    easy: dict[str, list[float]] = {}
    for row in found:
        candidate = row.candidate
        if candidate.verdict == "comfortable" and candidate.count == 1 and row.accumulate == 1:
            easy.setdefault(candidate.where, []).append(_price(workload, candidate))
    wanted = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    counted = workload.device_count is not None or workload.deadline_hours is not None
    kept = []
    for row in found:
        candidate = row.candidate
        held = candidate.needed_gib / candidate.machine.memory.gib
        price = _price(workload, candidate)
        cheaper = sum(each < price for each in easy.get(candidate.where, ()))
        large = candidate.where == "buy" and (candidate.count >= _SERVER or price == inf)
        idle = held < (_HALF_IDLE if large else _IDLE)
        named = candidate.where == "own" or candidate.machine.id in wanted or counted
        if named or not (idle and cheaper >= _ENOUGH):
            kept.append(row)
    return kept


def _mixed(workload: Workload, rows: Sequence[Choice]) -> list[Choice]:
    """Two cards of the usual platform, then one of another kind, and so on: alternatives are seen, and stay few.

    A cheaper card that holds it with little room to spare comes second.
    """
    cards = [
        row
        for row in rows
        if row.candidate.machine.platform == "cuda" and row.candidate.machine.device.kind != "soc"
    ]
    others = [row for row in rows if row not in cards]
    close = next((row for row in cards if _is_close(workload, row, cards[0])), None)
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
    price = _price(workload, candidate)
    strain = (
        float(_is_unfit_for_rooms(workload, candidate)),
        float(may_be_late(workload, candidate)),
        float(is_slow(workload, candidate)),
        float(candidate.where == "buy" and price == inf),
        float(choice.accumulate > 1),
        float(candidate.count > 1 and workload.deadline_hours is None),
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


def _price(workload: Workload, candidate: Candidate) -> float:
    """What counts: the rent of the whole training where its hours are known, the rent of an hour, or the purchase."""
    if candidate.where != "rent":
        price = candidate.usd_to_buy
    elif candidate.need.compute_flop is not None:
        price = rent_in_all(workload, candidate)
    else:
        price = candidate.usd_per_hour
    return inf if price is None else price


def is_slow(workload: Workload, candidate: Candidate) -> bool:
    """Whether each of several users at once would wait for every word."""
    if workload.concurrency is None or workload.concurrency.value < 2:
        return False
    speed = speed_of(workload, candidate.machine, candidate.count, candidate.need)
    each = each_user_gets(workload, speed)
    return each is not None and each < SLOW_TOKENS_S


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
        _price(workload, candidate),
        -candidate.machine.memory.gib * candidate.count,
        -_speed(candidate),
        float(candidate.count),
        float(choice.accumulate),
        float(candidate.verdict == "tight"),
        float(_is_unfit_for_rooms(workload, candidate)),
        float(is_slow(workload, candidate)),
        float(may_be_late(workload, candidate)),
    )


def _beats(theirs: tuple[float, ...], own: tuple[float, ...]) -> bool:
    return all(a <= b for a, b in zip(theirs, own, strict=True))


def _is_alike(theirs: tuple[float, ...], own: tuple[float, ...]) -> bool:
    """Whether a dearer one has no more memory and hardly more speed: not worth a line of its own."""
    near = (*own[:3], own[3] * 0.95, *own[4:])
    return _beats(theirs, near)
