"""What to beware of: old prices, unconfirmed facts, tight fits, slow answers, runs that may be late."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from service.advisor.catalog import Shelf, quote_of
from service.advisor.formula import computation
from service.advisor.pace import SLOW_TOKENS_S, each_user_gets
from service.advisor.parts import given
from service.advisor.renting import PROVIDERS
from service.advisor.say import Line
from service.advisor.types import Option, Workload
from service.types import Statement

_OLD_DAYS = 365


def warnings_of(
    workload: Workload, options: tuple[Option, ...], shelf: Shelf, *, today: str
) -> tuple[Statement, ...]:
    """Missing spot prices, late runs, slow answers, old prices, tight fits, unconfirmed facts."""
    found: list[Statement] = []
    for option in options:
        found.extend(_of_pace(workload, option))
        if option.cost is not None and is_old(option.cost.as_of, today):
            found.extend(_old(option, shelf))
        if option.fit.verdict == "tight":
            found.append(_tight(option))
        found.extend(_unconfirmed(option, shelf))
    found.extend(_no_spot(workload, options))
    return tuple(dict.fromkeys(found))


def _of_pace(workload: Workload, option: Option) -> Iterator[Statement]:
    line, speed = Line(), option.speed
    if speed is None or speed.computation is None:
        return
    name = f"{option.count} x {line.gb_in(option.device)}"
    each = each_user_gets(workload, speed)
    if each is not None and each < SLOW_TOKENS_S and workload.concurrency is not None:
        users = workload.concurrency.value
        work = computation(
            "together/users",
            given("together", speed.value, "tokens/s", basis="computed"),
            given("users", users, "", basis="question"),
            source="tokens a second of all users over their number",
        )
        yield line.say(
            f"On {name} each of {line.asked(float(users), 'users')} gets about {line.computed(each, 'tokens/s', work)} when all ask at once, which is slow to read along."
        )
    limit = workload.deadline_hours
    if limit is not None and speed.unit == "hours" and speed.high > limit.value:
        high = line.computed(speed.high, "hours", speed.computation)
        yield line.say(
            f"On {name} the run may take up to {high}, longer than the {line.asked(limit.value, 'hours')} that there are."
        )


def _old(option: Option, shelf: Shelf) -> Iterator[Statement]:
    cost = option.cost
    if cost is None or cost.quote is None:
        return
    where = (
        f"{PROVIDERS.get(option.provider, option.provider)} {option.instance}".strip()
        or option.device
    )
    machine = shelf.machines.get(option.device_id) if option.device_id is not None else None
    prices = machine.prices if machine is not None else ()
    unsure = any(fact.level == "unconfirmed" and quote_of(fact) == cost.quote for fact in prices)
    text = f"The {'unconfirmed ' if unsure else ''}price of {where} is of {cost.as_of or 'an unknown date'} and may have changed."
    yield Statement(text=text, quotes=(cost.quote,))


def _tight(option: Option) -> Statement:
    line = Line()
    left = line.size(option.fit.headroom_gib, option.fit.computation)
    line.gb_in(option.device)
    return line.say(
        f"On {option.count} x {option.device} only {left} remain: longer inputs or another library may not fit."
    )


def _unconfirmed(option: Option, shelf: Shelf) -> Iterator[Statement]:
    machine = shelf.machines.get(option.device_id) if option.device_id is not None else None
    fact = machine.device.find("memory") if machine is not None else None
    if fact is not None and fact.level == "unconfirmed":
        line = Line()
        yield line.say(
            f"The memory of {option.device}, {line.fact(fact)}, is unconfirmed: no source was read."
        )


def _no_spot(workload: Workload, options: tuple[Option, ...]) -> Iterator[Statement]:
    """Spot was asked for and no option has such a price."""
    wanted = workload.spot is not None and workload.spot.value
    rented = [option for option in options if option.where == "rent" and option.cost is not None]
    costs = [option.cost for option in rented if option.cost is not None]
    if wanted and costs and all(cost.billing != "spot" for cost in costs):
        line = Line()
        count = line.taken(float(len(costs)), "options", "the rented options")
        yield line.say(f"The prices of these {count} are on demand: no spot price is known here.")


def is_old(as_of: str, today: str) -> bool:
    """Whether a price is older than a year, or of a year before this one where only the year is known."""
    if len(as_of) < 10:
        return not as_of or as_of[:4] < today[:4]
    return (date.fromisoformat(today) - date.fromisoformat(as_of)).days > _OLD_DAYS
