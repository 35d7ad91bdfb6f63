"""From how many hours of use on buying is cheaper than renting, of the options that are offered."""

from __future__ import annotations

from collections.abc import Iterator

from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.say import Line
from service.advisor.types import Option, Sensitivity, Workload
from service.types import Input

_YEARS = 3.0
_LEAST_HOURS = 24.0


def break_even(workload: Workload, options: tuple[Option, ...]) -> Iterator[Sensitivity]:
    """One sentence where both are offered with a price: hours of use in all, and a year or in weeks."""
    rent = next((each for each in options if each.where == "rent" and each.cost), None)
    buy = next(
        (each for each in options if each.where == "buy" and each.cost and each.cost.total_usd),
        None,
    )
    if any(each.where == "own" for each in options):
        return
    if rent is None or buy is None or rent.cost is None or buy.cost is None:
        return
    hourly, price = rent.cost.usd_per_hour, buy.cost.total_usd
    if not hourly or not price or price / hourly < _LEAST_HOURS:
        return
    line = Line()
    inputs = (
        (Input(name="price", value=price, unit="USD", basis="cited", quote=buy.cost.quote),),
        (Input(name="hourly", value=hourly, unit="USD/h", basis="cited", quote=rent.cost.quote),),
    )
    work = computation(
        "price/hourly", *inputs, source="purchase price over the rent of an hour; energy aside"
    )
    names = [_several(each, line) for each in (buy, rent)]
    change = f"Over about {line.computed(price / hourly, 'hours', work)} of use"
    effect = f"buying {names[0]} is cheaper than renting {names[1]} on demand"
    if rent.cost.billing == "spot":
        effect = f"buying {names[0]} is cheaper than renting {names[1]}"
    line.quote(rent.cost.quote, buy.cost.quote)
    effect += _spread(workload, price / hourly, line)
    text = f"{change} {effect}; energy and the computer around it come on top of a purchase."
    yield Sensitivity(change=change, effect=effect, statement=line.say(text))


def _several(option: Option, line: Line) -> str:
    name = line.gb_in(option.device)
    return f"{option.count} of the {name}" if option.count > 1 else f"one {name}"


def _spread(workload: Workload, hours: float, line: Line) -> str:
    """The hours as weeks at the stated use, or a year when the purchase serves for three."""
    total = given("hours", hours, "h", basis="computed")
    if workload.hours_per_month is not None:
        each = workload.hours_per_month.value
        monthly = given("each", each, "h", basis="question")
        work = computation(
            "hours/each*52/12", total, monthly, source="hours over hours a month, 52 weeks a year"
        )
        used = line.asked(each, "hours")
        return f", reached after {line.computed(hours / each * 52 / 12, 'weeks', work)} at {used} a month"
    years = given("years", _YEARS, "years", basis="assumed")
    work = computation("hours/years", total, years, source="hours over years of use")
    span = line.taken(_YEARS, "years", "assumed time of use")
    return (
        f", or from {line.computed(hours / _YEARS, 'hours', work)} a year on over {span} (assumed)"
    )
