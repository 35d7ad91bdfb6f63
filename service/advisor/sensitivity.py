"""What would change the choice: the workload run again with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from service.advisor.catalog import Machine, Shelf
from service.advisor.constraints import is_place_allowed
from service.advisor.estimate import estimate
from service.advisor.needs import USABLE_SHARE, guarded_gib
from service.advisor.precision import format_named
from service.advisor.run import TRAINING
from service.advisor.say import Line
from service.advisor.types import Need, Plan, Sensitivity, Stated, Workload

_MOST = 4
# Cards that readers know, so that a change is told by one of them where they hold it.
_KNOWN = frozenset(
    f"nvidia-{name}"
    for name in (
        "rtx-3060-12gb rtx-4060-ti-16gb rtx-5060-ti-16gb l4 rtx-3090 rtx-4090 rtx-5090 rtx-a6000 l40s "
        "rtx-6000-ada a100-sxm-80gb h100-sxm-80gb h200-sxm-141gb b200-sxm-180gb b300-sxm-288gb"
    ).split()
)


def changes(workload: Workload, shelf: Shelf, need: Need) -> tuple[Sensitivity, ...]:
    """The changes that move the need most, each with what it needs then and the smallest card that holds it."""
    if need.total_gib is None or not need.parts:
        return ()
    found = []
    spread = {"plan": _assumed(need.plan)} if need.plan != Plan() else {}
    for words, other in _variants(workload, need):
        changed = estimate(replace(other, **spread), models=shelf.models)
        if (
            changed.device_gib is None
            or need.device_gib is None
            or abs(changed.device_gib / need.device_gib - 1) < 0.03
        ):
            continue
        if words.startswith("With weights") and changed.device_gib > need.device_gib:
            continue
        found.append(_told(words, changed, workload, shelf))
    return tuple(found[:_MOST])


def _variants(workload: Workload, need: Need) -> Iterator[tuple[str, Workload]]:
    task = workload.task.value
    form = format_named(workload.precision.value) if workload.precision is not None else None
    decoder = need.shape is not None and need.shape.family == "decoder"
    if not decoder:
        yield from _batches(workload)
        return
    if task == "inference" and (form is None or not form.quantized):
        yield (
            "With weights in Q4_K_M, 4 bits",
            replace(workload, precision=_assumed("q4_k_m"), bits_per_weight=None),
        )
    yield from _methods(workload)
    if task in TRAINING:
        on = workload.checkpointing.value if workload.checkpointing is not None else task == "qlora"
        yield (
            f"With gradient checkpointing {'off' if on else 'on'}",
            replace(workload, checkpointing=_assumed(not on)),
        )
    if workload.seq_len is not None:
        longer = workload.seq_len.value * 2
        yield f"With {longer:,} tokens", replace(workload, seq_len=_assumed(longer))
    if task == "inference" and workload.kv_precision is None:
        yield "With an 8-bit KV cache", replace(workload, kv_precision=_assumed("fp8"))
    yield from _batches(workload)


def _methods(workload: Workload) -> Iterator[tuple[str, Workload]]:
    task = workload.task.value
    if task == "full_finetune":
        yield (
            "With LoRA instead of training all weights",
            replace(
                workload,
                task=_assumed("lora"),
                recipe=None,
                optimizer=None,
                precision=_assumed("bf16"),
            ),
        )
    if task in {"full_finetune", "lora"}:
        yield (
            "With QLoRA",
            replace(
                workload,
                task=_assumed("qlora"),
                recipe=None,
                optimizer=None,
                precision=_assumed("nf4_dq"),
            ),
        )


def _batches(workload: Workload) -> Iterator[tuple[str, Workload]]:
    if workload.batch is not None and workload.batch.value > 1 and workload.task.value in TRAINING:
        half = workload.batch.value // 2
        yield (
            f"With batches of {half} accumulated to {workload.batch.value}",
            replace(workload, batch=_assumed(half)),
        )


def _assumed(value: object) -> Stated:  # type: ignore[type-arg]
    return Stated(value=value, origin="assumed")


def _told(words: str, need: Need, workload: Workload, shelf: Shelf) -> Sensitivity:
    line = Line()
    for size, unit in (("8-bit", "bit"), ("4 bits", "bit")):
        if size in words:
            line.taken(float(size[0]), unit, "the change")
    if " tokens" in words:
        line.taken(float(words.split()[1].replace(",", "")), "tokens", "the change")
    needed = line.total(need.parts, need.context_gib)
    each = " on each device" if need.plan.devices > 1 else ""
    smallest = smallest_holding(need, workload, shelf)
    line.gb_in(smallest.name if smallest is not None else "")
    effect = f"it needs {needed}{each}"
    if smallest is not None:
        apple = smallest.platform == "metal"
        held, kind = ("for its graphics part", "machine") if apple else ("usable", "card")
        line.quote(*smallest.memory.quotes)
        effect += f" and fits a {kind} such as the {smallest.name} with {line.size(smallest.memory.gib, smallest.memory.work)} {held}"
    elif not each:
        effect += " and fits no single device that comes into question here"
    return Sensitivity(change=words, effect=effect, statement=line.say(f"{words} {effect}."))


def smallest_holding(need: Need, workload: Workload, shelf: Shelf) -> Machine | None:
    """The device with the least memory that holds a need with room, a well-known one where one is as good.

    It is of a maker and at a place that the question allows: NVIDIA's cards, unless another maker is asked for.
    """
    guarded = guarded_gib(need)
    fitting = [
        machine
        for machine in shelf.machines.values()
        if _comes_into_question(machine, workload) and guarded <= USABLE_SHARE * machine.memory.gib
    ]
    return min(
        fitting,
        key=lambda machine: (
            machine.id not in _KNOWN,
            round(machine.memory.gib),
            machine.device.status,
            machine.id,
        ),
        default=None,
    )


def _comes_into_question(machine: Machine, workload: Workload) -> bool:
    device = machine.device
    wanted, unwanted = (
        field.value if field is not None else ()
        for field in (workload.vendors_wanted, workload.vendors_excluded)
    )
    if device.vendor in unwanted or (wanted and device.vendor not in wanted):
        return False
    usual = machine.platform in {"cuda", "rocm"} and device.kind == "gpu"
    if not (usual or (wanted and machine.platform == "metal")):
        return False
    if not (wanted or unwanted) and machine.platform != "cuda":
        return False
    if device.scope != "device" or device.status not in {"current", "previous"}:
        return False
    if device.segment in {"laptop", "embedded"} and machine.platform != "metal":
        return False
    placed = {
        "rent": 1 in machine.offers,
        "buy": 1 in machine.buy_counts and "buy" in device.acquire,
    }
    return any(placed[where] and is_place_allowed(workload, where) for where in placed)
