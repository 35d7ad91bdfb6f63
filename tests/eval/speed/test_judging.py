from __future__ import annotations

import json

import numpy as np

from eval.speed.agreement import agreement_rows, ndcg_rows
from eval.speed.backends import Backend
from eval.speed.embedding import Timed, Work
from eval.speed.goals import judge
from eval.speed.inference import InferenceResult
from eval.speed.loadgen import Load, run_load
from eval.speed.rows import Row, single
from eval.speed.stats import Lap
from eval.speed.verdict import verdict
from indexer.embedders.hashing import HashingEmbedder

MACHINE = {"processor": "Example 9", "cores": 2, "memory_gib": 8.0, "gpus": [], "load_average": 0.1}


def encode(texts, _batch):
    return HashingEmbedder().embed_passages(texts)


def reversed_encode(texts, _batch):
    return np.ascontiguousarray(HashingEmbedder().embed_passages(texts)[::-1])


def timed(name: str, *, wall_s: list[float], cpu_s: float, precision: str = "fp32") -> Timed:
    return Timed(
        backend=Backend(name=name, precision=precision),
        work=Work(texts=("a",), batch=1, tokens=200),
        laps=tuple(Lap(wall_s=seconds, cpu_s=cpu_s) for seconds in wall_s),
        together=(Lap(wall_s=1.0, cpu_s=1.0),) * len(wall_s),
        alone=(Lap(wall_s=1.0, cpu_s=1.0),) * len(wall_s),
    )


def goals(*items: Timed, rows: tuple[Row, ...] = ()):
    inference = InferenceResult(
        rows=(), answers_s=(0.03, 0.03), queries_s=(0.02, 0.02), latencies_ms={}
    )
    return {goal.name: goal for goal in judge(items, rows, inference, {})}


def test_a_quiet_run_is_judged_by_the_clock():
    found = goals(
        timed("rigwise", wall_s=[1.0] * 3, cpu_s=9.0),
        timed("sentence-transformers", wall_s=[2.0] * 3, cpu_s=1.0),
    )["embedding throughput, times sentence-transformers in fp32"]

    assert (found.found, found.held) == (2.0, True)


def test_a_noisy_run_in_which_clock_and_work_disagree_is_open():
    found = goals(
        timed("rigwise", wall_s=[1.0, 2.0, 4.0], cpu_s=1.0),
        timed("sentence-transformers", wall_s=[2.0, 2.0, 2.0], cpu_s=3.0),
    )["embedding throughput, times sentence-transformers in fp32"]

    assert found.held is None
    assert "disagree" in found.note


def test_a_side_that_did_not_run_leaves_the_goal_open():
    found = goals(timed("rigwise", wall_s=[1.0], cpu_s=1.0))[
        "embedding throughput, times fastembed in fp32"
    ]

    assert (found.found, found.held) == (None, None)


def test_an_answer_is_judged_by_a_bare_query():
    found = goals(timed("rigwise", wall_s=[1.0], cpu_s=1.0))

    held = [goal for name, goal in found.items() if name.startswith("an answer at")]
    assert [(round(goal.found or 0, 2), goal.held) for goal in held] == [(1.5, True)] * 2


def test_a_precision_that_loses_quality_does_not_count_as_fast():
    rows = tuple(
        Row(
            group="agreement",
            name="onnxruntime, dense nDCG@10",
            setting={"precision": precision},
            note=f"{change:+.4f} against rigwise fp32",
        )
        for precision, change in (("int8", -0.02), ("int8-reduced", -0.001))
    )
    found = goals(
        timed("sentence-transformers", wall_s=[4.0], cpu_s=4.0),
        timed("onnxruntime", wall_s=[1.0], cpu_s=1.0, precision="int8"),
        timed("onnxruntime", wall_s=[2.0], cpu_s=2.0, precision="int8-reduced"),
        rows=rows,
    )
    goal = next(goal for name, goal in found.items() if "any precision" in name)

    assert (goal.found, goal.held) == (2.0, True)


def test_a_backend_that_changes_vectors_shows_it():
    source = [f"word{number} memory" for number in range(40)]
    loaded = [
        (Backend(name="rigwise"), encode),
        (Backend(name="other"), encode),
        (Backend(name="broken"), reversed_encode),
    ]

    rows = {row.name: row.median or 0.0 for row in agreement_rows(loaded, source, quick=True)}

    assert rows["other, lowest cosine"] > 0.9999
    assert rows["other, overlap of the best ten"] == 1.0
    assert rows["broken, mean cosine"] < 0.95


def test_the_change_in_ndcg_is_against_the_product(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    words = ("memory", "storage", "network", "power")
    documents = [{"_id": word, "title": "", "text": f"{word} of a machine"} for word in words]
    queries = [{"_id": f"q-{word}", "text": word} for word in words]
    for name, items in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    grades = "".join(f"q-{word}\t{word}\t1\n" for word in words)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{grades}")

    rows = ndcg_rows(
        [(Backend(name="rigwise"), encode), (Backend(name="other"), encode)], folder, queries=4
    )

    assert [row.median for row in rows] == [1.0, 1.0]
    assert rows[1].note == "+0.0000 against rigwise fp32"


def test_loadgen_hands_every_sample_to_the_system():
    seen: list[int] = []
    ticks = iter(range(10_000))

    result = run_load(
        Load(scenario="Offline", samples=4, queries=4, seconds=0.01),
        seen.extend,
        clock=lambda: float(next(ticks)),
    )

    assert set(seen) <= set(range(4))
    assert len(result.latencies_s) == 1
    assert len(seen) >= 4


def test_the_verdict_names_machine_and_day_in_every_sentence():
    rate = Row(
        group="embedding",
        name="rigwise",
        unit="passages/s",
        setting={"precision": "fp32", "tokens": 200, "threads": 2},
    )

    sentences = verdict([single(rate, 10.0)], (), MACHINE, day="2026-12-01")

    assert all(
        text.startswith(
            "On the Example 9 with 2 cores and 8 GiB of memory, measured on 2026-12-01,"
        )
        for text in sentences
    )
    assert "up to about 860,000 passages of 200 tokens a day" in sentences[0]
