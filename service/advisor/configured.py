"""Machines that are sold with several sizes of memory, with the size that a question gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from service.advisor.catalog import UNIFIED_SHARE, Machine, Shelf
from service.advisor.formula import computation
from service.advisor.needs import USABLE_SHARE
from service.advisor.parts import given
from service.lexicon import Mention

# Sizes in GB that machines with unified memory are sold with.
_SIZES = (16, 24, 32, 36, 48, 64, 96, 128, 192, 256, 512)


def fitted(machine: Machine, sizes: tuple[float, float]) -> Machine:
    """A machine that is sold in several sizes, with the smallest that holds a need with room, else tightly."""
    most = machine.device.find("memory_max")
    shared = machine.device.kind == "soc" and machine.memory.how.startswith("three quarters")
    if not shared or most is None or not most.value or most.unit != "GB":
        return machine
    needed, guarded = sizes
    shares = [(size, size * 1e9 / 2**30 * UNIFIED_SHARE) for size in _SIZES if size <= most.value]
    fits = next((each for each in shares if guarded <= USABLE_SHARE * each[1]), None)
    tight = next((each for each in shares if needed <= each[1]), None)
    chosen = fits or tight
    if chosen is None or chosen[1] >= machine.memory.gib:
        return machine
    size = given("memory", float(chosen[0]), "GB", basis="assumed", note="the size that is bought")
    share = given("share", UNIFIED_SHARE, "", basis="assumed")
    work = computation("memory*1e9/2**30*share", size, share, source=machine.memory.how)
    return replace(machine, memory=replace(machine.memory, gib=chosen[1], work=work))


def configured(text: str, mentions: Sequence[Mention], shelf: Shelf) -> Shelf:
    """The shelf with the memory that the question gives to machines that are sold in several sizes."""
    machines = dict(shelf.machines)
    for mention in mentions:
        said = re.match(
            r"[^.?!,;]{0,24}?(\d{1,4})\s?G[Bo]\b", text[mention.end :], re.IGNORECASE
        ) or re.search(
            r"\b(\d{1,4})\s?-?G[Bo]\s+(?:of\s+\w+\s+(?:in|on)\s+(?:my|an?|the)\s+)?(?:unified\s+(?:memory\s+)?)?(?:apple\s+|mac\w*\s+(?:studio\s+|pro\s+|mini\s+|air\s+)?|with\s+(?:an?\s+)?)*$",
            text[: mention.start],
            re.IGNORECASE,
        )
        for name in mention.devices if said is not None else ():
            machine = machines.get(name)
            if said is None or machine is None or machine.device.kind != "soc":
                continue
            size = given("memory", float(said[1]), "GB", basis="question")
            share = given("share", UNIFIED_SHARE, "", basis="assumed")
            work = computation("memory*1e9/2**30*share", size, share, source=machine.memory.how)
            memory = replace(
                machine.memory, gib=float(said[1]) * 1e9 / 2**30 * UNIFIED_SHARE, work=work
            )
            machines[name] = replace(machine, memory=memory)
    return replace(shelf, machines=machines) if machines != shelf.machines else shelf
