"""Models without a closed formula: anchors that were published or measured, scaled by the batch."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.advisor.parts import Spread, given, part
from service.advisor.precision import FORMATS, format_named
from service.advisor.speech import streams_part
from service.advisor.types import MemoryPart, ModelShape, Need, Plan, Status, Workload

_FAKE = "PyTorch FakeTensorMode with MemTracker, run on a CPU: bytes of all live tensors"
_WHISPER = "openai/whisper, README, table of available models: required VRAM"
_YOLO = "ultralytics/yolov5, README: batch sizes that fill a V100 with 16 GB"
_NNUNET = "MIC-DKFZ/nnUNet, installation instructions: hardware requirements"
_FLUX = "bghira/SimpleTuner, Flux quickstart: rank-16 LoRA, base model not quantized"
_FLUX_QUANT = "bghira/SimpleTuner, Flux quickstart: rank-16 LoRA, base model quantized"
_SDXL = "SDXL, arXiv 2307.01952, table 1: 2.6 billion U-Net parameters, at 16 bytes of states"
_CONTEXT_GIB = 0.7
_GB = 1e9 / 2**30
_CLOSED = frozenset({"decoder", "encoder", "encoder_decoder", "vit", "other"})
_TRAIN = frozenset({"training", "full_finetune", "pretraining"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A known point: `fixed_gib` without samples and `sample_gib` for each sample of the batch.

    `pixels` is the edge length of the samples, `tokens` their length; 0 where it does not matter.
    """

    pattern: str
    tasks: frozenset[str]
    precision: str
    fixed_gib: float
    sample_gib: float
    batch: int
    status: Status
    source: str
    spread: Spread
    pixels: int = 0
    tokens: int = 0
    note: str = ""


_NARROW = Spread(low=0.9, high=1.15)
_WIDE = Spread(low=0.6, high=1.3)


def _resnet(precision: str, sample_gib: float, fixed_gib: float) -> Anchor:
    return Anchor(
        pattern=r"resnet[ -]?50",
        tasks=_TRAIN,
        precision=precision,
        fixed_gib=fixed_gib,
        sample_gib=sample_gib,
        batch=256,
        status="published",
        source=_FAKE,
        spread=_NARROW,
        pixels=224,
    )


def _bert(precision: str, total_gib: float) -> Anchor:
    fixed_gib = 16 * 0.34e9 / 2**30
    return Anchor(
        pattern=r"(?<![a-z])bert[ -]?large",
        tasks=_TRAIN,
        precision=precision,
        fixed_gib=fixed_gib,
        sample_gib=(total_gib - fixed_gib) / 12,
        batch=12,
        status="published",
        source=_FAKE,
        spread=Spread(low=0.85, high=1.2),
        tokens=384,
    )


def _whisper(pattern: str, vram_gb: float) -> Anchor:
    return Anchor(
        pattern=pattern,
        tasks=frozenset({"inference"}),
        precision="",
        fixed_gib=vram_gb * _GB,
        sample_gib=0.0,
        batch=1,
        status="published",
        source=_WHISPER,
        spread=Spread(low=0.7, high=1.2),
    )


def _yolo(size: str, batch: int) -> Anchor:
    return Anchor(
        pattern=rf"yolo\s?-?v?(5|8|9|1[0-2])-?{size}\b",
        tasks=_TRAIN,
        precision="",
        fixed_gib=0.0,
        sample_gib=16 * _GB / batch * 5 / 6,
        batch=batch,
        status="published",
        source=_YOLO,
        spread=Spread(low=0.8, high=1.2),
        pixels=640,
        note="YOLOv5 of the same letter: this batch fills the card, half more does not fit",
    )


def _nnunet(tasks: frozenset[str], card_gb: float) -> Anchor:
    return Anchor(
        pattern=r"nn-?u-?net",
        tasks=tasks,
        precision="",
        fixed_gib=card_gb * _GB,
        sample_gib=0.0,
        batch=2,
        status="published",
        source=_NNUNET,
        spread=Spread(low=0.7, high=1.0),
        note="the smallest card that its makers name; the network sizes itself to the card",
    )


def _flux(precision: str, total_gb: float, source: str) -> Anchor:
    return Anchor(
        pattern=r"flux",
        tasks=frozenset({"lora", "qlora"}),
        precision=precision,
        fixed_gib=total_gb * _GB,
        sample_gib=0.0,
        batch=1,
        status="published",
        source=source,
        spread=Spread(low=0.75, high=1.2),
        note="quickstarts of different dates say 30 to 40 GB for the unquantized base",
    )


def _sdxl() -> Anchor:
    return Anchor(
        pattern=r"sdxl|stable.diffusion.xl",
        tasks=_TRAIN,
        precision="",
        fixed_gib=16 * 2.6e9 / 2**30,
        sample_gib=0.0,
        batch=1,
        status="rule",
        source=_SDXL,
        spread=Spread(low=1.0, high=1.5),
        note="activations, text encoders and the image decoder are not counted: no figure is known",
    )


ANCHORS = (
    _sdxl(),
    _nnunet(_TRAIN, 10),
    _nnunet(frozenset({"inference"}), 4),
    _resnet("fp32", (20.9 - 2.8) / (256 - 32), 2.8 - 32 * (20.9 - 2.8) / (256 - 32)),
    _resnet("amp", (10.9 - 0.2) / 256, 0.2),
    _bert("fp32", 20.0),
    _bert("amp", 17.0),
    _whisper(r"whisper.*tiny", 1),
    _whisper(r"whisper.*base", 1),
    _whisper(r"whisper.*small", 2),
    _whisper(r"whisper.*medium", 5),
    _whisper(r"whisper.*turbo", 6),
    _whisper(r"whisper.*large", 10),
    _yolo("n", 128),
    _yolo("s", 64),
    _yolo("m", 40),
    _yolo("l", 24),
    _yolo("x", 16),
    _flux("bf16", 40, _FLUX),
    _flux("quantized", 18, _FLUX_QUANT),
)


def vision_need(workload: Workload, shape: ModelShape | None) -> Need | None:
    """The need of a model that has an anchor, or of a family that has no closed formula.

    Memory is linear in the batch and in a sample's pixels or tokens: fixed + batch * sample.
    Without an anchor there are the states (16 bytes a trained parameter, ZeRO, arXiv 1910.02054,
    section 3.1) or the weights, and the word that activations are missing. None: no such model.
    """
    stated = workload.model.value if workload.model is not None else ""
    name = f"{stated} {shape.name if shape is not None else ''}"
    anchor = _anchor(name, workload)
    if anchor is not None:
        return _from_anchor(anchor, workload, shape)
    if shape is None or shape.family in _CLOSED:
        return None
    return _states_only(workload, shape)


def _anchor(name: str, workload: Workload) -> Anchor | None:
    wanted = _precision(workload)
    matching = [
        each
        for each in ANCHORS
        if workload.task.value in each.tasks and re.search(each.pattern, name.lower())
    ]
    return min(matching, key=lambda each: each.precision not in {"", wanted}, default=None)


def _precision(workload: Workload) -> str:
    name = workload.precision.value.lower() if workload.precision is not None else ""
    if workload.task.value == "qlora" or name in {"int8", "int4", "fp8", "nf4", "nf4_dq"}:
        return "quantized"
    if workload.task.value == "lora":
        return "bf16"
    return "fp32" if name == "fp32" else "amp"


def _from_anchor(anchor: Anchor, workload: Workload, shape: ModelShape | None) -> Need:
    batch = workload.batch.value if workload.batch is not None else anchor.batch
    streams = streams_part(workload, shape)
    if streams is not None:
        whole = part(
            "one stream, as published",
            "activations",
            formula="fixed_gib",
            inputs=given("fixed_gib", anchor.fixed_gib, "GiB", basis="assumed", note=anchor.source),
            source=anchor.source,
            spread=anchor.spread,
        )
        return _need((whole, streams), "rule", shape=shape, caveats=(anchor.source,))
    whole = part(
        "training states"
        if anchor.status == "rule"
        else f"tensors at the peak, {anchor.precision or 'as published'}",
        "activations",
        formula="fixed_gib + batch*sample_gib*scale",
        inputs=(
            *given("fixed_gib", anchor.fixed_gib, "GiB", basis="assumed", note=anchor.source),
            *given("batch", batch, "", basis="question" if workload.batch else "assumed"),
            *given("sample_gib", anchor.sample_gib, "GiB", basis="assumed", note=anchor.source),
            *given("scale", _scale(anchor, workload), "", basis="computed"),
        ),
        source=anchor.source,
        spread=anchor.spread,
    )
    noted = tuple(filter(None, (anchor.source, anchor.note)))
    return _need((whole,), anchor.status, shape=shape, caveats=noted)


def _scale(anchor: Anchor, workload: Workload) -> float:
    """How much larger a sample is than the anchor's: by area, or by length in tokens."""
    if anchor.pixels and workload.image_px is not None:
        return (workload.image_px.value / anchor.pixels) ** 2
    if anchor.tokens and workload.seq_len is not None:
        return workload.seq_len.value / anchor.tokens
    return 1.0


def _states_only(workload: Workload, shape: ModelShape) -> Need | None:
    """What can be said without an anchor: states or weights, and what is missing."""
    if not shape.params_b:
        return None
    trains = workload.task.value in _TRAIN
    stated = format_named(workload.precision.value) if workload.precision is not None else None
    form = stated or FORMATS["fp16"]
    whole = part(
        "weights, gradients and optimizer states" if trains else f"weights in {form.name}",
        "weights",
        formula="params*bytes_each / 2**30",
        inputs=(
            *given("params", shape.params_b * 1e9, "", basis="cited", note=shape.name),
            *given("bytes_each", 16.0 if trains else form.bits / 8, "B", basis="assumed"),
        ),
        source="ZeRO, arXiv 1910.02054, section 3.1" if trains else form.source,
        spread=Spread(low=1.0, high=2.0),
    )
    more = ", text encoders and image decoder" if shape.family == "diffusion" else ""
    lacking = f"activations{more} of {shape.name}: no formula and no measured run is known"
    return _need((whole,), "rule", shape=shape, missing=(lacking,))


def _need(
    parts: tuple[MemoryPart, ...],
    status: Status,
    *,
    shape: ModelShape | None,
    caveats: tuple[str, ...] = (),
    missing: tuple[str, ...] = (),
) -> Need:
    return Need(
        total_gib=sum(each.gib for each in parts),
        low_gib=sum(each.low_gib for each in parts),
        high_gib=sum(each.high_gib for each in parts) + _CONTEXT_GIB,
        context_gib=_CONTEXT_GIB,
        parts=parts,
        plan=Plan(),
        status=status,
        shape=shape,
        caveats=caveats,
        missing=missing,
    )
