"""The report of a quality run: what is stored, the figures that follow from it, and its Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from eval.bootstrap import Interval, share
from eval.marks import METRICS, Outcome
from eval.retrieval import SetResult

FORMAT: Final = 1


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fault(_Stored):
    """Something wrong in one answer."""

    metric: str
    name: str
    note: str = ""


class CaseRow(_Stored):
    """One case: counts by metric are (right, looked at)."""

    id: str
    category: str
    wanted: tuple[str, ...]
    kind: str
    code: str
    score: int
    milliseconds: float
    counts: dict[str, tuple[int, int]]
    faults: tuple[Fault, ...]
    said: str = ""


class SetRow(_Stored):
    """One labeled set: each measure's value by query."""

    name: str
    queries: int
    passages: int
    measures: dict[str, dict[str, float]]


class Report(_Stored):
    """All of a run. The same product and the same cases give the same report, `milliseconds` aside."""

    format: int = FORMAT
    generation: str = ""
    embedder: str = ""
    files: tuple[str, ...] = ()
    cases: tuple[CaseRow, ...] = ()
    sets: tuple[SetRow, ...] = ()
    skipped: tuple[str, ...] = ()


def case_row(outcome: Outcome, *, file: str = "") -> CaseRow:
    """An outcome as it is stored; `file` keeps ids of several files apart."""
    counts = {
        metric: (sum(mark.right for mark in marks), len(marks))
        for metric in METRICS
        if (marks := outcome.of(metric))
    }
    return CaseRow(
        id=f"{file}:{outcome.case.id}" if file else outcome.case.id,
        category=outcome.case.category or "other",
        wanted=outcome.case.kinds,
        kind=outcome.kind,
        code=outcome.code,
        score=outcome.score,
        milliseconds=round(outcome.milliseconds, 1),
        counts=counts,
        faults=tuple(
            Fault(metric=mark.metric, name=mark.name, note=mark.note) for mark in outcome.faults
        ),
        said=outcome.said[:400],
    )


def set_row(result: SetResult) -> SetRow:
    """A set's result as it is stored."""
    rounded = {
        name: {query: round(value, 6) for query, value in sorted(values.items())}
        for name, values in result.measures.items()
    }
    return SetRow(
        name=result.name, queries=result.queries, passages=result.passages, measures=rounded
    )


def counted(rows: Sequence[CaseRow], metric: str) -> tuple[int, int]:
    """Right and looked at, over all rows."""
    pairs = [row.counts.get(metric, (0, 0)) for row in rows]
    return sum(right for right, _ in pairs), sum(total for _, total in pairs)


def interval(rows: Sequence[CaseRow], metric: str) -> Interval:
    """The share that is right, with its interval over the cases."""
    pairs = [row.counts.get(metric, (0, 0)) for row in rows]
    return share([right for right, _ in pairs], [total for _, total in pairs])


def abstention(rows: Sequence[CaseRow]) -> dict[str, tuple[int, int]]:
    """Abstention as (right, of): precision, recall, and false ones among the answerable.

    Asking back counts as not answering. Cases whose kind is not judged are left out.
    """
    judged = [row for row in rows if row.wanted]
    silent = [row for row in judged if row.kind != "answer"]
    unanswerable = [row for row in judged if "answer" not in row.wanted]
    answerable = [row for row in judged if row.wanted == ("answer",)]
    return {
        "precision": (
            sum("answer" not in row.wanted or len(row.wanted) > 1 for row in silent),
            len(silent),
        ),
        "recall": (sum(row.kind != "answer" for row in unanswerable), len(unanswerable)),
        "false abstentions": (sum(row.kind != "answer" for row in answerable), len(answerable)),
    }


def markdown(report: Report) -> str:
    """The report for a reader."""
    lines = [
        "# Quality",
        "",
        f"Generation `{report.generation}`, embedder `{report.embedder}`.",
        "",
    ]
    lines += [f"Cases: {', '.join(report.files) or 'none'}.", ""]
    lines += [f"- skipped: {text}" for text in report.skipped]
    if report.cases:
        lines += ["", *_overall(report.cases), "", *_by_category(report.cases)]
    if report.sets:
        lines += ["", *_retrieval(report.sets)]
    if report.cases:
        lines += ["", *_failures(report.cases)]
    return "\n".join(lines) + "\n"


def _overall(rows: Sequence[CaseRow]) -> Iterator[str]:
    yield "## Answers"
    yield ""
    yield "| what | right | of | share | 95 % interval |"
    yield "|---|---|---|---|---|"
    for metric, meaning in METRICS.items():
        right, total = counted(rows, metric)
        if total:
            found = interval(rows, metric)
            yield (
                f"| {meaning} | {right} | {total} | {found.value:.1%} | "
                f"{found.low:.1%} to {found.high:.1%} |"
            )
    for name, (right, total) in abstention(rows).items():
        title = name if name.startswith("false") else f"abstention {name}"
        yield f"| {title} | {right} | {total} | {right / total if total else 0:.1%} | |"
    mean = sum(row.score for row in rows) / len(rows)
    yield f"| score (right +1, no answer 0, wrong -1) | | {len(rows)} | {mean:+.3f} | |"


def _by_category(rows: Sequence[CaseRow]) -> Iterator[str]:
    names = [metric for metric in METRICS if counted(rows, metric)[1]]
    yield "## By category"
    yield ""
    yield "| category | cases | " + " | ".join(names) + " | score |"
    yield "|---|---|" + "---|" * (len(names) + 1)
    for category in sorted({row.category for row in rows}):
        own = [row for row in rows if row.category == category]
        cells = [
            f"{right}/{total}" if total else ""
            for right, total in (counted(own, name) for name in names)
        ]
        mean = sum(row.score for row in own) / len(own)
        yield f"| {category} | {len(own)} | " + " | ".join(cells) + f" | {mean:+.2f} |"


def _retrieval(sets: Sequence[SetRow]) -> Iterator[str]:
    yield "## Retrieval"
    yield ""
    yield "| set | queries | passages | measure | value | 95 % interval |"
    yield "|---|---|---|---|---|---|"
    for row in sets:
        for name, values in row.measures.items():
            found = share(list(values.values()), [1.0] * len(values))
            yield (
                f"| {row.name} | {row.queries} | {row.passages} | {name} | {found.value:.4f} | "
                f"{found.low:.4f} to {found.high:.4f} |"
            )


def _failures(rows: Sequence[CaseRow]) -> Iterator[str]:
    yield "## What is wrong, case by case"
    for row in rows:
        if row.faults:
            yield ""
            yield f"### {row.id} ({row.category}, {row.kind}{' ' + row.code if row.code else ''})"
            yield ""
            yield from (f"- {_fault(fault)}" for fault in row.faults)
            yield f"- said: {' '.join(row.said.split())[:300]}"


def _fault(fault: Fault) -> str:
    note = f" (got: {fault.note})" if fault.note else ""
    return f"{fault.metric}: {' '.join(fault.name.split())}{' '.join(note.split(chr(10)))}"
