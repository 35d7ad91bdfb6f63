"""The bodies of the advisor's routes: a workload as JSON, each field optional but the task."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from indexer.types import DeviceId
from service.advisor.catalog import Shelf
from service.advisor.models import find_shape
from service.advisor.precision import RECIPES, format_named
from service.advisor.types import (
    Attention,
    Placement,
    Plan,
    Stated,
    Workload,
)
from service.errors import BadQuestion

TaskName = Literal[
    "pretraining",
    "full_finetune",
    "lora",
    "qlora",
    "training",
    "inference",
    "embedding",
    "diffusion",
    "classical_ml",
    "gradient_boosting",
    "data_preparation",
]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(gt=0, le=10_000_000)]
Devices = Annotated[list[str], Field(max_length=64)]
_WORDS = "field of the request"


class PlanBody(BaseModel):
    """How a model is spread over devices."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    data: Count = 1
    tensor: Count = 1
    pipeline: Count = 1
    expert: Count = 1
    zero_stage: Literal[0, 1, 2, 3] = 0
    offload: Literal["none", "optimizer", "all"] = "none"


class WorkloadBody(BaseModel):
    """A workload. What is left out is assumed, and the answer says so."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    task: TaskName
    model: str | None = Field(default=None, description="Name of a model of the catalog.")
    params_b: Positive | None = Field(default=None, description="Billions of parameters.")
    active_params_b: Positive | None = None
    precision: str | None = Field(default=None, description="For example bf16, nf4, q4_k_m.")
    bits_per_weight: Positive | None = None
    kv_precision: str | None = None
    double_quant: bool | None = None
    optimizer: str | None = None
    recipe: str | None = None
    batch: Count | None = None
    gradient_accumulation: Count | None = None
    seq_len: Count | None = None
    concurrency: Count | None = None
    checkpointing: bool | None = None
    attention: Attention | None = None
    fused_loss: bool | None = None
    lora_rank: Count | None = None
    image_px: Count | None = None
    plan: PlanBody | None = None
    device_count: Count | None = None
    device_count_max: Count | None = None
    dataset_rows: Positive | None = None
    dataset_columns: Positive | None = None
    dataset_gb: Positive | None = None
    dataset_images: Positive | None = None
    dataset_dtype: str | None = None
    tokens: Positive | None = None
    epochs: Positive | None = None
    samples_per_second: Positive | None = None
    tokens_per_second: Positive | None = None
    utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    hours: Positive | None = None
    deadline_hours: Positive | None = None
    hours_per_month: Positive | None = None
    budget_usd: Positive | None = None
    usd_per_hour_max: Positive | None = None
    usd_per_month_max: Positive | None = None
    placement: Placement | None = None
    providers: Annotated[list[str], Field(max_length=20)] | None = None
    region: str | None = None
    residency: str | None = None
    privacy: str | None = None
    devices_owned: Devices | None = Field(default=None, description="Ids; repeat one for several.")
    devices_wanted: Devices | None = None
    devices_excluded: Devices | None = None
    vendors_wanted: Annotated[list[str], Field(max_length=20)] | None = None
    vendors_excluded: Annotated[list[str], Field(max_length=20)] | None = None
    new_only: bool | None = None
    watts_max: Positive | None = None
    framework: str | None = None
    stated_memory_gib: Positive | None = None
    order: Literal["cheapest", "fastest", "least_power"] | None = None


class AdviceRequest(BaseModel):
    """A workload, as fields or in words."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_extra={
            "examples": [{"workload": {"task": "qlora", "model": "Llama-3.1-8B", "seq_len": 2048}}]
        },
    )

    workload: WorkloadBody | None = None
    question: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> AdviceRequest:
        if (self.workload is None) == (self.question is None):
            raise ValueError("give either a workload or a question")
        return self


class RecommendResponse(BaseModel):
    """What fits, and the quotes behind it; without a recommendation the one detail that is missing."""

    recommendation: dict[str, Any] | None
    ask: str = Field(description="The one detail that would help, or empty.")
    citations: list[dict[str, Any]]
    generation: str


class EstimateResponse(BaseModel):
    """What a workload needs, with its parts and their formulas."""

    need: dict[str, Any] | None
    ask: str = Field(description="The one detail that would help, or empty.")
    generation: str


def to_workload(body: WorkloadBody, shelf: Shelf) -> Workload:
    """The workload of a request.

    Raises:
        BadQuestion: a model, format, recipe or device is not known.
    """
    _check_names(body, shelf)
    given: dict[str, Any] = body.model_dump(exclude_none=True)
    fields: dict[str, Any] = {}
    for name, value in given.items():
        fields[name] = Stated(value=_inside(name, value), origin="question", words=_WORDS)
    return Workload(**fields)


def _inside(name: str, value: Any) -> Any:
    if name == "plan":
        return Plan(**value)
    if name == "region":
        return value.casefold()
    return tuple(value) if isinstance(value, list) else value


def _check_names(body: WorkloadBody, shelf: Shelf) -> None:
    if body.model is not None and find_shape(body.model, shelf.models) is None:
        raise BadQuestion(f"no model named {body.model!r} is known; give params_b instead")
    for form in (body.precision, body.kv_precision):
        if form is not None and format_named(form) is None:
            raise BadQuestion(
                f"no number format named {form!r} is known; for example bf16, fp8, nf4, q4_k_m"
            )
    if body.recipe is not None and body.recipe not in RECIPES:
        raise BadQuestion(f"no recipe named {body.recipe!r} is known; known: {', '.join(RECIPES)}")
    for ids in (body.devices_owned, body.devices_wanted, body.devices_excluded):
        unknown = [name for name in ids or () if DeviceId(name) not in shelf.catalog.by_id]
        if unknown:
            raise BadQuestion(
                f"no device with the id {unknown[0]!r} is known; GET /v1/devices lists them"
            )
