from __future__ import annotations

import math
import random
import subprocess
import sys
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import lexical
from indexer.checks import check_index
from indexer.dense import build_dense, load_dense
from indexer.embedders.hashing import HashingEmbedder
from indexer.errors import EmbedderMismatch, GenerationCorrupt
from indexer.generation import GenerationStore
from indexer.lexical import build_lexical, load_lexical
from indexer.pipeline import build_generation
from indexer.text import lexical_tokens
from tests.indexer.lifecycle.worlds import EMBEDDER, build, current_of, write_articles

_WORDS = ["memory", "H100", "SXM", "80 GB", "bandwidth", "power", "ECC", "显存", "card", "7,200"]


def _texts(count: int) -> list[str]:
    choice = random.Random(1)  # noqa: S311
    return [" ".join(choice.choices(_WORDS, k=choice.randint(1, 30))) for _ in range(count)]


def _by_hand(texts: list[str], query: str) -> list[float]:
    """BM25 as docs/index-format.md writes it, term by term. With k1 = 1.2 bm25s 0.3 gave the same to six digits."""
    rows = [lexical_tokens(text) for text in texts]
    mean = sum(map(len, rows)) / len(rows)
    scores = [0.0] * len(rows)
    for term in lexical_tokens(query):
        found = sum(term in row for row in rows)
        weight = math.log(1 + (len(rows) - found + 0.5) / (found + 0.5))
        for at, row in enumerate(rows):
            count = row.count(term)
            norm = lexical._K1 * (1 - lexical._B + lexical._B * len(row) / mean)
            scores[at] += weight * count / (count + norm)
    return scores


@pytest.mark.parametrize("query", ["memory of the H100", "80 GB 80 GB", "显存", "zebra"])
def test_scores_are_those_of_the_formula(query):
    texts = _texts(200)

    assert build_lexical(texts).scores(query) == pytest.approx(_by_hand(texts, query), abs=1e-5)


@given(
    st.lists(st.sampled_from(_WORDS), max_size=8),
    st.lists(st.sampled_from([*_WORDS, "zebra", ""]), max_size=8),
)
def test_taking_rows_over_gives_the_bytes_of_building_anew(old, new):
    before = build_lexical(old)
    rows = [old.index(text) if text in old else None for text in new]

    taken_over = build_lexical(new, old=before, rows=rows)

    assert taken_over.encode() == build_lexical(new).encode()


def test_the_lexical_leg_comes_back_from_its_files(tmp_path):
    index = build_lexical(_texts(20))
    for name, content in index.encode().items():
        (tmp_path / name).write_bytes(content)

    loaded = load_lexical(tmp_path, 20)

    assert np.array_equal(loaded.scores("H100 memory"), index.scores("H100 memory"))
    assert isinstance(loaded.postings.passages, np.memmap)


@pytest.mark.parametrize("texts", [[], [""], ["", "card"]])
def test_texts_without_words_are_no_trouble(texts, tmp_path):
    index = build_lexical(texts)
    for name, content in index.encode().items():
        (tmp_path / name).write_bytes(content)

    assert load_lexical(tmp_path, len(texts)).scores("card zebra").tolist()[:1] in ([], [0.0])


def test_an_empty_dense_leg_finds_nothing(tmp_path):
    index = build_dense(np.empty((0, 16), np.float32))
    (tmp_path / "dense.faiss").write_bytes(index.encode()["dense.faiss"])

    loaded = load_dense(tmp_path, index.choice)

    assert loaded.similar(EMBEDDER.embed_queries(["memory"])[0]).cosines.shape == (0,)
    assert loaded.vectors().shape == (0, 16)


def test_every_passage_has_a_score_and_no_other(tmp_path):
    vectors = EMBEDDER.embed_passages(_texts(7))
    scores = build_dense(vectors).similar(vectors[3]).cosines

    assert scores == pytest.approx(vectors @ vectors[3], abs=1e-6)
    assert int(scores.argmax()) == 3


def test_other_dimensions_are_refused_with_both_named():
    index = build_dense(EMBEDDER.embed_passages(["memory"]))

    with pytest.raises(EmbedderMismatch, match=r"16 dimensions.*8 dimensions"):
        index.similar(np.ones(8, np.float32))


def test_the_bytes_of_the_dense_leg_depend_on_the_vectors_alone():
    vectors = EMBEDDER.embed_passages(_texts(50))

    assert build_dense(vectors).encode() == build_dense(vectors.copy()).encode()


@pytest.mark.parametrize("factor", [2.0, float("nan"), 0.0])
def test_vectors_that_are_not_of_length_one_are_not_published(tmp_path, factor):
    class Wrong(HashingEmbedder):
        def embed_passages(self, texts, *, progress=None):
            return super().embed_passages(texts, progress=progress) * np.float32(factor)

    store = GenerationStore(tmp_path / "index")
    with pytest.raises(GenerationCorrupt, match="length is not 1"):
        build_generation([write_articles(tmp_path / "docs")], store, Wrong(dimensions=16))

    assert store.current() is None


def test_counts_that_disagree_are_damage(tmp_path):
    store = GenerationStore(tmp_path / "index")
    build(write_articles(tmp_path / "docs"), store)
    index = store.open_current()
    counts = {**index.manifest.counts, "passages": 99}
    wrong = msgspec.structs.replace(index.manifest, counts=counts)

    with pytest.raises(GenerationCorrupt, match="holds 3 rows, the manifest counts 99"):
        check_index(replace(index, manifest=wrong), tmp_path)


@pytest.mark.parametrize("order", ["faiss, onnxruntime", "onnxruntime, faiss"])
def test_faiss_and_the_embedder_live_together_in_either_order(order):
    program = (
        f"import {order}, numpy as np\n"
        "index = faiss.IndexFlatIP(4); index.add(np.eye(4, dtype=np.float32))\n"
        "print(index.search(np.eye(4, dtype=np.float32), 1)[1].tolist())"
    )

    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program], check=False, capture_output=True, timeout=60
    )

    assert (done.returncode, done.stdout.split()) == (0, b"[[0], [1], [2], [3]]".split())


def test_no_file_of_a_generation_is_a_pickle(tmp_path):
    store = GenerationStore(tmp_path / "index")
    build(write_articles(tmp_path / "docs"), store)

    names = store.verify(current_of(store)).files

    assert {name.rsplit(".", 1)[1] for name in names} == {"jsonl", "npy", "faiss", "txt"}
