"""The sentence leg, held against cosines by hand."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.dense import Similar
from indexer.sentences import SentenceLeg
from indexer.types import Sentence

# Three passages; the first has two sentences, the second none, the third one.
SENTENCES = [Sentence(passage=passage, start=0, end=1) for passage in (0, 0, 2)]
VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
QUERY = np.array([0, 1], np.float32)


def dense(cosines, seen) -> Similar:
    return Similar(cosines=np.array(cosines, np.float32), seen=np.array(seen), mean=9, deviation=9)


def test_a_passage_has_the_cosine_of_its_best_sentence():
    leg = SentenceLeg(SENTENCES, VECTORS).similar(QUERY, dense([0.1, 0.3, 0.2], [True] * 3))

    # 0.8 of the second sentence, 0.3 of the passage without sentences, 1 of the last.
    assert leg.cosines == pytest.approx([0.8, 0.3, 1.0])
    assert leg.mean == pytest.approx(0.7)
    assert leg.deviation == pytest.approx(np.std([0.8, 0.3, 1.0]))


def test_only_what_the_dense_leg_has_seen_is_looked_at():
    leg = SentenceLeg(SENTENCES, VECTORS).similar(
        QUERY, dense([0.0, 0.3, 0.2], [False, True, True])
    )

    assert leg.cosines == pytest.approx([0.0, 0.3, 1.0])
    assert leg.seen.tolist() == [False, True, True]
    # Estimated from the passages that have sentences: 0.8 and 1.
    assert leg.mean == pytest.approx(0.9)
    assert leg.deviation == pytest.approx(0.1)


@pytest.mark.parametrize("seen", [[True] * 3, [True, False, True]])
def test_without_sentences_it_is_the_dense_leg(seen):
    own = dense([0.1, 0.2, 0.3], seen)
    leg = SentenceLeg([], np.empty((0, 2), np.float32)).similar(QUERY, own)

    assert leg.cosines.tolist() == own.cosines.tolist()
