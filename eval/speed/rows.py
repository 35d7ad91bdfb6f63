"""The one kind of row that a speed report is made of, and the report."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from eval.speed.stats import Summary

FORMAT: Final = 1

Group = Literal[
    "ceiling",
    "embedding",
    "loadgen",
    "retrieval",
    "answer",
    "growth",
    "process",
    "load",
    "agreement",
    "energy",
    "cost",
]


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Row(_Stored):
    """One measurement. `skipped` says why there is none; `share` is the part of the machine's fp32 ceiling."""

    group: Group
    name: str
    unit: str = ""
    higher_is_better: bool = True
    device: str = "cpu"
    setting: dict[str, str | int | float] = {}
    median: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float = 0.0
    repetitions: int = 0
    noisy: bool = False
    share: float | None = None
    skipped: str = ""
    note: str = ""

    @property
    def key(self) -> str:
        """What makes two rows of two reports the same measurement."""
        words = " ".join(f"{name}={value}" for name, value in sorted(self.setting.items()))
        return f"{self.group}/{self.name}/{self.device}/{words}".rstrip("/")


class Goal(_Stored):
    """A ratio that the product promises, and what this run found."""

    name: str
    wanted: str
    found: float | None
    unit: str = ""
    held: bool | None = None
    note: str = ""


class Report(_Stored):
    """A speed run. `seconds` is how long it took, `latencies_ms` are whole distributions by name."""

    format: int = FORMAT
    made_at: str
    commit: str
    quick: bool
    seconds: float
    machine: dict[str, Any]
    versions: dict[str, str]
    rows: tuple[Row, ...]
    goals: tuple[Goal, ...] = ()
    latencies_ms: dict[str, tuple[float, ...]] = {}
    verdict: tuple[str, ...] = ()


def measured(row: Row, summary: Summary, *, share: float | None = None) -> Row:
    """The row with what was measured."""
    return row.model_copy(
        update={
            "median": summary.median,
            "low": summary.low,
            "high": summary.high,
            "spread": summary.spread,
            "repetitions": summary.repetitions,
            "noisy": summary.noisy,
            "share": share,
        }
    )


def single(row: Row, value: float) -> Row:
    """The row with a value that was counted or measured once."""
    return row.model_copy(update={"median": value, "low": value, "high": value, "repetitions": 1})
