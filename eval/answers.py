"""One answer against one case: every check that needs no reader and no language model."""

from __future__ import annotations

from collections.abc import Iterator

from eval.cases import Case
from eval.citing import Documents, citation_marks
from eval.fitting import fit_marks
from eval.marks import Mark, Outcome
from eval.numbers import expected, states
from eval.wording import forbidden_marks, makes_point, said
from service.types import Answer


def check(
    case: Case, answer: Answer, documents: Documents, *, milliseconds: float = 0.0
) -> Outcome:
    """All marks of an answer. `documents` are those of the generation that it was answered from."""
    text = said(answer)
    marks = [
        *_fact_marks(case, text),
        *_point_marks(case, text),
        *forbidden_marks(case, answer, text),
        *_kind_marks(case, answer),
        *citation_marks(answer, documents),
        *fit_marks(case, answer.recommendation),
    ]
    code = answer.abstention.code if answer.abstention else ""
    return Outcome(
        case=case,
        kind=answer.kind,
        code=code,
        said=text,
        marks=tuple(marks),
        milliseconds=milliseconds,
    )


def _fact_marks(case: Case, text: str) -> Iterator[Mark]:
    for fact in case.numeric_facts:
        wanted = expected(fact.value or 0.0, fact.unit or "", fact.tolerance)
        yield Mark(
            metric="fact",
            name=f"{fact.value:g} {fact.unit}: {fact.text}",
            right=states(text, wanted),
        )


def _point_marks(case: Case, text: str) -> Iterator[Mark]:
    for fact, phrases in case.points:
        yield Mark(
            metric="point",
            name=fact.text,
            right=makes_point(text, phrases),
            note=" | ".join(phrases),
        )


def _kind_marks(case: Case, answer: Answer) -> Iterator[Mark]:
    if case.kinds:
        yield Mark(
            metric="kind",
            name=" or ".join(case.kinds),
            right=answer.kind in case.kinds,
            note=answer.kind,
        )
    if case.abstention_code and answer.abstention is not None:
        code = answer.abstention.code
        yield Mark(
            metric="code", name=case.abstention_code, right=code == case.abstention_code, note=code
        )
