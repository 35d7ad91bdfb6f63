"""How long and how fast: hours as stated, days of a training, the ceiling of decoding."""

from __future__ import annotations

from collections.abc import Iterator

from service.advisor.case import (
    Case,
)
from service.advisor.catalog import Machine
from service.advisor.formula import computation
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
from service.advisor.types import MemoryPart
from service.advisor.understand.words import amount_of, amount_pattern, cue
from service.types import Statement

_ASKS_SPEED = r"tokens?\s*(?:/|per|a)\s*s(?:ec|\b)|tok/s|how fast|speed|throughput|upper limit|ceiling|bandwidth"
_ASKS_TIME = r"how (?:long|many (?:days|hours|weeks|gpu[- ]hours|\w+ chip[- ]hours))|\bdays\b|\bhours\b|chip[- ]hours|gpu[- ]hours|wie lange|cuánto tiempo|combien de temps|多久|多长时间"
_BANDWIDTH = rf"{amount_pattern()}\s?gb/s"


def stated_time(case: Case) -> Iterator[Statement]:
    """Hours from a throughput that the question states."""
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


def training_time(case: Case) -> Iterator[Statement]:
    """Operations of a training, and its days on the devices that are named."""
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


def decoding(case: Case) -> Iterator[Statement]:
    """The most tokens a second that bandwidth allows, and what is likely."""
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
