"""An index as it is without the documents of collections that somebody does not see (indexer/belonging.py)."""

from __future__ import annotations

from collections.abc import Container, Set
from dataclasses import replace

import msgspec
import numpy as np

from indexer.belonging import is_open
from indexer.contents import OpenIndex, by_document, by_passage
from indexer.dense import build_dense
from indexer.joining import make_catalog
from indexer.lexical import build_lexical
from indexer.manifest import Manifest
from indexer.types import Catalog, Sentence


def restricted(index: OpenIndex, collections: Set[str]) -> OpenIndex:
    """The index as if it held the open documents only: their passages, facts, offers and figures, and nothing of others.

    Both legs are built anew, and devices joined anew of what the open documents state, so that neither a score nor a
    name tells of the rest. Where nothing is hidden it is the index itself. It holds no files.
    """
    documents = {
        key: document
        for key, document in index.documents.items()
        if is_open(document.path, collections)
    }
    manifest = _manifest(index.manifest, collections)
    if len(documents) == len(index.documents) and manifest == index.manifest:
        return index
    rows = [at for at, passage in enumerate(index.passages) if passage.document_id in documents]
    passages = tuple(index.passages[row] for row in rows)
    kept, sentences = _sentences(index, rows)
    shown = replace(
        index,
        manifest=manifest,
        documents=documents,
        passages=passages,
        catalog=_catalog(index.catalog, documents),
        dense=build_dense(index.dense.vectors()[rows]),
        lexical=build_lexical([passage.embedded for passage in passages]),
        sentences=sentences,
        sentence_vectors=np.ascontiguousarray(index.sentence_vectors[kept]),
        by_document=by_document(passages),
        by_passage=by_passage(passages, sentences),
        lease=None,
    )
    return _counted(shown)


def _sentences(index: OpenIndex, rows: list[int]) -> tuple[list[int], tuple[Sentence, ...]]:
    """The rows of the sentences of these passages, and the sentences with the new places of their passages."""
    places = {row: at for at, row in enumerate(rows)}
    kept = [at for at, sentence in enumerate(index.sentences) if sentence.passage in places]
    moved = (
        replace(index.sentences[at], passage=places[index.sentences[at].passage]) for at in kept
    )
    return kept, tuple(moved)


def _catalog(catalog: Catalog, documents: Container[str]) -> Catalog:
    """The catalog of what the open documents state. An offer of a device that only a hidden one knows is left out."""
    devices = [
        replace(device, facts=tuple(fact for fact in device.facts if fact.document_id in documents))
        for device in catalog.raw
        if device.document_id in documents
    ]
    known = make_catalog(devices, (), ()).by_id
    return make_catalog(
        [
            device
            if device.component_id is None or device.component_id in known
            else replace(device, component_id=None, component_count=0)
            for device in devices
        ],
        [
            offer
            for offer in catalog.offers
            if offer.document_id in documents
            and (offer.device_id is None or offer.device_id in known)
        ],
        [model for model in catalog.models if model.document_id in documents],
    )


def _manifest(manifest: Manifest, collections: Set[str]) -> Manifest:
    return msgspec.structs.replace(
        manifest,
        documents=tuple(entry for entry in manifest.documents if is_open(entry.path, collections)),
        rejected=tuple(item for item in manifest.rejected if is_open(item.path, collections)),
    )


def _counted(index: OpenIndex) -> OpenIndex:
    counts = {
        "documents": len(index.documents),
        "passages": len(index.passages),
        "sentences": len(index.sentences),
        "devices": len(index.catalog.devices),
        "offers": len(index.catalog.offers),
        "models": len(index.catalog.models),
    }
    changed = {**index.manifest.counts, **counts}
    manifest = msgspec.structs.replace(
        index.manifest, counts=changed, dense=index.dense.choice, files={}
    )
    return replace(index, manifest=manifest)
