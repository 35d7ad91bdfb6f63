"""What a question leaves open and a reader would take for granted: marked as assumed, and never a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from indexer.types import Device, DeviceId
from service.advisor.precision import format_named
from service.advisor.run import ADAPTERS, TRAINING
from service.advisor.types import ModelShape, Placement, Stated, Workload
from service.advisor.understand.words import assumed, compiled, cue, stated

_TABLES = frozenset({"gradient_boosting", "classical_ml", "data_preparation"})
_TEXT = frozenset({"decoder", "encoder", "encoder_decoder"})
_HOME = frozenset({"consumer", "laptop"})
# Preferences: they tell what is meant, and give way where nothing would fit.
_PREFERENCES = ("device_count_max", "placement", "precision", "seq_len")
_LIBRARIES = (
    ("XGBoost", r"xg-?boost"),
    ("LightGBM", r"light-?gbm"),
    ("CatBoost", r"cat-?boost"),
)
_MANY = (
    r"how many|multi[- ]?(?:gpu|node|card)|several|\bclusters?\b|\bnodes\b|\bgpus\b|\bcards\b|number of (?:gpus|cards|devices)|wie viele|cuánt\w+|combien|"
    r"几(?:张|块)|多少(?:张|块)"
)
_ONE_BOX = r"\bone (?:\w+ )?(?:workstation|pc|computer|box)\b|\ba (?:single )?workstation\b|\bworkstation\b"
_SMALL_FORMAT = "q4_k_m"
_MAC_GB = 24.0
_BOX_CARDS = 4
_ONE_DEVICE_GB = 150.0
_SHARED_GB = 80.0
_CROWD = 16
_WHY = r"\bwhy\b|\bwarum\b|\bpor qué\b|\bpourquoi\b|为什么|\bdiffer(?:s|ent|ence)?\b|\bdisagree"
_DEFAULT_LENGTH = 2048


def assume(
    text: str,
    workload: Workload,
    shape: ModelShape | None,
    devices: Mapping[DeviceId, Device],
) -> Workload:
    """The workload with what is taken for granted, each field marked as assumed."""
    fields: dict[str, Any] = {}
    if workload.task.value in _TABLES:
        fields["model"] = _library(text)
    else:
        fields["checkpointing"] = _checkpointing(text, workload, shape)
        fields["precision"] = _precision(workload, shape)
        fields["seq_len"] = _length(workload, shape)
        fields["device_count_max"] = _count(text, workload, shape)
    fields["placement"] = _placement(workload, devices)
    open_fields = {
        name: field
        for name, field in fields.items()
        if field is not None and getattr(workload, name) is None
    }
    return replace(workload, **open_fields)


def limits(workload: Workload) -> Workload:
    """The workload that options are chosen for: what is only a preference is left out."""
    free: dict[str, Any] = {
        name: None
        for name in _PREFERENCES
        if (field := getattr(workload, name)) is not None
        and field.origin == "assumed"
        and field.value != _SMALL_FORMAT
    }
    if workload.task.value in _TABLES:
        free["model"] = None
    return replace(workload, **free) if free else workload


def with_preferences(workload: Workload, asked: Workload) -> Workload:
    """The workload of an answer, with the preferences that were left out for choosing."""
    open_fields = {
        name: getattr(asked, name)
        for name in (*_PREFERENCES, "model")
        if getattr(workload, name) is None and getattr(asked, name) is not None
    }
    return replace(workload, **open_fields) if open_fields else workload


def is_timed(workload: Workload) -> bool:
    """Whether hours on named devices are stated and nothing of the model."""
    sized = workload.model is not None or workload.params_b is not None
    return workload.hours is not None and workload.devices_wanted is not None and not sized


def _library(text: str) -> Stated[str] | None:
    """The library that trains on a table, which is what stands for its model."""
    rows = ((name, cue(pattern, text)) for name, pattern in _LIBRARIES)
    return next((stated(name, found) for name, found in rows if found is not None), None)


def _checkpointing(text: str, workload: Workload, shape: ModelShape | None) -> Stated[bool] | None:
    """Adapters of language models are trained with checkpointing as a rule.

    A question why figures differ is about runs that left it off, so there it stays off for LoRA.
    """
    if workload.task.value not in ADAPTERS or (shape is not None and shape.family not in _TEXT):
        return None
    if workload.task.value == "lora" and compiled(_WHY).search(text) is not None:
        return assumed(value=False, why="off, as in runs that do not name it")
    return assumed(value=True, why="the usual way to train adapters")


def _precision(workload: Workload, shape: ModelShape | None) -> Stated[str] | None:
    """The format that the arithmetic takes: bf16 in training, NF4 in QLoRA, else as released."""
    task = workload.task.value
    sized = workload.stated_memory_gib is not None or workload.bits_per_weight is not None
    if sized or (shape is not None and shape.family not in _TEXT):
        return None
    if task in TRAINING:
        return (
            assumed("nf4_dq", "the format of QLoRA")
            if task == "qlora"
            else assumed("bf16", "mixed precision, the usual one")
        )
    cache = workload.kv_precision.value if workload.kv_precision is not None else ""
    if cache in {"fp16", "bf16"}:
        return assumed(cache, "as the cache")
    apple = workload.vendors_wanted is not None and workload.vendors_wanted.value == ("Apple",)
    if apple and _weights_gb(workload, shape) > _MAC_GB:
        return assumed(_SMALL_FORMAT, "4 bits, as large models are run on a Mac")
    if shape is not None and format_named(shape.release_precision) is not None:
        return assumed(shape.release_precision, "as the model was released")
    return assumed("bf16", "the usual one") if workload.params_b is not None else None


def _length(workload: Workload, shape: ModelShape | None) -> Stated[int] | None:
    decoder = shape.family == "decoder" if shape is not None else workload.params_b is not None
    if not decoder or workload.task.value == "embedding":
        return None
    most = shape.context if shape is not None and shape.context else _DEFAULT_LENGTH
    return assumed(min(_DEFAULT_LENGTH, most), "a common length")


def _count(text: str, workload: Workload, shape: ModelShape | None) -> Stated[int] | None:
    """One device, where the workload is of a kind that one can hold; what is there, where there is more."""
    owned = len(workload.devices_owned.value) if workload.devices_owned is not None else 0
    if owned:
        return assumed(owned, "the devices that are there")
    if workload.device_count is not None or workload.task.value == "pretraining":
        return None
    if cue(r"how many (?:\w+ )?(?:cards|gpus)", text) and (box := cue(_ONE_BOX, text)):
        return assumed(_BOX_CARDS, f"{box.group()} holds about so many cards")
    users = workload.concurrency.value if workload.concurrency is not None else 1
    trains = workload.task.value in TRAINING - ADAPTERS
    most = _SHARED_GB if users > _CROWD or trains else _ONE_DEVICE_GB
    if cue(_MANY, text) is not None or _weights_gb(workload, shape) > most:
        return None
    return assumed(1, "one device, if one holds it")


def _weights_gb(workload: Workload, shape: ModelShape | None) -> float:
    """The weights, or for a training of all of them the states, in GB."""
    billions = shape.params_b if shape is not None else 0.0
    if workload.params_b is not None:
        billions = workload.params_b.value
    if workload.task.value in {"full_finetune", "training"}:
        return billions * 16
    named = workload.precision.value if workload.precision is not None else "bf16"
    form = format_named(named)
    return billions * (form.bits if form is not None else 16) / 8


def _placement(workload: Workload, devices: Mapping[DeviceId, Device]) -> Stated[Placement] | None:
    """Where the devices are that are owned; a card for desktop computers stands at home."""
    if workload.devices_owned is not None:
        return assumed("local", "where the devices are")
    named = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    home = [devices[name].segment in _HOME for name in named if name in devices]
    return assumed("local", "cards for desktop computers") if home and all(home) else None
