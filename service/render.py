"""An answer as others see it: the JSON-able object that every door sends, and the text that a reader gets.

Both are made here and nowhere else, so HTTP, command line, Slack and page cannot disagree. Values that have no shape
of their own here (recommendation, computations, catalog rows) are taken over field by field: a new field appears by
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from service.advisor.types import Stated, Workload
from service.types import Abstention, Answer, Citation, Hit, Number, Quote, Statement, Table

Marks = Mapping[Quote, int]
_PAIRS: Final = "qualifiers"
_QUOTE_CHARS: Final = 280


def answer_object(answer: Answer) -> dict[str, Any]:
    """The answer contract of POST /v1/ask as plain dicts and lists."""
    marks = _marks(answer.citations)
    quotes = {citation.n: citation.quote for citation in answer.citations}
    return {
        "id": answer.id,
        "question": answer.question,
        "rewritten": answer.rewritten,
        "parts": list(answer.parts),
        "kind": answer.kind,
        "intent": answer.intent,
        "text": answer.text,
        "statements": [_statement(statement, marks, quotes) for statement in answer.statements],
        "table": _table(answer.table, marks, quotes) if answer.table else None,
        "citations": [_citation(citation) for citation in answer.citations],
        "recommendation": plain(answer.recommendation, marks),
        "abstention": _abstention(answer.abstention) if answer.abstention else None,
        "devices": list(answer.devices),
        "retrieved": [_retrieved(hit) for hit in answer.retrieved],
        "generation": answer.generation,
        "checks": dict(answer.checks),
        "timings_ms": dict(answer.timings_ms),
    }


def statement_object(answer: Answer, place: int) -> dict[str, Any]:
    """One statement of an answer as the answer's object shows it, with the citations that it is the first to use."""
    marks = _marks(answer.citations)
    quotes = {citation.n: citation.quote for citation in answer.citations}
    before = {quote for each in answer.statements[:place] for quote in each.quotes}
    own = [marks[quote] for quote in answer.statements[place].quotes if quote not in before]
    return {
        **_statement(answer.statements[place], marks, quotes),
        "sources": [_citation(each) for each in answer.citations if each.n in own],
    }


def retrieved_objects(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """Found passages as the answer's object shows them."""
    return [_retrieved(hit) for hit in hits]


def hit_object(hit: Hit) -> dict[str, Any]:
    """A found passage with its text."""
    return {
        **_retrieved(hit),
        "document_id": hit.passage.document_id,
        "heading_path": list(hit.passage.heading_path),
        "text": hit.passage.text,
    }


def plain(value: object, marks: Marks | None = None) -> Any:
    """Frozen values as plain dicts and lists, field by field.

    A quote gains the number of its `citation`, or None; `qualifiers` become a dict; a stated field shows its origin
    as `from`; a workload leaves out what was neither stated nor assumed.
    """
    known = marks or {}
    if isinstance(value, Quote):
        return {**_fields(value, known), "citation": known.get(value)}
    if isinstance(value, Stated):
        return {"value": plain(value.value, known), "from": value.origin, "words": value.words}
    if is_dataclass(value) and not isinstance(value, type):
        found = _fields(value, known).items()
        return {
            name: item
            for name, item in found
            if item is not None or not isinstance(value, Workload)
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item, known) for key, item in value.items()}
    return [plain(item, known) for item in value] if isinstance(value, list | tuple) else value


def answer_text(answer: Answer) -> str:
    """The answer as plain text: statements with marks, the table if there is one, and the sources."""
    parts = [f"Understood as: {answer.rewritten}"] if answer.rewritten else []
    parts.append(answer.text)
    if answer.table is not None:
        parts.append(table_markdown(answer.table))
    if answer.abstention is not None and answer.abstention.nearest:
        parts.append("Nearest passages: " + ", ".join(answer.abstention.nearest))
    if answer.citations:
        parts.append("Sources:\n" + "\n".join(_source_lines(answer.citations)))
    return "\n\n".join(part for part in parts if part) + "\n"


def table_markdown(table: Table) -> str:
    """A table in Markdown; a bar inside a cell is escaped."""
    lines = [table.caption, ""] if table.caption else []
    lines.append(_row(table.header))
    lines.append("|" + "---|" * len(table.header))
    lines.extend(_row(cells) for cells in table.cells)
    return "\n".join(lines)


def place_of(citation: Citation) -> str:
    """Where a quote stands: title, headings, path, page and date."""
    headings = [heading for heading in citation.heading_path if heading != citation.title]
    place = " > ".join([citation.title, *headings])
    page = f", page {citation.page}" if citation.page is not None else ""
    date = f", as of {citation.as_of}" if citation.as_of else ""
    return f"{place} ({citation.path}{page}{date})"


def short_quote(citation: Citation) -> str:
    """The quote on one line, cut for reading; the object carries it whole."""
    words = " ".join(citation.quote.split())
    return words if len(words) <= _QUOTE_CHARS else words[: _QUOTE_CHARS - 1].rstrip() + "…"


def _source_lines(citations: Iterable[Citation]) -> Iterable[str]:
    for citation in citations:
        yield f"[{citation.n}] {place_of(citation)}"
        yield f'    "{short_quote(citation)}"'


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _marks(citations: Iterable[Citation]) -> dict[Quote, int]:
    return {
        Quote(document_id=citation.document_id, start=citation.start, end=citation.end): citation.n
        for citation in citations
    }


def _fields(value: Any, marks: Marks) -> dict[str, Any]:
    return {
        field.name: dict(getattr(value, field.name))
        if field.name == _PAIRS
        else plain(getattr(value, field.name), marks)
        for field in fields(value)
    }


def _statement(statement: Statement, marks: Marks, quotes: Mapping[int, str]) -> dict[str, Any]:
    own = [marks[quote] for quote in dict.fromkeys(statement.quotes) if quote in marks]
    return {
        "text": statement.text,
        "citations": own,
        "numbers": [_number(number, own, marks, quotes) for number in statement.numbers],
    }


def _number(
    number: Number, own: list[int], marks: Marks, quotes: Mapping[int, str]
) -> dict[str, Any]:
    return {
        "value": number.value,
        "unit": number.unit,
        "qualifiers": dict(number.qualifiers),
        "origin": number.origin,
        "citation": _stating(number, own, quotes) if number.origin == "cited" else None,
        "computation": plain(number.computation, marks),
    }


def _stating(number: Number, own: list[int], quotes: Mapping[int, str]) -> int | None:
    """The citation whose quote shows the number, or the statement's first (the unit may have been converted)."""
    wanted = re.compile(rf"(?<![\d.]){re.escape(f'{number.value:g}')}(?![\d]|\.\d)")
    showing = [n for n in own if wanted.search(quotes[n].replace(",", ""))]
    return next(iter([*showing, *own]), None)


def _table(table: Table, marks: Marks, quotes: Mapping[int, str]) -> dict[str, Any]:
    return {
        "caption": table.caption,
        "header": list(table.header),
        "rows": [
            {"cells": list(cells), **_statement(row, marks, quotes)}
            for cells, row in zip(table.cells, table.rows, strict=True)
        ],
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "n": citation.n,
        "passage_id": citation.passage_id,
        "document": {
            "id": citation.document_id,
            "title": citation.title,
            "path": citation.path,
            "url": citation.url,
            "kind": citation.kind,
            "as_of": citation.as_of,
        },
        "heading_path": list(citation.heading_path),
        "page": citation.page,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
    }


def _abstention(abstention: Abstention) -> dict[str, Any]:
    return {
        "code": abstention.code,
        "why": abstention.why,
        "nearest": list(abstention.nearest),
        "ask": abstention.ask,
        "choices": list(abstention.choices),
    }


def _retrieved(hit: Hit) -> dict[str, Any]:
    return {
        "passage_id": hit.passage.id,
        "score": hit.score,
        "similarity": hit.similarity,
        "legs": dict(hit.legs),
    }
