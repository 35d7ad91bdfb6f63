"""What must hold of a generation before it is published: counts, shapes, unit vectors, and a query that finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from indexer.contents import OpenIndex
from indexer.embedders import EmbedderSpec, Matrix
from indexer.errors import EmbedderMismatch, GenerationCorrupt
from indexer.text import lexical_tokens

_UNIT_TOLERANCE = 1e-3


def check_index(index: OpenIndex, folder: Path) -> None:
    """Check an opened generation against its own manifest.

    Raises:
        GenerationCorrupt: names the file that disagrees.
        EmbedderMismatch: the vectors are not of the embedder that the manifest names.
    """
    spec = index.manifest.embedder
    if index.manifest.fingerprint != spec.fingerprint():
        raise EmbedderMismatch(spec.fingerprint(), index.manifest.fingerprint)
    _check_counts(index, folder)
    for name, vectors in (
        ("dense.faiss", index.dense.vectors()),
        ("sentences.npy", index.sentence_vectors),
    ):
        _check_vectors(vectors, spec, folder / name)
    _check_query(index, folder)


def _check_counts(index: OpenIndex, folder: Path) -> None:
    found = {
        "documents": len(index.documents),
        "passages": len(index.passages),
        "devices": len(index.catalog.devices),
        "offers": len(index.catalog.offers),
        "models": len(index.catalog.models),
        "sentences": len(index.sentences),
    }
    for name, count in index.manifest.counts.items():
        if found.get(name, count) != count:
            problem = f"holds {found[name]} rows, the manifest counts {count}"
            raise GenerationCorrupt(folder / f"{name}.jsonl", problem)
    for name, rows, wanted in (
        ("dense.faiss", len(index.dense), len(index.passages)),
        ("sentences.npy", len(index.sentence_vectors), len(index.sentences)),
    ):
        if rows != wanted:
            raise GenerationCorrupt(folder / name, f"holds {rows} vectors for {wanted} texts")


def _check_vectors(vectors: Matrix, spec: EmbedderSpec, path: Path) -> None:
    if vectors.shape[1] != spec.dimensions:
        raise EmbedderMismatch(f"{vectors.shape[1]} dimensions", f"{spec.dimensions} dimensions")
    norms = np.linalg.norm(vectors, axis=1)
    # Written so that a NaN fails too.
    if spec.normalized and not np.all(np.abs(norms - 1) < _UNIT_TOLERANCE):
        raise GenerationCorrupt(path, "holds a vector whose length is not 1")


def _check_query(index: OpenIndex, folder: Path) -> None:
    """A passage asked for by its own vector and words is found by both legs."""
    if not index.passages:
        return
    middle = len(index.passages) // 2
    found = index.dense.similar(index.dense.vectors()[middle]).cosines
    if found[middle] < found.max() - _UNIT_TOLERANCE:
        raise GenerationCorrupt(folder / "dense.faiss", "does not find a passage by its own vector")
    text = index.passages[middle].embedded
    if lexical_tokens(text) and index.lexical.scores(text)[middle] <= 0:
        raise GenerationCorrupt(folder / "lexical", "does not find a passage by its own words")
