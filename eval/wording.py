"""What an answer says, and whether a phrase or a figure is part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eval.cases import Case, Forbidden
from eval.marks import Mark
from eval.numbers import expected, states
from service.advisor.types import Option, Recommendation
from service.render import table_markdown
from service.types import Answer, Statement

_CITED = re.compile(r"\[\d+\]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CONTRAST = re.compile(
    r"\b(?:not|unlike|instead|rather|whereas|while|versus|vs|against|but|older|newer|compared|other|differs?|"
    r"twice|double|half|claim\w*|outdated|wrong|sparse|sparsity)\b",
    re.IGNORECASE,
)


def said(answer: Answer) -> str:
    """All words that a reader gets: text, table, abstention, recommendation; citation marks left out."""
    parts = [answer.text]
    if answer.table is not None:
        parts.append(table_markdown(answer.table))
    if answer.abstention is not None:
        parts += [answer.abstention.why, answer.abstention.ask]
    if answer.recommendation is not None:
        parts += _recommended(answer.recommendation)
    return _CITED.sub("", "\n".join(part for part in parts if part))


def makes_point(text: str, phrases: Sequence[str]) -> bool:
    """Whether any phrase stands in the text: short ones as words, longer ones as beginnings of words."""
    plain = _plain(text)
    return any(_pattern(phrase).search(plain) for phrase in phrases)


def forbidden_marks(case: Case, answer: Answer, text: str) -> Iterator[Mark]:
    """One mark for each thing that must not be said."""
    plain = _plain(text)
    for item in case.must_not:
        if isinstance(item, str):
            found = f" {_plain(item)}" in f" {plain}"
            yield Mark(metric="must_not", name=item, right=not found)
        else:
            guilty = _given_as_answer(case, answer, item)
            yield Mark(
                metric="must_not", name=f"{item.value:g} {item.unit}", right=not guilty, note=guilty
            )


def _plain(text: str) -> str:
    without_commas = re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold())
    return " ".join(without_commas.replace("’", "'").split())


def _pattern(phrase: str) -> re.Pattern[str]:
    plain = re.escape(_plain(phrase))
    if _CJK.search(phrase):
        return re.compile(plain)
    return re.compile(rf"(?<!\w){plain}(?!\w)" if len(phrase) <= 3 else rf"(?<!\w){plain}")


def _given_as_answer(case: Case, answer: Answer, item: Forbidden) -> str:
    """The statement that gives the figure as the answer, or nothing.

    That is the first statement or one that cites a spec sheet of the devices asked about; it does not
    contrast, and it does not also give a right figure of the same unit.
    """
    wanted = expected(item.value, item.unit, 0.002)
    rights = [
        right
        for fact in case.numeric_facts
        if (right := expected(fact.value or 0.0, fact.unit or "", fact.tolerance)).dimension
        == wanted.dimension
    ]
    rows = answer.table.rows if answer.table else ()
    for position, statement in enumerate((*answer.statements, *rows)):
        if item.scope == "as_answer" and position and not _about(statement, answer):
            continue
        for sentence in re.split(r"(?<=[.!?;])\s+", statement.text):
            contrasts = _CONTRAST.search(sentence) or any(
                states(sentence, right) for right in rights
            )
            if states(sentence, wanted) and (item.scope == "anywhere" or not contrasts):
                return sentence
    return ""


def _about(statement: Statement, answer: Answer) -> bool:
    return any(quote.document_id.rsplit("/", 1)[-1] in answer.devices for quote in statement.quotes)


def _recommended(recommendation: Recommendation) -> Iterator[str]:
    need = recommendation.need
    if need.total_gib is not None:
        yield f"Memory: {need.total_gib:.4g} GiB, from {need.low_gib:.4g} GiB up to {need.high_gib:.4g} GiB."
    for part in need.parts:
        yield f"{part.name}: {part.gib:.4g} GiB."
    for option in recommendation.options:
        yield _option_line(option)
        yield from (reason.text for reason in option.reasons)
    yield from (rejected.statement.text for rejected in recommendation.rejected)
    yield from (
        statement.text for statement in (*recommendation.assumptions, *recommendation.warnings)
    )
    yield from (change.statement.text for change in recommendation.sensitivity)


def _option_line(option: Option) -> str:
    parts = [
        f"{option.count} x {option.device}",
        option.where,
        option.provider,
        option.instance,
        option.region,
    ]
    if option.cost is not None:
        if option.cost.usd_per_hour is not None:
            parts.append(f"{option.cost.usd_per_hour:g} USD/h as of {option.cost.as_of}")
        if option.cost.total_usd is not None:
            parts.append(f"{option.cost.total_usd:g} USD")
    if option.hours is not None:
        parts.append(f"{option.hours.value:g} {option.hours.unit}")
    return ", ".join(part for part in parts if part) + "."
