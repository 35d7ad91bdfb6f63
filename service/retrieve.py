"""Find passages: three legs score every passage, z-scores add up, the best come back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from indexer.dense import Similar
from indexer.embedders import Matrix
from indexer.generation import OpenIndex
from service.types import Hit

Scores = npt.NDArray[np.float32]

# The legs' shares of the sum, and how deep the ranks of a leg are told (docs/decisions/0011-fusion.md).
_DENSE = 0.35
_SENTENCE = 0.3
_LEXICAL = 0.35
_RANKED = 100


def retrieve(
    text: str,
    vector: Matrix,
    index: OpenIndex,
    *,
    limit: int,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> list[Hit]:
    """The best passages for a query text and its vector [dimensions], best first; ties go to the smaller id.

    `allowed` [passages] leaves out passages before ranking. A passage that no leg finds is never returned.
    """
    if not index.passages:
        return []
    lexical = index.lexical.scores(text)
    similar = index.dense.similar(vector, beside=lexical, allowed=allowed)
    sentence = index.sentence_leg.similar(vector, similar)
    dense = similar.cosines
    fused = fuse(similar, sentence, lexical)
    found = similar.seen & ((lexical > 0) | (dense > 0))
    fused = np.where(found if allowed is None else found & allowed, fused, -np.inf)
    order = _best(fused, limit)
    legs = {"dense": dense, "sentence": sentence.cosines, "lexical": lexical}
    ranks = {leg: _ranks(scores) for leg, scores in legs.items()}
    hits = [
        Hit(
            passage=index.passages[position],
            score=float(fused[position]),
            similarity=float(dense[position]),
            legs={leg: rank[position] for leg, rank in ranks.items() if position in rank},
        )
        for position in order
        if np.isfinite(fused[position])
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))


def fuse(dense: Similar, sentence: Similar, lexical: Scores) -> Scores:
    """Add up the legs' z-scores over all passages, so that a leg that tells passages apart clearly counts for more."""
    total: Scores = (
        _DENSE * _standardized(dense.cosines, dense.mean, dense.deviation)
        + _SENTENCE * _standardized(sentence.cosines, sentence.mean, sentence.deviation)
        + _LEXICAL * _standardized(lexical, float(lexical.mean()), float(lexical.std()))
    )
    return total


def _standardized(scores: Scores, mean: float, deviation: float) -> Scores:
    """Scores less their mean, over their deviation; all zero where they do not differ."""
    if deviation < 1e-9:
        return np.zeros_like(scores)
    standardized: Scores = (scores - np.float32(mean)) / np.float32(deviation)
    return standardized


def _best(scores: Scores, count: int) -> npt.NDArray[np.intp]:
    count = min(count, len(scores))
    top = np.argpartition(-scores, count - 1)[:count]
    return top[np.lexsort((top, -scores[top]))]


def _ranks(scores: Scores) -> dict[int, int]:
    """Positions of the best `_RANKED` passages of a leg to their ranks, from 1; zero scores have none."""
    return {
        int(position): rank
        for rank, position in enumerate(_best(scores, _RANKED), start=1)
        if scores[position] > 0
    }
