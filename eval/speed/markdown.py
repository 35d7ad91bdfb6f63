"""A speed report as Markdown, and as a document of the corpus."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from eval.speed.rows import Goal, Report, Row
from eval.speed.verdict import machine_name

_TITLES: Final = {
    "ceiling": "The machine's limits",
    "embedding": "Embedding",
    "loadgen": "MLPerf LoadGen scenarios",
    "answer": "The answer path",
    "retrieval": "Retrieval alone",
    "growth": "Growth with the number of passages",
    "process": "Start and memory",
    "load": "A server under load",
    "agreement": "Agreement",
    "energy": "Energy",
    "cost": "Cost",
}


def markdown(report: Report) -> str:
    """Verdict, goals, machine, then a table for each group of rows."""
    lines = [f"# Speed on {machine_name(report.machine)}", ""]
    lines += [f"- {sentence}" for sentence in report.verdict]
    if report.goals:
        lines += ["", "## Goals", "", *goal_table(report.goals)]
    for group, title in _TITLES.items():
        rows = [row for row in report.rows if row.group == group]
        if rows:
            lines += ["", f"## {title}", "", *row_table(rows)]
    lines += ["", "## Machine and versions", ""]
    lines += [f"- {name}: {_plain(value)}" for name, value in report.machine.items()]
    lines += [f"- {name} {value}" for name, value in report.versions.items()]
    lines += [
        f"- commit {report.commit or 'unknown'}, made at {report.made_at} in {report.seconds:.0f} s"
    ]
    return "\n".join(lines) + "\n"


def goal_table(goals: Sequence[Goal]) -> Iterator[str]:
    """Each goal with what was found."""
    yield "| goal | wanted | found | held | note |"
    yield "|---|---|---|---|---|"
    for goal in goals:
        found = "" if goal.found is None else f"{goal.found:.4g} {goal.unit}".strip()
        held = {True: "yes", False: "no", None: "open"}[goal.held]
        yield f"| {goal.name} | {goal.wanted} | {found} | {held} | {goal.note} |"


def row_table(rows: Sequence[Row]) -> Iterator[str]:
    """Rows with their intervals; a noisy one says so, a skipped one says why."""
    yield "| what | device | setting | median | 95 % interval | unit | of the ceiling | note |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        yield "| " + " | ".join(_cells(row)) + " |"


def corpus_document(report: Report) -> str:
    """A document like any other: every sentence names machine and day, so that each can be cited alone."""
    name = machine_name(report.machine)
    day = report.made_at[:10]
    title = f"Is a GPU worth it for embedding here? Measured on {name}"
    lines = [
        "---",
        f"title: {json.dumps(title)}",
        f"as_of: {day}",
        "sources:",
        f'  measured: {{title: "Rigwise speed report, measured on this machine on {day}", as_of: {day}}}',
        "---",
        "",
        f"# {title}",
        "",
        "## Is a GPU worth it for embedding here, and how fast is the CPU?",
        "",
        *_sentences(report.verdict[:_FIRST]),
        "",
        f"## What else the speed run of {day} found on this machine",
        "",
        *_sentences([*report.verdict[_FIRST:], *_goal_sentences(report, name, day)]),
        "",
        "## What the machine can do at most",
        "",
        *_sentences(_ceilings(report, name, day)),
    ]
    return "\n".join(lines) + "\n"


def file_name(report: Report) -> str:
    """`<machine>-<date>.md`, in letters that every file system takes."""
    words = f"{report.machine['processor']} {report.machine['cores']} cores"
    slug = re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", words.lower())).strip("-")
    return f"{slug}-{report.made_at[:10]}.md"


# Sentences about the GPU and the rates come first in a verdict.
_FIRST: Final = 5


def _sentences(sentences: Sequence[str]) -> Iterator[str]:
    for sentence in sentences:
        yield f"{sentence}[^measured]"


def _goal_sentences(report: Report, name: str, day: str) -> Iterator[str]:
    words = {True: "held", False: "was missed", None: "was left open"}
    for goal in report.goals:
        if goal.found is not None:
            found = f"{goal.found:.3g} {goal.unit}".strip()
            note = f" ({goal.note})" if goal.note else ""
            yield (
                f"On the {name}, measured on {day}, the goal for {goal.name} {words[goal.held]}: "
                f"{goal.wanted} is wanted, and {found} was found{note}."
            )


def _ceilings(report: Report, name: str, day: str) -> list[str]:
    return [
        f"On the {name}, measured on {day}, {row.name} reached {row.median:.3g} {row.unit}"
        f"{', and the run was noisy' if row.noisy else ''}."
        for row in report.rows
        if row.group == "ceiling" and row.median is not None
    ]


def _cells(row: Row) -> tuple[str, ...]:
    setting = ", ".join(f"{key} {value}" for key, value in row.setting.items())
    if row.skipped:
        return row.name, row.device, setting, row.skipped, "", "", "", row.note
    interval = f"{row.low:.4g} to {row.high:.4g}" if row.repetitions > 1 else ""
    note = "; ".join(word for word in ("noisy" if row.noisy else "", row.note) if word)
    share = "" if row.share is None else f"{row.share:.0%}"
    return row.name, row.device, setting, f"{row.median:.4g}", interval, row.unit, share, note


def _plain(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
