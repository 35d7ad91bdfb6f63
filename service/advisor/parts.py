"""Parts of the memory need: how a formula makes one, and how shapes and runs become inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.advisor.formula import computation, evaluate
from service.advisor.models import mlp_width
from service.advisor.run import Run
from service.advisor.types import MemoryPart, ModelShape, PartKind
from service.types import Input

Basis = Literal["cited", "question", "assumed", "computed"]
GIB = "2**30"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far a part may lie from its formula, as factors."""

    low: float
    high: float


STATES = Spread(low=0.99, high=1.05)
DYNAMIC = Spread(low=0.85, high=1.32)
CACHE = Spread(low=1.0, high=1.15)


def part(
    name: str,
    kind: PartKind,
    *,
    formula: str,
    inputs: tuple[Input, ...],
    source: str,
    spread: Spread,
) -> MemoryPart:
    """A part whose size in GiB is the value of its formula."""
    work = computation(formula, inputs, source=source)
    gib = evaluate(work)
    return MemoryPart(
        name=name,
        kind=kind,
        gib=gib,
        low_gib=gib * spread.low,
        high_gib=gib * spread.high,
        computation=work,
    )


def given(name: str, value: float, unit: str, *, basis: Basis, note: str = "") -> tuple[Input, ...]:
    """One input."""
    return (Input(name=name, value=value, unit=unit, basis=basis, note=note),)


def shape_inputs(shape: ModelShape, *names: str) -> tuple[Input, ...]:
    """Inputs by name from a model's shape, cited where the shape came from the catalog."""
    values = {
        "layers": shape.layers,
        "hidden": shape.hidden,
        "ffn": mlp_width(shape),
        "vocab": shape.vocab,
        "heads": shape.heads,
        "kv_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "params": shape.params_b * 1e9,
        "kv_lora_rank": shape.kv_lora_rank,
        "rope_dim": shape.rope_dim,
        "q_width": shape.heads * shape.head_dim,
        "kv_width": shape.kv_heads * shape.head_dim,
    }
    basis: Basis = "assumed" if shape.quote is None else "cited"
    return tuple(
        Input(
            name=name, value=values[name], unit="", basis=basis, quote=shape.quote, note=shape.name
        )
        for name in names
    )


def run_inputs(run: Run, *names: str) -> tuple[Input, ...]:
    """Inputs by name from a run, from the question where it stated them."""
    values = {
        "batch": run.batch,
        "sequences": run.sequences,
        "seq_len": run.seq_len,
        "lora_rank": run.lora_rank,
        "act_bytes": run.activation_bytes,
        "kv_bytes": run.kv_bytes,
        "prefill_tokens": run.prefill_tokens,
    }
    units = {"seq_len": "tokens", "prefill_tokens": "tokens", "act_bytes": "B", "kv_bytes": "B"}
    return tuple(
        Input(
            name=name,
            value=values[name],
            unit=units.get(name, ""),
            basis="question" if name in run.stated else "assumed",
        )
        for name in names
    )
