"""The same weights on torch: through sentence-transformers as its users call it, and the bare model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import torch

from indexer.embedders import Matrix

_DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


def available(device: str) -> bool:
    """Whether torch can compute on a device of that kind here."""
    if device == "mps":
        return torch.backends.mps.is_available()
    return torch.cuda.is_available()


def load_sentence(
    name: str, *, device: str, precision: str, threads: int, max_tokens: int
) -> Callable[[Sequence[str], int], Matrix]:
    """SentenceTransformer.encode, its defaults but for the batch size."""
    from sentence_transformers import SentenceTransformer

    _set_threads(threads)
    model = SentenceTransformer(name, device=device, local_files_only=True)
    model.max_seq_length = max_tokens
    if precision != "fp32":
        model = model.to(_DTYPES[precision])

    def encode(texts: Sequence[str], batch: int) -> Matrix:
        vectors = model.encode(
            list(texts), batch_size=batch, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    return encode


def load_plain(
    name: str, *, device: str, precision: str, threads: int, max_tokens: int
) -> Callable[[Sequence[str], int], Matrix]:
    """The transformer alone with mean pooling, in inference mode, texts of similar length together."""
    from sentence_transformers import SentenceTransformer

    _set_threads(threads)
    wrapped = SentenceTransformer(name, device=device, local_files_only=True)
    first: Any = wrapped[0]
    bare = first.auto_model.to(_DTYPES[precision]).eval()
    tokenizer = wrapped.tokenizer

    @torch.inference_mode()
    def run(texts: list[str]) -> Matrix:
        fed = tokenizer(
            texts, padding=True, truncation=True, max_length=max_tokens, return_tensors="pt"
        ).to(device)
        hidden = bare(**fed).last_hidden_state.float()
        mask = fed["attention_mask"].unsqueeze(-1).float()
        means = (hidden * mask).sum(1) / mask.sum(1)
        unit: Matrix = torch.nn.functional.normalize(means, dim=1).cpu().numpy()
        return unit

    def encode(texts: Sequence[str], batch: int) -> Matrix:
        order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), at))
        parts = [
            run([texts[at] for at in order[start : start + batch]])
            for start in range(0, len(order), batch)
        ]
        vectors = np.empty((len(texts), parts[0].shape[1]), dtype=np.float32)
        vectors[order] = np.concatenate(parts)
        return vectors

    return encode


def matmul_action(size: int, *, device: str = "cpu", precision: str = "fp32") -> Callable[[], None]:
    """One product of two square matrices, finished when the call returns."""
    left = torch.rand(size, size, device=device).to(_DTYPES[precision])
    right = torch.rand(size, size, device=device).to(_DTYPES[precision])

    def multiply() -> None:
        torch.mm(left, right)
        if device == "cuda":
            torch.cuda.synchronize()

    return multiply


def _set_threads(threads: int) -> None:
    import_module("transformers.utils.logging").disable_progress_bar()
    if threads:
        torch.set_num_threads(threads)
