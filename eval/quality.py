"""The quality run: ask every case, rank every labeled set, put it all into one report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Protocol

from eval.answers import check
from eval.cases import Case, load_cases
from eval.labeled import find_sets
from eval.marks import Mark, Outcome
from eval.report import CaseRow, Report, case_row, set_row
from eval.retrieval import run_folder
from indexer.embedders import Embedder
from indexer.generation import OpenIndex
from service.render import answer_object
from service.types import Answer, Question

SHIPPED = Path(__file__).parent / "data" / "questions.jsonl"
# Asking again costs as much as asking; every n-th case is enough to notice an order that flickers.
_ASKED_TWICE = 5


class Answerer(Protocol):
    """What is measured: the service's engine, in this process."""

    def answer(self, question: Question) -> Answer:
        """Answer, ask back or abstain."""
        ...

    def index(self) -> OpenIndex:
        """The generation in use."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run covers. `queries` above zero thins each labeled set to that many."""

    cases: tuple[Path, ...] = (SHIPPED,)
    sets: Path | None = None
    cache: Path = Path("var/eval")
    queries: int = 0
    skipped: tuple[str, ...] = ()


def plan_for(
    shared: Path,
    *,
    cases: Sequence[Path] = (),
    sets: Path | None = None,
    cache: Path,
    queries: int = 0,
) -> Plan:
    """The given files, or the shipped ones and those under `shared`; what is not there is named as skipped."""
    skipped = []
    files = list(cases)
    if not files:
        files = [SHIPPED]
        for path in (shared / "questions" / "dev.jsonl", shared / "questions" / "forum_dev.jsonl"):
            if path.is_file():
                files.append(path)
            else:
                skipped.append(f"{path}: not there")
    folder = sets or (shared / "evalsets" if not cases else None)
    if folder is not None and not find_sets(folder):
        skipped.append(f"{folder}: no labeled sets there, retrieval is not measured")
        folder = None
    return Plan(
        cases=tuple(files), sets=folder, cache=cache, queries=queries, skipped=tuple(skipped)
    )


def run(
    plan: Plan,
    engine: Answerer,
    embedder: Embedder,
    *,
    told: Callable[[str], None],
    clock: Callable[[], float] = perf_counter,
) -> Report:
    """Run a plan. `told` hears of each step; `clock` times the answers.

    Raises:
        BadCaseFile: a file of cases cannot be used.
        MissingExtra: a labeled set needs a library that is not installed.
    """
    rows: list[CaseRow] = []
    for path in plan.cases:
        cases = load_cases(path)
        told(f"{len(cases)} cases of {path.name}")
        rows.extend(
            case_row(outcome, file=path.stem) for outcome in ask_all(cases, engine, clock=clock)
        )
    sets = []
    for folder in find_sets(plan.sets) if plan.sets else ():
        told(f"labeled set {folder.name}")
        sets.append(set_row(run_folder(folder, embedder, plan.cache, most=plan.queries)))
    index = engine.index()
    return Report(
        generation=index.id,
        embedder=index.manifest.embedder.model,
        files=tuple(path.name for path in plan.cases),
        cases=tuple(rows),
        sets=tuple(sets),
        skipped=plan.skipped,
    )


def ask_all(
    cases: Sequence[Case], engine: Answerer, *, clock: Callable[[], float] = perf_counter
) -> Iterator[Outcome]:
    """Ask every case, some of them twice, and check what comes back."""
    for position, case in enumerate(cases):
        question = Question(text=case.question, conversation=case.conversation)
        start = clock()
        answer = engine.answer(question)
        outcome = check(
            case, answer, engine.index().documents, milliseconds=(clock() - start) * 1000
        )
        if position % _ASKED_TWICE == 0:
            same = _bytes(engine.answer(question)) == _bytes(answer)
            outcome = _with(outcome, Mark(metric="same", name=case.id, right=same))
        yield outcome


def _with(outcome: Outcome, mark: Mark) -> Outcome:
    return Outcome(
        case=outcome.case,
        kind=outcome.kind,
        code=outcome.code,
        said=outcome.said,
        marks=(*outcome.marks, mark),
        milliseconds=outcome.milliseconds,
    )


def _bytes(answer: Answer) -> str:
    """An answer without what may differ."""
    whole = answer_object(answer)
    return json.dumps({**whole, "id": "", "timings_ms": {}}, sort_keys=True)
