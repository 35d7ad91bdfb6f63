"""The default embedder: a transformer's ONNX export on onnxruntime, with the tokenizers library."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.embedders import EmbedderChoice, EmbedderSpec, Matrix
from indexer.embedders.locate import locate_onnx
from indexer.embedders.profiles import ModelProfile

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


class OnnxEmbedder:
    """Embeds one text a run, several runs at a time.

    A text that runs alone needs no padding, and its vector depends on nothing else, so that a rebuild of
    one document gives the same bytes as a rebuild of all.
    """

    def __init__(
        self,
        session: InferenceSession,
        tokenizer: Tokenizer,
        profile: ModelProfile,
        *,
        weights_sha256: str,
        threads: int,
    ) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._profile = profile
        self._threads = threads
        self._inputs = {entry.name for entry in session.get_inputs()}
        dimensions = profile.dimensions or int(session.get_outputs()[0].shape[-1])
        self._spec = EmbedderSpec(
            model=profile.name,
            weights_sha256=weights_sha256,
            dimensions=dimensions,
            max_tokens=profile.max_tokens,
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
        """float32 [len(texts), dimensions] with unit rows; `progress` gets the number of texts just done."""
        return self._embed(texts, prefix=self._profile.passage_prefix, progress=progress)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """float32 [len(texts), dimensions] with unit rows."""
        return self._embed(texts, prefix=self._profile.query_prefix, progress=None)

    def count_tokens(self, text: str) -> int:
        """Tokens of the text as a passage, special tokens and prefix included, before any cut."""
        return len(self._tokenizer.encode(self._profile.passage_prefix + text).ids)

    def _embed(
        self, texts: Sequence[str], *, prefix: str, progress: Callable[[int], None] | None
    ) -> Matrix:
        vectors = np.empty((len(texts), self._spec.dimensions), dtype=np.float32)

        def run(position: int) -> None:
            vectors[position] = self._vector(prefix + texts[position])
            if progress is not None:
                progress(1)

        if len(texts) < 2 or self._threads < 2:
            for position in range(len(texts)):
                run(position)
            return vectors
        longest_first = sorted(
            range(len(texts)), key=lambda position: (-len(texts[position]), position)
        )
        with ThreadPoolExecutor(self._threads, thread_name_prefix="embed") as pool:
            list(pool.map(run, longest_first))
        return vectors

    def _vector(self, text: str) -> Matrix:
        ids = self._tokenizer.encode(text).ids
        if len(ids) > self._profile.max_tokens:
            ids = [*ids[: self._profile.max_tokens - 1], ids[-1]]
        tokens = np.array([ids], dtype=np.int64)
        feeds = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        hidden = self._session.run(
            None, {name: value for name, value in feeds.items() if name in self._inputs}
        )[0][0]
        pooled = hidden[0] if self._profile.pooling == "cls" else hidden.mean(axis=0)
        unit: Matrix = (pooled / max(float(np.linalg.norm(pooled)), 1e-12)).astype(np.float32)
        return unit


def load(choice: EmbedderChoice, profile: ModelProfile) -> OnnxEmbedder:
    """Find the weights, check them, and make a session of one thread a run.

    Raises:
        ModelNotFound: the weights are nowhere.
        ModelCorrupt: a carried file is not the pinned one.
    """
    import onnxruntime
    from tokenizers import Tokenizer

    files = locate_onnx(choice.model, profile, offline=choice.offline)
    # Measured side by side at 12, 60 and 200 tokens, none of these gave anything: the memory arena, fusing the three
    # projections of attention into one, batches of texts of one length. The approximate GELU moves the vectors.
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(files["model"]),
        options,
        providers=_providers(onnxruntime.get_available_providers(), choice.device),
    )
    tokenizer = Tokenizer.from_file(str(files["tokenizer"]))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return OnnxEmbedder(
        session,
        tokenizer,
        profile,
        weights_sha256=_digest(files["model"]),
        threads=choice.threads or cpu_count() or 1,
    )


def _providers(available: Sequence[str], device: str) -> list[str]:
    wanted = {"cuda": "CUDAExecutionProvider"}.get(device, "CPUExecutionProvider")
    return (
        list(dict.fromkeys([wanted, "CPUExecutionProvider"]))
        if wanted in available
        else ["CPUExecutionProvider"]
    )


def _digest(path: Path) -> str:
    hasher = hashlib.sha256(path.read_bytes())
    data = path.with_suffix(".onnx_data")
    if data.is_file():
        with data.open("rb") as file:
            hasher.update(hashlib.file_digest(file, "sha256").digest())
    return hasher.hexdigest()
