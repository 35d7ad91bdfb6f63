"""An embedder for tests: words hashed into dimensions, so that a vector can be worked out by hand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np

from indexer.embedders import EmbedderChoice, EmbedderSpec, Matrix
from indexer.embedders.profiles import ModelProfile

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Each word adds one to the dimension that the first two bytes of its SHA-256 name."""

    def __init__(self, dimensions: int = 64, max_tokens: int = 256) -> None:
        self._spec = EmbedderSpec(
            model="hashing",
            weights_sha256="",
            dimensions=dimensions,
            max_tokens=max_tokens,
            pooling="sum",
            normalized=True,
            query_prefix="",
            passage_prefix="",
        )

    @property
    def spec(self) -> EmbedderSpec:
        """The identity of the vectors."""
        return self._spec

    def embed_passages(
        self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None
    ) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows."""
        if progress is not None:
            progress(len(texts))
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows; a text without words gives the first axis."""
        vectors = np.zeros((len(texts), self._spec.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                digest = hashlib.sha256(word.encode()).digest()
                row[int.from_bytes(digest[:2], "big") % self._spec.dimensions] += 1
            if not row.any():
                row[0] = 1
        unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def count_tokens(self, text: str) -> int:
        """Words of the text, and two for the special tokens that a real model adds."""
        return len(_WORD.findall(text)) + 2


def load(choice: EmbedderChoice, profile: ModelProfile) -> HashingEmbedder:
    """The embedder; it has no weights to look for."""
    del choice, profile
    return HashingEmbedder()
