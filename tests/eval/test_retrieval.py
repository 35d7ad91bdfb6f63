"""Ranking: figures against an independent count, and a broken leg or reversed weights are noticed."""

import json
import math

import numpy as np
import pytest

from eval.baseline import compare
from eval.labeled import load_set
from eval.labeled_index import open_set
from eval.report import Report, set_row
from eval.retrieval import MEASURES, measured, run_folder, run_queries
from indexer.embedders.hashing import HashingEmbedder
from service import retrieve as stage

WORDS = "amber birch cedar delta ember flint grove heron islet joist kelp lemon".split()


def write(folder, *, queries=24):
    """Documents that share filler words and differ in one; each query asks for that one and a filler."""
    folder.mkdir()
    names = [f"{first}{second}" for first in WORDS for second in WORDS[:6]]
    rows = [
        {
            "_id": f"d/{n}",
            "title": "",
            "text": f"{name} is kept beside {WORDS[n % 12]} and {WORDS[n % 5]}.",
        }
        for n, name in enumerate(names)
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    asked = [
        {"_id": f"q{n}", "text": f"where is {names[n]} kept, near {WORDS[(n + 3) % 12]}"}
        for n in range(queries)
    ]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    lines = ["query-id\tcorpus-id\tscore", *(f"q{n}\td/{n}\t1" for n in range(queries))]
    (folder / "qrels.tsv").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(name="labeled")
def _labeled(tmp_path):
    return write(tmp_path / "tiny")


def ndcg_at_10(run, relevant):
    ranked = sorted(run, key=lambda name: -run[name])[:10]
    gained = sum(relevant.get(name, 0) / math.log2(rank + 2) for rank, name in enumerate(ranked))
    best = sorted(relevant.values(), reverse=True)[:10]
    return gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))


def test_measures_agree_with_an_independent_count():
    generator = np.random.default_rng(3)
    runs = {f"q{q}": {f"d{d}": float(generator.random()) for d in range(30)} for q in range(20)}
    judged = {f"q{q}": {f"d{(q * 7 + k) % 40}": 1 for k in range(1 + q % 3)} for q in range(20)}

    found = measured(runs, judged, MEASURES)

    for query, relevant in judged.items():
        ranked = sorted(runs[query], key=lambda name: -runs[query][name])
        first = next((rank for rank, name in enumerate(ranked[:10], 1) if name in relevant), None)
        assert found["nDCG@10"][query] == pytest.approx(ndcg_at_10(runs[query], relevant), abs=1e-6)
        assert found["RR@10"][query] == pytest.approx(1 / first if first else 0, abs=1e-6)
        recall = len(set(ranked[:5]) & set(relevant)) / len(relevant)
        assert found["R@5"][query] == pytest.approx(recall, abs=1e-6)


def test_a_query_that_finds_nothing_counts_as_zero():
    assert (
        measured({"a": {"d": 1.0}}, {"a": {"d": 1}, "b": {"d": 1}}, ("nDCG@10",))["nDCG@10"]["b"]
        == 0.0
    )


def test_the_product_path_finds_the_documents(labeled, tmp_path):
    result = run_folder(labeled, HashingEmbedder(), tmp_path / "cache")

    assert (result.queries, result.passages) == (24, 72)
    assert result.mean("nDCG@10") > 0.7


def test_vectors_are_made_once(labeled, tmp_path):
    first = run_folder(labeled, HashingEmbedder(), tmp_path / "cache")

    assert run_folder(labeled, NoMore(), tmp_path / "cache") == first


class NoMore(HashingEmbedder):
    def embed_passages(self, texts, *, progress=None):
        raise AssertionError("embedded again")

    embed_queries = embed_passages


def test_a_span_is_right_only_in_its_own_passage(tmp_path):
    folder = write(tmp_path / "spans", queries=1)
    text = "First part about amber.\n\n## Two\n\nThe secret is heron."
    (folder / "corpus.jsonl").write_text(
        json.dumps({"_id": "d/0", "title": "T", "text": text}), encoding="utf-8"
    )
    asked = {
        "_id": "q0",
        "text": "secret heron",
        "doc": "d/0",
        "spans": [[text.index("heron"), len(text)]],
    }
    (folder / "queries.jsonl").write_text(json.dumps(asked), encoding="utf-8")

    result = run_folder(folder, HashingEmbedder(), tmp_path / "cache")

    assert (result.passages, result.mean("Success@1")) == (2, 1.0)


@pytest.mark.parametrize("fault", ["a leg switched off", "weights reversed"])
def test_the_gate_notices_a_broken_fusion(labeled, tmp_path, monkeypatch, fault):
    embedder, sets = HashingEmbedder(), load_set(labeled)
    index, vectors = open_set(sets, embedder, tmp_path / "cache")
    matrix = vectors.queries([query.text for query in sets.queries], embedder)
    before = run_queries(sets, sets.queries, index, matrix)
    broken = {
        "a leg switched off": lambda dense, sentence, lexical: dense.cosines,
        "weights reversed": lambda dense, sentence, lexical: -lexical,
    }[fault]
    monkeypatch.setattr(stage, "fuse", broken)

    after = run_queries(sets, sets.queries, index, matrix)

    changes = compare(Report(sets=(set_row(before),)), Report(sets=(set_row(after),)))
    assert "tiny nDCG@10" in {item.metric for item in changes if item.failed}
