"""Take over a model's sentences that pass the checker; where none does, the extracted statement stays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import structlog

from service.language.writer import Evidence, Sentence, Writer, WriterFailed
from service.types import Draft, Statement
from service.verify import Checker

_MOST_SENTENCES = 16
_MOST_CHARS = 500
# Markup, addresses and marks of citations are no part of a sentence, whoever asks for them.
_MARKUP = re.compile(r"https?:|www\.|[<>`\[\]{}|]|\*\*|\n|\]\(")
_log = structlog.get_logger()


def rephrase(draft: Draft, question: str, writer: Writer, checker: Checker) -> Draft:
    """The draft in the model's words, sentence by sentence where they hold.

    Computed statements stay as they are. A statement that no sound sentence stands on stays too, in its old place
    behind the sentences. `checks` counts the model's sentences and those that were dropped; a model that fails
    changes nothing.
    """
    known = {
        n: statement
        for n, statement in enumerate(draft.statements, start=1)
        if not any(number.origin == "computed" for number in statement.numbers)
    }
    if not known:
        return draft
    evidence = [Evidence(n=n, text=statement.text) for n, statement in known.items()]
    try:
        sentences = list(writer.write(question, evidence))
    except WriterFailed as error:
        _log.warning("language.failed", reason=str(error))
        return _counted(draft, sentences=0, dropped=0, failed=1)
    taken = [
        (sentence, statement)
        for sentence in sentences[:_MOST_SENTENCES]
        if (statement := _sound(sentence, known, checker)) is not None
    ]
    covered = {n for sentence, _ in taken for n in sentence.evidence}
    computed = [each for n, each in enumerate(draft.statements, start=1) if n not in known]
    rest = [statement for n, statement in known.items() if n not in covered]
    said = list({statement.text: statement for _, statement in taken}.values())
    return _counted(
        replace(draft, statements=(*computed, *said, *rest)),
        sentences=len(sentences),
        dropped=len(sentences) - len(taken),
        failed=0,
    )


def _sound(
    sentence: Sentence, known: Mapping[int, Statement], checker: Checker
) -> Statement | None:
    """The sentence as a statement with the quotes of its evidence; None when it fails a check."""
    text = " ".join(sentence.text.split(" ")).strip()
    if not text or len(text) > _MOST_CHARS or _MARKUP.search(text):
        return None
    if not sentence.evidence or any(n not in known for n in sentence.evidence):
        return None
    sources: Sequence[Statement] = [known[n] for n in dict.fromkeys(sentence.evidence)]
    statement = Statement(
        text=text,
        quotes=tuple(dict.fromkeys(quote for each in sources for quote in each.quotes)),
        numbers=tuple(dict.fromkeys(number for each in sources for number in each.numbers)),
    )
    verdict = checker.check(statement, rephrased=True)
    if verdict.faults:
        _log.info("language.dropped", reasons=verdict.reasons)
        return None
    return statement


def _counted(draft: Draft, *, sentences: int, dropped: int, failed: int) -> Draft:
    counts = {
        "language_sentences": sentences,
        "language_dropped": dropped,
        "language_failed": failed,
    }
    return replace(draft, checks={**draft.checks, **counts})
