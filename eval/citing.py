"""Citations checked without a language model: spans, numbers, and overlap of words as a stand-in for support."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from eval.marks import Mark
from eval.numbers import expected, states
from indexer.text import lexical_tokens
from indexer.types import Document
from service.numbers import Quantity, quantities, same
from service.types import Answer, Number, Statement
from service.verify import verify

Documents = Mapping[str, Document]

# Shares of a statement's words that its quotes, with their titles and headings, must hold.
_SUPPORTED = 0.5
_RELEVANT_WORDS = 2


def citation_marks(answer: Answer, documents: Documents) -> list[Mark]:
    """Marks of all citations and of all statements, table rows and reasons of options included."""
    marks = list(_span_marks(answer, documents))
    for statement in statements_of(answer):
        quoted = [
            _quoted(statement, documents, position) for position in range(len(statement.quotes))
        ]
        marks.extend(_number_marks(statement, quoted, documents))
        marks.extend(_support_marks(statement, quoted, documents))
    for verdict in verify(statements_of(answer), documents):
        note = "; ".join(verdict.faults)
        marks.append(
            Mark(metric="verified", name=verdict.statement.text[:120], right=not note, note=note)
        )
    return marks


def statements_of(answer: Answer) -> tuple[Statement, ...]:
    """Every statement that an answer sends, assumptions aside: they claim nothing and are named as such."""
    found = [*answer.statements, *(answer.table.rows if answer.table else ())]
    if answer.recommendation is not None:
        recommendation = answer.recommendation
        found += [reason for option in recommendation.options for reason in option.reasons]
        found += [rejected.statement for rejected in recommendation.rejected]
        found += recommendation.warnings
        found += [change.statement for change in recommendation.sensitivity]
    return tuple(dict.fromkeys(found))


def _span_marks(answer: Answer, documents: Documents) -> Iterator[Mark]:
    for citation in answer.citations:
        document = documents.get(citation.document_id)
        text = document.text[citation.start : citation.end] if document else None
        exact = text == citation.quote and 0 <= citation.start < citation.end
        name = f"[{citation.n}] {citation.path} {citation.start}:{citation.end}"
        yield Mark(
            metric="span",
            name=name,
            right=exact,
            note="" if exact else f"the document has {text!r}",
        )


def _quoted(statement: Statement, documents: Documents, position: int) -> str:
    quote = statement.quotes[position]
    document = documents.get(quote.document_id)
    return document.text[quote.start : quote.end] if document else ""


def _number_marks(
    statement: Statement, quoted: Sequence[str], documents: Documents
) -> Iterator[Mark]:
    """Each number with a unit stands in a quote or is marked; each marked number stands in the text."""
    known = [quantity for quote in quoted for quantity in quantities(quote)]
    text = _without_names(statement.text, documents)
    for stated in quantities(text):
        name = text[stated.start : stated.end]
        right = any(same(stated, other) for other in known) or _is_marked(stated, statement.numbers)
        yield Mark(
            metric="number", name=name, right=right, note="" if right else statement.text[:160]
        )
    for number in statement.numbers:
        if _lost_its_unit(number, statement.text):
            yield Mark(
                metric="number",
                name=f"{number.value:g} {number.unit}",
                right=False,
                note=f"stands there without its unit: {statement.text[:160]}",
            )


def _lost_its_unit(number: Number, text: str) -> bool:
    """Whether a marked number stands in the text bare. One that does not stand there at all is an input."""
    wanted = expected(number.value, number.unit, 0.006)
    if not number.unit or not wanted.dimension or states(text, wanted):
        return False
    plain = text.replace(",", "")
    with_unit = {quantity.start for quantity in quantities(plain)}
    own = rf"(?<![\w.-]){re.escape(f'{number.value:g}')}(?![\w-]|\.\d|\s*{re.escape(number.unit)})"
    return any(match.start() not in with_unit for match in re.finditer(own, plain))


def _without_names(text: str, documents: Documents) -> str:
    """The text without names of devices, whose numbers ("H100 SXM 80 GB") are no claims."""
    named = [
        item.title for item in documents.values() if item.kind == "hardware" and item.title in text
    ]
    for name in sorted(named, key=len, reverse=True):
        text = text.replace(name, "it")
    return text


def _is_marked(stated: Quantity, numbers: Sequence[Number]) -> bool:
    return any(
        same(stated, shown)
        for number in numbers
        if number.origin != "cited"
        for shown in quantities(f"{number.value!r} {number.unit}")
    )


def _support_marks(
    statement: Statement, quoted: Sequence[str], documents: Documents
) -> Iterator[Mark]:
    """Words of the statement that its quotes and their titles hold; what is computed needs no words."""
    words = set(lexical_tokens(statement.text))
    computed = any(number.origin == "computed" for number in statement.numbers)
    held: set[str] = set()
    for quote, text in zip(statement.quotes, quoted, strict=True):
        document = documents.get(quote.document_id)
        own = set(lexical_tokens(text))
        held |= own | set(lexical_tokens(document.title if document else ""))
        shared = len(words & own) >= min(_RELEVANT_WORDS, len(own)) or _share_number(
            statement.text, text
        )
        yield Mark(
            metric="relevance",
            name=text[:80],
            right=shared,
            note="" if shared else statement.text[:120],
        )
    supported = computed or (bool(words) and len(words & held) / len(words) >= _SUPPORTED)
    missing = ", ".join(sorted(words - held))
    yield Mark(
        metric="support",
        name=statement.text[:120],
        right=supported,
        note="" if supported else f"not quoted: {missing}",
    )


def _share_number(text: str, quote: str) -> bool:
    known = quantities(quote)
    return any(same(stated, other) for stated in quantities(text) for other in known)
