"""A recommendation against what is known: the workload's fields, the memory range, machines that fit or do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from eval.cases import Case
from eval.marks import Mark
from service.advisor.types import Recommendation, Stated, Workload

_ONE_PLACE: Final = {"local": "own", "onprem": "own", "buy": "own", "own": "own"}
_TASKS: Final = {
    "etl_and_linear_model": {"data_preparation", "classical_ml"},
    "serving": {"inference"},
    "gradient_boosting": {"gradient_boosting", "classical_ml"},
}
_FOUR_BITS: Final = re.compile(r"nf4|int4|fp4|q4|4[- ]?bit|awq|gptq|w4")
_NO_ACCELERATOR: Final = "cpu-server"


def fit_marks(case: Case, recommendation: Recommendation | None) -> Iterator[Mark]:
    """Marks of a case's workload, memory and machines; without a recommendation all of them are wrong."""
    yield from _workload_marks(case, recommendation)
    if case.memory_gib is not None:
        seen = _memory(case, recommendation)
        hit = any(case.memory_gib.low <= gib <= case.memory_gib.high for gib in seen)
        note = "none" if not seen else ", ".join(f"{gib:.4g} GiB" for gib in seen)
        yield Mark(
            metric="memory",
            name=f"{case.memory_gib.low:g} to {case.memory_gib.high:g} GiB",
            right=hit,
            note="" if hit else note,
        )
    offered = _offered(recommendation)
    if case.feasible:
        wanted = {name: case.feasible_counts.get(name, 1) for name in case.feasible}
        hit = any(count >= wanted.get(name, count + 1) for name, count in offered)
        yield Mark(
            metric="feasible",
            name=", ".join(case.feasible),
            right=hit,
            note="" if hit else _shown(offered),
        )
    if case.infeasible and recommendation is not None:
        most = case.workload.get("device_count_max")
        bad = [
            (name, n)
            for name, n in offered
            if name in case.infeasible and (most is None or n <= most)
        ]
        yield Mark(
            metric="infeasible", name=", ".join(case.infeasible), right=not bad, note=_shown(bad)
        )


def _offered(recommendation: Recommendation | None) -> list[tuple[str, int]]:
    if recommendation is None:
        return []
    return [
        (option.device_id or _NO_ACCELERATOR, option.count) for option in recommendation.options
    ]


def _shown(offered: list[tuple[str, int]]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in offered) or "nothing offered"


def _memory(case: Case, recommendation: Recommendation | None) -> list[float]:
    """The figures that may be meant: without and with the runtime, of one device and of all, or the cache."""
    if recommendation is None or recommendation.need.total_gib is None:
        return []
    need = recommendation.need
    total = need.total_gib or 0.0
    found = [total, total + need.context_gib]
    if need.plan.devices > 1 and "per gpu" not in (
        case.memory_gib.basis.casefold() if case.memory_gib else ""
    ):
        found += [value * need.plan.devices for value in found[:2]]
    if "kv cache" in case.question.casefold():
        found += [part.gib for part in need.parts if part.kind == "kv_cache"]
    return found


def _workload_marks(case: Case, recommendation: Recommendation | None) -> Iterator[Mark]:
    for name, wanted in case.workload.items():
        check = _FIELDS.get(name)
        if check is None or wanted in ("any", "7B generic"):
            continue
        right = recommendation is not None and check(_understood(recommendation), wanted)
        got = (
            "no recommendation" if recommendation is None else _value(recommendation.workload, name)
        )
        yield Mark(
            metric="workload",
            name=f"{name} = {wanted}",
            right=right,
            note="" if right else str(got),
        )


def _understood(recommendation: Recommendation) -> Workload:
    """The workload with the shape that a known model was given."""
    workload, shape = recommendation.workload, recommendation.need.shape
    if workload.shape is not None or shape is None:
        return workload
    return replace(workload, shape=Stated(value=shape, origin="assumed"))


def _value(workload: Workload, name: str) -> Any:
    stated = getattr(workload, name, None)
    return None if stated is None else stated.value


def _task(workload: Workload, wanted: str) -> bool:
    return workload.task.value in _TASKS.get(wanted, {wanted})


def _model(workload: Workload, wanted: str) -> bool:
    shape = _value(workload, "shape")
    names = [_value(workload, "model"), *((shape.name, *shape.aliases) if shape else ())]
    folded = [_folded(name) for name in names if name]
    target = _folded(wanted)
    return any(target in name or name in target for name in folded if name)


def _params(workload: Workload, wanted: float) -> bool:
    shape = _value(workload, "shape")
    found = _value(workload, "params_b") or (shape.params_b if shape else None)
    return found is not None and abs(found - wanted) <= 0.05 * wanted


def _precision(workload: Workload, wanted: str) -> bool:
    found = " ".join(
        str(_value(workload, name) or "") for name in ("precision", "recipe")
    ).casefold()
    target = wanted.casefold().removeprefix("gguf ").split(" mixed")[0].split(" adam")[0]
    if _FOUR_BITS.search(target):
        bits = _value(workload, "bits_per_weight")
        exact = not re.search(r"q4_k|nf4", target) or target in found
        return (bool(_FOUR_BITS.search(found)) and exact) or (bits is not None and bits < 5)
    same = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
    target, found = (
        same.get(target, target),
        " ".join(same.get(word, word) for word in found.split()),
    )
    return target in found or (
        target == "fp32" and _value(workload, "dataset_dtype") in {"float32", "fp32"}
    )


def _amount(*names: str, tolerance: float = 0.02) -> Callable[[Workload, float], bool]:
    def check(workload: Workload, wanted: float) -> bool:
        found = [_value(workload, name) for name in names]
        return any(
            value is not None and abs(value - wanted) <= tolerance * wanted for value in found
        )

    return check


def _batch(workload: Workload, wanted: float) -> bool:
    """A batch of one is what the arithmetic takes where nothing is said, so leaving it open is right."""
    names = ("batch", "concurrency")
    silent = all(_value(workload, name) is None for name in names)
    return (wanted == 1 and silent) or _amount(*names)(workload, wanted)


def _budget(workload: Workload, wanted: float) -> bool:
    """Case files keep the number of the question, whatever its currency; the service converts."""
    foreign = _value(workload, "currency") not in (None, "USD")
    return _amount("budget_usd", tolerance=0.25 if foreign else 0.02)(workload, wanted)


def _count(workload: Workload, wanted: int) -> bool:
    owned = _value(workload, "devices_owned") or ()
    found = {
        _value(workload, "device_count_max"),
        _value(workload, "device_count"),
        len(owned) or None,
    }
    return wanted in found


def _owned(workload: Workload, wanted: list[str]) -> bool:
    return Counter(_value(workload, "devices_owned") or ()) == Counter(wanted)


def _placed(workload: Workload, wanted: str) -> bool:
    found = _value(workload, "placement")
    return found is not None and _ONE_PLACE.get(found, found) == _ONE_PLACE.get(wanted, wanted)


def _private(workload: Workload, _: str) -> bool:
    return _value(workload, "privacy") is not None or _value(workload, "residency") is not None


def _region(workload: Workload, wanted: str) -> bool:
    return str(_value(workload, "region") or "").casefold() == wanted.casefold()


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", str(name).casefold())


_FIELDS: Final[dict[str, Callable[[Workload, Any], bool]]] = {
    "task": _task,
    "model": _model,
    "params_b": _params,
    "precision": _precision,
    "batch": _batch,
    "seq_len": _amount("seq_len", tolerance=0.03),
    "budget_usd": _budget,
    "usd_per_hour_max": _amount("usd_per_hour_max"),
    "device_count_max": _count,
    "devices_owned": _owned,
    "placement": _placed,
    "privacy": _private,
    "region": _region,
}
