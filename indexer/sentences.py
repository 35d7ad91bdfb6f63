"""The sentence leg: the best sentence of a passage, where the passage as a whole speaks of more than was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from indexer.dense import Scores, Similar
from indexer.embedders import Matrix
from indexer.types import Sentence

# Passages that mean and deviation are estimated from where not all are looked at.
_SAMPLE: Final = 1000


class SentenceLeg:
    """The best cosine among a passage's sentences; a passage without sentences has its own.

    `vectors` [sentences, dimensions] stand in the order of `sentences`, whose passages ascend.
    """

    def __init__(self, sentences: Sequence[Sentence], vectors: Matrix) -> None:
        owners = np.fromiter((item.passage for item in sentences), np.intp, len(sentences))
        self._vectors = vectors
        self._passages, self._starts = np.unique(owners, return_index=True)
        self._ends = np.append(self._starts[1:], len(owners))

    def similar(self, vector: Matrix, dense: Similar) -> Similar:
        """The leg for a query vector [dimensions], where the dense leg has seen passages; `dense` is that leg."""
        best = dense.cosines.copy()
        if dense.seen.all():
            if len(self._passages):
                best[self._passages] = np.maximum.reduceat(self._vectors @ vector, self._starts)
            return _with(dense, best, best)
        at = np.flatnonzero(dense.seen[self._passages])
        best[self._passages[at]] = self._best(vector, at)
        every = np.arange(0, len(self._passages), max(1, len(self._passages) // _SAMPLE))
        return _with(dense, best, self._best(vector, every))

    def _best(self, vector: Matrix, at: npt.NDArray[np.intp]) -> Scores:
        """The best cosine of some of the passages that have sentences."""
        if not len(at):
            return np.empty(0, np.float32)
        counts = self._ends[at] - self._starts[at]
        firsts = np.append(0, np.cumsum(counts)[:-1])
        rows = np.arange(counts.sum()) + np.repeat(self._starts[at] - firsts, counts)
        best: Scores = np.maximum.reduceat(self._vectors[rows] @ vector, firsts)
        return best


def _with(dense: Similar, best: Scores, known: Scores) -> Similar:
    if not len(known):
        return dense
    return Similar(
        cosines=best, seen=dense.seen, mean=float(known.mean()), deviation=float(known.std())
    )
