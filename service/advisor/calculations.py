"""Plain calculations that people ask for: cache, states, time, speed, tables, circuits; each shows how it came about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from service.advisor.case import (
    ASKS_CACHE,
    Calculation,
    Case,
    cache_part,
)
from service.advisor.estimate import estimate
from service.advisor.formula import computation
from service.advisor.needs import Needs, plan_for
from service.advisor.parts import given
from service.advisor.say import Line
from service.advisor.tables import TABLES
from service.advisor.tabular import boosting_gpu_gib, gpu_helps, raw_gib
from service.advisor.timing import decoding, stated_time, training_time
from service.advisor.types import Need, Plan, Stated
from service.advisor.understand.place import circuit_of
from service.advisor.understand.words import amount_of, amount_pattern, cue
from service.types import Statement

_STATES = frozenset({"weights", "gradients", "optimizer"})
_ASKS_STATES = r"optimi[sz]er states?|model states?|weights, gradients|\bstates?\b|bytes per param|zero[- ]?(?:stage )?[123]"
_CLAIMED = rf"{amount_pattern()}\s?(?P<unit>gb|gib)\b"


def calculated(case: Case) -> list[Statement]:
    """The calculations that the question asks for, in the order of the table."""
    return [statement for calculation in _CALCULATIONS for statement in calculation(case)]


def _cache(case: Case) -> Iterator[Statement]:
    part, shape = cache_part(case.need), case.need.shape
    if cue(ASKS_CACHE, case.text) is None or part is None or shape is None:
        return
    line = Line()
    line.quote(shape.quote)
    inputs = {each.name: each for each in part.computation.inputs}
    kind, each = int(inputs["kv_bytes"].value), inputs["sequences"].value
    if shape.kv_lora_rank:
        formula, words = (
            "layers*(kv_lora_rank + rope_dim)*kv_bytes",
            f"{shape.layers} layers x ({shape.kv_lora_rank} + {shape.rope_dim}) x {kind}",
        )
    else:
        formula, words = (
            "2*layers*kv_heads*head_dim*kv_bytes",
            f"2 x {shape.layers} layers x {shape.kv_heads} KV heads x {shape.head_dim} x {kind}",
        )
    line.taken(float(kind), "bytes", "width of the cache's numbers")
    token = computation(formula, tuple(inputs.values()), source=part.computation.source)
    from service.advisor.formula import evaluate

    per_token = line.computed(evaluate(token), "bytes", token)
    tokens = line.asked(inputs["seq_len"].value, "tokens")
    several = f"{each:g} sequences of " if each != 1 else ""
    yield line.say(
        f"The KV cache of {shape.name} for {several}{tokens} takes {line.size(part.gib, part.computation)}: "
        f"{words} bytes = {per_token} a token and sequence."
    )
    yield from _compared_claim(case, part.gib, shape.kv_heads)


def _compared_claim(case: Case, gib: float, heads: int) -> Iterator[Statement]:
    """A size that the question quotes from elsewhere, held against the computed one."""
    found = re.search(
        rf"(?:says?|said|claims?|gives?|table|blog|states?|told)[^.?!]{{0,40}}?{_CLAIMED}",
        case.text,
        re.IGNORECASE,
    )
    if found is None:
        return
    size_gb = gib * 2**30 / 1e9
    claimed = amount_of(found) * (2**30 / 1e9 if found["unit"].lower() == "gib" else 1.0)
    ratio = claimed / size_gb
    if 0.9 <= ratio <= 1.1:
        return
    line = Line()
    work = computation(
        "claimed/computed",
        given("claimed", claimed, "GB", basis="question"),
        given("computed", size_gb, "GB", basis="computed"),
        source="ratio",
    )
    text = f"The {line.asked(amount_of(found), found['unit'].upper().replace('GIB', 'GiB'))} of the question are {line.computed(round(ratio, 2), 'times', work)} that, so that figure is not right"
    if heads and 1.7 <= ratio <= 2.2:
        text += f": the model has {heads} KV heads (grouped-query attention), and counting {2 * heads} would double the cache"
    yield line.say(f"{text}.")


def _states(case: Case) -> Iterator[Statement]:
    if (
        case.workload.task.value not in {"full_finetune", "pretraining"}
        or cue(_ASKS_STATES, case.text) is None
    ):
        return
    plain = replace(case.workload, plan=Stated(value=Plan(), origin="assumed"))
    whole = estimate(plain, models=case.shelf.models)
    parts = [part for part in whole.parts if part.kind in _STATES]
    if not parts or whole.shape is None:
        return
    line = Line()
    line.quote(whole.shape.quote)
    each = [
        next(entry.value for entry in part.computation.inputs if entry.name == "bytes_each")
        for part in parts
    ]
    total = computation(
        " + ".join(f"b{place}" for place in range(len(each))),
        *(given(f"b{place}", size, "B", basis="assumed") for place, size in enumerate(each)),
        source=parts[0].computation.source,
    )
    bytes_each = line.computed(sum(each), "bytes a parameter", total)
    split = " + ".join(f"{size:g}" for size in each)
    yield line.say(
        f"Weights, gradients and optimizer states of {line.asked(whole.shape.params_b, 'billion parameters')} take {line.total(parts)} without sharding: "
        f"{bytes_each} ({split} for {', '.join(line.name(part) for part in parts)}); activations come on top."
    )
    yield from _sharded(case)
    plan = case.workload.plan
    if case.need.ram_gib is not None and plan is not None and plan.value.offload != "none":
        yield _host(case.need)


def _sharded(case: Case) -> Iterator[Statement]:
    if case.count < 2 or case.workload.plan is None:
        return
    plan = plan_for(case.workload, case.count)
    need = estimate(
        replace(case.workload, plan=Stated(value=plan, origin="question")), models=case.shelf.models
    )
    parts = [part for part in need.parts if part.kind in _STATES]
    if parts:
        line = Line()
        yield line.say(
            f"With ZeRO stage {plan.zero_stage} over {case.count} devices each holds {line.total(parts)} of these states."
        )


def _host(need: Need) -> Statement:
    line, ram = Line(), need.ram_gib
    if ram is None or ram.computation is None:
        return line.say("")
    return line.say(
        f"Offloaded to the host, the states need about {line.size(ram.value, ram.computation)} of system memory, buffers included (a planning rule on the safe side)."
    )


def _table(case: Case) -> Iterator[Statement]:
    raw = raw_gib(case.workload) if case.workload.task.value in TABLES else None
    if raw is None:
        return
    from service.advisor.formula import evaluate

    formula, inputs = raw
    work = computation(formula, inputs, source="rows x columns x bytes")
    gib, line = evaluate(work), Line()
    named = {each.name: each.value for each in inputs}
    if "rows" in named:
        width = line.taken(named["value_bytes"], "bytes", "width of a value")
        how = f": {named['rows']:,.0f} rows x {named['columns']:,.0f} columns x {width}"
    else:
        how = " as stated"
    yield line.say(f"The raw table takes {line.size(gib, work)}{how}.")
    need, line = case.need, Line()
    if need.total_gib is None or need.low_gib is None or need.high_gib is None:
        return
    computed = need.parts[0].computation
    low, high = line.size(need.low_gib, computed), line.size(need.high_gib, computed)
    yield line.say(
        f"Plan about {line.size(need.total_gib, computed)} of system memory, between {low} and {high}, since the library holds copies of the table; "
        f"this is a rule of thumb. {gpu_helps(case.workload.task.value)}"
    )
    bins = boosting_gpu_gib(case.workload)
    if bins is not None and bins.computation is not None:
        line = Line()
        yield line.say(
            f"The quantized matrix of histogram training takes about {line.size(bins.value, bins.computation)}; quantile matrices and external memory hold less than the float table at once."
        )


def _images(case: Case) -> Iterator[Statement]:
    work = case.workload
    if work.dataset_images is None or work.dataset_gb is None:
        return
    line = Line()
    disk = computation(
        "data_gb/0.8",
        given("data_gb", work.dataset_gb.value, "GB", basis="question"),
        source="stas00/ml-engineering, storage: a disk at most 80 % full",
    )
    total = computation(
        "data_gb",
        given("data_gb", work.dataset_gb.value, "GB", basis="question"),
        source="images x bytes each",
    )
    yield line.say(
        f"The {work.dataset_images.value:,.0f} images take {line.computed(work.dataset_gb.value, 'GB', total)} at full size; plan {line.computed(work.dataset_gb.value / 0.8, 'GB', disk)} of "
        "fast NVMe disk, enough CPU cores for decoding, and images resized once beforehand."
    )


def _circuit(case: Case) -> Iterator[Statement]:
    found = circuit_of(case.text)
    if found is None or case.workload.watts_max is None:
        return
    line = Line()
    volts, amperes, _ = found
    work = computation(
        "volts*amperes*0.8",
        given("volts", volts, "V", basis="question"),
        given("amperes", amperes, "A", basis="question"),
        source="continuous load at most 80 % of the breaker",
    )
    limit = line.computed(case.workload.watts_max.value, "W", work)
    yield line.say(
        f"A circuit of {line.asked(volts, 'V')} and {line.asked(amperes, 'A')} carries {limit} continuously ({line.taken(80.0, '%', 'share for continuous load')} of the breaker), for everything on it."
    )


def needs_of(case: Case) -> Needs:
    """The needs of the case's workload by number of devices."""
    return Needs(case.workload, case.shelf.models)


_CALCULATIONS: tuple[Calculation, ...] = (
    _circuit,
    _cache,
    _states,
    stated_time,
    training_time,
    decoding,
    _table,
    _images,
)
