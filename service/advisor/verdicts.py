"""Does it fit? A sentence for each device or bare capacity that the question speaks of, yes or no first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from service.advisor.catalog import Machine
from service.advisor.formula import computation
from service.advisor.needs import Needs, guarded_gib, how_spread, needed_gib, verdict_of
from service.advisor.parts import given
from service.advisor.run import TRAINING
from service.advisor.say import Line
from service.advisor.types import Workload
from service.advisor.understand.capacity import Capacity
from service.types import Computation, Quote, Statement

_COUNTS = (2, 4, 8, 16, 32)
_CLUSTERS = (64, 128, 256, 512)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What it should fit: a device or a capacity, how many of it, and what one of it can hold."""

    name: str
    count: int
    gib: float
    work: Computation
    quotes: tuple[Quote, ...]
    owned: bool
    joins: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on a target, and the sentence that says it."""

    target: Target
    verdict: str
    statement: Statement


def targets_of(
    workload: Workload, machines: dict[str, Machine], capacities: tuple[Capacity, ...]
) -> list[Target]:
    """The devices that are owned or named, then bare capacities; variants with the same memory are one target."""
    found: dict[tuple[str, float], Target] = {}
    owned = workload.devices_owned.value if workload.devices_owned is not None else ()
    named = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    stated = workload.device_count.value if workload.device_count is not None else 1
    for name in (*owned, *named):
        machine = machines.get(name)
        if machine is None or machine.platform == "cpu":
            continue
        counted = named.count(name)
        count = owned.count(name) if name in owned else counted if counted > 1 else stated
        family = machine.device.family or machine.name
        key = (family, round(machine.memory.gib, 1))
        found.setdefault(key, _device(machine, count, owned=name in owned))
    targets = list(found.values())
    if not targets or len(targets) > 4:
        targets = targets[:4]
    if not targets:
        targets = [_bare(each, stated) for each in capacities]
    return targets[:4]


def _device(machine: Machine, count: int, *, owned: bool) -> Target:
    return Target(
        name=machine.name,
        count=max(1, count),
        gib=machine.memory.gib,
        work=machine.memory.work,
        quotes=machine.memory.quotes,
        owned=owned,
        joins=machine.device.kind == "gpu" and machine.device.segment != "laptop",
    )


def _bare(capacity: Capacity, stated: int) -> Target:
    """A bare "24 GB" is read as 24 GiB, which no card of that name exceeds: a "no" holds for all of them."""
    work = computation(
        "capacity",
        given(
            "capacity",
            capacity.value,
            "GiB",
            basis="question",
            note="read as GiB, the most that a card of this name has",
        ),
        source="as stated",
    )
    return Target(
        name=f"{capacity.value:g} {capacity.unit} device",
        count=max(capacity.count, 1 if capacity.count > 1 else min(stated, 64)),
        gib=capacity.value,
        work=work,
        quotes=(),
        owned=capacity.owned,
    )


def judged(targets: list[Target], needs: Needs) -> Iterator[Verdict]:
    """A verdict for each target, for several devices of it together."""
    for target in targets:
        sizes = _sizes(target, needs)
        verdict = verdict_of(sizes, target.gib)
        if sizes[0] != float("inf"):
            yield Verdict(target=target, verdict=verdict, statement=_said(target, needs, verdict))


def _sizes(target: Target, needs: Needs) -> tuple[float, float]:
    """What each needs, without and with margins; of a need with unknown parts what is known of it."""
    need = needs.at(target.count)
    if need.missing and need.total_gib is not None:
        return needed_gib(need), guarded_gib(need)
    return needs.sizes(target.count)


def _enough(target: Target, needs: Needs) -> int:
    """The smallest usual number of such devices that holds it, or 0."""
    return next(
        (
            count
            for count in (*_COUNTS, *(_CLUSTERS if needs.workload.task.value in TRAINING else ()))
            if count > target.count and needs.sizes(count)[0] <= target.gib
        ),
        0,
    )


def _both(target: Target, needs: Needs, line: Line) -> tuple[str, str]:
    """What is needed and what there is, with as many digits as tell them apart."""
    need, gib = needs.at(target.count), _sizes(target, needs)[0]
    if abs(target.gib - gib) >= 0.1:
        return line.total(need.parts, need.context_gib), line.size(target.gib, target.work)
    digits = 2 if abs(target.gib - gib) >= 0.01 else 4
    whole = computation(
        "needed", given("needed", gib, "GiB", basis="computed"), source="sum of the parts"
    )
    return line.fine(gib, whole, digits), line.fine(target.gib, target.work, digits)


def _judgement(target: Target, needs: Needs, verdict: str, start: str, line: Line) -> str:
    gib = _sizes(target, needs)[0]
    rest_gib = target.gib - gib
    work = computation(
        "offered - needed",
        given("offered", target.gib, "GiB", basis="computed"),
        given("needed", gib, "GiB", basis="computed"),
        source="memory that is left",
    )
    need = needs.at(target.count)
    if verdict != "no" and need.missing and (need.high_gib or 0.0) > target.gib:
        least = start.replace(" needs ", " needs at least ", 1)
        return f"It may fit, which is not certain, on {least}; {line.size(rest_gib, work)} remain for what is not counted here, such as activations"
    if verdict != "no" and need.missing and need.high_gib is not None:
        least = start.replace(" needs ", " needs at least ", 1)
        high = line.computed(need.high_gib, "GiB", need.parts[0].computation)
        return f"Yes, it fits on {least}; with what is not counted here, such as activations, {high} in all are assumed"
    if verdict != "no":
        how = "fits" if verdict == "comfortable" else "fits, but it is tight"
        return f"Yes, it {how} on {start}; {line.size(rest_gib, work)} remain"
    missing = computation(
        "0 - rest", given("rest", rest_gib, "GiB", basis="computed"), source=work.source
    )
    return f"No, it does not fit on {start}; {line.size(-rest_gib, missing)} are missing, so it is too small"


def _said(target: Target, needs: Needs, verdict: str) -> Statement:
    line, need = Line(), needs.at(target.count)
    line.quote(*target.quotes)
    capacity = target.name.endswith("device") and not target.quotes
    line.gb_in(target.name)
    if capacity:
        line.asked(target.gib, target.name.split()[1])
    needed, has = _both(target, needs, line)
    many = (
        f"{target.count} x {target.name}"
        if target.count > 1
        else f"one {target.name}"
        if capacity
        else f"the {target.name}"
    )
    each = "each device needs" if target.count > 1 else "it needs"
    usable = "has at most" if capacity else "offers"
    start = f"{many}: {each} {needed}, and each {usable} {has}"
    text = _judgement(target, needs, verdict, start, line)
    if target.count == 1:
        text = text.replace("and each", "and it")
    if verdict == "no" and target.joins and (more := _enough(target, needs)):
        each_gib = line.total(needs.at(more).parts, needs.at(more).context_gib)
        text += f"; {more} of them hold it, with {how_spread(needs.at(more).plan)} and {each_gib} on each"
    spread = how_spread(need.plan)
    if spread and verdict != "no":
        text += f", with {spread}"
    return line.say(f"{text}.")
