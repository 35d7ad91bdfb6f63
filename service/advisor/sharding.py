"""What one device holds of a spread model: data, tensor, pipeline, expert parallelism, ZeRO."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from service.advisor.formula import computation, computed
from service.advisor.models import expert_params, linear_params, mlp_width
from service.advisor.parts import DYNAMIC, GIB, given, part, shape_inputs
from service.advisor.types import MemoryPart, ModelShape, Plan
from service.types import Number

_STAGE = {"weights": 3, "casts": 3, "gradients": 2, "optimizer": 1, "adapters": 1, "step": 1}
_ZERO = "ZeRO, arXiv 1910.02054, section 5; tensor and pipeline: Megatron-LM, arXiv 2104.04473"
_GATHER = "DeepSpeed, memory requirements: 4 bytes a parameter of the largest layer in stage 3"
_HOST_BYTES = 18.0
_HOST_BUFFER = 1.5


def shard(
    parts: Iterable[MemoryPart], plan: Plan, shape: ModelShape, *, gather_bytes: float
) -> tuple[MemoryPart, ...]:
    """The parts on one device under the plan.

    ZeRO, arXiv 1910.02054, section 5: stage 1 divides optimizer states, stage 2 gradients too,
    stage 3 weights too, by the number of data-parallel devices. Megatron-LM, arXiv 2104.04473,
    section 2: tensor and pipeline parallelism divide weights and all states. A pipeline's first
    stage keeps as many micro-batches as there are stages, so activations are not divided by it
    (Korthikanti et al., arXiv 2205.05198, section 4.2.3). Plain data parallelism divides nothing.
    `gather_bytes` is held for each parameter of the largest layer while stage 3 computes with it.
    """
    parts = tuple(parts)
    if plan == Plan():
        return parts
    kept = tuple(_on_device(each, plan, shape) for each in parts if not _on_host(each, plan))
    if gather_bytes and plan.zero_stage == 3 and plan.data > 1:
        kept += (_gathered(plan, shape, gather_bytes),)
    return kept


def divisor(each: MemoryPart, plan: Plan, shape: ModelShape) -> float:
    """By how much a part shrinks on one device."""
    if each.kind in _STAGE:
        data = plan.data if plan.zero_stage >= _STAGE[each.kind] else 1
        return data * plan.tensor * plan.pipeline * _expert_divisor(plan, shape)
    if each.kind == "kv_cache":
        heads = shape.kv_heads if shape.kv_heads and not shape.kv_lora_rank else 1
        return min(plan.tensor, heads) * plan.pipeline
    return plan.tensor


def host_ram(plan: Plan, shape: ModelShape) -> Number | None:
    """Host memory for offloaded states: 18 bytes a parameter and half as much for buffers.

    DeepSpeed, memory requirements (estimator for ZeRO-3): it overstates reports of users by 2 to
    17 %, which is the safe side.
    """
    if plan.offload == "none":
        return None
    inputs = (
        *shape_inputs(shape, "params"),
        *given("host_bytes", _HOST_BYTES, "B", basis="assumed"),
        *given("buffer", _HOST_BUFFER, "", basis="assumed"),
    )
    return computed(f"params*host_bytes*buffer / {GIB}", "GiB", inputs, source=_GATHER)


def _on_host(each: MemoryPart, plan: Plan) -> bool:
    """ZeRO-Offload, arXiv 2101.06840, section 4: gradients move to the host with the optimizer."""
    if each.kind == "weights":
        return plan.offload == "all"
    return plan.offload != "none" and each.kind in {"gradients", "optimizer", "step"}


def _expert_divisor(plan: Plan, shape: ModelShape) -> float:
    """Experts are divided, the dense rest of the model is on each device."""
    if plan.expert == 1 or not shape.experts:
        return 1.0
    share = expert_params(shape) / (shape.params_b * 1e9)
    return 1 / (share / plan.expert + 1 - share)


def _on_device(each: MemoryPart, plan: Plan, shape: ModelShape) -> MemoryPart:
    by = divisor(each, plan, shape)
    if by == 1:
        return each
    work = computation(
        f"({each.computation.formula}) / shards",
        each.computation.inputs,
        given("shards", by, "", basis="computed"),
        source=f"{each.computation.source}; {_ZERO}",
    )
    return replace(
        each,
        gib=each.gib / by,
        low_gib=each.low_gib / by,
        high_gib=each.high_gib / by,
        computation=work,
    )


def _gathered(plan: Plan, shape: ModelShape, gather_bytes: float) -> MemoryPart:
    largest = max(
        linear_params(shape) / max(shape.layers, 1),
        shape.vocab * shape.hidden,
        shape.hidden * mlp_width(shape),
    )
    return part(
        "largest layer gathered from all devices",
        "buffers",
        formula=f"gather_bytes*largest_layer_params / tensor / {GIB}",
        inputs=(
            *given("largest_layer_params", largest, "", basis="computed"),
            *given("gather_bytes", gather_bytes, "B", basis="assumed"),
            *given("tensor", plan.tensor, "", basis="assumed"),
        ),
        source=_GATHER,
        spread=DYNAMIC,
    )
