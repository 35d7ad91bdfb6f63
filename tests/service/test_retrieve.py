"""Both legs score, z-scores add up, the best come back in a stable order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.dense import Similar
from service.retrieve import fuse, retrieve

SCORES = st.lists(st.floats(0, 10, width=32), min_size=1, max_size=30)


def hits(engine, text: str, **options):
    index = engine.index()
    return retrieve(text, engine.embedder.embed_queries([text])[0], index, **options)


def test_the_passage_that_holds_the_words_comes_first(sheet_engine):
    best = hits(sheet_engine, "usable capacity of RAID 6 and RAID 10", limit=3)[0]
    assert best.passage.heading_path[-1] == "Usable capacity of RAID 6 and RAID 10"
    assert (best.legs["dense"], best.legs["lexical"]) == (1, 1)


def test_hits_are_ordered_and_at_most_the_limit(sheet_engine):
    found = hits(sheet_engine, "memory of a card", limit=5)
    assert len(found) == 5
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_the_same_query_gives_the_same_hits(sheet_engine):
    assert hits(sheet_engine, "H100 power", limit=8) == hits(sheet_engine, "H100 power", limit=8)


def test_a_passage_that_is_not_allowed_is_left_out(sheet_engine):
    index = sheet_engine.index()
    allowed = np.array([passage.kind == "prose" for passage in index.passages])
    found = hits(sheet_engine, "fact memory 80 GB HBM3", limit=20, allowed=allowed)
    assert {hit.passage.kind for hit in found} == {"prose"}


def test_more_hits_than_passages_is_no_error(sheet_engine):
    assert len(hits(sheet_engine, "memory", limit=10_000)) <= len(sheet_engine.index().passages)


@pytest.mark.parametrize("text", ["", "😀", "zzzzqqqq", "的"])
def test_a_query_that_finds_nothing_by_words_is_no_error(text, sheet_engine):
    assert all("lexical" not in hit.legs for hit in hits(sheet_engine, text, limit=3))


def whole(scores) -> Similar:
    """A dense leg that has seen all passages."""
    cosines = np.array(scores, np.float32)
    return Similar(
        cosines=cosines,
        seen=np.ones(len(cosines), bool),
        mean=float(cosines.mean()),
        deviation=float(cosines.std()),
    )


def test_z_scores_by_hand():
    # [1, 3] and [10, 30]: mean 2 and 20, deviation 1 and 10; so -1 and 1 in both legs, whatever their shares.
    fused = fuse(whole([1, 3]), whole([2, 4]), np.array([10, 30], np.float32))
    assert fused.tolist() == pytest.approx([-1, 1])


def test_a_leg_that_tells_nothing_apart_has_no_say():
    fused = fuse(whole([1, 3]), whole([2, 4]), np.array([5, 5], np.float32))
    assert fused[0] == pytest.approx(-fused[1])


@given(SCORES)
def test_fusing_a_leg_with_itself_keeps_its_order(scores):
    leg = np.array(scores, np.float32)
    fused = fuse(whole(scores), whole(scores), leg)
    higher = leg[:, None] > leg[None, :]
    assert np.all((fused[:, None] >= fused[None, :])[higher])


@given(SCORES)
def test_fused_scores_are_finite(scores):
    assert np.isfinite(fuse(whole(scores), whole(scores), np.zeros(len(scores), np.float32))).all()
