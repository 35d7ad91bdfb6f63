"""The need of a workload on one, two, four ... devices: how it is spread, computed once a number of devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from service.advisor.estimate import estimate
from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.precision import format_named
from service.advisor.run import TRAINING
from service.advisor.types import Fit, ModelShape, Need, Plan, Stated, Workload

_DYNAMIC = frozenset({"activations", "logits", "kv_cache", "buffers"})
STATES_MARGIN = 1.05
DYNAMIC_MARGIN = 1.15
USABLE_SHARE = 0.97
_SERVER = 8
# Training all weights over several devices: layer inputs are kept and the rest is computed again, as such runs do.
_WHOLE = frozenset({"full_finetune", "pretraining"})


@dataclass(slots=True)
class Needs:
    """The needs of one workload by number of devices, computed when first asked for."""

    workload: Workload
    models: Mapping[str, ModelShape]
    _known: dict[int, Need] = field(default_factory=dict)
    _sizes: dict[int, tuple[float, float]] = field(default_factory=dict)

    def sizes(self, count: int) -> tuple[float, float]:
        """What each device needs, without and with margins; infinite where it cannot be computed."""
        if count not in self._sizes:
            need = self.at(count)
            known = need.total_gib is not None
            self._sizes[count] = sizes_of(need) if known else (inf, inf)
        return self._sizes[count]

    def at(self, count: int) -> Need:
        """The need on that many devices."""
        if count not in self._known:
            plan = plan_for(self.workload, count)
            workload = self.workload
            if plan != Plan():
                workload = replace(workload, plan=Stated(value=plan, origin="assumed"))
            if (
                plan.devices > 1
                and workload.task.value in _WHOLE
                and workload.checkpointing is None
            ):
                workload = replace(workload, checkpointing=Stated(value=True, origin="assumed"))
            self._known[count] = estimate(workload, models=self.models)
        return self._known[count]


def plan_for(workload: Workload, count: int) -> Plan:
    """How a workload is spread over devices of one machine or several servers of eight.

    Served models by tensor parallelism inside a server and by pipeline stages beyond it, files of llama.cpp by layers;
    trained ones by ZeRO stage 3, which is FSDP, unless the question names another stage.
    """
    asked = workload.plan.value if workload.plan is not None else Plan()
    if workload.task.value in TRAINING:
        stage = asked.zero_stage or (3 if count > 1 else 0)
        return replace(asked, data=count, zero_stage=stage if count > 1 or asked.zero_stage else 0)
    if count == 1:
        return Plan()
    form = format_named(workload.precision.value) if workload.precision is not None else None
    if form is not None and form.whole_file:
        return Plan(pipeline=count)
    return Plan(tensor=min(count, _SERVER), pipeline=max(1, count // _SERVER))


def how_spread(plan: Plan) -> str:
    """The plan in words; empty for one device."""
    if plan.devices == 1:
        return ""
    parts = []
    if plan.tensor > 1:
        parts.append(f"tensor parallelism over {plan.tensor}")
    if plan.pipeline > 1:
        parts.append(f"layers split over {plan.pipeline}")
    if plan.data > 1:
        stage = {0: "plain data parallelism", 3: "ZeRO stage 3 (FSDP)"}.get(
            plan.zero_stage, f"ZeRO stage {plan.zero_stage}"
        )
        parts.append(f"{stage} over {plan.data}")
    return " and ".join(parts)


def needed_gib(need: Need) -> float:
    """What one device must hold: all parts and the runtime."""
    return sum(part.gib for part in need.parts) + need.context_gib


def guarded_gib(need: Need) -> float:
    """The same with margins for states and for working memory."""
    return need.context_gib + sum(
        part.gib * (DYNAMIC_MARGIN if part.kind in _DYNAMIC else STATES_MARGIN)
        for part in need.parts
    )


def sizes_of(need: Need) -> tuple[float, float]:
    """What one device must hold, without and with margins; the high figure where parts of the need are not known."""
    least = need.high_gib or 0.0 if need.missing else 0.0
    return max(needed_gib(need), least), max(guarded_gib(need), least)


def verdict_of(
    sizes: tuple[float, float], available_gib: float
) -> Literal["comfortable", "tight", "no"]:
    """Comfortable with margins in 97 % of what is usable, tight without them, or no."""
    needed, guarded = sizes
    if guarded <= USABLE_SHARE * available_gib:
        return "comfortable"
    return "tight" if needed <= available_gib else "no"


def fit_of(need: Need, available_gib: float) -> Fit:
    """Needed against usable memory, per device.

    Comfortable: states with 5 % and working memory with 15 % more, and the runtime, within 97 % of what is usable.
    Tight: it fits without these margins. The margins are planning rules (fragmentation of the allocator, FORMULAS).
    """
    states = sum(part.gib for part in need.parts if part.kind not in _DYNAMIC)
    dynamic = sum(part.gib for part in need.parts if part.kind in _DYNAMIC)
    needed = states + dynamic + need.context_gib
    work = computation(
        "available - (states + dynamic + context)",
        given("available", available_gib, "GiB", basis="computed"),
        given("states", states, "GiB", basis="computed"),
        given("dynamic", dynamic, "GiB", basis="computed"),
        given("context", need.context_gib, "GiB", basis="assumed"),
        source="planning rule: 1.05 x states + 1.15 x dynamic + context within 0.97 x usable is comfortable",
    )
    return Fit(
        available_gib=available_gib,
        needed_gib=needed,
        headroom_gib=available_gib - needed,
        verdict=verdict_of(sizes_of(need), available_gib),
        computation=work,
    )
