"""Embedders: one protocol, one table of names, each backend loaded only when it is asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from indexer.embedders.profiles import ModelProfile, profile_of
from indexer.errors import UnknownEmbedder

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """What makes two vectors comparable: the backend does not count, all that changes the vectors does."""

    model: str
    weights_sha256: str
    dimensions: int
    max_tokens: int
    pooling: str
    normalized: bool
    query_prefix: str
    passage_prefix: str

    def fingerprint(self) -> str:
        """A hash over all fields; vectors with different fingerprints are never mixed."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Embedder(Protocol):
    """Turns texts into unit vectors. Queries and passages are embedded apart, since models prefix them apart."""

    @property
    def spec(self) -> EmbedderSpec:
        """The identity of the vectors."""
        ...

    def embed_passages(
        self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None
    ) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows; a row depends on its text alone."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the text as a passage, special tokens and prefix included, before any cut."""
        ...


_FACTORIES = {
    "hashing": "indexer.embedders.hashing:load",
    "onnx": "indexer.embedders.onnx:load",
    "sentence": "indexer.embedders.sentence:load",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice:
    """Which backend, which model (a profile's name or a folder), and how it may run."""

    backend: str = "onnx"
    model: str = "all-MiniLM-L6-v2"
    threads: int = 0
    device: str = "cpu"
    offline: bool = True


def make_embedder(choice: EmbedderChoice) -> Embedder:
    """Load the chosen embedder, ready to use.

    Raises:
        UnknownEmbedder: no backend of that name.
        ModelNotFound: the weights are in no folder, package or hub cache.
        ModelCorrupt: a carried weight file has another hash than the pinned one.
    """
    if choice.backend not in _FACTORIES:
        raise UnknownEmbedder(choice.backend, tuple(_FACTORIES))
    module, function = _FACTORIES[choice.backend].split(":")
    load: Callable[[EmbedderChoice, ModelProfile], Embedder] = getattr(
        import_module(module), function
    )
    return load(choice, profile_of(choice.model))


def folder_of(model: str) -> Path | None:
    """The model setting as a folder, if it names one that exists."""
    path = Path(model).expanduser()
    return path if path.is_dir() else None
