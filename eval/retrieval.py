"""Retrieval on labeled sets by the product's own path: its parser, chunker, embedder, both legs, its fusion.

A document's score is that of its best passage. In a set with answer spans the passages themselves are
ranked, and one is right if it comes from the query's document and overlaps a span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.labeled import LabeledSet, SetQuery, load_set
from eval.labeled_index import open_set
from indexer.embedders import Embedder, Matrix
from indexer.generation import OpenIndex
from service.retrieve import retrieve
from service.types import Hit

Scores = Mapping[str, float]

# Passages that are asked for: enough for twenty documents of several passages each.
_DEPTH = 100
MEASURES = ("nDCG@10", "R@5", "R@20", "RR@10")
SPAN_MEASURES = ("Success@1", "Success@5", "Success@20", "RR@10")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """The measures of one set: for each its value by query."""

    name: str
    queries: int
    passages: int
    measures: Mapping[str, Mapping[str, float]]

    def mean(self, measure: str) -> float:
        """The mean over the queries."""
        values = self.measures[measure].values()
        return sum(values) / len(values)


def run_folder(folder: Path, embedder: Embedder, cache: Path, *, most: int = 0) -> SetResult:
    """Run one set, its vectors kept under `cache`; `most` above zero takes every n-th query, that many at most."""
    labeled = load_set(folder)
    index, vectors = open_set(labeled, embedder, cache)
    queries = _thinned(labeled.queries, most)
    return run_queries(
        labeled, queries, index, vectors.queries([query.text for query in queries], embedder)
    )


def run_queries(
    labeled: LabeledSet, queries: Sequence[SetQuery], index: OpenIndex, vectors: Matrix
) -> SetResult:
    """Rank for each query and measure. `vectors` [queries, dimensions] are the queries' own."""
    slugs = {document.slug: document.id for document in labeled.documents}
    heads = {document.slug: len(document.head) for document in labeled.documents}
    spans = any(query.spans for query in queries)
    runs: dict[str, Scores] = {}
    judged: dict[str, Mapping[str, int]] = {}
    for query, vector in zip(queries, vectors, strict=True):
        hits = retrieve(query.text, vector, index, limit=_DEPTH)
        if spans:
            runs[query.id] = {hit.passage.id: hit.score for hit in hits}
            judged[query.id] = _overlapping(query, index, slugs, heads)
        else:
            runs[query.id] = document_scores(hits, slugs)
            judged[query.id] = query.relevant
    names = SPAN_MEASURES if spans else MEASURES
    return SetResult(
        name=labeled.name,
        queries=len(queries),
        passages=len(index.passages),
        measures=measured(runs, judged, names),
    )


def document_scores(hits: Sequence[Hit], slugs: Mapping[str, str]) -> Scores:
    """The score of each document's best passage, by the set's own ids."""
    best: dict[str, float] = {}
    for hit in hits:
        name = slugs[hit.passage.document_id]
        best[name] = max(hit.score, best.get(name, hit.score))
    return best


def measured(
    runs: Mapping[str, Scores], judged: Mapping[str, Mapping[str, int]], names: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Every measure for every query, by ir-measures; a query that finds nothing counts as zero.

    Raises:
        MissingExtra: ir-measures is not installed.
    """
    measures = _parsed(names)
    values = {name: dict.fromkeys(judged, 0.0) for name in names}
    import ir_measures

    for metric in ir_measures.iter_calc(list(measures), judged, runs):
        values[measures[metric.measure]][metric.query_id] = float(metric.value)
    return values


def _parsed(names: Sequence[str]) -> dict[Any, str]:
    from eval.errors import MissingExtra

    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra("ir-measures", "eval") from error
    return {ir_measures.parse_measure(name): name for name in names}


def _thinned(queries: Sequence[SetQuery], most: int) -> Sequence[SetQuery]:
    return queries if most <= 0 else queries[:: max(1, -(-len(queries) // most))]


def _overlapping(
    query: SetQuery, index: OpenIndex, slugs: Mapping[str, str], heads: Mapping[str, int]
) -> dict[str, int]:
    """The passages that overlap an answer span of the query's document."""
    slug = next(slug for slug, name in slugs.items() if name == query.document)
    found = {}
    for position in index.by_document.get(slug, ()):
        passage = index.passages[position]
        start, end = passage.start - heads[slug], passage.end - heads[slug]
        if any(low < end and start < high for low, high in query.spans):
            found[str(passage.id)] = 1
    return found or {"(no passage overlaps the span)": 1}
