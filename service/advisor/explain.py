"""Say why: reasons of an option, what is ruled out and by what, assumptions, warnings."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from indexer.types import Fact
from service.advisor.catalog import UNIFIED_SHARE, Machine, quote_of
from service.advisor.choose import Choice
from service.advisor.constraints import LITTLE_WATTS, REST_WATTS, Candidate
from service.advisor.formula import computation
from service.advisor.needs import how_spread
from service.advisor.parts import given
from service.advisor.renting import rented, title
from service.advisor.say import Line, exact
from service.advisor.types import Need, Option, Workload
from service.types import Statement


def because(workload: Workload, choice: Choice, option: Option) -> tuple[Statement, ...]:
    """What it costs and where, that it fits and by how much, how fast; each with its source or computation."""
    candidate = choice.candidate
    found = [offered_as(workload, candidate, option), _fitting(choice)]
    if option.speed is not None:
        found.append(_speed(option))
    if workload.watts_max is not None and candidate.watts is not None and candidate.where != "rent":
        found.append(_power(workload, candidate))
    return tuple(found)


def offered_as(workload: Workload, candidate: Candidate, option: Option) -> Statement:
    """What is rented, bought or used, and at which price."""
    if candidate.offer is not None:
        return rented(workload, candidate, option)
    line = Line()
    held = _held(candidate, line)
    if candidate.where == "own":
        each = " each" if candidate.count > 1 else ""
        return line.say(
            f"Use what is there: {title(candidate)}{held}{each}, at no price for the device."
        )
    if candidate.price is None:
        return line.say(
            f"Buy {title(candidate)}{held}{_sold_as(candidate)}; no price is known here."
        )
    return line.say(
        f"Buy {title(candidate)}{held}{_sold_as(candidate)}: {_purchase(candidate, candidate.price, line)}."
    )


def _held(candidate: Candidate, line: Line) -> str:
    """The memory in words; of a chip that is sold with several sizes, the size that it takes."""
    device = candidate.machine.device
    fact, most = device.find("memory"), device.find("memory_max")
    if device.kind == "soc" and most is not None and most.value:
        held = candidate.machine.memory.gib
        chosen = held * 2**30 / 1e9 / UNIFIED_SHARE
        sized = candidate.machine.memory.how.startswith("three quarters")
        if candidate.where == "buy" and sized and chosen < most.value - 1:
            named = computation(
                "held*2**30/1e9/share",
                given("held", held, "GiB", basis="computed"),
                given("share", UNIFIED_SHARE, "", basis="assumed"),
                source="the size whose share the graphics part may use",
            )
            return f" with at least {line.computed(round(chosen), 'GB', named)} of unified memory (up to {line.fact(most)} are sold)"
        least = candidate.needed_gib * 2**30 / 1e9 / UNIFIED_SHARE
        step = 8 * ceil(least / 8)
        work = computation(
            "needed_gib*2**30/1e9/share",
            given("needed_gib", candidate.needed_gib, "GiB", basis="computed"),
            given("share", UNIFIED_SHARE, "", basis="assumed"),
            source="the part of unified memory that the graphics part may use; rounded up to a multiple of 8",
        )
        return f" with at least {line.computed(float(min(step, int(most.value))), 'GB', work)} of unified memory (up to {line.fact(most)} are sold)"
    if fact is not None and f"{fact.text}" in device.name:
        line.quote(quote_of(fact))
        return ""
    return f" with {line.fact(fact)}" if fact is not None else ""


def _sold_as(candidate: Candidate) -> str:
    system = candidate.machine.systems.get(candidate.count)
    if system is not None:
        return f" as a {system.name}, since modules are not sold as single cards"
    if candidate.count >= 8:
        return " as a server, since modules are not sold as single cards"
    return ""


def _purchase(candidate: Candidate, price: Fact, line: Line) -> str:
    kind = {"MSRP": "launch price", "street": "street price"}.get(price.qualifier("term"), "price")
    used = " of a used one" if price.qualifier("new") == "no" else ""
    sure = ", unconfirmed" if price.level == "unconfirmed" else ""
    text = f"{kind}{used} {line.fact(price)} as of {price.as_of}{sure}"
    if price.qualifier("note") and candidate.machine.device.kind == "soc":
        text += f" ({price.qualifier('note')})"
        line.gb_in(price.qualifier("note"))
    if (
        candidate.count > 1
        and candidate.count not in candidate.machine.systems
        and candidate.usd_to_buy is not None
    ):
        work = computation(
            "price*count",
            given("price", price.value or 0.0, "USD", basis="cited"),
            given("count", candidate.count, "", basis="computed"),
            source="price times number",
        )
        text += f" each, {line.computed(candidate.usd_to_buy, 'USD', work)} together"
    return text


def _fitting(choice: Choice) -> Statement:
    candidate, line = choice.candidate, Line()
    fit, memory = candidate.fit, candidate.machine.memory
    line.quote(*memory.quotes)
    each = "each device needs" if candidate.count > 1 else "it needs"
    text = (
        f"{each} {line.size(fit.needed_gib, fit.computation)} of {line.size(memory.gib, memory.work)} usable "
        f"({memory.how}), which leaves {line.size(fit.headroom_gib, fit.computation)}: a {fit.verdict} fit"
    )
    spread = how_spread(candidate.need.plan)
    if spread:
        text += f", with {spread} {_link(candidate.machine, line)}"
    if choice.accumulate > 1:
        text += f", with the batch in {choice.accumulate} parts whose gradients are accumulated"
    return line.say(f"{text[0].upper()}{text[1:]}.")


def _link(machine: Machine, line: Line) -> str:
    fact = machine.device.find("interconnect_bandwidth")
    if fact is not None and fact.value and machine.fast_links:
        return f"over {fact.qualifier('link') or 'its links'} ({line.fact(fact)})"
    return "over PCIe, which slows it down"


def _speed(option: Option) -> Statement:
    line, speed = Line(), option.speed
    if speed is None or speed.computation is None:
        return line.say("")
    if speed.unit == "hours":
        days = line.computed(speed.value / 24, "days", speed.computation)
        text = f"The training takes about {line.computed(speed.value, 'hours', speed.computation)} ({days})"
        if option.count > 1:
            together = computation(
                "hours*devices",
                given("hours", speed.value, "hours", basis="computed"),
                given("devices", option.count, "", basis="computed"),
                source="hours times devices",
            )
            unit = "chip-hours" if "TPU" in option.device else "GPU hours"
            text += f", {line.computed(speed.value * option.count, unit, together)} in all"
    else:
        text = f"It decodes about {line.computed(speed.value, speed.unit, speed.computation)}"
    low, high = (
        line.computed(each, speed.unit, speed.computation) for each in (speed.low, speed.high)
    )
    return line.say(
        f"{text}, between {low} and {high}, computed from the data sheet and not measured."
    )


def _power(workload: Workload, candidate: Candidate) -> Statement:
    line, fact = Line(), candidate.machine.power
    limit = workload.watts_max.value if workload.watts_max is not None else 0.0
    if fact is None or fact.value is None:
        return line.say("")
    if limit < LITTLE_WATTS:
        return line.say(f"It draws up to {line.fact(fact)}, within {line.asked(limit, 'W')}.")
    work = computation(
        "watts*count + rest",
        given("watts", fact.value, "W", basis="cited"),
        given("count", candidate.count, "", basis="computed"),
        given("rest", REST_WATTS, "W", basis="assumed", note="processor, memory, disks and fans"),
        source="power limits of the parts",
    )
    each = line.fact(fact)
    whole = line.computed(fact.value * candidate.count + REST_WATTS, "W", work)
    rest = line.taken(REST_WATTS, "W", "processor, memory, disks and fans")
    return line.say(
        f"At {each} a device and {rest} assumed for the rest the machine draws up to {whole}, within {line.asked(limit, 'W')}."
    )


def assumptions(workload: Workload, need: Need) -> tuple[Statement, ...]:
    """What the question left open and how it was closed."""
    told = [f"{text[0].upper()}{text[1:]}." for text in (*need.assumptions, *need.caveats) if text]
    told.extend(f"{note}." for note in _assumed_fields(workload))
    return tuple(Statement(text=text, quotes=()) for text in told)


def _assumed_fields(workload: Workload) -> Iterator[str]:
    if workload.model is not None and workload.model.origin == "assumed":
        yield f'"{workload.model.words}" is sized like {workload.model.value}'
    if workload.task.origin == "assumed" and workload.task.words:
        yield f"Task {workload.task.value}: {workload.task.words}"
    if workload.currency is not None:
        from service.advisor.understand.money import RATES, RATES_AS_OF

        yield f"1 {workload.currency.value} is taken as {RATES[workload.currency.value]:g} dollars, assumed on {RATES_AS_OF}"


def dollars(value: float) -> str:
    """Dollars for reading."""
    return f"{exact(round(value, 2))} USD"
