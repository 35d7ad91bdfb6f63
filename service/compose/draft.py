"""Put an answer together: corrections, facts, prices, results, then sentences that support; or say why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexer.embedders import Matrix
from indexer.generation import OpenIndex
from indexer.types import DeviceId, Passage
from service.compose.evidence import about_others, choose_sentences
from service.compose.facts import compared, corrections, looked_up, noted
from service.compose.rental import rented
from service.compose.results import ResultRow, published
from service.lexicon import Lexicon, find_devices
from service.query import Query
from service.types import Draft, Hit, Statement, Table

_NOTES = 3
_OFFERS = 12
_SENTENCES = {"lookup": 3, "compare": 4, "guidance": 7, "size": 4, "recommend": 5, "out_of_scope": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What composing works from: the query with its vector [dimensions], the hits, and the generation's views."""

    query: Query
    vector: Matrix
    hits: Sequence[Hit]
    index: OpenIndex
    lexicon: Lexicon
    results: Sequence[ResultRow]


def compose(material: Material, *, first: Sequence[Statement] = ()) -> Draft:
    """The answer's statements in reading order; `first` holds what an advisor has computed."""
    query, catalog = material.query, material.index.catalog
    table: Table | None = None
    statements: list[Statement] = [*corrections(query, catalog), *first]
    if query.intent == "compare" and not _is_priced(query):
        differences, table = compared(query, catalog)
        statements.extend(differences)
    if query.intent != "compare" or table is None:
        statements.extend(looked_up(query, catalog))
    if _is_priced(query):
        statements.extend(rented(query, catalog, limit=_OFFERS))
    statements.extend(published(query, material.results, catalog))
    statements.extend(noted(query, catalog, limit=_NOTES))
    statements.extend(_sentences(material))
    return Draft(kind="answer", statements=_unique(statements), table=table)


def _is_priced(query: Query) -> bool:
    asked = query.asked.properties
    return "rental" in asked or ("price" in asked and not _has_price(query))


def _has_price(query: Query) -> bool:
    return not re.search(r"\b(?:rent|hour|cloud|aws|azure|google|gcp|on[- ]demand|instance)", query.text, re.IGNORECASE)


def _sentences(material: Material) -> list[Statement]:
    chosen = choose_sentences(
        material.query.search,
        material.vector,
        material.hits,
        material.index,
        limit=_SENTENCES[material.query.intent],
        fits=_fits(material.query, material.lexicon),
    )
    return [item.statement for item in chosen]


def _fits(query: Query, lexicon: Lexicon) -> Callable[[str, Passage], bool]:
    """A sentence about other devices than those asked about does not belong to the answer."""
    asked = frozenset(query.devices)

    def fits(text: str, passage: Passage) -> bool:
        if not asked:
            return True
        named = frozenset(device for mention in find_devices(text, lexicon) for device in mention.devices)
        own = _own_device(passage, lexicon)
        return not about_others(named | own if own else named, asked)

    return fits


def _own_device(passage: Passage, lexicon: Lexicon) -> frozenset[DeviceId]:
    """The device whose spec sheet a passage stands in, if it stands in one."""
    slug = DeviceId(passage.document_id.rsplit("/", 1)[-1])
    return frozenset({slug}) if passage.document_id.startswith("hardware/") and slug in lexicon.devices else frozenset()


def _unique(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    seen: dict[str, Statement] = {}
    for statement in statements:
        seen.setdefault(re.sub(r"\W+", " ", statement.text).casefold(), statement)
    return tuple(seen.values())
