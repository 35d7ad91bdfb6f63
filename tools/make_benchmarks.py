"""Make the tables of benchmark results from the transcribed MLPerf tables.

Example: python -m tools.make_benchmarks raw-tables corpus/benchmarks
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from tools.offer_rows import Raw, read_raw

# Patterns over the submitters' spellings, tried in this order. No match, a mixed fleet or a board of two
# GPUs leaves the device empty: the spelling of the submission stands beside it in every row.
_DEVICES: Final[Sequence[tuple[str, str]]] = (
    (r"x\d+\).*x\d+\)|Dual", ""),
    (r"MI300X", "amd-mi300x"),
    (r"MI325X", "amd-mi325x"),
    (r"MI350X", "amd-mi350x"),
    (r"MI355X", "amd-mi355x"),
    (r"GB200", "nvidia-gb200"),
    (r"GB300", "nvidia-gb300"),
    (r"B200-SXM", "nvidia-b200-sxm-180gb"),
    (r"B300-SXM", "nvidia-b300-sxm-288gb"),
    (r"GH200.*144GB", "nvidia-gh200-144gb"),
    (r"H100-SXM", "nvidia-h100-sxm-80gb"),
    (r"H100-NVL", "nvidia-h100-nvl-94gb"),
    (r"H200-SXM", "nvidia-h200-sxm-141gb"),
    (r"H200-NVL", "nvidia-h200-nvl-141gb"),
    (r"RTX PRO 6000 Blackwell Server|RTX Pro 6000 SE", "nvidia-rtx-pro-6000-server"),
    (r"RTX 4090", "nvidia-rtx-4090"),
    (r"RTX 4000 Ada", "nvidia-rtx-4000-ada"),
    (r"L40S", "nvidia-l40s"),
    (r"L4-PCIe", "nvidia-l4"),
    (r"Jetson AGX Thor", "nvidia-jetson-agx-thor"),
)
_TASKS: Final[Mapping[str, str]] = {
    "3d-unet": "medical image segmentation, 3D U-Net",
    "deepseek-r1": "text generation, DeepSeek-R1",
    "dlrm-v2": "recommendation, DLRM v2",
    "dlrm_dcnv2": "recommendation, DLRM DCN v2",
    "flux1": "text-to-image training, FLUX.1",
    "llama2-70b": "text generation, Llama 2 70B",
    "llama2_70b_lora": "LoRA fine-tuning, Llama 2 70B",
    "llama3.1-405b": "text generation, Llama 3.1 405B",
    "llama3.1-8b": "text generation, Llama 3.1 8B",
    "llama31_405b": "pretraining, Llama 3.1 405B",
    "llama31_8b": "pretraining, Llama 3.1 8B",
    "mixtral-8x7b": "text generation, Mixtral 8x7B",
    "pointpainting": "3D object detection, PointPainting",
    "resnet": "image classification, ResNet-50",
    "retinanet": "object detection, RetinaNet",
    "rgat": "graph neural network, R-GAT",
    "stable-diffusion-xl": "text to image, Stable Diffusion XL",
    "whisper": "speech to text, Whisper",
}
_VARIANT: Final = re.compile(r"-(?:99(?:\.9)?|edge)$")
_TRAINING_NOTE: Final = "Time to train in minutes, computed by Rigwise from the published logs; not an official MLPerf figure."
TRAINING_COLUMNS: Final = [
    "round",
    "benchmark",
    "task",
    "submitter",
    "system",
    "accelerator",
    "device",
    "accelerators_total",
    "nodes",
    "time_to_train_min",
    "runs",
    "successful_runs",
    "global_batch_samples",
    "framework",
    "division",
    "availability",
    "as_of",
    "source",
    "note",
]
INFERENCE_COLUMNS: Final = [
    "result_id",
    "round",
    "suite",
    "benchmark",
    "task",
    "scenario",
    "submitter",
    "system",
    "accelerator",
    "device",
    "accelerators_total",
    "nodes",
    "processor",
    "result",
    "unit",
    "weight_types",
    "software",
    "division",
    "availability",
    "as_of",
    "source",
]


def device_id(accelerator: str) -> str:
    """The id of the spec sheet of a submitter's accelerator, or an empty string."""
    return next((name for pattern, name in _DEVICES if re.search(pattern, accelerator)), "")


def training_rows(rows: Iterable[Raw]) -> Iterator[dict[str, str]]:
    """Closed division; one row a result."""
    for raw in rows:
        if raw["division"] == "closed":
            yield {
                "round": f"MLPerf {raw['round']}",
                "benchmark": raw["benchmark"],
                "task": _TASKS[raw["benchmark"]],
                "submitter": raw["submitter"],
                "system": raw["system"],
                "accelerator": raw["accelerator"],
                "device": device_id(raw["accelerator"]),
                "accelerators_total": _total(raw),
                "nodes": raw["nodes"],
                "time_to_train_min": raw["time_to_train_min"],
                "runs": raw["n_runs"],
                "successful_runs": raw["n_success"],
                "global_batch_samples": raw["global_batch"],
                "framework": raw["framework"],
                "division": raw["division"],
                "availability": raw["status"],
                "as_of": "2025-11",
                "source": raw["source"],
                "note": _TRAINING_NOTE,
            }


def inference_rows(rows: Iterable[Raw]) -> Iterator[dict[str, str]]:
    """Closed division; one row a result. Without an accelerator the processor did the work."""
    for raw in rows:
        if raw["division"] == "closed":
            yield {
                "result_id": raw["id"],
                "round": f"MLPerf {raw['round']}",
                "suite": raw["suite"],
                "benchmark": raw["model"],
                "task": _TASKS[_VARIANT.sub("", raw["model"])],
                "scenario": raw["scenario"],
                "submitter": raw["submitter"],
                "system": raw["system"],
                "accelerator": raw["accelerator"],
                "device": device_id(raw["accelerator"]),
                "accelerators_total": _total(raw),
                "nodes": raw["nodes"],
                "processor": raw["processor"],
                "result": raw["result"],
                "unit": raw["units"],
                "weight_types": _weight_types(raw["weight_dtypes"]),
                "software": raw["software"],
                "division": raw["division"],
                "availability": raw["availability"],
                "as_of": "2025-09",
                "source": f"ntuhpc/inference_results_v5.1@387c3dd: {raw['location']}",
            }


def _total(raw: Raw) -> str:
    each = raw["accelerators_per_node"]
    return str(int(each) * int(raw["nodes"])) if each and raw["nodes"] else ""


def _weight_types(text: str) -> str:
    return "" if text == "UNSET" else re.sub(r"[{}']", "", text).lower()


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> int:
    """Write the rows, sorted by all their cells, aside first and then in place; returns how many."""
    ordered = sorted([" ".join(row[name].split()) for name in columns] for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".csv.new")
    with aside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(ordered)
    aside.replace(path)
    return len(ordered)


def main(
    raw: Annotated[Path, typer.Argument(help="The folder of the raw tables.", exists=True)],
    out: Annotated[Path, typer.Argument(help="The folder to write to.")] = Path(
        "corpus/benchmarks"
    ),
) -> None:
    """Make corpus/benchmarks/mlperf-*.csv; e.g. `python -m tools.make_benchmarks raw-tables`."""
    training = training_rows(read_raw(raw / "mlperf_training_v5.1_from_logs.csv"))
    inference = inference_rows(read_raw(raw / "mlperf_inference_v5.1.csv"))
    for name, columns, rows in (
        ("mlperf-training-v5.1.csv", TRAINING_COLUMNS, training),
        ("mlperf-inference-v5.1.csv", INFERENCE_COLUMNS, inference),
    ):
        typer.echo(f"{name}: {write_table(out / name, columns, rows)} results")


if __name__ == "__main__":
    typer.run(main)
