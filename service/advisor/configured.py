"""Machines that are sold with several sizes of memory, with the size that a question gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from service.advisor.catalog import UNIFIED_SHARE, Shelf
from service.advisor.formula import computation
from service.advisor.parts import given
from service.lexicon import Mention


def configured(text: str, mentions: Sequence[Mention], shelf: Shelf) -> Shelf:
    """The shelf with the memory that the question gives to machines that are sold in several sizes."""
    machines = dict(shelf.machines)
    for mention in mentions:
        said = re.match(
            r"[^.?!,;]{0,24}?(\d{1,4})\s?GB\b", text[mention.end :], re.IGNORECASE
        ) or re.search(
            r"\b(\d{1,4})\s?-?GB\s+(?:of\s+\w+\s+(?:in|on)\s+(?:my|an?|the)\s+)?(?:unified\s+(?:memory\s+)?)?(?:apple\s+|mac\w*\s+(?:studio\s+|pro\s+|mini\s+|air\s+)?|with\s+(?:an?\s+)?)*$",
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
