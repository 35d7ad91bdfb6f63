"""What is ruled out, and by which constraint: what is owned or named, and the common classes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.types import DeviceId, Fact
from service.advisor.allowed import Failure
from service.advisor.catalog import Machine, Shelf
from service.advisor.choose import Ways, failures
from service.advisor.constraints import is_place_allowed
from service.advisor.say import Line
from service.advisor.types import Option, Rejected, Workload

_AMOUNT = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s(USD/h|USD|W|GiB|hours)")
# Of the common classes these reasons need no word: the question itself rules them out.
_UNTOLD = frozenset({"maker", "form", "availability", "placement", "privacy", "deadline"})
_MOST_REJECTED = 6
# What readers ask about when it is missing: the common classes of memory, small to large.
_EXPECTED = (
    "nvidia-t4",
    "nvidia-rtx-4060-ti-16gb",
    "nvidia-l4",
    "nvidia-rtx-3090",
    "nvidia-rtx-4090",
    "nvidia-rtx-5090",
    "nvidia-l40s",
    "nvidia-a100-sxm-80gb",
    "nvidia-h100-sxm-80gb",
)


def rejected_ones(
    workload: Workload, shelf: Shelf, ways: Ways, options: tuple[Option, ...]
) -> tuple[Rejected, ...]:
    """Owned and named devices that are no option, and the common classes below the smallest that fits."""
    offered = {option.device_id for option in options}
    found: dict[DeviceId, Rejected] = {}
    if ways.whole.at(1).total_gib is None:
        return ()
    for name in _reviewed(workload, shelf):
        machine = shelf.machines.get(name)
        if machine is None or name in offered or name in found or len(found) == _MOST_REJECTED:
            continue
        failure = _failure_of(workload, machine, ways)
        expected = name in _EXPECTED and not _is_asked(workload, name)
        if failure is not None and not (expected and failure.constraint in _UNTOLD):
            found[name] = _rejected(machine, failure, ways, _count_of(workload, machine))
    return tuple(found.values())


def _is_asked(workload: Workload, name: DeviceId) -> bool:
    fields = (workload.devices_owned, workload.devices_wanted)
    return any(field is not None and name in field.value for field in fields)


def _reviewed(workload: Workload, shelf: Shelf) -> Iterator[DeviceId]:
    """What is owned and named, then the common classes, the largest first: those just below what fits."""
    for field in (workload.devices_owned, workload.devices_wanted):
        yield from field.value if field is not None else ()
    known = [shelf.machines[DeviceId(name)] for name in _EXPECTED if name in shelf.machines]
    yield from (
        machine.id
        for machine in sorted(known, key=lambda machine: (-machine.memory.gib, machine.id))
    )


def _failure_of(workload: Workload, machine: Machine, ways: Ways) -> Failure | None:
    owned = workload.devices_owned is not None and machine.id in workload.devices_owned.value
    rents = not is_place_allowed(workload, "buy") or (
        not machine.buy_counts and is_place_allowed(workload, "rent")
    )
    where = "own" if owned else "rent" if rents else "buy"
    return failures(workload, machine, _count_of(workload, machine), ways, where=where)


def _count_of(workload: Workload, machine: Machine) -> int:
    """How many of a device are meant: those owned, or the number that the question states."""
    owned = (
        workload.devices_owned.value.count(machine.id) if workload.devices_owned is not None else 0
    )
    return owned or (workload.device_count.value if workload.device_count is not None else 1)


def _rejected(machine: Machine, failure: Failure, ways: Ways, count: int) -> Rejected:
    line = Line()
    if failure.constraint == "memory" and machine.device.scope != "board":
        need = ways.whole.at(count)
        line.quote(*machine.memory.quotes)
        needed = line.total(need.parts, need.context_gib)
        text = f"{machine.name} is ruled out by memory: {needed} are needed and {line.size(machine.memory.gib, machine.memory.work)} are usable."
    elif failure.constraint == "precision":
        text = _unsupported(machine, failure.needed, line)
    else:
        fact = machine.device.find("memory") or machine.device.find("memory_max")
        held = f" with {line.fact(fact)}" if fact is not None else ""
        costs = failure.constraint == "budget" and failure.has[0].isdigit()
        verb = "costs" if costs else "has"
        text = f"{machine.name}{held} is ruled out by {failure.constraint}: needed is {failure.needed}, it {verb} {failure.has}."
        for value, unit in _AMOUNT.findall(f"{failure.needed}; {failure.has}"):
            line.taken(
                float(value.replace(",", "")),
                unit,
                "limit of the question, or figure of the device",
            )
    return Rejected(
        device_id=machine.id,
        device=machine.name,
        constraint=failure.constraint,
        needed=failure.needed,
        has=failure.has,
        statement=line.say(text),
    )


def _sure(fact: Fact) -> str:
    return " (unconfirmed)" if fact.level == "unconfirmed" else ""


def _unsupported(machine: Machine, form: str, line: Line) -> str:
    """A format that the sheet denies, or that came after the device's compute capability."""
    for fact in machine.device.facts:
        names = {name.strip() for name in fact.text.split(",")}
        if fact.name == "precisions" and fact.qualifier("supported") == "no" and form in names:
            return f"{machine.name} is ruled out by precision: its sheet names {line.fact(fact)} as not supported{_sure(fact)}."
    capability = machine.device.find("compute_capability")
    told = f" {line.fact(capability)}" if capability is not None else ""
    return f"{machine.name} is ruled out by precision: its compute capability{told} is too old for the format."
