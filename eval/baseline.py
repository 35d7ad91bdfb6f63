"""A saved report as the measure of the next one: save, compare, and a gate that fails on a drop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval.bootstrap import Interval, change
from eval.report import Report

# One fault more in these is a broken promise, however many cases there are.
STRICT: Final = ("span", "number", "verified", "must_not", "infeasible", "same")
_SOFT: Final = (
    "fact",
    "point",
    "kind",
    "code",
    "support",
    "relevance",
    "workload",
    "memory",
    "feasible",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One metric against the baseline, over what both have. `failed`: the gate does not let it pass."""

    metric: str
    change: Interval
    failed: bool
    cases: tuple[str, ...] = ()


def save_report(report: Report, path: Path) -> None:
    """Write a report as JSON, aside and then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)


def compare(before: Report, after: Report) -> tuple[Change, ...]:
    """Every metric that both reports have.

    A strict metric fails with one fault more in a case that both have; every other one where the whole
    95 % interval of the change lies below zero.
    """
    return (*_answers(before, after), *_scores(before, after), *_sets(before, after))


def passes(changes: tuple[Change, ...]) -> bool:
    """Whether the gate opens."""
    return not any(item.failed for item in changes)


def change_table(changes: tuple[Change, ...]) -> str:
    """The comparison in Markdown, failures named."""
    lines = ["| metric | change | 95 % interval | gate | worse in |", "|---|---|---|---|---|"]
    for item in changes:
        found = item.change
        named = ", ".join(item.cases[:8]) + (" …" if len(item.cases) > 8 else "")
        verdict = "FAILED" if item.failed else "passed"
        lines.append(
            f"| {item.metric} | {found.value:+.4f} | {found.low:+.4f} to {found.high:+.4f} | {verdict} | {named} |"
        )
    return "\n".join(lines) + "\n"


def _answers(before: Report, after: Report) -> Iterator[Change]:
    for metric in (*_SOFT, *STRICT):
        old, new = _counts(before, metric), _counts(after, metric)
        if not old.keys() & new.keys():
            continue
        found = change(old, new)
        worse = tuple(
            name
            for name in sorted(old.keys() & new.keys())
            if _faults(new[name]) > _faults(old[name])
        )
        failed = bool(worse) if metric in STRICT else found.high < 0
        yield Change(metric=metric, change=found, failed=failed, cases=worse)


def _scores(before: Report, after: Report) -> Iterator[Change]:
    old = {row.id: (float(row.score), 1.0) for row in before.cases}
    new = {row.id: (float(row.score), 1.0) for row in after.cases}
    if old.keys() & new.keys():
        found = change(old, new)
        worse = tuple(name for name in sorted(old.keys() & new.keys()) if new[name] < old[name])
        yield Change(metric="score", change=found, failed=found.high < 0, cases=worse)


def _sets(before: Report, after: Report) -> Iterator[Change]:
    known = {row.name: row for row in before.sets}
    for row in after.sets:
        for measure, values in row.measures.items():
            old = known[row.name].measures.get(measure, {}) if row.name in known else {}
            if old.keys() & values.keys():
                found = change(_pairs(old), _pairs(values))
                yield Change(metric=f"{row.name} {measure}", change=found, failed=found.high < 0)


def _counts(report: Report, metric: str) -> dict[str, tuple[float, float]]:
    return {row.id: row.counts[metric] for row in report.cases if metric in row.counts}


def _pairs(values: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    return {name: (value, 1.0) for name, value in values.items()}


def _faults(pair: tuple[float, float]) -> float:
    return pair[1] - pair[0]
