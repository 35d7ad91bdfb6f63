"""The values of a recommendation: what was understood, what it needs, what fits, and why.

Sizes carry their unit in the name: `_gib` is 2**30 bytes, `_gb` 10**9 bytes, `params_b` 10**9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from indexer.types import DeviceId
from service.types import Computation, Number, Quote, Statement

T = TypeVar("T")

From = Literal["question", "assumed", "default"]
TrainingTask = Literal["pretraining", "full_finetune", "lora", "qlora", "training"]
ServingTask = Literal["inference", "embedding", "diffusion"]
TableTask = Literal["classical_ml", "gradient_boosting", "data_preparation"]
Task = Literal[TrainingTask, ServingTask, TableTask]
TextFamily = Literal["decoder", "encoder", "encoder_decoder"]
Family = Literal[TextFamily, "cnn", "vit", "diffusion", "detector", "speech", "other"]
Placement = Literal["cloud", "onprem", "local", "any", "buy"]
Attention = Literal["sdpa", "eager"]
Targets = Literal["qv", "attention", "all"]
Offload = Literal["none", "optimizer", "all"]
Status = Literal["exact", "measured", "published", "rule"]
StateKind = Literal["weights", "gradients", "optimizer", "adapters"]
DynamicKind = Literal["activations", "logits", "kv_cache", "buffers", "casts", "step"]
PartKind = Literal[StateKind, DynamicKind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated(Generic[T]):
    """A field of a workload and where it comes from; `words` are the question's own, if any."""

    value: T
    origin: From = "question"
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """What the arithmetic needs to know of a model; 0 or "" means that it has none, or not known.

    `gated` tells an MLP of three matrices from one of two, `kv_lora_rank` and `rope_dim` belong to latent attention.
    """

    name: str
    family: Family
    params_b: float
    layers: int = 0
    hidden: int = 0
    heads: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    ffn: int = 0
    vocab: int = 0
    context: int = 0
    tied: bool = False
    gated: bool = True
    experts: int = 0
    experts_per_token: int = 0
    shared_experts: int = 0
    moe_ffn: int = 0
    active_params_b: float = 0.0
    sliding_window: int = 0
    sliding_layers_share: float = 0.0
    kv_lora_rank: int = 0
    rope_dim: int = 0
    release_precision: str = ""
    aliases: tuple[str, ...] = ()
    assumed: bool = False
    quote: Quote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What was understood of a question. None: neither stated nor assumed.

    `precision` and `recipe` are names in `precision.py`. `batch` is one device's micro-batch,
    `seq_len` prompt and answer, `concurrency` sequences at once. `devices_owned` repeats ids.
    """

    task: Stated[Task]
    model: Stated[str] | None = None
    params_b: Stated[float] | None = None
    active_params_b: Stated[float] | None = None
    shape: Stated[ModelShape] | None = None
    precision: Stated[str] | None = None
    bits_per_weight: Stated[float] | None = None
    kv_precision: Stated[str] | None = None
    double_quant: Stated[bool] | None = None
    optimizer: Stated[str] | None = None
    recipe: Stated[str] | None = None
    batch: Stated[int] | None = None
    gradient_accumulation: Stated[int] | None = None
    seq_len: Stated[int] | None = None
    new_tokens: Stated[int] | None = None
    concurrency: Stated[int] | None = None
    checkpointing: Stated[bool] | None = None
    attention: Stated[Attention] | None = None
    fused_loss: Stated[bool] | None = None
    full_prompt_logits: Stated[bool] | None = None
    lora_rank: Stated[int] | None = None
    lora_targets: Stated[Targets] | None = None
    image_px: Stated[int] | None = None
    plan: Stated[Plan] | None = None
    device_count: Stated[int] | None = None
    device_count_max: Stated[int] | None = None
    dataset_rows: Stated[float] | None = None
    dataset_columns: Stated[float] | None = None
    dataset_gb: Stated[float] | None = None
    dataset_images: Stated[float] | None = None
    dataset_dtype: Stated[str] | None = None
    tokens: Stated[float] | None = None
    epochs: Stated[float] | None = None
    samples_per_second: Stated[float] | None = None
    tokens_per_second: Stated[float] | None = None
    utilization: Stated[float] | None = None
    hours: Stated[float] | None = None
    deadline_hours: Stated[float] | None = None
    hours_per_month: Stated[float] | None = None
    budget_usd: Stated[float] | None = None
    usd_per_hour_max: Stated[float] | None = None
    usd_per_month_max: Stated[float] | None = None
    currency: Stated[str] | None = None
    placement: Stated[Placement] | None = None
    spot: Stated[bool] | None = None
    providers: Stated[tuple[str, ...]] | None = None
    region: Stated[str] | None = None
    residency: Stated[str] | None = None
    privacy: Stated[str] | None = None
    devices_owned: Stated[tuple[DeviceId, ...]] | None = None
    devices_wanted: Stated[tuple[DeviceId, ...]] | None = None
    devices_excluded: Stated[tuple[DeviceId, ...]] | None = None
    vendors_wanted: Stated[tuple[str, ...]] | None = None
    vendors_excluded: Stated[tuple[str, ...]] | None = None
    new_only: Stated[bool] | None = None
    watts_max: Stated[float] | None = None
    form: Stated[tuple[str, ...]] | None = None
    framework: Stated[str] | None = None
    stated_memory_gib: Stated[float] | None = None
    order: Stated[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPart:
    """One part of the memory need of one device, with how it was computed."""

    name: str
    kind: PartKind
    gib: float
    low_gib: float
    high_gib: float
    computation: Computation


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a model is spread over devices. `zero_stage` 0: plain data parallel, 3: also FSDP."""

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    zero_stage: int = 0
    offload: Offload = "none"

    @property
    def devices(self) -> int:
        """The number of devices; experts share those of data and tensor parallelism."""
        return max(self.data * self.tensor, self.expert) * self.pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a workload needs.

    `total_gib` is the peak of the tensors on one device, the sum of `parts`; `low_gib` and
    `high_gib` bracket what a run shows. The runtime's own `context_gib` comes on top of the total
    and is already part of the high figure. None: cannot be computed, `missing` names why.
    """

    total_gib: float | None
    low_gib: float | None
    high_gib: float | None
    context_gib: float
    parts: tuple[MemoryPart, ...]
    plan: Plan
    status: Status
    compute_flop: Number | None = None
    compute_hours: Number | None = None
    storage_gb: Number | None = None
    ram_gib: Number | None = None
    shape: ModelShape | None = None
    assumptions: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def device_gib(self) -> float | None:
        """What one device must hold at least: the tensors at their peak and the runtime."""
        return None if self.total_gib is None else self.total_gib + self.context_gib


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """A speed as a range: computed from a roofline, or published, or measured by the eval suite."""

    value: float
    low: float
    high: float
    unit: str
    basis: Literal["measured", "published", "computed"]
    computation: Computation | None = None
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money for an option. For a purchase `usd_per_hour` is the running cost, which is energy."""

    billing: Literal["on_demand", "spot", "purchase", "owned"]
    usd_per_hour: float | None
    total_usd: float | None
    low_usd: float | None
    high_usd: float | None
    region: str
    as_of: str
    source: str
    computation: Computation | None = None
    quote: Quote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Needed against usable memory, both per device."""

    available_gib: float
    needed_gib: float
    headroom_gib: float
    verdict: Literal["comfortable", "tight", "no"]
    computation: Computation


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A machine that fits; without an accelerator `device_id` is None."""

    rank: int
    device_id: DeviceId | None
    device: str
    count: int
    where: Literal["rent", "own", "buy"]
    provider: str
    instance: str
    region: str
    plan: Plan
    fit: Fit
    speed: Speed | None = None
    hours: Number | None = None
    cost: Cost | None = None
    power_w: Number | None = None
    reasons: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A candidate that a reader would expect, and the first constraint that it fails."""

    device_id: DeviceId | None
    device: str
    constraint: str
    needed: str
    has: str
    statement: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What a change of the workload would do, found by running it again."""

    change: str
    effect: str
    statement: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """What was understood, what it needs, what fits in which order, what not, what would change."""

    workload: Workload
    need: Need
    options: tuple[Option, ...]
    rejected: tuple[Rejected, ...]
    order: str
    assumptions: tuple[Statement, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    warnings: tuple[Statement, ...] = ()
