"""Put the fields together; what is missing and would change the answer becomes one question back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from indexer.types import Device, DeviceId
from service.advisor.precision import format_named
from service.advisor.run import TRAINING
from service.advisor.types import Family, From, ModelShape, Stated, Task, Workload
from service.advisor.understand.assume import assume, is_timed
from service.advisor.understand.capacity import Capacity, capacities
from service.advisor.understand.data import data_fields, stated_memory
from service.advisor.understand.devices import device_fields
from service.advisor.understand.kinds import first_model
from service.advisor.understand.models import ModelNames, Named, Sized, find_models, find_sizes
from service.advisor.understand.money import money_fields, spot_field
from service.advisor.understand.place import names_home, place_fields
from service.advisor.understand.precision import Numbers, numbers_of
from service.advisor.understand.run import run_fields
from service.advisor.understand.task import table_task, task_of
from service.advisor.understand.words import assumed, blank, cue, stated
from service.lexicon import Mention

_TABLES = frozenset({"gradient_boosting", "classical_ml", "data_preparation"})
_VISION: frozenset[Family] = frozenset({"cnn", "detector", "vit", "speech", "diffusion"})
_MODEL_WORD = r"\b(?:my|our|the|a|an|this|that|it|mein|unser|das|el|mi|mon|le|我的)\b[^.?!]{0,20}?\b(?:model|network|llm|modell|modelo|modèle|模型)\b|\bit (?:fit|run|work)|will it\b"
_SEES = r"\bimages?\b|\bvision\b|\bdetect\w*|\bsegment\w*|\bphotos?\b|\bvideos?\b|\bcameras?\b|\bpictures?\b|\bscans\b|\bcnns?\b|\br-cnn\b|\bu-?nets?\b|\bgans?\b|bilder|imágenes|图像|图片"
_MEMORY_WORD = r"\bv-?ram\b|gpu memory|\bmemory\b|\bfits?\b|\bgpus?\b|\bcards?\b|grafikkarte|显存|显卡|speicher|memoria|mémoire"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """The one detail without which an answer would be a guess."""

    ask: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What names in a question are looked up in, made once for a catalog."""

    models: ModelNames
    devices: Mapping[DeviceId, Device]
    regions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A workload, and what the question sets beside it: other models, formats and methods, bare capacities."""

    workload: Workload
    others: tuple[Workload, ...] = ()
    capacities: tuple[Capacity, ...] = ()


def understand(
    text: str, *, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> Understood | Missing | None:
    """The workload of a question; None where it is about none.

    `text` is in NFKC. Nothing here depends on the corpus beyond names of models, devices and regions.
    """
    named, sizes = find_models(text, vocabulary.models), find_sizes(text)
    sizes = [
        each for each in sizes if not any(name.start <= each.start < name.end for name in named)
    ]
    numbers = numbers_of(text)
    first = first_model(named, text, vocabulary.models)
    shape = first.shape if first is not None else None
    family = shape.family if shape is not None else ("decoder" if sizes else None)
    task = task_of(text, family=family, precision=numbers.first)
    memory = {} if (first or sizes) else stated_memory(text)
    if task is None and not memory:
        return None if named or sizes else _asked_back(text, trains=False)
    workload = Workload(task=task or assumed("inference", "the stated memory is what counts"))
    mentions = [
        each
        for each in mentions
        if not any(name.start < each.end and each.start < name.end for name in named)
    ]
    spans = [
        *((each.start, each.end) for each in named),
        *((each.start, each.end) for each in sizes),
    ]
    rest = blank(text, *spans)
    fields = _fields(rest, workload.task.value, mentions, vocabulary)
    workload = replace(
        workload,
        **_model_fields(first, sizes),
        **memory,
        **_number_fields(numbers, workload.task.value, shape),
        **fields,
    )
    workload = assume(rest, workload, shape, vocabulary.devices)
    if not _has_subject(workload):
        return _missing(text, workload)
    others = _others(workload, named, sizes, numbers, text)
    return Understood(workload=workload, others=others, capacities=capacities(text, mentions))


def _model_fields(first: Named | None, sizes: list[Sized]) -> dict[str, Any]:
    if first is not None:
        origin: From = "assumed" if first.usual else "question"
        return {"model": Stated(value=first.shape.name, origin=origin, words=first.words)}
    if not sizes:
        return {}
    fields: dict[str, Any] = {"params_b": stated(sizes[0].params_b, sizes[0].words)}
    if sizes[0].active_params_b:
        fields["active_params_b"] = stated(sizes[0].active_params_b, sizes[0].words)
    return fields


def _fields(
    text: str, task: Task, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> dict[str, Any]:
    fields = {
        **run_fields(text, trains=task in TRAINING),
        **data_fields(text),
        **money_fields(text),
        "spot": spot_field(text),
        **place_fields(text, regions=vocabulary.regions),
        **device_fields(text, mentions, vocabulary.devices),
        "framework": _framework(text),
        "order": _order(text),
    }
    hourly = fields.get("usd_per_hour_max")
    owned = fields.get("devices_owned")
    if (
        hourly is not None
        and fields["placement"] is None
        and owned is None
        and not names_home(text)
    ):
        fields["placement"] = stated("cloud", hourly.words)
    return fields


def _framework(text: str) -> Stated[str] | None:
    found = cue(
        r"\bjax\b|\bpytorch\b|\btensorflow\b|\bcuda\b|\bkeras\b|\bllama\.cpp\b|\bvllm\b|\bollama\b",
        text,
    )
    return stated(found.group().lower(), found) if found else None


def _order(text: str) -> Stated[str] | None:
    rows = (
        ("fastest", r"\bfastest\b|as fast as possible|quickest|highest throughput|am schnellsten"),
        (
            "cheapest",
            r"\bcheapest\b|lowest (?:cost|price)|little money|am billigsten|más barat\w+|moins cher",
        ),
        ("least_power", r"least power|lowest power|most efficient|sparsamste"),
    )
    return next(
        (stated(name, found) for name, pattern in rows if (found := cue(pattern, text))), None
    )


def _number_fields(numbers: Numbers, task: Task, shape: ModelShape | None) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "kv_precision": numbers.kv,
        "optimizer": numbers.optimizer,
        "double_quant": numbers.double_quant,
        "recipe": numbers.recipe,
    }
    if task in {"lora", "qlora"}:
        fields["recipe"] = None
    if numbers.formats and task not in _TABLES:
        fields["precision"] = replace(
            numbers.formats[0], value=format_for(numbers.formats[0].value, task, shape)
        )
    return fields


def format_for(name: str, task: Task, shape: ModelShape | None) -> str:
    """The format that a word means for a task: four bits are NF4 in QLoRA and Q4_K_M when a model is only run."""
    if name == "released":
        released = shape.release_precision if shape is not None else ""
        return released if format_named(released) is not None else "bf16"
    if name == "4bit":
        return "nf4_dq" if task == "qlora" else "nf4" if task in TRAINING else "q4_k_m"
    return name


def _has_subject(workload: Workload) -> bool:
    if workload.task.value in _TABLES:
        return workload.dataset_gb is not None or workload.dataset_columns is not None
    return (
        workload.model is not None
        or workload.params_b is not None
        or workload.stated_memory_gib is not None
    )


def _missing(text: str, workload: Workload) -> Missing | Understood | None:
    """A question back where a model is meant and nothing says how large it is.

    Tables go on without, and so does a run whose hours are stated: its price needs no model.
    """
    if workload.task.value in _TABLES or is_timed(workload):
        return Understood(workload=workload)
    return _asked_back(text, trains=workload.task.value in TRAINING)


def _asked_back(text: str, *, trains: bool) -> Missing | None:
    """The question back, if the text speaks of a model and of memory."""
    if cue(_MODEL_WORD, text) is None or cue(_MEMORY_WORD, text) is None:
        return None
    method = "full fine-tuning, LoRA or QLoRA" if trains else "the precision and the context length"
    if cue(_SEES, text) is not None:
        return Missing(
            why="How much memory is needed depends on the model, the size of an image and the batch; the question names no model.",
            ask="Which model, and which image size and batch?",
        )
    return Missing(
        why="How much memory is needed depends on the model, its number of parameters, the precision, "
        "the batch and the method; the question names no model.",
        ask=f"Which model or how many parameters, and {method}?",
    )


def _others(
    workload: Workload, named: list[Named], sizes: list[Sized], numbers: Numbers, text: str
) -> tuple[Workload, ...]:
    """The other cases that the question names: further models, formats, and LoRA beside QLoRA."""
    found: list[Workload] = []
    task = workload.task.value
    known = {workload.model.value} if workload.model is not None else set()
    for name in named:
        if name.shape.name not in known and workload.model is not None and not name.usual:
            known.add(name.shape.name)
            found.append(replace(workload, model=stated(name.shape.name, name.words)))
    found.extend(_other_sizes(workload, named, sizes, text))
    if task not in _TABLES:
        found.extend(
            replace(workload, precision=replace(field, value=format_for(field.value, task, None)))
            for field in numbers.formats[1:]
        )
    if (
        task in {"lora", "qlora"}
        and cue(r"\bq-?lora\b", text)
        and (lora := cue(r"(?<!q)(?<!q-)\blora\b", text))
    ):
        other: Task = "lora" if task == "qlora" else "qlora"
        found.append(replace(workload, task=stated(other, lora), precision=None))
    if (
        task not in _TABLES
        and (table := table_task(text)) is not None
        and workload.dataset_columns is not None
    ):
        found.append(replace(workload, task=table, model=None, params_b=None, precision=None))
    return tuple(found[:4])


_LISTED = r"(?:,|/|\band\b|\bor\b|\bund\b|\boder\b|\by\b|\bet\b|\bou\b|\bvs\.?|versus|和|与)\s*(?:for )?(?:an? )?$|what (?:would|about|does|do) (?:an? )?$|how about (?:an? )?$"


def _other_sizes(
    workload: Workload, named: list[Named], sizes: list[Sized], text: str
) -> list[Workload]:
    """Further sizes that stand in a list with the first, of the same series where one is named."""
    found = []
    for size in sizes[0 if workload.model is not None else 1 :]:
        if cue(_LISTED, text[max(0, size.start - 24) : size.start]) is None:
            continue
        field = stated(size.params_b, size.words)
        sibling = next(
            (each.sibling(size.params_b) for each in named if each.sibling(size.params_b)), ""
        )
        if sibling:
            found.append(replace(workload, model=stated(sibling, size.words), params_b=None))
        else:
            found.append(replace(workload, model=None, params_b=field, active_params_b=None))
    return found
