"""The answer path: LoadGen's scenarios on the engine and on embedding, stages, and the bare query embedding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from eval.speed.bench import Bench
from eval.speed.loadgen import Load, LoadResult, run_load
from eval.speed.rows import Row, measured, single
from eval.speed.stats import interleaved, percentile, summarize
from indexer.generation import OpenIndex
from service.retrieve import retrieve
from service.types import Answer, Question

# The bound of the Server scenario: an answer that feels immediate.
LATENCY_BOUND_S: Final = 0.5
# Server is asked for this part of what SingleStream could do.
_SERVER_SHARE: Final = 0.5
_LIMIT: Final = 12


class Answerer(Protocol):
    """What is measured: the service's engine, in this process."""

    def answer(self, question: Question) -> Answer:
        """Answer, ask back or abstain."""
        ...

    def index(self) -> OpenIndex:
        """The generation in use."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceResult:
    """Rows; seconds of each answer and of each bare query embedding; distributions for the plots."""

    rows: tuple[Row, ...]
    answers_s: tuple[float, ...]
    queries_s: tuple[float, ...]
    latencies_ms: dict[str, tuple[float, ...]]


def measure_inference(
    bench: Bench, engine: Answerer, questions: Sequence[str], passages: Sequence[str]
) -> InferenceResult:
    """Answers and bare query embeddings question by question in turn, then retrieval alone and LoadGen."""
    bench.told(f"inference: {len(questions)} questions")
    stages: dict[str, list[float]] = {}
    answers, queries = _in_turn(bench, engine, questions, stages)
    rows = [
        _timing("whole answer, in this process", answers),
        _timing("bare query embedding", queries),
        *(_timing(f"stage {name}", values) for name, values in stages.items()),
        *_left_out(stages),
        _retrieval_alone(bench, engine.index(), questions),
    ]
    latencies = {
        "whole answer": _milliseconds(answers),
        "bare query embedding": _milliseconds(queries),
    }
    for result, row in _loads(bench, engine, questions, passages):
        rows += row
        if result is not None:
            latencies[f"LoadGen {result.scenario}"] = _milliseconds(result.latencies_s)
    return InferenceResult(
        rows=tuple(rows),
        answers_s=tuple(answers),
        queries_s=tuple(queries),
        latencies_ms=latencies,
    )


def _in_turn(
    bench: Bench, engine: Answerer, questions: Sequence[str], stages: dict[str, list[float]]
) -> tuple[list[float], list[float]]:
    engine.answer(Question(text=questions[0]))
    answers, queries = [], []
    for text in questions:
        start = bench.clock()
        bench.embedder.embed_queries([text])
        queries.append(bench.clock() - start)
        start = bench.clock()
        answer = engine.answer(Question(text=text))
        answers.append(bench.clock() - start)
        for name, milliseconds in answer.timings_ms.items():
            stages.setdefault(name, []).append(milliseconds / 1000)
    return answers, queries


def _left_out(stages: Mapping[str, Sequence[float]]) -> Iterator[Row]:
    """Stages that an answer may have and these had not, with the reason."""
    if "language" not in stages:
        reason = "skipped: no language model is configured (RIGWISE_LLM_URL)"
        yield Row(group="answer", name="stage language", skipped=reason)
    reason = "skipped: Rigwise has no reranker (docs/decisions/0011-fusion.md)"
    yield Row(group="answer", name="stage rerank", skipped=reason)


def _timing(name: str, seconds: Sequence[float]) -> Row:
    row = Row(
        group="answer",
        name=name,
        unit="ms",
        higher_is_better=False,
        note=f"p99 {percentile(seconds, 0.99) * 1000:.1f} ms over {len(seconds)} questions; "
        "the spread is between questions",
    )
    made = measured(row, summarize([value * 1000 for value in seconds]))
    return made.model_copy(update={"noisy": False})


def _retrieval_alone(bench: Bench, index: OpenIndex, questions: Sequence[str]) -> Row:
    """Both legs and their fusion on the index in use, the query's vector given."""
    vectors = bench.embedder.embed_queries(questions)

    def all_of_them() -> None:
        for text, vector in zip(questions, vectors, strict=True):
            retrieve(text, vector, index, limit=_LIMIT)

    laps = interleaved(
        [all_of_them],
        repetitions=bench.repetitions,
        clock=bench.clock,
        cpu_clock=bench.cpu_clock,
    )[0]
    row = Row(
        group="retrieval",
        name="both legs and fusion, on the index in use",
        unit="ms",
        higher_is_better=False,
        setting={"passages": len(index.passages)},
    )
    return measured(row, summarize([lap.wall_s / len(questions) * 1000 for lap in laps]))


def _loads(
    bench: Bench, engine: Answerer, questions: Sequence[str], passages: Sequence[str]
) -> list[tuple[LoadResult | None, list[Row]]]:
    """Offline embeds passages; SingleStream and Server answer questions."""
    seconds = 1.0 if bench.quick else 5.0
    offline = Load(
        scenario="Offline", samples=len(passages), queries=len(passages), seconds=seconds
    )
    bench.told("LoadGen: Offline, SingleStream, Server")
    done: list[tuple[LoadResult | None, list[Row]]] = []
    first = run_load(
        offline,
        lambda at: bench.embedder.embed_passages([passages[position] for position in at]),
        clock=bench.clock,
    )
    done.append((None, [_rate_row(first, "passages/s", "embedding passages")]))
    stream = Load(
        scenario="SingleStream",
        samples=len(questions),
        queries=16 if bench.quick else 64,
        seconds=seconds,
    )

    def answer(at: Sequence[int]) -> None:
        for position in at:
            engine.answer(Question(text=questions[position]))

    second = run_load(stream, answer, clock=bench.clock)
    done.append((second, _answer_rows(second)))
    served = Load(
        scenario="Server",
        samples=len(questions),
        queries=stream.queries,
        seconds=seconds,
        server_qps=max(0.5, _SERVER_SHARE * second.per_second),
        latency_bound_s=LATENCY_BOUND_S,
    )
    third = run_load(served, answer, clock=bench.clock)
    note = (
        f"asked {served.server_qps:.1f} times a second, p99 bound {LATENCY_BOUND_S * 1000:.0f} ms "
    )
    note += "kept" if third.bound_kept else "not kept"
    done.append((third, [row.model_copy(update={"note": note}) for row in _answer_rows(third)]))
    return done


def _rate_row(result: LoadResult, unit: str, what: str) -> Row:
    row = Row(
        group="loadgen",
        name=f"{result.scenario}, {what}",
        unit=unit,
        note="shorter than MLPerf's rules ask for; not a submission",
    )
    return single(row, result.per_second)


def _answer_rows(result: LoadResult) -> list[Row]:
    rows = [_rate_row(result, "questions/s", "answering")]
    for share in (0.5, 0.9, 0.99):
        row = Row(
            group="loadgen",
            name=f"{result.scenario}, answering, p{share * 100:.0f} latency",
            unit="ms",
            higher_is_better=False,
        )
        rows.append(single(row, percentile(result.latencies_s, share) * 1000))
    return rows


def _milliseconds(seconds: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(value * 1000, 3) for value in seconds)
