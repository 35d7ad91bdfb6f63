"""The bench counts what it says: three recommendations a round, beside ten embeddings."""

from eval.advising import time_advice
from indexer.embedders.hashing import HashingEmbedder


def test_the_ratio_is_the_share_of_ten_embeddings(desk):
    ticks = iter(range(1000))
    measured = time_advice(desk, HashingEmbedder(), repeats=2, clock=lambda: float(next(ticks)))
    assert measured.recommendation_ms == 1000.0
    assert measured.ratio == 1.0
