"""Plain calculations that people ask for: cache, states, time, speed, tables, circuits; each shows how it came about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from service.advisor.catalog import Machine, Shelf
from service.advisor.estimate import estimate
from service.advisor.formula import computation
from service.advisor.needs import Needs, plan_for
from service.advisor.parts import given
from service.advisor.run import TRAINING
from service.advisor.say import Line
from service.advisor.speed import (
    MBU,
    Utilization,
    decode_ceiling_tokens_s,
    decode_speed,
    training_hours,
    utilization_of,
)
from service.advisor.tabular import boosting_gpu_gib, gpu_helps, raw_gib
from service.advisor.types import MemoryPart, Need, Plan, Stated, Workload
from service.advisor.understand.place import circuit_of
from service.advisor.understand.words import amount_of, amount_pattern, cue
from service.types import Statement

_STATES = frozenset({"weights", "gradients", "optimizer"})
_TABLES = frozenset({"gradient_boosting", "classical_ml", "data_preparation"})
_ASKS_STATES = r"optimi[sz]er states?|model states?|weights, gradients|\bstates?\b|bytes per param|zero[- ]?(?:stage )?[123]"
_ASKS_CACHE = r"kv[- ]?cache|key[- ]value cache"
_ASKS_SPEED = r"tokens?\s*(?:/|per|a)\s*s(?:ec|\b)|tok/s|how fast|speed|throughput|upper limit|ceiling|bandwidth"
_ASKS_TIME = r"how (?:long|many (?:days|hours|weeks|gpu[- ]hours|\w+ chip[- ]hours))|\bdays\b|\bhours\b|chip[- ]hours|gpu[- ]hours|wie lange|cuánto tiempo|combien de temps|多久|多长时间"
_CLAIMED = rf"{amount_pattern()}\s?(?P<unit>gb|gib)\b"
_BANDWIDTH = rf"{amount_pattern()}\s?gb/s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a calculation works from."""

    text: str
    workload: Workload
    need: Need
    shelf: Shelf
    named: tuple[Machine, ...]
    count: int


Calculation = Callable[[Case], Iterator[Statement]]


def calculated(case: Case) -> list[Statement]:
    """The calculations that the question asks for, in the order of the table."""
    return [statement for calculation in _CALCULATIONS for statement in calculation(case)]


def cache_part(need: Need) -> MemoryPart | None:
    """The cache of a need, if it has one."""
    return next((part for part in need.parts if part.kind == "kv_cache"), None)


def asks_for_cache(text: str) -> bool:
    """Whether the size of the cache alone is asked for."""
    return (
        re.search(
            rf"how (?:big|large|much)[^.?!]*(?:{_ASKS_CACHE})|(?:{_ASKS_CACHE})[^.?!]*\b(?:size|big|large|how much)",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def asks_for_states(text: str) -> bool:
    """Whether states alone are asked for, spread over devices or not."""
    return cue(r"model states?|states? (?:remain|per gpu)|optimi[sz]er states?", text) is not None


def _cache(case: Case) -> Iterator[Statement]:
    part, shape = cache_part(case.need), case.need.shape
    if cue(_ASKS_CACHE, case.text) is None or part is None or shape is None:
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
    bytes_each = line.computed(sum(each), "bytes", total)
    split = " + ".join(f"{size:g}" for size in each)
    yield line.say(
        f"Weights, gradients and optimizer states of {line.asked(whole.shape.params_b, 'billion parameters')} take {line.total(parts)} without sharding: "
        f"{bytes_each} a parameter ({split} for {', '.join(line.name(part) for part in parts)}); activations come on top."
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


def _stated_time(case: Case) -> Iterator[Statement]:
    hours = case.need.compute_hours
    rated = case.workload.samples_per_second or case.workload.tokens_per_second
    if hours is None or hours.computation is None or rated is None:
        return
    line = Line()
    days = computation(
        "hours/24", given("hours", hours.value, "hours", basis="computed"), source="24 hours a day"
    )
    yield line.say(
        f"It takes about {line.number(hours)} ({line.computed(hours.value / 24, 'days', days)}): samples x epochs / rate as stated, without pauses for evaluation or loading."
    )


def _training_time(case: Case) -> Iterator[Statement]:
    flop, shape = case.need.compute_flop, case.need.shape
    if flop is None or shape is None or flop.computation is None:
        return
    inputs = {each.name: each.value for each in flop.computation.inputs}
    line = Line()
    line.quote(shape.quote)
    line.asked(inputs["tokens"], "tokens")
    yield line.say(
        f"The training takes {line.computed(flop.value, 'FLOP', flop.computation)}: {inputs['per_param']:g} x {inputs['active_params']:.3g} parameters x {inputs['tokens']:.3g} tokens."
    )
    for machine in case.named[:2]:
        yield from _on_machine(case, machine, flop.value)


def _on_machine(case: Case, machine: Machine, flop: float) -> Iterator[Statement]:
    peak = machine.peak(
        case.workload.precision.value if case.workload.precision is not None else "bf16"
    )
    if peak is None or not peak.value or case.need.shape is None:
        return
    share = utilization_of(case.need.shape, fast_links=machine.fast_links)
    if case.workload.utilization is not None:
        stated = case.workload.utilization.value
        share = Utilization(
            case="stated",
            likely=stated,
            low=stated,
            high=stated,
            source="as stated in the question",
        )
    speed = training_hours(flop, peak_tflops=peak.value, devices=case.count, utilization=share)
    if speed.computation is None:
        return
    line = Line()
    unit = "chip-hours" if machine.platform == "tpu" else "GPU hours"
    device_hours = computation(
        "hours*devices",
        given("hours", speed.value, "hours", basis="computed"),
        given("devices", case.count, "", basis="question"),
        source="hours times devices",
    )
    days = line.computed(speed.value / 24, "days", speed.computation)
    percent = line.taken(share.likely * 100, "%", share.source)
    text = f"On {case.count} x {machine.name} at {line.fact(peak)} dense and {percent} of it that is about {days}"
    if case.count == 1:
        text = f"On {machine.name} at {line.fact(peak)} dense and {percent} of it that is {days} on one device"
    text += f", or {line.computed(speed.value * case.count, unit, device_hours)}"
    if share.low != share.high:
        low, high = (
            line.computed(each / 24, "days", speed.computation) for each in (speed.low, speed.high)
        )
        text += f"; between {low} and {high} for the usual range of utilization"
    yield line.say(f"{text}.")


def _decoding(case: Case) -> Iterator[Statement]:
    shape = case.need.shape
    if (
        cue(_ASKS_SPEED, case.text) is None
        or shape is None
        or shape.family != "decoder"
        or case.workload.task.value in TRAINING
    ):
        return
    weights = next((part for part in case.need.parts if part.kind == "weights"), None)
    stated = cue(_BANDWIDTH, case.text)
    if weights is None:
        return
    for machine in case.named[:3]:
        if machine.bandwidth is not None and machine.bandwidth.value:
            line = Line()
            said = line.fact(machine.bandwidth)
            yield _ceiling(
                case, weights, machine.bandwidth.value, f"On {machine.name} with {said}", line
            )
    if not case.named and stated is not None:
        line = Line()
        yield _ceiling(
            case, weights, amount_of(stated), f"With {line.asked(amount_of(stated), 'GB/s')}", line
        )


def _ceiling(
    case: Case, weights: MemoryPart, bandwidth_gb_s: float, where: str, line: Line
) -> Statement:
    shape = case.need.shape
    active = (
        shape.active_params_b / shape.params_b
        if shape is not None and shape.active_params_b
        else 1.0
    )
    ceiling = decode_ceiling_tokens_s(
        bandwidth_gb_s=bandwidth_gb_s, weights_gib=weights.gib * active
    )
    likely = decode_speed(case.need, bandwidth_gb_s=bandwidth_gb_s)
    line.quote(shape.quote if shape is not None else None)
    text = (
        f"{where} one sequence cannot exceed {line.number(ceiling)}, since each token reads all {'active ' if active < 1 else ''}weights "
        f"({line.size(weights.gib * active, weights.computation if active == 1 else ceiling.computation or weights.computation)}) once from memory"
    )
    if likely is not None and likely.computation is not None:
        low, high = (
            line.computed(each, "tokens/s", likely.computation)
            for each in (likely.low, likely.high)
        )
        text += f"; {line.computed(likely.value, 'tokens/s', likely.computation)} are likely ({low} to {high}), as runs reach {line.taken(MBU.likely * 100, '%', MBU.source)} of the bandwidth"
    return line.say(f"{text}.")


def _table(case: Case) -> Iterator[Statement]:
    raw = raw_gib(case.workload) if case.workload.task.value in _TABLES else None
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
    _stated_time,
    _training_time,
    _decoding,
    _table,
    _images,
)
