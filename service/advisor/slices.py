"""Cards that can be cut into isolated instances: which, into how many, and which cannot."""

from __future__ import annotations

from indexer.types import DeviceId
from service.advisor.catalog import Machine, Shelf
from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.say import Line
from service.advisor.types import Fit, Need, Option, Plan, Recommendation, Stated, Workload
from service.advisor.understand.devices import device_fields
from service.advisor.understand.place import place_fields
from service.advisor.understand.words import amount_of, amount_pattern, cue, stated
from service.types import Statement

_CUE = r"\bslic(?:e|es|ed|ing)\b|\bpartition\w*|\bmig\b|multi-instance|\bisolated\b[^.?!]{0,20}\b(?:gpu|part|instance|share)|split (?:a|one|the|that|into|up)"
_PEOPLE = rf"{amount_pattern()}\s+(?:\w+\s+){{0,2}}?(?:analysts?|users?|people|students?|teams?|developers?|colleagues|instances?|slices?|parts?|tenants?|notebooks?|models?)\b"
_CANNOT = ("nvidia-l40s", "nvidia-t4", "nvidia-rtx-4090", "nvidia-rtx-5090", "nvidia-rtx-6000-ada")
_SHOWN = 5


def sliced(text: str, shelf: Shelf) -> tuple[tuple[Statement, ...], Recommendation] | None:
    """The answer to a question for isolated parts of one card; None for any other question."""
    asked, people = cue(_CUE, text), cue(_PEOPLE, text)
    if asked is None or people is None or cue(r"\bwhich\b|\bwhat\b|\bhow\b|\bcan\b", text) is None:
        return None
    wanted = int(amount_of(people))
    able = [
        machine
        for machine in shelf.machines.values()
        if _instances(machine) >= wanted and machine.device.status in {"current", "previous"}
    ]
    if not able or not 1 < wanted < 100:
        return None
    bare = [machine for machine in able if 1 in machine.buy_counts]
    able = bare or able
    statements = [_can(able, wanted), *_cannot(shelf)]
    workload = Workload(
        task=Stated(value="inference", origin="assumed"),
        concurrency=stated(wanted, people),
        **place_fields(text, regions=frozenset()),
        **device_fields(text, (), {}),
    )
    need = Need(
        total_gib=None,
        low_gib=None,
        high_gib=None,
        context_gib=0.0,
        parts=(),
        plan=Plan(),
        status="exact",
        missing=("what each instance must hold",),
    )
    options = tuple(
        _option(machine, wanted, rank) for rank, machine in enumerate(able[:7], start=1)
    )
    order = "cards that can be split into enough instances, in the order of their names"
    return tuple(statements), Recommendation(
        workload=workload, need=need, options=options, rejected=(), order=order
    )


def _instances(machine: Machine) -> float:
    fact = machine.device.find("mig_instances")
    return fact.value or 0.0 if fact is not None else 0.0


def _can(able: list[Machine], wanted: int) -> Statement:
    line = Line()
    told = []
    for machine in able[: _SHOWN + 2]:
        fact = machine.device.find("mig_instances")
        if fact is not None:
            told.append(f"{machine.name} ({line.fact(fact)})")
    return line.say(
        f"Cards that MIG (Multi-Instance GPU) splits into at least {line.asked(float(wanted), 'instances')} that are isolated from each other: {', '.join(told)}."
    )


def _cannot(shelf: Shelf) -> list[Statement]:
    line, told = Line(), []
    for name in _CANNOT:
        machine = shelf.machines.get(DeviceId(name))
        fact = machine.device.find("mig_instances") if machine is not None else None
        if machine is not None and fact is not None and not fact.value:
            told.append(f"{machine.name} ({line.fact(fact)})")
    return (
        [line.say(f"These have no MIG and cannot be split that way: {', '.join(told)}.")]
        if told
        else []
    )


def _option(machine: Machine, wanted: int, rank: int) -> Option:
    work = computation(
        "available/instances",
        given("available", machine.memory.gib, "GiB", basis="cited"),
        given("instances", wanted, "", basis="question"),
        source="memory shared evenly; an instance gets a fixed share of it",
    )
    fit = Fit(
        available_gib=machine.memory.gib,
        needed_gib=0.0,
        headroom_gib=machine.memory.gib,
        verdict="comfortable",
        computation=work,
    )
    line = Line()
    fact = machine.device.find("mig_instances")
    reason = (
        line.say(f"{machine.name} can be split into {line.fact(fact)}.")
        if fact is not None
        else line.say("")
    )
    return Option(
        rank=rank,
        device_id=machine.id,
        device=machine.name,
        count=1,
        where="buy",
        provider="",
        instance="",
        region="",
        plan=Plan(),
        fit=fit,
        reasons=(reason,),
    )
