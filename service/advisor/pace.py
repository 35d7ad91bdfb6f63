"""How fast: hours of a training from the peak, tokens a second from the bandwidth; whether it is in time."""

from __future__ import annotations

from dataclasses import replace

from service.advisor.catalog import Machine
from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.run import TRAINING
from service.advisor.speed import (
    MFU,
    Utilization,
    decode_speed,
    training_hours,
    utilization_of,
)
from service.advisor.types import Need, Speed, Workload


def speed_of(workload: Workload, machine: Machine, count: int, need: Need) -> Speed | None:
    """Hours of a training, or decoded tokens a second, where the arithmetic knows it."""
    if workload.task.value in TRAINING:
        return training_time_of(workload, machine, count, need)
    bandwidth = machine.bandwidth
    if (
        workload.task.value != "inference"
        or bandwidth is None
        or not bandwidth.value
        or need.shape is None
    ):
        return None
    if need.shape.family != "decoder":
        return None
    sequences = workload.concurrency.value if workload.concurrency is not None else 1
    found = decode_speed(need, bandwidth_gb_s=bandwidth.value, sequences=sequences)
    stages = need.plan.pipeline
    if found is None or stages == 1 or found.computation is None:
        return found
    work = computation(
        "tokens_s / stages",
        given("tokens_s", found.value, "tokens/s", basis="computed"),
        given("stages", stages, "", basis="computed"),
        source="devices that hold layers in turn work one after another",
    )
    return replace(
        found,
        value=found.value / stages,
        low=found.low / stages,
        high=found.high / stages,
        computation=work,
    )


def training_time_of(workload: Workload, machine: Machine, count: int, need: Need) -> Speed | None:
    """Hours of a training; None where its operations or the peak are not known."""
    flop = need.compute_flop
    precision = workload.precision.value if workload.precision is not None else "bf16"
    peak = machine.peak(precision)
    if flop is None or peak is None or not peak.value or need.shape is None:
        return None
    share = utilization_of(need.shape, fast_links=machine.fast_links)
    if workload.utilization is not None:
        stated = workload.utilization.value
        share = Utilization(
            case="as stated",
            likely=stated,
            low=stated,
            high=stated,
            source="as stated in the question",
        )
    elif count == 1 and share is MFU["pcie"] and machine.device.segment == "datacenter":
        share = MFU["nvlink"]
    return training_hours(flop.value, peak_tflops=peak.value, devices=count, utilization=share)


SLOW_TOKENS_S = 5.0


def each_user_gets(workload: Workload, speed: Speed | None) -> float | None:
    """Tokens a second for each of several users at once; None where that says nothing."""
    users = workload.concurrency.value if workload.concurrency is not None else 1
    if speed is None or speed.unit != "tokens/s" or users < 2:
        return None
    return speed.value / users
