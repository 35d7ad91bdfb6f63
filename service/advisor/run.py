"""What a run will do: the workload with every open choice closed, and a word on each choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from service.advisor.precision import FORMATS, RECIPES, Format, Recipe, format_named, stored_at
from service.advisor.types import Attention, ModelShape, Plan, Stated, Targets, Task, Workload

T = TypeVar("T")

TRAINING: frozenset[Task] = frozenset({"pretraining", "full_finetune", "lora", "qlora", "training"})
ADAPTERS: frozenset[Task] = frozenset({"lora", "qlora"})
_RECIPE_BY_OPTIMIZER = {
    "adamw8bit": "bf16_adam8bit",
    "adam8bit": "bf16_adam8bit",
    "pagedadamw8bit": "bf16_adam8bit",
    "adafactor": "bf16_adafactor",
    "sgd": "fp32_sgd_momentum",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Closed choices. `stated` names those of the question; `assumptions` tells the others."""

    task: Task
    weights: Format
    recipe: Recipe
    activation_bytes: float
    kv_bytes: float
    batch: int
    sequences: int
    seq_len: int
    checkpointing: bool
    attention: Attention
    fused_loss: bool
    full_prompt_logits: bool
    lora_rank: int
    lora_targets: Targets
    plan: Plan
    stated: frozenset[str]
    assumptions: tuple[str, ...]

    @property
    def trains(self) -> bool:
        """Whether weights or adapters are trained."""
        return self.task in TRAINING

    @property
    def prefill_tokens(self) -> int:
        """Tokens that one forward pass takes at once.

        Servers work in chunks: 8192 tokens in vLLM, 512 in llama.cpp. Eager attention, embedding
        and a pass that wants logits of the whole prompt take everything.
        """
        tokens = self.sequences * self.seq_len
        if self.attention == "eager" or self.full_prompt_logits or self.task == "embedding":
            return tokens
        return min(tokens, 512 if self.weights.whole_file and self.weights.quantized else 8192)

    @property
    def adapts(self) -> bool:
        """Whether the model is frozen and only adapters are trained."""
        return self.task in ADAPTERS


class _Chooser:
    """Takes what is stated and notes what is not."""

    def __init__(self) -> None:
        self.stated: set[str] = set()
        self.assumptions: list[str] = []

    def take(self, name: str, field: Stated[T] | None, default: T, why: str) -> T:
        """The stated value, or the default with its reason noted."""
        if field is None:
            self.assumptions.append(f"{name.replace('_', ' ')} {_spelled(default)}: {why}")
            return default
        if field.origin == "question":
            self.stated.add(name)
        else:
            self.assumptions.append(f"{name.replace('_', ' ')} {_spelled(field.value)}: assumed")
        return field.value

    def quiet(self, field: Stated[T] | None, default: T) -> T:
        """The stated value, or a default that needs no word."""
        return default if field is None else field.value


def settle(workload: Workload, shape: ModelShape) -> Run:
    """Close every choice that the memory of a language model depends on.

    Defaults are those of the libraries in use: PEFT (rank 8 on query and value projections, and
    checkpointing, which its preparation for 4-bit training switches on and which guides to LoRA
    switch on as well), Transformers (checkpointing off where all weights are trained, SDPA
    attention), and mixed precision with AdamW as in ZeRO, arXiv 1910.02054, section 3.1.
    """
    pick, task = _Chooser(), workload.task.value
    trains, sequences = task in TRAINING, workload.concurrency or workload.batch
    seq_len = min(512 if task == "embedding" else 2048, shape.context or 2048)
    weights = _weights(pick, workload, shape)
    return Run(
        task=task,
        weights=weights,
        recipe=_recipe(pick, workload, weights),
        activation_bytes=4.0 if trains and _is_fp32(weights, workload) else 2.0,
        kv_bytes=_kv_bytes(pick, workload),
        batch=pick.take("batch", workload.batch, 1, "not stated") if trains else 1,
        sequences=1 if trains else pick.take("sequences", sequences, 1, "one user"),
        seq_len=pick.take("seq_len", workload.seq_len, seq_len, "a common length"),
        checkpointing=_checkpointing(pick, workload) if trains else False,
        attention=pick.quiet(workload.attention, "sdpa"),
        fused_loss=_is_on(workload.fused_loss),
        full_prompt_logits=_is_on(workload.full_prompt_logits),
        lora_rank=_rank(pick, workload),
        lora_targets=pick.quiet(workload.lora_targets, "qv"),
        plan=pick.quiet(workload.plan, Plan()),
        stated=frozenset(pick.stated),
        assumptions=tuple(pick.assumptions),
    )


def _rank(pick: _Chooser, workload: Workload) -> int:
    if workload.task.value not in ADAPTERS:
        return 0
    return pick.take("lora_rank", workload.lora_rank, 8, "the default of PEFT")


def _checkpointing(pick: _Chooser, workload: Workload) -> bool:
    on = workload.task.value in ADAPTERS
    why = "the usual way to train adapters" if on else "off unless it is switched on"
    return pick.take("checkpointing", workload.checkpointing, on, why)


def _weights(pick: _Chooser, workload: Workload, shape: ModelShape) -> Format:
    if workload.bits_per_weight is not None:
        return stored_at(workload.bits_per_weight.value)
    task, default, why = workload.task.value, "bf16", "the usual one for this task"
    if task == "qlora":
        default = "4-bit"
    elif task not in TRAINING and format_named(shape.release_precision) is not None:
        default, why = shape.release_precision, "as the model was released"
    name = pick.take("precision", workload.precision, default, why)
    found = format_named(name)
    if found is None:
        found = FORMATS["bf16"]
        pick.assumptions.append(f"precision bf16: {name} is not a known format")
    return _four_bits(found, workload.double_quant) if task == "qlora" else found


def _four_bits(found: Format, double: Stated[bool] | None) -> Format:
    """QLoRA's format: NF4 as named, double quantization unless the plain one is named."""
    if found.quantized and found.name not in {"nf4", "int4"}:
        return found
    doubled = double.value if double is not None else found.name != "nf4"
    return FORMATS["nf4_dq" if doubled else "nf4"]


def _recipe(pick: _Chooser, workload: Workload, weights: Format) -> Recipe:
    if workload.recipe is not None and workload.recipe.value in RECIPES:
        return RECIPES[workload.recipe.value]
    if workload.task.value in ADAPTERS:
        return RECIPES["adapter_fp32_adamw"]
    if workload.task.value not in TRAINING:
        return RECIPES["mixed_adamw"]
    if workload.optimizer is not None:
        key = workload.optimizer.value.lower().replace("-", "").replace("_", "").replace(" ", "")
        if key in _RECIPE_BY_OPTIMIZER:
            return RECIPES[_RECIPE_BY_OPTIMIZER[key]]
    name = "fp32_adamw" if weights.name == "fp32" else "mixed_adamw"
    return RECIPES[pick.take("recipe", None, name, "16 bytes a parameter")]


def _is_fp32(weights: Format, workload: Workload) -> bool:
    stated = workload.recipe.value if workload.recipe is not None else ""
    return weights.name == "fp32" and "autocast" not in stated


def _kv_bytes(pick: _Chooser, workload: Workload) -> float:
    name = pick.quiet(workload.kv_precision, "fp16")
    found = format_named(name)
    return (found.bits if found is not None else 16) / 8


def _is_on(field: Stated[bool] | None) -> bool:
    return field is not None and field.value


def _spelled(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
