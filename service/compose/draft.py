"""Put an answer together: corrections, facts, prices, results, then sentences that support; or say why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.embedders import Matrix
from indexer.generation import OpenIndex
from service.compose.comparison import compared
from service.compose.evidence import Search, choose_sentences
from service.compose.facts import corrections, described, looked_up, noted
from service.compose.rental import rented
from service.compose.results import ResultRow, published
from service.properties import speaks_of
from service.query import Query
from service.types import Abstention, Draft, Hit, Statement, Table
from service.views import Views

_RENTED = re.compile(
    r"\b(?:rent|hour|cloud|aws|azure|google|gcp|on[- ]demand|instance)", re.IGNORECASE
)
_NOTES = 3
_OFFERS = 12
_BESIDE_ADVICE = 4
_SENTENCES = {
    "lookup": 3,
    "compare": 4,
    "guidance": 7,
    "size": 4,
    "recommend": 5,
    "out_of_scope": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What composing works from: the query with its vector [dimensions], the hits, the generation and its views."""

    query: Query
    vector: Matrix
    hits: Sequence[Hit]
    index: OpenIndex
    views: Views
    results: Sequence[ResultRow]


def compose(material: Material, *, first: Sequence[Statement] = ()) -> Draft:
    """The answer's statements in reading order; `first` holds what an advisor has computed."""
    query, catalog = material.query, material.index.catalog
    table: Table | None = None
    statements: list[Statement] = [*corrections(query, catalog), *first]
    priced = _is_priced(query)
    if query.intent == "compare" and not priced:
        differences, table = compared(query, catalog)
        statements.extend(differences)
    if query.intent != "compare" or table is None:
        statements.extend(looked_up(query, material.index))
    statements.extend(described(query, material.index))
    if priced:
        statements.extend(rented(query, catalog, limit=_OFFERS))
    statements.extend(published(query, material.results, catalog))
    stated = bool(statements)
    statements.extend(noted(query, catalog, limit=_NOTES))
    statements.extend(_sentences(material, beside_advice=bool(first)))
    asked = query.asked.properties
    if query.intent == "lookup" and not stated and not _speak_of(asked, statements):
        return _not_stated(material)
    return Draft(kind="answer", statements=_unique(statements), table=table)


def _speak_of(asked: tuple[str, ...], statements: Sequence[Statement]) -> bool:
    return any(speaks_of(asked, statement.text) for statement in statements)


def _not_stated(material: Material) -> Draft:
    """What was asked of a known device stands nowhere: sentences about something else are no answer."""
    query, catalog = material.query, material.index.catalog
    names = " or ".join(catalog.by_id[device].name for device in query.devices[:3])
    asked = " and ".join(name.replace("_", " ") for name in query.asked.properties)
    abstention = Abstention(
        code="no_evidence",
        why=f"No document here states the {asked} of the {names}.",
        nearest=tuple(hit.passage.id for hit in material.hits[:3]),
        ask="Ask for another property, or add a document that states it.",
    )
    return Draft(kind="abstain", abstention=abstention)


def _is_priced(query: Query) -> bool:
    """Whether prices of rented machines are asked for."""
    asked = query.asked.properties
    return "rental" in asked or ("price" in asked and bool(_RENTED.search(query.text)))


def _sentences(material: Material, *, beside_advice: bool) -> list[Statement]:
    """Sentences that answer; beside what an advisor computed, a few that put it into context."""
    query = material.query
    search = Search(
        question=query.search,
        vector=material.vector,
        hits=material.hits,
        asked=frozenset(query.devices),
    )
    chosen = choose_sentences(
        search,
        material.index,
        material.views,
        limit=_BESIDE_ADVICE if beside_advice else _SENTENCES[query.intent],
    )
    return [item.statement for item in chosen]


def _unique(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    seen: dict[str, Statement] = {}
    for statement in statements:
        seen.setdefault(re.sub(r"\W+", " ", statement.text).casefold(), statement)
    return tuple(seen.values())
