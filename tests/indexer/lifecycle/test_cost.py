"""What a change costs follows the change. `python -m tools.measure_index` measures the same on 10,000 passages."""

from __future__ import annotations

from time import perf_counter

import pytest

from indexer import gather
from indexer.derive import derive
from indexer.embedders import EmbedderChoice, make_embedder
from indexer.embedders.hashing import HashingEmbedder
from indexer.errors import ModelNotFound
from indexer.generation import GenerationStore
from indexer.pipeline import build_generation
from tools.measure_index import write_articles


@pytest.mark.slow
def test_one_passage_of_ten_thousand_costs_two_texts_and_one_file(tmp_path, monkeypatch):
    docs, store = tmp_path / "docs", GenerationStore(tmp_path / "index")
    docs.mkdir()
    article = write_articles(docs, 10_000)
    full = build_generation([docs], store, HashingEmbedder())
    parsed: list[str] = []

    def noted(source, sha256, embedder):
        parsed.append(source.path)
        return derive(source, sha256, embedder)

    monkeypatch.setattr(gather, "derive", noted)
    article.write_text(article.read_text().replace("It has 7 ", "It has seven "))

    change = build_generation([docs], store, HashingEmbedder())
    nothing = build_generation([docs], store, HashingEmbedder())

    assert (full.passages, full.embedded, full.reused) == (10_000, 30_000, 0)
    assert (change.embedded, change.reused, parsed) == (2, 29_998, [article.name])
    assert (nothing.embedded, nothing.published) == (0, False)
    assert sum(nothing.seconds.values()) < 0.05 * sum(full.seconds.values())


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(300)
def test_a_change_costs_at_most_a_twentieth_of_a_full_build_with_a_real_model(tmp_path):
    try:
        embedder = make_embedder(EmbedderChoice())
    except ModelNotFound:
        pytest.skip("the weights are not installed")
    docs, store = tmp_path / "docs", GenerationStore(tmp_path / "index")
    docs.mkdir()
    article = write_articles(docs, 400)
    began = perf_counter()
    build_generation([docs], store, embedder)
    full = perf_counter() - began
    article.write_text(article.read_text().replace("It has 7 ", "It has seven "))

    began = perf_counter()
    report = build_generation([docs], store, embedder)
    change = perf_counter() - began

    assert report.embedded == 2
    assert change <= 0.05 * full
