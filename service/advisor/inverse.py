"""The other way round: how large a model a device holds at a number format."""

from __future__ import annotations

from collections.abc import Sequence

from service.advisor.catalog import Shelf
from service.advisor.holds import CACHE_GIB, CONTEXT_GIB, largest_parameters
from service.advisor.precision import FORMATS, format_named
from service.advisor.say import Line
from service.advisor.understand.capacity import capacities
from service.advisor.understand.precision import numbers_of
from service.advisor.understand.words import cue
from service.lexicon import Mention
from service.types import Statement

_CUE = r"(?:largest|biggest|(?:how|what) (?:large|big|size)(?: of)?)[^.?!]{0,16}\b(?:model|llm)\b|what size model|größte modell|modelo más grande|plus grand modèle|多大的模型"


def largest_model(text: str, mentions: Sequence[Mention], shelf: Shelf) -> Statement | None:
    """The parameters that fit a named device or a bare capacity, with room for cache and runtime."""
    if cue(_CUE, text) is None:
        return None
    line = Line()
    machine = next(
        (
            shelf.machines[name]
            for each in mentions
            for name in each.devices
            if name in shelf.machines
        ),
        None,
    )
    bare = next(iter(capacities(text)), None)
    if machine is not None:
        gib, where = (
            machine.memory.gib,
            f"the {line.gb_in(machine.name)} with {line.size(machine.memory.gib, machine.memory.work)} usable",
        )
        line.quote(*machine.memory.quotes)
    elif bare is not None:
        gib, where = bare.value, f"a device with {line.asked(bare.value, bare.unit)}"
    else:
        return None
    named = numbers_of(text).first
    form = format_named("q4_k_m" if named in {"", "4bit"} else named) or FORMATS["q4_k_m"]
    params = largest_parameters(gib, form, basis="cited" if machine is not None else "question")
    if params.value <= 0:
        return None
    return line.say(
        f"In {form.name} ({line.taken(form.bits, 'bits a weight', f'{form.name}: {form.source}')}), {where} holds a model of at most about {line.number(params)}, with "
        f"{line.taken(CACHE_GIB, 'GiB', 'assumed')} kept for the cache and {line.taken(CONTEXT_GIB, 'GiB', 'the runtime')} for the runtime; longer contexts leave less."
    )
