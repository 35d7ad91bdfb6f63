"""Compare the advisor's memory estimates with measured runs, and say which runs are left out.

    python -m eval.sizing FOLDER MODELS.csv [OTHER.csv ...]

FOLDER holds `measured_a6000.csv` and `published_memory_points.csv`, MODELS.csv the shapes. Each
OTHER.csv adds another calculator's estimates of the same rows: columns tool, id, gib.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.types import DocumentId, ModelRow
from service.advisor.estimate import estimate
from service.advisor.models import shapes
from service.advisor.types import ModelShape, Plan, Stated, Task, Workload

Row = Mapping[str, str]

_TASKS: dict[str, Task] = {
    "inference": "inference",
    "train": "full_finetune",
    "train_full": "full_finetune",
    "lora": "lora",
    "qlora": "qlora",
}
_NAMES = {
    "phi-1.5": "phi-1_5",
    "StableLM-Alpha-3B": "stablelm-base-alpha-3b",
    "Falcon-40B": "falcon-40b",
    "Llama-2-70B": "Llama-2-70b-hf",
    "Llama-2-13B": "Llama-2-13b-hf",
    "Llama-2-7B": "Llama-2-7b-hf",
    "CodeLlama-34B": "CodeLlama-34b-hf",
    "bert-base-cased": "bert-base-uncased",
}
_OUTSIDE = (
    ("torch.compile", "a compiled graph keeps other tensors than the eager layers of the formulas"),
    ("vramcalc", "the same run as a row of measured_a6000.csv, which counts once"),
    ("n/s", "batch and length are not stated"),
    ("FSDP; per-GPU peak", "the sharding strategy of the frozen weights is not stated"),
    ("GaLore", "projected gradients of GaLore are not modeled"),
    ("fsdp_qlora", "reserved memory of a prototype with two processes, adapters not stated"),
    ("Qwen3.8-27B", "the model's shape is not in the corpus"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measured run beside its estimate."""

    id: str
    task: str
    model: str
    measured_gib: float
    low_gib: float
    likely_gib: float
    high_gib: float

    @property
    def error(self) -> float:
        """Relative error of the likely figure; negative is too low."""
        return self.likely_gib / self.measured_gib - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """A measured run that the formulas do not cover."""

    id: str
    task: str
    model: str
    why: str


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_shapes(paths: Iterable[Path]) -> dict[str, ModelShape]:
    """The shapes of tables of models; the first column is the name."""
    rows: list[ModelRow] = []
    for path in paths:
        for cells in read_rows(path):
            name = next(iter(cells.values()))
            aliases = tuple(each for each in cells.get("aliases", "").split(";") if each)
            rows.append(
                ModelRow(
                    name=name,
                    aliases=aliases,
                    cells=cells,
                    document_id=DocumentId(path.stem),
                    start=0,
                    end=0,
                )
            )
    return shapes(rows)


def compare(folder: Path, models: Mapping[str, ModelShape]) -> tuple[list[Point], list[Outside]]:
    """All measured rows, in the tables' order: those with an estimate and those without."""
    points = [_a6000_point(row) for row in read_rows(folder / "measured_a6000.csv")]
    outside: list[Outside] = []
    for row in read_rows(folder / "published_memory_points.csv"):
        if row["kind"] != "measured":
            continue
        why = reason_outside(row)
        if why:
            outside.append(Outside(id=row["id"], task=row["task"], model=row["model"], why=why))
            continue
        points.append(_point(row, published_workload(row, models), float(row["published_gib"])))
    return points, outside


def reason_outside(row: Row) -> str:
    """Why the formulas do not cover a published row, or an empty string."""
    text = " ".join((row["source"], row["other"], row["model"], row["batch"]))
    return next((why for mark, why in _OUTSIDE if mark in text), "")


def a6000_workload(row: Row) -> Workload:
    """A row of `measured_a6000.csv`: inference there is a plain pass that keeps all logits."""
    lora = bool(row["lora_rank"])
    amp = row["precision"] == "amp"
    task: Task = "lora" if lora else _TASKS[row["mode"]]
    recipe = {
        (True, True): "adapter_autocast_adamw",
        (True, False): "adapter_fp32_adamw",
        (False, True): "autocast_adamw",
        (False, False): "pure_bf16_adamw",
    }[lora, amp]
    inference = row["mode"] == "inference"
    return Workload(
        task=Stated(value=task),
        shape=Stated(value=_a6000_shape(row)),
        precision=Stated(value="fp32" if amp and not inference else "bf16"),
        recipe=Stated(value=recipe),
        batch=Stated(value=int(row["batch"])),
        seq_len=Stated(value=int(row["seq_len"])),
        checkpointing=Stated(value=row["grad_checkpoint"] == "True"),
        attention=Stated(value="eager" if row["attention"] == "eager" else "sdpa"),
        full_prompt_logits=Stated(value=inference),
        lora_rank=Stated(value=int(row["lora_rank"] or 0)),
        lora_targets=Stated(value="attention"),
    )


def published_workload(row: Row, models: Mapping[str, ModelShape]) -> Workload:
    """A row of `published_memory_points.csv` that the formulas cover.

    litgpt computes the loss in chunks, keeps adapters in the model's precision and adapts query
    and value projections with rank 8; a short prompt is taken as 64 tokens.
    """
    name = _NAMES.get(row["model"], row["model"])
    precision = _precision(row["precision"])
    weights_only = "weights" in row["other"] or "loaded" in row["other"]
    seq_len = int(row["seq_len"]) if row["seq_len"].isdigit() else 64
    return Workload(
        task=Stated(value=_TASKS[row["task"]]),
        shape=Stated(value=replace(models[name], params_b=float(row["params_b"]))),
        precision=Stated(value=precision),
        recipe=Stated(value="adapter_bf16_adamw"),
        batch=Stated(value=int(row["batch"] or 1)),
        seq_len=Stated(value=1 if weights_only else seq_len),
        checkpointing=Stated(value=False),
        fused_loss=Stated(value=True),
        lora_rank=Stated(value=8),
        lora_targets=Stated(value="qv"),
        plan=Stated(value=Plan()),
    )


def summary(points: Sequence[Point]) -> list[str]:
    """Lines of a table by task: rows, median and 90th percentile of the error, high not below."""
    lines = [
        "| task | rows | median error | 90th percentile | worst | high not below | low not above |",
        "|---|---|---|---|---|---|---|",
    ]
    for task in [*sorted({each.task for each in points}), "all"]:
        chosen = [each for each in points if task in {each.task, "all"}]
        errors = sorted(abs(each.error) for each in chosen)
        worst = max((each.error for each in chosen), key=abs)
        covered = sum(each.high_gib >= each.measured_gib for each in chosen)
        above = sum(each.low_gib <= each.measured_gib for each in chosen)
        lines.append(
            f"| {task} | {len(chosen)} | {statistics.median(errors):.1%} "
            f"| {percentile(errors, 0.9):.1%} | {worst:+.1%} "
            f"| {covered} of {len(chosen)} | {above} of {len(chosen)} |"
        )
    return lines


def beside(points: Sequence[Point], others: Iterable[Row]) -> list[str]:
    """Lines of a table by calculator and task: rows covered, and the error on those rows."""
    by_id = {each.id: each for each in points}
    rows = list(others)
    lines = [
        "| calculator | task | rows | median error | 90th percentile | worst "
        "| Rigwise on the same rows: median | 90th percentile |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for tool in sorted({each["tool"] for each in rows}):
        mine = [each for each in rows if each["tool"] == tool and each["id"] in by_id]
        for task in [*sorted({by_id[each["id"]].task for each in mine}), "all"]:
            chosen = [each for each in mine if task in {by_id[each["id"]].task, "all"}]
            lines.append(_beside_line(tool, task, chosen, by_id))
    return lines


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of the ordered values do not exceed."""
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def main(arguments: Sequence[str], write: Callable[[str], object]) -> None:
    """Write the tables for the files named on the command line."""
    folder, models = Path(arguments[0]), read_shapes(map(Path, arguments[1].split(",")))
    points, outside = compare(folder, models)
    lines = [*summary(points), ""]
    for path in arguments[2:]:
        lines += [*beside(points, read_rows(Path(path))), ""]
    lines += ["| id | task | model | measured | low | likely | high | error |", "|" + "---|" * 8]
    lines += [
        f"| {each.id} | {each.task} | {each.model} | {each.measured_gib:.2f} | {each.low_gib:.2f} "
        f"| {each.likely_gib:.2f} | {each.high_gib:.2f} | {each.error:+.1%} |"
        for each in points
    ]
    lines += ["", "| id | task | model | why it is left out |", "|" + "---|" * 4]
    lines += [f"| {each.id} | {each.task} | {each.model} | {each.why} |" for each in outside]
    write("\n".join(lines) + "\n")


def _a6000_point(row: Row) -> Point:
    return _point(row, a6000_workload(row), float(row["total_gib"]))


def _point(row: Row, workload: Workload, measured_gib: float) -> Point:
    need = estimate(workload, models={})
    if need.total_gib is None or need.low_gib is None or need.high_gib is None:
        raise ValueError(f"row {row['id']} has no estimate: {', '.join(need.missing)}")
    return Point(
        id=row["id"],
        task=workload.task.value,
        model=row["model"],
        measured_gib=measured_gib,
        low_gib=need.low_gib,
        likely_gib=need.total_gib,
        high_gib=need.high_gib,
    )


def _a6000_shape(row: Row) -> ModelShape:
    cells = {**row, "tied": row["tied"].lower()}
    name = row["model"]
    return shapes(
        [ModelRow(name=name, aliases=(), cells=cells, document_id=DocumentId(""), start=0, end=0)]
    )[name]


def _precision(text: str) -> str:
    """The format in "bf16-true+bnb.nf4-dq" (litgpt) or "GGUF Q4_K_M (4.8944 bpw)" (llama.cpp)."""
    name = text.lower().partition("bnb.")[2] or text.lower()
    name = name.partition(" (")[0].removeprefix("gguf ").removesuffix("-true")
    return name.replace("-", "_")


def _beside_line(tool: str, task: str, rows: Sequence[Row], points: Mapping[str, Point]) -> str:
    errors = [float(each["gib"]) / points[each["id"]].measured_gib - 1 for each in rows]
    ordered = sorted(map(abs, errors))
    ours = sorted(abs(points[each["id"]].error) for each in rows)
    return (
        f"| {tool} | {task} | {len(rows)} | {statistics.median(ordered):.1%} "
        f"| {percentile(ordered, 0.9):.1%} | {max(errors, key=abs):+.1%} "
        f"| {statistics.median(ours):.1%} | {percentile(ours, 0.9):.1%} |"
    )


if __name__ == "__main__":
    main(sys.argv[1:], sys.stdout.write)
