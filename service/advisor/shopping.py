"""A budget or a power limit without a model: devices by memory, then bandwidth, with what each holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from indexer.types import Fact
from service.advisor.catalog import Shelf
from service.advisor.constraints import REST_WATTS, Candidate, Deal, is_place_allowed
from service.advisor.explain import offered_as
from service.advisor.formula import computation
from service.advisor.holds import largest_parameters
from service.advisor.parts import given
from service.advisor.recommend import cost_of
from service.advisor.say import Line
from service.advisor.types import Fit, Need, Option, Plan, Recommendation, Workload
from service.advisor.understand.words import cue
from service.advisor.within import Pick, is_edge, is_little, limits_in, picks_within
from service.types import Statement

_WANTED = r"\bgpus?\b|\bcards?\b|graphics|\bllms?\b|\bmodels?\b|\btrain\w*|inference|deep learning|machine learning|\bmacs?\b|\bmacbook|accelerator|v-?ram|\bdevice\b|\blaptop\b"
_OTHER = r"\bssds?\b|\bnas\b|\braid\b|\bdisks?\b|\bpsu\b|power supply|\bstorage\b|\bmonitor\b|\bcpus?\b|processor|\bcool\w*"
_ASKS = r"\bwhich\b|\bwhat\b|\bbest\b|recommend|suggest|\bbuy\b|\bget\b|\bmost\b|cheapest|\bspend\b|\bdevice for\b|\bgpu for\b"
_LANGUAGE = r"\bllms?\b|language model|\bchat\w*|\bollama\b|llama\.cpp|\bgguf\b"
_SHOWN = 6


def shopping(
    text: str, shelf: Shelf, *, named: bool
) -> tuple[tuple[Statement, ...], Recommendation] | None:
    """The answer where a limit is set and no model `named`, or so little power that it decides; else None."""
    if cue(_WANTED, text) is None or cue(_ASKS, text) is None or cue(_OTHER, text) is not None:
        return None
    workload = limits_in(text)
    limited = workload.budget_usd or workload.watts_max
    laptop = workload.form is not None and "laptop" in workload.form.value
    if laptop or (named and not is_edge(workload, text)):
        return None
    if not limited or not is_place_allowed(workload, "buy"):
        return None
    picks = picks_within(workload, shelf, text)
    if not picks:
        return None
    options = tuple(
        _option(workload, pick, rank, language=cue(_LANGUAGE, text) is not None)
        for rank, pick in enumerate(picks[:_SHOWN], start=1)
    )
    told = tuple(
        replace(option.reasons[0], text=f"Option {option.rank}: {option.reasons[0].text}")
        for option in options
    )
    order = "most memory first, then the higher bandwidth, then the lower price"
    result = Recommendation(
        workload=workload, need=_no_need(Plan()), options=options, rejected=(), order=order
    )
    return (_first(workload, picks[0]), *told), result


def _option(workload: Workload, pick: Pick, rank: int, *, language: bool) -> Option:
    machine = pick.machine
    work = computation(
        "available",
        given("available", pick.gib, "GiB", basis="cited"),
        source="the memory of one device; what is to run on it is not known",
    )
    fit = Fit(
        available_gib=pick.gib,
        needed_gib=0.0,
        headroom_gib=pick.gib,
        verdict="comfortable",
        computation=work,
    )
    option = Option(
        rank=rank,
        device_id=machine.id,
        device=machine.name,
        count=pick.count,
        where="buy",
        provider="",
        instance="",
        region="",
        plan=Plan(data=pick.count),
        fit=fit,
    )
    candidate = _candidate(pick, option)
    option = replace(option, cost=cost_of(candidate, None))
    reason = _reason(workload, pick, candidate, option, language=language)
    return replace(option, reasons=(reason,))


def _candidate(pick: Pick, option: Option) -> Candidate:
    device = pick.machine.device
    soc = device.kind == "soc" and device.segment != "embedded"
    return Candidate(
        machine=pick.machine,
        count=pick.count,
        where="buy",
        deal=Deal(price=pick.price),
        need=_no_need(option.plan),
        needed_gib=pick.gib if soc else 0.0,
        verdict="comfortable",
    )


def _no_need(plan: Plan) -> Need:
    return Need(
        total_gib=None,
        low_gib=None,
        high_gib=None,
        context_gib=0.0,
        parts=(),
        plan=plan,
        status="rule",
        missing=("the model, or its number of parameters",),
    )


def _reason(
    workload: Workload, pick: Pick, candidate: Candidate, option: Option, *, language: bool
) -> Statement:
    base = offered_as(workload, candidate, option)
    line = Line()
    more = "; ".join(_details(workload, pick, line, language=language))
    extra = line.say("")
    return Statement(
        text=f"{base.text} {more[0].upper()}{more[1:]}." if more else base.text,
        quotes=tuple(dict.fromkeys((*base.quotes, *extra.quotes))),
        numbers=(*base.numbers, *extra.numbers),
    )


def _details(workload: Workload, pick: Pick, line: Line, *, language: bool) -> Iterator[str]:
    machine = pick.machine
    if pick.count > 1:
        work = computation(
            "gib*count",
            given("gib", pick.gib, "GiB", basis="cited"),
            given("count", pick.count, "", basis="computed"),
            source="memory of all",
        )
        yield f"together {line.size(pick.gib * pick.count, work)} of memory"
    if machine.bandwidth is not None and machine.bandwidth.value:
        yield f"memory bandwidth {line.fact(machine.bandwidth)}"
    if workload.watts_max is not None and machine.power is not None and machine.power.value:
        yield _power(pick, machine.power, line)
    if pick.price is not None and pick.price.value and pick.gib >= 1:
        work = computation(
            "price/gib",
            given("price", pick.price.value, "USD", basis="cited"),
            given("gib", pick.gib, "GiB", basis="cited"),
            source="price over memory",
        )
        yield f"{line.computed(pick.price.value / pick.gib, 'USD', work)} for each GiB of it"
    if language:
        params = largest_parameters(pick.gib * pick.count)
        if params.value > 0:
            yield f"in 4 bits (Q4_K_M) a language model of up to about {line.number(params)} fits"
            line.taken(4.0, "bit", "4 bits, Q4_K_M, the name of the format")


def _power(pick: Pick, fact: Fact, line: Line) -> str:
    work = computation(
        "watts*count",
        given("watts", fact.value or 0.0, "W", basis="cited"),
        given("count", pick.count, "", basis="computed"),
        source="power limits of the devices",
    )
    whole = line.computed((fact.value or 0.0) * pick.count, "W", work)
    each = f", {line.fact(fact)} each" if pick.count > 1 else ""
    line.fact(fact)
    note = fact.qualifier("note")
    for mode in re.findall(r"\d+", note) if pick.machine.device.segment == "embedded" else ():
        line.taken(float(mode), "W", note)
    told = f" ({note})" if note and pick.machine.device.segment == "embedded" else ""
    return f"up to {whole}{each}{told}"


def _first(workload: Workload, best: Pick) -> Statement:
    """Which limits were kept, the order, and what comes first in it."""
    line = Line()
    line.quote(*best.machine.memory.quotes)
    limits = []
    if workload.budget_usd is not None:
        limits.append(line.asked(workload.budget_usd.value, "USD"))
    if workload.watts_max is not None:
        words = re.sub(r"\s+", " ", workload.watts_max.words)
        watts = line.asked(workload.watts_max.value, "W")
        edge = is_little(workload)
        rest = (
            ""
            if edge
            else f", of which {line.taken(REST_WATTS, 'W', 'processor, memory, disks and fans')} are kept for the rest of the machine (assumed)"
        )
        line.taken(workload.watts_max.value, "W", f"{words}: what it carries for long")
        limits.append(f"{watts}{rest}")
    work = computation(
        "gib*count",
        given("gib", best.gib, "GiB", basis="cited"),
        given("count", best.count, "", basis="computed"),
        source="memory of all",
    )
    name = line.gb_in(best.machine.name)
    return line.say(
        f"Within {' and '.join(limits)} the most memory comes with {best.count} x {name}: "
        f"{line.size(best.gib * best.count, work)}. The question names no model, so the options are sorted by memory, then by bandwidth, then by price."
    )
