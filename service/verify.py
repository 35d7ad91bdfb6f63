"""Check an answer as a stranger would: only its statements and the documents count, not how it was made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from indexer.types import Document
from service.numbers import Quantity, quantities, same
from service.types import Number, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with a statement, in words; empty when nothing is."""

    statement: Statement
    faults: tuple[str, ...]


def verify(
    statements: Sequence[Statement], documents: Mapping[str, Document]
) -> tuple[Verdict, ...]:
    """Check each statement: spans exist, numbers with units stand in a quote or are computed, qualifiers agree."""
    return tuple(
        Verdict(statement=statement, faults=tuple(_faults(statement, documents)))
        for statement in statements
    )


def _faults(statement: Statement, documents: Mapping[str, Document]) -> list[str]:
    faults = []
    quotes: list[str] = []
    titles: set[str] = set()
    for quote in statement.quotes:
        document = documents.get(quote.document_id)
        if document is None or not 0 <= quote.start < quote.end <= len(document.text):
            faults.append(f"no span {quote.start}:{quote.end} in {quote.document_id}")
            continue
        quotes.append(document.text[quote.start : quote.end])
        titles.add(document.title)
    if not quotes and not any(number.origin != "cited" for number in statement.numbers):
        faults.append("nothing supports it")
    known = [quantity for quote in quotes for quantity in quantities(quote)]
    plain = _without(statement.text, titles)
    faults.extend(
        f"{plain[stated.start : stated.end]} stands in no quote and is not computed"
        for stated in quantities(plain)
        if not any(same(stated, other) for other in known)
        and not _is_computed(stated, statement.numbers)
    )
    faults.extend(_misqualified(statement.text, quotes))
    return faults


def _without(text: str, titles: Collection[str]) -> str:
    """The text with the names of the quoted documents blanked: "80 GB" in a device's name states nothing."""
    for title in sorted(titles, key=len, reverse=True):
        text = text.replace(title, " " * len(title))
    return text


def _is_computed(stated: Quantity, numbers: Sequence[Number]) -> bool:
    """Whether the statement shows how it came to a number, or took it from the question."""
    for number in numbers:
        if number.origin == "cited":
            continue
        shown = quantities(f"{number.value!r} {number.unit}") or quantities(
            f"{number.value:.10g} {number.unit}"
        )
        if any(same(stated, other) for other in shown):
            return True
    return False


def _misqualified(text: str, quotes: Sequence[str]) -> list[str]:
    """A dense figure quoted from a sparse one, or a figure of one precision from another."""
    lowered = text.casefold()
    faults = []
    if ", dense" in lowered and quotes and all("sparsity: sparse" in quote for quote in quotes):
        faults.append("it says dense, its quotes are sparse figures")
    return faults
