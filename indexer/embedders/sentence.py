"""The reference and GPU embedder: sentence-transformers on torch (extra `torch`), any local or hub model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.embedders import EmbedderChoice, EmbedderSpec, Matrix
from indexer.embedders.locate import locate_package
from indexer.embedders.profiles import ModelProfile
from indexer.errors import ModelNotFound

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_BATCH = 32


class SentenceEmbedder:
    """Embeds in length-sorted batches on the CPU or a CUDA device."""

    def __init__(
        self, model: SentenceTransformer, profile: ModelProfile, *, weights_sha256: str
    ) -> None:
        self._model = model
        self._profile = profile
        self._spec = EmbedderSpec(
            model=profile.name,
            weights_sha256=weights_sha256,
            dimensions=int(model.get_sentence_embedding_dimension() or 0),
            max_tokens=int(model.max_seq_length or profile.max_tokens),
            pooling=profile.pooling,
            normalized=True,
            query_prefix=profile.query_prefix,
            passage_prefix=profile.passage_prefix,
        )

    @property
    def spec(self) -> EmbedderSpec:
        """The identity of the vectors."""
        return self._spec

    def embed_passages(
        self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None
    ) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows."""
        parts = []
        for start in range(0, len(texts), 8 * _BATCH):
            part = [
                self._profile.passage_prefix + text for text in texts[start : start + 8 * _BATCH]
            ]
            parts.append(self._encode(part))
            if progress is not None:
                progress(len(part))
        return np.concatenate(parts) if parts else np.empty((0, self._spec.dimensions), np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows."""
        return self._encode([self._profile.query_prefix + text for text in texts])

    def count_tokens(self, text: str) -> int:
        """Tokens of the text as a passage, special tokens and prefix included, before any cut."""
        encoded = self._model.tokenizer(self._profile.passage_prefix + text, truncation=False)
        return len(encoded["input_ids"])

    def _encode(self, texts: list[str]) -> Matrix:
        vectors = self._model.encode(
            texts,
            batch_size=_BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)


def load(choice: EmbedderChoice, profile: ModelProfile) -> SentenceEmbedder:
    """Load a local folder, a package that carries the weights, or a hub model, in that order.

    Raises:
        ModelNotFound: torch is not installed, or the weights are nowhere.
    """
    if find_spec("sentence_transformers") is None:
        raise ModelNotFound(
            choice.model, ("package sentence-transformers (install rigwise[torch])",)
        )
    from sentence_transformers import SentenceTransformer

    local = Path(choice.model).expanduser()
    folder = local if local.is_dir() else locate_package(profile, "torch")
    name = str(folder) if folder else profile.hub_id
    try:
        model = SentenceTransformer(name, device=choice.device, local_files_only=choice.offline)
    except (OSError, ValueError) as error:
        tried = (
            f"folder {choice.model}",
            *(c.package for c in profile.carriers),
            f"hub {profile.hub_id}",
        )
        raise ModelNotFound(choice.model, tried) from error
    weights = folder / "model.safetensors" if folder else None
    digest = (
        hashlib.sha256(weights.read_bytes()).hexdigest() if weights and weights.is_file() else name
    )
    return SentenceEmbedder(model, profile, weights_sha256=digest)
