"""Embedding throughput by backend, device, precision, batch and length, and whether the vectors agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from eval.speed.agreement import agreement_rows, ndcg_rows
from eval.speed.backends import PRODUCT, REFERENCE, Backend, Encode, backends, product_embedder
from eval.speed.bench import Bench, texts_of
from eval.speed.flops import forward_flop
from eval.speed.rows import Row, measured
from eval.speed.stats import Lap, interleaved, summarize
from indexer.embedders import Matrix

_BATCHES: Final = (1, 8, 32)
_LENGTHS: Final = (16, 64, 200)
_LONG: Final = 200
_DEFAULT_BATCH: Final = 32
# Texts of one lap: enough for the largest batch.
_COUNT: Final = 32
# Seconds after which a comparison is content with three laps: a machine without bf16 takes long over it.
_PATIENCE_S: Final = 60.0
# Queries of a labeled set: enough to see a change of a hundredth.
_QUERIES: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is embedded in one lap."""

    texts: tuple[str, ...]
    batch: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A backend with its laps, kept for ratios between backends of one run."""

    backend: Backend
    work: Work
    laps: tuple[Lap, ...]
    together: tuple[Lap, ...]
    alone: tuple[Lap, ...]

    def shares(self, text_flop: float, product_flop: float) -> tuple[float, float]:
        """The parts of the fp32 ceiling by the clock and by processor seconds, products of the same rounds beside."""
        done = text_flop * len(self.work.texts) / product_flop
        by_clock = [
            done * limit.wall_s / lap.wall_s
            for limit, lap in zip(self.together, self.laps, strict=True)
        ]
        by_work = [
            done * limit.cpu_s / max(lap.cpu_s, 1e-9)
            for limit, lap in zip(self.alone, self.laps, strict=True)
        ]
        return summarize(by_clock).median, summarize(by_work).median

    def rates(self) -> list[float]:
        """Passages a second, a lap each."""
        return [len(self.work.texts) / lap.wall_s for lap in self.laps]

    def busy_rates(self) -> list[float]:
        """Passages a processor second, a lap each: what is left when neighbors use the same cores."""
        return [len(self.work.texts) / max(lap.cpu_s, 1e-9) for lap in self.laps]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingResult:
    """Rows, and the timed laps that goals are judged by."""

    rows: tuple[Row, ...]
    timed: tuple[Timed, ...]


def measure_embedding(
    bench: Bench, source: Sequence[str], *, sets: Sequence[Path] = ()
) -> EmbeddingResult:
    """Every backend on 200-token passages in turn, then the product and the reference over batches and lengths."""
    found = backends(
        bench.model, bench.embedder, threads=bench.threads, work=bench.work, quick=bench.quick
    )
    rows = [
        _row(item, None).model_copy(update={"skipped": item.skipped})
        for item in found
        if item.skipped
    ]
    loaded: list[tuple[Backend, Encode]] = []
    for item in found:
        if item.load is not None:
            bench.told(f"embedding: load {item.name} {item.device} {item.precision}")
            loaded.append((item, item.load()))
    main = _work(
        bench, source, tokens=_LONG, batch=_DEFAULT_BATCH, count=8 if bench.quick else _COUNT
    )
    bench.told(
        f"embedding: {len(loaded)} backends, {len(main.texts)} passages of {main.tokens} tokens"
    )
    timed = _time(bench, loaded, main)
    rows += [row for item in timed for row in _rated(bench, item)]
    rows += agreement_rows([(item, encode) for item, encode in loaded], source, quick=bench.quick)
    for folder in sets[:1]:
        bench.told(f"agreement: nDCG on {folder.name}")
        rows += ndcg_rows(_judged(loaded), folder, queries=_QUERIES)
    if not bench.quick:
        swept = _sweep(bench, source, loaded)
        rows += [row for item in swept for row in _rated(bench, item)]
        rows += _by_threads(bench, main)
    return EmbeddingResult(rows=tuple(rows), timed=tuple(timed))


def _judged(loaded: Sequence[tuple[Backend, Encode]]) -> list[tuple[Backend, Encode]]:
    """The product first, then one backend for each other precision or device."""
    chosen: dict[tuple[str, str], tuple[Backend, Encode]] = {}
    for item, encode in loaded:
        chosen.setdefault((item.device, item.precision), (item, encode))
    return list(chosen.values())


def _work(bench: Bench, source: Sequence[str], *, tokens: int, batch: int, count: int) -> Work:
    texts = texts_of(source, tokens=tokens, count=count, count_tokens=bench.embedder.count_tokens)
    mean = float(np.mean([bench.embedder.count_tokens(text) for text in texts]))
    return Work(texts=tuple(texts), batch=batch, tokens=round(mean))


def _time(bench: Bench, loaded: Sequence[tuple[Backend, Encode]], work: Work) -> list[Timed]:
    def lap(encode: Encode) -> Matrix:
        return encode(work.texts, work.batch)

    actions: list[Callable[[], object]] = [bench.ceiling.together, bench.ceiling.alone]
    actions += [lambda encode=encode: lap(encode) for _, encode in loaded]  # type: ignore[misc]
    together, alone, *laps = interleaved(
        actions,
        repetitions=bench.repetitions,
        clock=bench.clock,
        cpu_clock=bench.cpu_clock,
        patience_s=_PATIENCE_S,
    )
    return [
        Timed(
            backend=item,
            work=work,
            laps=tuple(own),
            together=tuple(together),
            alone=tuple(alone),
        )
        for (item, _), own in zip(loaded, laps, strict=True)
    ]


def _sweep(
    bench: Bench, source: Sequence[str], loaded: Sequence[tuple[Backend, Encode]]
) -> list[Timed]:
    """Batches at full length and lengths at the default batch, for whom it matters."""
    picked = [
        (item, encode)
        for item, encode in loaded
        if item.name in {PRODUCT, REFERENCE, "onnxruntime"} and item.precision in {"fp32", "fp16"}
    ]
    batched = [pair for pair in picked if pair[0].batched]
    timed = []
    for batch in _BATCHES:
        if batch != _DEFAULT_BATCH:
            bench.told(f"embedding: batch {batch}")
            work = _work(bench, source, tokens=_LONG, batch=batch, count=_COUNT // 2)
            timed += _time(bench, batched, work)
    for tokens in _LENGTHS:
        if tokens != _LONG:
            bench.told(f"embedding: {tokens} tokens")
            work = _work(bench, source, tokens=tokens, batch=_DEFAULT_BATCH, count=_COUNT)
            timed += _time(bench, picked, work)
    return timed


def _by_threads(bench: Bench, work: Work) -> list[Row]:
    """The product's embedder with one thread; with all of them it was measured before."""
    alone = product_embedder(bench.model, 1)
    if alone is None or bench.threads == 1 or bench.embedder.spec.model == "hashing":
        return []
    bench.told("embedding: one thread")
    item = Backend(
        name=PRODUCT, batched=False, load=lambda: lambda texts, _: alone.embed_passages(texts)
    )
    shorter = Work(texts=work.texts[: _COUNT // 2], batch=work.batch, tokens=work.tokens)
    timed = _time(bench, [(item, lambda texts, _: alone.embed_passages(texts))], shorter)
    return [
        row.model_copy(update={"setting": {**row.setting, "threads": 1}})
        for own in timed
        for row in _rated(bench, own)
    ]


def _row(item: Backend, work: Work | None) -> Row:
    setting: dict[str, str | int | float] = {"precision": item.precision}
    if work is not None:
        setting |= {
            "tokens": work.tokens,
            "batch": work.batch if item.batched else "own",
        }
    return Row(
        group="embedding",
        name=item.name,
        unit="passages/s",
        device=item.device,
        setting=setting,
    )


def _rated(bench: Bench, item: Timed) -> list[Row]:
    """The rate by the clock with its share of the ceiling, and the rate by processor seconds."""
    row = _row(item.backend, item.work)
    row = row.model_copy(update={"setting": {**row.setting, "threads": bench.threads}})
    by_clock, by_work = summarize(item.rates()), summarize(item.busy_rates())
    share = busy_share = None
    if bench.shape is not None and item.backend.device == "cpu":
        flop = forward_flop(bench.shape, item.work.tokens)
        share, busy_share = item.shares(flop, bench.ceiling.flop)
    busy = row.model_copy(update={"name": f"{row.name}, for a processor second"})
    return [measured(row, by_clock, share=share), measured(busy, by_work, share=busy_share)]
