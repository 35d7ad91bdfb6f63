"""What the checks of an answer yield: marks, one a thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eval.cases import Case
from service.types import Kind

# What a mark is about, in the order of the report. For each: what a right mark means.
METRICS: Final = {
    "fact": "numeric key facts with the right value and unit",
    "point": "points in words that are made",
    "must_not": "things that must not be said and are not",
    "kind": "answered, asked back or abstained as is right",
    "code": "abstentions with the right code",
    "span": "citations whose quote is the span of the document",
    "number": "numbers that stand in their quotes or are computed",
    "support": "statements that their quotes support (overlap of words)",
    "relevance": "citations that have to do with their statement",
    "verified": "statements in which the service's own checker finds no fault",
    "workload": "fields of the workload that are understood",
    "memory": "memory needs inside the known range",
    "feasible": "recommendations that offer a machine known to fit",
    "infeasible": "recommendations that offer none known not to fit",
    "same": "answers that are the same when asked again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One check: `name` is what was looked for, `note` what was found instead."""

    metric: str
    name: str
    right: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One case with what came back. `said` is all that a reader gets to see."""

    case: Case
    kind: Kind
    code: str
    said: str
    marks: tuple[Mark, ...]
    milliseconds: float = 0.0

    def of(self, metric: str) -> tuple[Mark, ...]:
        """The marks of one metric."""
        return tuple(mark for mark in self.marks if mark.metric == metric)

    @property
    def faults(self) -> tuple[Mark, ...]:
        """What is wrong."""
        return tuple(mark for mark in self.marks if not mark.right)

    @property
    def score(self) -> int:
        """As in CRAG: right 1, no answer 0, wrong -1.

        Right: nothing forbidden is said and at least half of the facts and points are there; where no
        answer is right, that none is given.
        """
        if any(not mark.right for mark in self.of("must_not")):
            return -1
        if "answer" not in self.case.kinds and self.case.kinds:
            return 1 if self.kind in self.case.kinds else -1
        if self.kind != "answer":
            return 1 if self.kind in self.case.kinds else 0
        wanted = [*self.of("fact"), *self.of("point")]
        return 1 if 2 * sum(mark.right for mark in wanted) >= len(wanted) else -1
