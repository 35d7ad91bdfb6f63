"""A speed run: ceiling, embedding, answers, growth, process, energy, cost, goals, verdict, in one report."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from eval.speed.backends import PRODUCT, REFERENCE, backends
from eval.speed.bench import Bench
from eval.speed.ceiling import measure_ceiling
from eval.speed.embedding import EmbeddingResult, measure_embedding
from eval.speed.energy import counters, measure_energy
from eval.speed.goals import judge
from eval.speed.growth import measure_build, measure_growth
from eval.speed.inference import Answerer, InferenceResult, measure_inference
from eval.speed.load import measure_load
from eval.speed.machine import commit_of, describe_machine, describe_versions
from eval.speed.prices import Price, cost_rows, gpu_rows
from eval.speed.process import measure_process
from eval.speed.rows import Report, Row
from eval.speed.stats import interleaved
from eval.speed.verdict import verdict
from indexer.embedders import Embedder

_SHORT_QUERY = "How much memory does an H200 have?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run covers.

    `probe` starts Rigwise in a process of its own, `serve` a server on the port put behind it; empty leaves them out.
    """

    model: str
    threads: int
    quick: bool
    questions: tuple[str, ...]
    sets: tuple[Path, ...] = ()
    probe: tuple[str, ...] = ()
    serve: tuple[str, ...] = ()
    price: Price | None = None
    gpu_price: Price | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Clocks and where messages go: what a test replaces."""

    clock: Callable[[], float]
    cpu_clock: Callable[[], float]
    now: Callable[[], datetime]
    told: Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    embedding: EmbeddingResult
    inference: InferenceResult
    rows: tuple[Row, ...]
    query_laps: dict[str, list[float]]


def run_speed(plan: Plan, engine: Answerer, embedder: Embedder, tools: Tools) -> Report:
    """Measure everything once and judge it. What cannot run here is a row that says why.

    Raises:
        MissingExtra: a package of the extra `eval` is not installed.
    """
    start = tools.clock()
    machine = describe_machine(plan.threads)
    with tempfile.TemporaryDirectory(prefix="rigwise-speed-") as folder:
        bench = _bench(plan, embedder, tools, Path(folder))
        found = _measure(plan, bench, engine)
    rows = (*bench.ceiling.rows, *found.rows)
    rows += tuple(_costs(plan, found, rows))
    goals = judge(found.embedding.timed, rows, found.inference, found.query_laps)
    made_at = tools.now()
    return Report(
        made_at=made_at.isoformat(timespec="seconds"),
        commit=commit_of(Path(__file__).parent),
        quick=plan.quick,
        seconds=round(tools.clock() - start, 1),
        machine=machine,
        versions=describe_versions(),
        rows=rows,
        goals=goals,
        latencies_ms=found.inference.latencies_ms,
        verdict=verdict(rows, goals, machine, day=made_at.date().isoformat()),
    )


def _bench(plan: Plan, embedder: Embedder, tools: Tools, folder: Path) -> Bench:
    repetitions = 3 if plan.quick else 5
    tools.told("limits: matrix products and a copy")
    ceiling = measure_ceiling(
        threads=plan.threads,
        repetitions=2 * repetitions + 1,
        clock=tools.clock,
        cpu_clock=tools.cpu_clock,
    )
    return Bench(
        embedder=embedder,
        model=plan.model,
        threads=plan.threads,
        quick=plan.quick,
        repetitions=repetitions,
        work=folder,
        ceiling=ceiling,
        clock=tools.clock,
        cpu_clock=tools.cpu_clock,
        told=tools.told,
    )


def _measure(plan: Plan, bench: Bench, engine: Answerer) -> _Measured:
    index = engine.index()
    source = [passage.text for passage in index.passages if passage.kind == "prose"]
    source = source or [passage.text for passage in index.passages]
    process = measure_process(plan.probe, told=bench.told) if plan.probe else []
    if plan.serve:
        seconds = 5 if plan.quick else 15
        process += measure_load(plan.serve, plan.questions, seconds=seconds, told=bench.told)
    embedding = measure_embedding(bench, source, sets=plan.sets)
    questions = plan.questions[: 24 if plan.quick else 100]
    some = source[:: max(1, len(source) // 64)][: 16 if bench.quick else 64]
    inference = measure_inference(bench, engine, questions, some)
    growth = measure_growth(bench, index.dense.vectors())
    growth += measure_build(bench, [passage.embedded for passage in index.passages])
    bench.told("energy")
    power = measure_energy(
        lambda: bench.embedder.embed_passages(some),
        passages=len(some),
        repetitions=bench.repetitions,
        clock=bench.clock,
        read=counters(),
    )
    rows = (*process, *embedding.rows, *inference.rows, *growth, *power)
    return _Measured(
        embedding=embedding, inference=inference, rows=rows, query_laps=_short_queries(bench)
    )


def _short_queries(bench: Bench) -> dict[str, list[float]]:
    """Seconds for one short query, the product and the reference in turn."""
    bench.told("a single short query")
    found = backends(
        bench.model, bench.embedder, threads=bench.threads, work=bench.work, quick=True
    )
    encoders = {
        item.name: item.load()
        for item in found
        if item.load is not None
        and (item.name, item.device, item.precision) in {(REFERENCE, "cpu", "fp32")}
    }
    actions: dict[str, Callable[[], object]] = {
        PRODUCT: lambda: bench.embedder.embed_queries([_SHORT_QUERY])
    }
    for name, encode in encoders.items():
        actions[name] = lambda encode=encode: encode([_SHORT_QUERY], 32)  # type: ignore[misc]
    laps = interleaved(
        list(actions.values()),
        repetitions=10 * bench.repetitions,
        clock=bench.clock,
        cpu_clock=bench.cpu_clock,
    )
    return {name: [lap.wall_s for lap in own] for name, own in zip(actions, laps, strict=True)}


def _costs(plan: Plan, found: _Measured, rows: Sequence[Row]) -> list[Row]:
    own = next(item for item in found.embedding.timed if item.backend.name == PRODUCT)
    rate = sorted(own.rates())[len(own.laps) // 2]
    answers = found.inference.answers_s
    watts = [row.median for row in rows if row.unit == "W" and row.median is not None]
    gpus = [
        (f"{row.name} in {row.setting['precision']}", row.median)
        for row in rows
        if row.group == "embedding"
        and row.device == "cuda"
        and row.median is not None
        and "processor" not in row.name
    ]
    return [
        *cost_rows(
            passages_per_second=rate,
            questions_per_second=len(answers) / sum(answers),
            price=plan.price,
            watts=sum(watts) if watts else None,
        ),
        *gpu_rows(gpus, cpu_rate=rate, cpu=plan.price, gpu=plan.gpu_price),
    ]
