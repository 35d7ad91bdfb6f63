"""The one entry of the arithmetic: a workload in, what it needs out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from service.advisor.formula import computation, computed
from service.advisor.memory import context_gib, memory_moments
from service.advisor.models import find_shape, generic_shape
from service.advisor.parts import given, shape_inputs
from service.advisor.run import ADAPTERS, TRAINING, Run, settle
from service.advisor.sharding import host_ram, shard
from service.advisor.speed import stated_hours, training_flop, training_tokens
from service.advisor.tabular import table_need
from service.advisor.types import MemoryPart, ModelShape, Need, Plan, Stated, Status, Workload
from service.advisor.vision import vision_need
from service.types import Number

_TABLES = frozenset({"classical_ml", "gradient_boosting", "data_preparation"})
_NO_MODEL = "the model, or its number of parameters"
_UNMEASURED = {
    "experts": "no measured run of a mixture of experts checks this estimate",
    "spread": "no measured run over several devices checks this estimate",
    "encoder": "activations of encoders are counted like a decoder's; no measured run checks them",
    "long": "measured runs go up to 4,096 tokens",
    "large": "measured training runs go up to 13 billion parameters",
    "generic": "the shape is that of another model of about this size",
}


def estimate(workload: Workload, *, models: Mapping[str, ModelShape]) -> Need:
    """What the workload needs, or which detail is missing.

    Stated memory is taken at its word. Models without a closed formula (convolutional networks,
    diffusion, speech) are scaled from published or measured anchors. Another plan is another
    workload: `replace(workload, plan=...)`.
    """
    shape = resolve_shape(workload, models)
    return _with_time(_memory_need(workload, shape), workload, shape)


def resolve_shape(workload: Workload, models: Mapping[str, ModelShape]) -> ModelShape | None:
    """The stated shape, the model of that name, or a generic one of the stated size."""
    if workload.shape is not None:
        return workload.shape.value
    if workload.model is not None:
        found = find_shape(workload.model.value, models)
        if found is not None:
            return found
    if workload.params_b is None:
        return None
    active = workload.active_params_b.value if workload.active_params_b is not None else 0.0
    return generic_shape(workload.params_b.value, active_params_b=active)


def _memory_need(workload: Workload, shape: ModelShape | None) -> Need:
    if workload.task.value in _TABLES:
        return table_need(workload)
    if workload.stated_memory_gib is not None:
        return _stated(workload, workload.stated_memory_gib.value)
    anchored = vision_need(workload, shape)
    if anchored is not None:
        return anchored
    if shape is None:
        return _missing(_NO_MODEL)
    if shape.family == "other" or not shape.layers or not shape.hidden:
        return _missing(f"layers and widths of {shape.name}")
    if shape.family == "vit":
        workload = replace(workload, seq_len=_patches(workload, shape))
    return _language_need(workload, shape)


def _patches(workload: Workload, shape: ModelShape) -> Stated[int]:
    """Tokens of an image: one a patch and one for the class (ViT, arXiv 2010.11929, section 3.1).

    The patch's edge is part of the models' names; 16 pixels and an image of 224 unless named.
    """
    named = re.search(r"patch(\d+)", shape.name)
    edge = int(named.group(1)) if named else 16
    pixels = workload.image_px.value if workload.image_px is not None else 224
    return Stated(value=(pixels // edge) ** 2 + 1, origin="assumed")


def _language_need(workload: Workload, shape: ModelShape) -> Need:
    run = settle(workload, shape)
    on_device = (
        shard(parts, run.plan, shape, gather_bytes=_gather_bytes(run))
        for parts in memory_moments(run, shape)
    )
    parts = max(on_device, key=lambda moment: sum(each.gib for each in moment))
    empty = Need(
        total_gib=None,
        low_gib=None,
        high_gib=None,
        context_gib=0.0,
        parts=(),
        plan=run.plan,
        status=_status(run, shape),
        ram_gib=host_ram(run.plan, shape),
        storage_gb=_storage(workload, run, shape),
        shape=shape,
        assumptions=run.assumptions,
        caveats=_caveats(run, shape),
    )
    return _on_plan(empty, parts=parts, run=run)


def _on_plan(need: Need, *, parts: tuple[MemoryPart, ...], run: Run) -> Need:
    """The need with these parts on one device of the run's plan.

    The low figure is that of a loop which frees gradients before the next forward pass, so that
    gradients and activations are never alive together.
    """
    total_gib, low_gib, high_gib = (
        sum(getattr(each, size) for each in parts) for size in ("gib", "low_gib", "high_gib")
    )
    gradients_gib, working_gib = (
        sum(each.low_gib for each in parts if each.kind in kinds)
        for kinds in ({"gradients"}, {"activations", "logits"})
    )
    low_gib -= min(gradients_gib, working_gib)
    return replace(
        need,
        total_gib=total_gib,
        low_gib=low_gib,
        high_gib=high_gib + context_gib(run, high=True),
        context_gib=context_gib(run),
        parts=parts,
        ram_gib=need.ram_gib or _staging_ram(total_gib, run.plan),
    )


def _staging_ram(total_gib: float, plan: Plan) -> Number:
    """Host memory as large as what the devices hold, since weights pass through it.

    stas00/ml-engineering, compute/cpu-memory: at least as much as the accelerators' together.
    """
    return computed(
        "total_gib*devices",
        "GiB",
        given("total_gib", total_gib, "GiB", basis="computed"),
        given("devices", plan.devices, "", basis="computed"),
        source="stas00/ml-engineering, compute/cpu-memory",
    )


def _gather_bytes(run: Run) -> float:
    """4 bytes a parameter in training, as DeepSpeed plans; a frozen layer and the next as stored."""
    if not run.trains:
        return 0.0
    return 2 * run.weights.bits / 8 if run.adapts else 4.0


def _status(run: Run, shape: ModelShape) -> Status:
    return "rule" if _caveats(run, shape) else "measured"


def _caveats(run: Run, shape: ModelShape) -> tuple[str, ...]:
    """Where the estimate leaves the ground that measured runs cover."""
    found = {
        "generic": shape.assumed,
        "experts": shape.experts > 0,
        "spread": run.plan.devices > 1,
        "encoder": shape.family != "decoder",
        "long": run.trains and run.seq_len > 4096,
        "large": run.trains and shape.params_b > 13.1,
    }
    return tuple(_UNMEASURED[name] for name, holds in found.items() if holds)


def _storage(workload: Workload, run: Run, shape: ModelShape) -> Number | None:
    """The weights' files, checkpoints of 14 bytes a trained parameter, and the data, 80 % full.

    stas00/ml-engineering, storage: a disk is planned at most 80 % full; a full checkpoint in mixed
    precision holds 12 to 14 bytes a parameter.
    """
    each = run.weights.bits / 8
    if run.trains and not run.adapts:
        each = 14.0
    data_gb = workload.dataset_gb.value if workload.dataset_gb is not None else 0.0
    return computed(
        "(params*bytes_each/1e9 + data_gb) / 0.8",
        "GB",
        shape_inputs(shape, "params"),
        given("bytes_each", each, "B", basis="assumed"),
        given("data_gb", data_gb, "GB", basis="question" if data_gb else "assumed"),
        source="stas00/ml-engineering, storage",
    )


def _with_time(need: Need, workload: Workload, shape: ModelShape | None) -> Need:
    """The need with operations where tokens are known, and hours where a throughput is stated."""
    need = replace(need, compute_hours=stated_hours(workload))
    tokens = training_tokens(workload)
    if shape is None or tokens is None or workload.task.value not in TRAINING:
        return need
    flop = training_flop(shape, tokens, adapts=workload.task.value in ADAPTERS)
    return replace(need, compute_flop=flop)


def _stated(workload: Workload, gib: float) -> Need:
    stated = given("stated", gib, "GiB", basis="question")
    work = computation("stated", stated, source="as stated in the question")
    whole = MemoryPart(
        name="as stated", kind="weights", gib=gib, low_gib=gib, high_gib=gib, computation=work
    )
    plan = workload.plan.value if workload.plan is not None else Plan()
    return Need(
        total_gib=gib,
        low_gib=gib,
        high_gib=gib,
        context_gib=0.0,
        parts=(whole,),
        plan=plan,
        status="exact",
        caveats=("the stated memory is taken as all that is needed",),
    )


def _missing(what: str) -> Need:
    return Need(
        total_gib=None,
        low_gib=None,
        high_gib=None,
        context_gib=0.0,
        parts=(),
        plan=Plan(),
        status="rule",
        missing=(what,),
    )
