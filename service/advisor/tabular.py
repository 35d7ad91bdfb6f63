"""Tables: host memory for classical machine learning and boosted trees, and when a GPU helps."""

from __future__ import annotations

from dataclasses import dataclass

from service.advisor.formula import computed
from service.advisor.parts import GIB, Spread, given, part
from service.advisor.types import MemoryPart, Need, Plan, Task, Workload
from service.types import Input, Number

_DTYPE_BYTES = {
    "float64": 8,
    "int64": 8,
    "float32": 4,
    "int32": 4,
    "float16": 2,
    "int16": 2,
    "int8": 1,
    "bool": 1,
}
_XGBOOST = (
    "dmlc/xgboost issue 11592: the quantized matrix takes about half of 32-bit floats or less"
)
_PANDAS = "Wes McKinney, Apache Arrow and the 10 things I hate about pandas (2017)"
_MISSING = "rows and columns of the table, or its size"
_CAVEAT = "a rule of thumb: no formula with a known error exists for tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """How many times the raw table lies in memory while a library works on it."""

    likely: float
    low: float
    high: float
    source: str


COPIES: dict[Task, Copies] = {
    "gradient_boosting": Copies(likely=2.0, low=1.5, high=3.0, source=_XGBOOST),
    "classical_ml": Copies(
        likely=3.0, low=2.0, high=5.0, source="the table, a training split and the library's copy"
    ),
    "data_preparation": Copies(likely=5.0, low=2.0, high=10.0, source=_PANDAS),
}


def raw_gib(workload: Workload) -> tuple[str, tuple[Input, ...]] | None:
    """The table's size in memory as a formula in GiB, from its shape or its stated size."""
    if workload.dataset_rows is not None and workload.dataset_columns is not None:
        dtype = workload.dataset_dtype.value if workload.dataset_dtype is not None else "float32"
        return f"rows*columns*value_bytes / {GIB}", (
            *given("rows", workload.dataset_rows.value, "rows", basis="question"),
            *given("columns", workload.dataset_columns.value, "columns", basis="question"),
            *given("value_bytes", _DTYPE_BYTES.get(dtype, 4), "B", basis="assumed", note=dtype),
        )
    if workload.dataset_gb is None:
        return None
    size = given("dataset_gb", workload.dataset_gb.value, "GB", basis="question")
    return f"dataset_gb*1e9 / {GIB}", size


def table_need(workload: Workload) -> Need:
    """Host memory: the raw table times the copies that the library makes.

    XGBoost's histogram method adds a quantized matrix (dmlc/xgboost, issue 11592); pandas is
    planned with 5 to 10 times the data (Wes McKinney, 2017). All of these are planning rules.
    """
    raw = raw_gib(workload)
    if raw is None:
        return _need(workload, parts=(), ram_gib=None)
    formula, inputs = raw
    copies = COPIES[workload.task.value]
    table = part(
        "the table and the library's copies",
        "buffers",
        formula=f"{formula}*copies",
        inputs=(*inputs, *given("copies", copies.likely, "", basis="assumed", note=copies.source)),
        source=copies.source,
        spread=Spread(low=copies.low / copies.likely, high=copies.high / copies.likely),
    )
    ram = Number(value=table.gib, unit="GiB", origin="computed", computation=table.computation)
    return _need(workload, parts=(table,), ram_gib=ram)


def boosting_gpu_gib(workload: Workload) -> Number | None:
    """GPU memory for the quantized matrix of histogram boosting: half of the 32-bit table.

    dmlc/xgboost, issue 11592; None unless boosted trees on a table of known size are meant.
    """
    raw = raw_gib(workload)
    if raw is None or workload.task.value != "gradient_boosting":
        return None
    formula, inputs = raw
    return computed(f"{formula}*0.5", "GiB", inputs, source=_XGBOOST)


def gpu_helps(task: Task) -> str:
    """Whether a GPU helps this task on tables, in one sentence."""
    return {
        "gradient_boosting": "A GPU is optional: it speeds up histogram training if the quantized "
        "matrix fits its memory, and a CPU server gives the same trees.",
        "classical_ml": "scikit-learn runs on the CPU; a GPU helps only libraries made for it.",
        "data_preparation": "Joins and aggregations are bound by memory, disks and network: more "
        "RAM or more CPU machines help before a GPU does.",
    }[task]


def _need(workload: Workload, *, parts: tuple[MemoryPart, ...], ram_gib: Number | None) -> Need:
    first = parts[0] if parts else None
    return Need(
        total_gib=first.gib if first else None,
        low_gib=first.low_gib if first else None,
        high_gib=first.high_gib if first else None,
        context_gib=0.0,
        parts=parts,
        plan=Plan(),
        status="rule",
        ram_gib=ram_gib,
        storage_gb=_storage(workload),
        caveats=("this is host memory, not a GPU's", _CAVEAT, gpu_helps(workload.task.value)),
        missing=() if parts else (_MISSING,),
    )


def _storage(workload: Workload) -> Number | None:
    raw = raw_gib(workload)
    if raw is None:
        return None
    formula, inputs = raw
    source = "stas00/ml-engineering, storage: 80 % full"
    return computed(f"{formula}*{GIB}/1e9/0.8", "GB", inputs, source=source)
