"""What would change the choice: the workload run again with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from service.advisor.catalog import Machine, Shelf
from service.advisor.estimate import estimate
from service.advisor.needs import USABLE_SHARE, guarded_gib
from service.advisor.precision import format_named
from service.advisor.run import TRAINING
from service.advisor.say import Line
from service.advisor.types import Need, Sensitivity, Stated, Workload

_MOST = 4


def changes(workload: Workload, shelf: Shelf, need: Need) -> tuple[Sensitivity, ...]:
    """The changes that move the need most, each with what it needs then and the smallest card that holds it."""
    if need.total_gib is None or not need.parts:
        return ()
    found = []
    for words, other in _variants(workload, need):
        changed = estimate(other, models=shelf.models)
        if (
            changed.device_gib is None
            or need.device_gib is None
            or abs(changed.device_gib / need.device_gib - 1) < 0.03
        ):
            continue
        found.append(_told(words, changed, shelf))
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
    if task in {"full_finetune", "pretraining"}:
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


def _batches(workload: Workload) -> Iterator[tuple[str, Workload]]:
    if workload.batch is not None and workload.batch.value > 1 and workload.task.value in TRAINING:
        half = workload.batch.value // 2
        yield (
            f"With batches of {half} accumulated to {workload.batch.value}",
            replace(workload, batch=_assumed(half)),
        )


def _assumed(value: object) -> Stated:  # type: ignore[type-arg]
    return Stated(value=value, origin="assumed")


def _told(words: str, need: Need, shelf: Shelf) -> Sensitivity:
    line = Line()
    for size, unit in (("8-bit", "bit"), ("4 bits", "bit")):
        if size in words:
            line.taken(float(size[0]), unit, "the change")
    if " tokens" in words:
        line.taken(float(words.split()[1].replace(",", "")), "tokens", "the change")
    needed = line.total(need.parts, need.context_gib)
    smallest = smallest_holding(need, shelf)
    line.gb_in(smallest.name if smallest is not None else "")
    effect = f"it needs {needed}"
    if smallest is not None:
        line.quote(*smallest.memory.quotes)
        effect += f" and fits a card such as the {smallest.name} with {line.size(smallest.memory.gib, smallest.memory.work)} usable"
    else:
        effect += " and fits no single device here"
    return Sensitivity(change=words, effect=effect, statement=line.say(f"{words} {effect}."))


def smallest_holding(need: Need, shelf: Shelf) -> Machine | None:
    """The card with the least memory that holds a need with room: a current one, of NVIDIA's, sold or rented singly."""
    guarded = guarded_gib(need)
    fitting = [
        machine
        for machine in shelf.machines.values()
        if machine.platform == "cuda"
        and machine.device.kind == "gpu"
        and machine.device.scope == "device"
        and machine.device.segment not in {"laptop", "embedded"}
        and machine.device.status in {"current", "previous"}
        and (1 in machine.offers or "buy" in machine.device.acquire)
        and guarded <= USABLE_SHARE * machine.memory.gib
    ]
    return min(
        fitting,
        key=lambda machine: (round(machine.memory.gib), machine.device.status, machine.id),
        default=None,
    )
