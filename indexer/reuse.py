"""What a build takes over from the generation before: documents, vectors, and rows of the lexical leg."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from indexer.chunking import CHUNKER_VERSION
from indexer.contents import OpenIndex
from indexer.derive import Parsed
from indexer.embedders import Embedder, EmbedderSpec, Matrix
from indexer.lexical import LexicalIndex, build_lexical
from indexer.manifest import Manifest
from indexer.recipe import recipe
from indexer.report import Progress
from indexer.types import Device, ModelRow, Offer, Passage

_Item = TypeVar("_Item", Passage, Device, Offer, ModelRow)


def same_recipe(manifest: Manifest, spec: EmbedderSpec) -> bool:
    """Whether the same file would give the same passages, facts and vectors as it did then."""
    return (
        manifest.fingerprint == spec.fingerprint()
        and manifest.recipe == recipe()
        and manifest.chunker_version == CHUNKER_VERSION
    )


def records(old: OpenIndex) -> dict[str, Parsed]:
    """The old generation's documents by path, with what was derived from each."""
    passages = _by_document(old.passages)
    devices = _by_document(old.catalog.raw)
    offers = _by_document(old.catalog.offers)
    models = _by_document(old.catalog.models)
    return {
        entry.path: Parsed(
            entry=entry,
            document=old.documents[entry.id],
            passages=tuple(passages.get(entry.id, ())),
            sentences=tuple(
                replace(old.sentences[row], passage=position)
                for position, passage in enumerate(passages.get(entry.id, ()))
                for row in old.sentences_of(passage.id)
            ),
            devices=tuple(devices.get(entry.id, ())),
            offers=tuple(offers.get(entry.id, ())),
            models=tuple(models.get(entry.id, ())),
        )
        for entry in old.manifest.documents
    }


def known_vectors(old: OpenIndex, spec: EmbedderSpec) -> dict[str, Matrix]:
    """The vectors of the old generation by the text that was embedded; none if another embedder made them."""
    if old.manifest.fingerprint != spec.fingerprint():
        return {}
    texts = (
        old.documents[old.passages[item.passage].document_id].text[item.start : item.end]
        for item in old.sentences
    )
    known: dict[str, Matrix] = dict(zip(texts, old.sentence_vectors, strict=True))
    known.update(
        zip((passage.embedded for passage in old.passages), old.dense.vectors(), strict=True)
    )
    return known


def embed(
    texts: Sequence[str], known: dict[str, Matrix], embedder: Embedder, progress: Progress
) -> tuple[Matrix, int]:
    """[texts, dimensions], and how many were embedded anew; a text that stands twice is embedded once."""
    fresh = sorted(set(texts) - known.keys())
    progress.start("embed", len(fresh))
    vectors = embedder.embed_passages(fresh, progress=progress.advance) if fresh else ()
    known.update(zip(fresh, vectors, strict=True))
    rows = np.empty((len(texts), embedder.spec.dimensions), np.float32)
    for row, text in enumerate(texts):
        rows[row] = known[text]
    return rows, len(fresh)


def lexical_leg(texts: Sequence[str], old: OpenIndex | None) -> LexicalIndex:
    """The lexical leg, where the old one was made by the same code with its rows of unchanged texts."""
    if old is None or old.manifest.recipe != recipe():
        return build_lexical(texts)
    positions = {passage.embedded: row for row, passage in enumerate(old.passages)}
    return build_lexical(texts, old=old.lexical, rows=[positions.get(text) for text in texts])


def _by_document(items: Iterable[_Item]) -> dict[str, list[_Item]]:
    grouped: dict[str, list[_Item]] = {}
    for item in items:
        grouped.setdefault(item.document_id, []).append(item)
    return grouped
