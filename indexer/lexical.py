"""The lexical leg: BM25 over the passages' embedded text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.text import lexical_tokens

# Lucene's variant with its usual constants.
_K1 = 1.2
_B = 0.75


class LexicalIndex:
    """BM25 scores of passages by position."""

    def __init__(self, model: Any, size: int) -> None:
        self._model = model
        self._size = size

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """float32 [passages]: BM25 of every passage; zero where no query token occurs."""
        known = [token for token in lexical_tokens(query) if token in self._model.vocab_dict]
        if not known or not self._size:
            return np.zeros(self._size, dtype=np.float32)
        scores: npt.NDArray[np.float32] = self._model.get_scores(known)
        return scores

    def save(self, folder: Path) -> None:
        """Write the index as arrays and JSON; no pickle."""
        folder.mkdir()
        if self._size:
            self._model.save(folder, show_progress=False)


def build_lexical(texts: Sequence[str]) -> LexicalIndex:
    """Index texts in their order."""
    import bm25s

    model = bm25s.BM25(k1=_K1, b=_B, method="lucene")
    tokens = [lexical_tokens(text) or [""] for text in texts]
    # bm25s would number the tokens in the order of a set, which changes from run to run.
    vocabulary = {token: number for number, token in enumerate(sorted(set().union(*tokens)))}
    if texts:
        numbered = [[vocabulary[token] for token in row] for row in tokens]
        model.index((numbered, vocabulary), create_empty_token=False, show_progress=False)
    else:
        model.vocab_dict = {}
    return LexicalIndex(model, len(texts))


def load_lexical(folder: Path, size: int) -> LexicalIndex:
    """Open a saved index of `size` passages, its arrays mapped from disk."""
    import bm25s

    if not size:
        return build_lexical([])
    return LexicalIndex(bm25s.BM25.load(folder, mmap=True, show_progress=False), size)
