"""A workload in, a recommendation out: need, options, what is ruled out, what would change it."""

from __future__ import annotations

from dataclasses import replace

from service.advisor.breakeven import break_even
from service.advisor.catalog import Shelf, quote_of, quote_of_offer
from service.advisor.choose import Choice, choices, ways_of
from service.advisor.constraints import Candidate
from service.advisor.cost import rent_usd
from service.advisor.estimate import resolve_shape
from service.advisor.explain import assumptions, because
from service.advisor.formula import computation, computed
from service.advisor.needs import Needs
from service.advisor.pace import speed_of
from service.advisor.parts import given
from service.advisor.rank import ORDERS, TURNS, order_of, ranked
from service.advisor.rejected import rejected_ones
from service.advisor.run import TRAINING
from service.advisor.sensitivity import changes
from service.advisor.tables import TABLES, table_options
from service.advisor.types import Cost, Need, Option, Recommendation, Speed, Stated, Workload
from service.advisor.warn import warnings_of
from service.types import Number


def recommend(workload: Workload, shelf: Shelf, *, today: str) -> Recommendation:
    """What fits the workload, best first, and why the rest does not.

    A pure function: the same workload on the same shelf gives the same value. No options: nothing passes all constraints,
    and `rejected` and `sensitivity` tell what is nearest.
    """
    if workload.task.value in TABLES:
        return table_options(workload, shelf, today=today)
    asked, workload = workload, with_shape(workload, shelf)
    ways = ways_of(workload, shelf.models)
    need = need_of(workload, ways.whole)
    found = choices(workload, shelf, ways) if need.total_gib is not None else []
    best = ranked(workload, found)
    options = tuple(_option(workload, choice, rank) for rank, choice in enumerate(best, start=1))
    rivals = options
    if workload.hours_per_month is not None and workload.privacy is None and options:
        # Hours a month are stated, so rent and purchase are compared even where only one is offered.
        free = ranked(workload, choices(replace(workload, placement=None), shelf, ways))
        rivals = tuple(_option(workload, choice, 0) for choice in free)
    return Recommendation(
        workload=asked,
        need=need,
        options=options,
        rejected=rejected_ones(workload, shelf, ways, options),
        order=f"{order_of(workload)}: {ORDERS[order_of(workload)]}; {TURNS}",
        assumptions=assumptions(workload, need),
        sensitivity=(*break_even(workload, rivals), *changes(workload, shelf, need)),
        warnings=warnings_of(workload, options, shelf, today=today),
    )


def with_shape(workload: Workload, shelf: Shelf) -> Workload:
    """The workload with the model's shape looked up once."""
    shape = resolve_shape(workload, shelf.models)
    return (
        workload
        if shape is None
        else replace(workload, shape=Stated(value=shape, origin="assumed"))
    )


def need_of(workload: Workload, needs: Needs) -> Need:
    """The need on the number of devices that the question states, else on one."""
    count = workload.device_count.value if workload.device_count is not None else 1
    return needs.at(count if workload.plan is not None or workload.task.value in TRAINING else 1)


def _option(workload: Workload, choice: Choice, rank: int) -> Option:
    candidate = choice.candidate
    machine, offer = candidate.machine, candidate.offer
    speed = speed_of(workload, machine, candidate.count, candidate.need)
    hours = _hours(workload, speed)
    system = machine.systems.get(candidate.count) if candidate.where == "buy" else None
    option = Option(
        rank=rank,
        device_id=machine.id,
        device=machine.name,
        count=candidate.count,
        where=candidate.where,  # type: ignore[arg-type]
        provider=offer.provider if offer is not None else "",
        instance=offer.instance if offer is not None else system.name if system is not None else "",
        region=offer.region if offer is not None else "",
        plan=candidate.need.plan,
        fit=candidate.fit,
        speed=speed,
        hours=hours,
        cost=cost_of(candidate, hours),
        power_w=_power(candidate),
    )
    return replace(option, reasons=because(workload, choice, option))


def _hours(workload: Workload, speed: Speed | None) -> Number | None:
    if speed is not None and speed.unit == "hours" and speed.computation is not None:
        return Number(
            value=speed.value, unit="hours", origin="computed", computation=speed.computation
        )
    if workload.hours is None:
        return None
    stated = given("hours", workload.hours.value, "h", basis="question")
    return computed("hours", "hours", stated, source="as stated")


def cost_of(candidate: Candidate, hours: Number | None) -> Cost | None:
    """What it costs: nothing for what is owned, the rent, or the purchase where a price is known."""
    if candidate.where == "own":
        return None
    if candidate.where == "rent" and candidate.offer is not None:
        return _rent(candidate, hours)
    price = candidate.price
    total = candidate.usd_to_buy
    if price is None or total is None:
        return None
    work = computation(
        "price*pieces",
        given("price", price.value or 0.0, "USD", basis="cited"),
        given("pieces", total / (price.value or 1.0), "", basis="computed"),
        source=f"{price.qualifier('term') or 'price'} as of {price.as_of}",
    )
    return Cost(
        billing="purchase",
        usd_per_hour=None,
        total_usd=total,
        low_usd=None,
        high_usd=None,
        region="",
        as_of=price.as_of,
        source=price.source,
        computation=work,
        quote=quote_of(price),
    )


def _rent(candidate: Candidate, hours: Number | None) -> Cost:
    offer, hourly = candidate.offer, candidate.usd_per_hour or 0.0
    assert offer is not None  # noqa: S101  # only rented candidates come here
    quote = quote_of_offer(offer)
    total = (
        rent_usd(hours=hours.value, usd_per_hour=hourly, quote=quote) if hours is not None else None
    )
    return Cost(
        billing="spot" if candidate.deal.spot else "on_demand",
        usd_per_hour=hourly,
        total_usd=total.value if total is not None else None,
        low_usd=None,
        high_usd=None,
        region=offer.region,
        as_of=offer.as_of,
        source=offer.source,
        computation=total.computation if total is not None else None,
        quote=quote,
    )


def _power(candidate: Candidate) -> Number | None:
    fact = candidate.machine.power
    if fact is None or not fact.value:
        return None
    return computed(
        "watts*count",
        "W",
        given("watts", fact.value, "W", basis="cited"),
        given("count", candidate.count, "", basis="computed"),
        source="power limit of the devices; the rest of the machine comes on top",
    )
