"""Number the quotes: each statement gets the marks of the citations that support it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from indexer.generation import OpenIndex
from indexer.types import Passage
from service.errors import UncitedClaim
from service.types import Citation, Quote, Statement


def cite(
    statements: Sequence[Statement], index: OpenIndex
) -> tuple[tuple[Citation, ...], tuple[tuple[int, ...], ...]]:
    """The citations in the order of first use, numbered from 1, and for each statement the numbers of its own.

    Raises:
        UncitedClaim: a statement has neither a quote nor a computed number.
    """
    numbers: dict[Quote, int] = {}
    citations: list[Citation] = []
    marks = []
    for statement in statements:
        if not statement.quotes and not any(
            number.origin != "cited" for number in statement.numbers
        ):
            raise UncitedClaim(statement.text)
        own = []
        for quote in dict.fromkeys(statement.quotes or _inputs(statement)):
            if quote not in numbers:
                numbers[quote] = len(numbers) + 1
                citations.append(_citation(quote, numbers[quote], index))
            own.append(numbers[quote])
        marks.append(tuple(own))
    return tuple(citations), tuple(marks)


def _inputs(statement: Statement) -> tuple[Quote, ...]:
    """What a computed statement without quotes of its own stands on: the quotes of its numbers' inputs."""
    return tuple(
        entry.quote
        for number in statement.numbers
        for entry in (number.computation.inputs if number.computation else ())
        if entry.quote is not None
    )


def _citation(quote: Quote, n: int, index: OpenIndex) -> Citation:
    document = index.documents[quote.document_id]
    passage = passage_at(quote, index.by_document, index.passages)
    return Citation(
        n=n,
        passage_id=passage.id,
        document_id=document.id,
        title=document.title,
        path=document.path,
        url=document.url,
        kind=document.kind,
        as_of=document.as_of,
        heading_path=passage.heading_path,
        page=passage.page,
        quote=document.text[quote.start : quote.end],
        start=quote.start,
        end=quote.end,
    )


def passage_at(
    quote: Quote, by_document: Mapping[str, Sequence[int]], passages: Sequence[Passage]
) -> Passage:
    """The passage that a quote begins in, or the one before it when it begins between passages."""
    positions = by_document[quote.document_id]
    starts = [passages[position].start for position in positions]
    return passages[positions[max(0, bisect_right(starts, quote.start) - 1)]]
