"""Many passages: vectors in lists, held against exact cosines by numpy."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from indexer import pipeline
from indexer.dense import DenseIndex, build_dense, load_dense
from indexer.generation import GenerationStore
from service.retrieve import retrieve
from tests.indexer.lifecycle.worlds import EMBEDDER, build, write_article

_TOPICS, _PASSAGES, _DIMENSIONS = 60, 6000, 32


def _rows(count: int, *, seed: int) -> np.ndarray:
    """Unit vectors around sixty topics, as texts are."""
    topics = np.random.default_rng(0).standard_normal((_TOPICS, _DIMENSIONS))
    random = np.random.default_rng(seed)
    rows = topics[random.integers(0, _TOPICS, count)] + 0.5 * random.standard_normal(
        (count, _DIMENSIONS)
    )
    unit: np.ndarray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return _rows(_PASSAGES, seed=1)


@pytest.fixture(scope="module")
def lists(vectors) -> DenseIndex:
    return build_dense(vectors, _rows(300, seed=2), flat_most=1000)


def test_few_passages_are_searched_exactly(vectors):
    index = build_dense(vectors)

    assert (index.choice.kind, index.choice.recall_at_10) == ("flat", 1.0)
    assert list(index.encode()) == ["dense.faiss"]


def test_many_are_found_as_an_exact_search_finds_them(lists, vectors):
    queries = _rows(200, seed=3)  # none of those that the lists were chosen by
    found = [set(np.argsort(-lists.similar(query).cosines)[:10]) for query in queries]
    exact = [set(np.argsort(-(vectors @ query))[:10]) for query in queries]
    recall = np.mean([len(one & other) / 10 for one, other in zip(found, exact, strict=True)])

    assert recall >= 0.98
    assert lists.choice.kind == "ivf"
    assert lists.choice.recall_at_10 >= 0.98
    assert 2 * lists.choice.probes < lists.choice.lists


def test_what_is_seen_has_its_cosine_and_the_moments_are_those_of_all(lists, vectors):
    query = _rows(1, seed=4)[0]
    exact = vectors @ query
    similar = lists.similar(query)

    assert similar.cosines[similar.seen] == pytest.approx(exact[similar.seen], abs=1e-5)
    assert not similar.cosines[~similar.seen].any()
    assert 10 <= similar.seen.sum() <= 1000
    assert similar.mean == pytest.approx(exact.mean(), abs=1e-5)
    assert similar.deviation == pytest.approx(exact.std(), abs=1e-4)


def test_what_another_leg_finds_is_seen_too(lists, vectors):
    query = vectors[0]
    far = int(np.argmin(vectors @ query))
    beside = np.zeros(_PASSAGES, np.float32)
    beside[far] = 3.0

    assert not lists.similar(query).seen[far]
    assert lists.similar(query, beside=beside).cosines[far] == pytest.approx(
        float(vectors[far] @ query), abs=1e-5
    )


def test_only_allowed_passages_are_looked_at(lists, vectors):
    allowed = np.zeros(_PASSAGES, bool)
    allowed[::97] = True
    similar = lists.similar(vectors[5], allowed=allowed)

    assert similar.seen.any()
    assert not (similar.seen & ~allowed).any()


def test_vectors_without_topics_stay_exact():
    noise = np.random.default_rng(5).standard_normal((3000, 64)).astype(np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)

    assert build_dense(noise, noise[:200] + 0.01, flat_most=1000).choice.kind == "flat"


def test_lists_come_back_from_their_files(lists, vectors, tmp_path):
    for name, content in lists.encode().items():
        (tmp_path / name).write_bytes(content)
    loaded = load_dense(tmp_path, lists.choice)

    assert np.array_equal(loaded.similar(vectors[7]).cosines, lists.similar(vectors[7]).cosines)
    assert np.array_equal(loaded.vectors(), vectors)


def test_the_bytes_of_lists_depend_on_the_vectors_alone(lists, vectors):
    again = build_dense(vectors.copy(), _rows(300, seed=2), flat_most=1000)

    assert again.encode() == lists.encode()


def test_a_generation_in_lists_answers_as_an_exact_one(tmp_path, monkeypatch):
    docs = tmp_path / "docs"
    for number in range(40):
        write_article(docs, f"rack-{number}.md", f"Rack {number} is cooled by water loop {number}.")
    exact = GenerationStore(tmp_path / "exact")
    build(docs, exact)
    monkeypatch.setattr(pipeline, "build_dense", partial(build_dense, flat_most=10))
    inexact = GenerationStore(tmp_path / "lists")
    build(docs, inexact)
    opened, held = exact.open_current(), inexact.open_current()

    assert held.manifest.dense == held.dense.choice
    for number in (3, 17, 39):
        text = f"How is rack {number} cooled?"
        vector = EMBEDDER.embed_queries([text])[0]
        one, other = (retrieve(text, vector, index, limit=3) for index in (opened, held))
        assert [hit.passage.id for hit in one] == [hit.passage.id for hit in other]
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], abs=1e-3)
