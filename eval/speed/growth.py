"""How retrieval and building grow: FAISS flat and HNSW, what the product chooses, and its index build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from eval.speed.bench import Bench
from eval.speed.rows import Row, measured, single
from eval.speed.stats import interleaved, summarize
from indexer.dense import DenseIndex, build_dense
from indexer.embedders import Matrix
from indexer.lexical import build_lexical

_SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
_QUICK_SIZES: Final = (1_000, 10_000)
# Building a graph over more takes longer than all else together on two cores.
_HNSW_MOST: Final = 20_000
_QUERIES: Final = 16
_SAMPLE: Final = 256
_TOP: Final = 10
_NEIGHBORS: Final = 32
_SEED: Final = 7
# How far a synthetic vector lies from the real one that it is made of.
_NOISE: Final = 0.9

_Search = Callable[[Matrix], list[int]]
_CHOSEN: Final = "chosen"
_BUILDERS: Final = ("flat", "HNSW", _CHOSEN)


def measure_growth(bench: Bench, real: Matrix) -> list[Row]:
    """Query time, build time and recall@10 against exact search, for each kind of index and size."""
    rows: list[Row] = []
    for size in _QUICK_SIZES if bench.quick else _SIZES:
        bench.told(f"retrieval: {size:,} vectors")
        vectors = synthetic(real, size)
        queries = synthetic(real, _QUERIES, seed=_SEED + 1)
        exact: set[tuple[int, int]] = set()
        for kind in _BUILDERS:
            reason = _too_large(kind, size)
            if reason:
                rows.append(_row(kind, size, "query").model_copy(update={"skipped": reason}))
                continue
            own = _measure(bench, kind, vectors, queries, exact)
            rows += own
        del vectors
    rows.append(Row(group="growth", name="flat, query", device="cuda", skipped=_faiss_gpu()))
    return rows


def measure_build(bench: Bench, texts: Sequence[str]) -> list[Row]:
    """The product's two legs built over more and more passages; embedding is measured apart."""
    rows = []
    sizes = (500, 1_000) if bench.quick else (1_000, 2_000, 4_000, 8_000)
    rates = []
    for size in sizes:
        repeated = [texts[at % len(texts)] for at in range(size)]
        start = bench.clock()
        build_lexical(repeated)
        build_dense(np.zeros((size, bench.embedder.spec.dimensions), np.float32))
        seconds = bench.clock() - start
        rates.append(size / seconds)
        row = Row(
            group="growth",
            name="product index, build of both legs",
            unit="s",
            higher_is_better=False,
            setting={"passages": size},
        )
        rows.append(single(row, seconds))
    even = Row(
        group="growth",
        name="product index, passages a second at the largest over the smallest size",
        note="one means that building is linear in passages",
    )
    rows.append(single(even, rates[-1] / rates[0]))
    return rows


def synthetic(real: Matrix, size: int, *, seed: int = _SEED) -> Matrix:
    """The real vectors first, then noisy copies of them, unit rows: clustered as real ones are."""
    generator = np.random.default_rng(seed)
    if seed == _SEED and size <= len(real):
        return np.ascontiguousarray(real[:size], dtype=np.float32)
    kept = real if seed == _SEED else real[:0]
    made = np.empty((size, real.shape[1]), dtype=np.float32)
    made[: len(kept)] = kept
    scale = np.float32(_NOISE / np.sqrt(real.shape[1]))
    for start in range(len(kept), size, 50_000):
        stop = min(size, start + 50_000)
        chosen = real[generator.integers(0, len(real), stop - start)]
        noise = generator.standard_normal(chosen.shape, dtype=np.float32) * scale
        block = chosen + noise
        made[start:stop] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return made


def _measure(
    bench: Bench, kind: str, vectors: Matrix, queries: Matrix, exact: set[tuple[int, int]]
) -> list[Row]:
    """Rows of one index; the flat one fills `exact` with (query, position), the others are held against it."""
    start = bench.clock()
    search, told = _built(kind, vectors)
    built = bench.clock() - start
    pairs = {(at, position) for at, query in enumerate(queries) for position in search(query)}
    exact |= pairs if kind == "flat" else set()
    recall = len(pairs & exact) / len(exact)
    laps = interleaved(
        [lambda: [search(query) for query in queries]],
        repetitions=bench.repetitions,
        clock=bench.clock,
        cpu_clock=bench.cpu_clock,
    )[0]
    size = len(vectors)
    query = _row(kind, size, "query").model_copy(update={"note": f"recall@10 {recall:.3f}{told}"})
    build = _row(kind, size, "build").model_copy(update={"unit": "s"})
    recalled = _row(kind, size, "recall@10").model_copy(
        update={"unit": "", "higher_is_better": True}
    )
    return [
        measured(query, summarize([lap.wall_s / len(queries) * 1000 for lap in laps])),
        single(build, built),
        single(recalled, recall),
    ]


def _built(kind: str, vectors: Matrix) -> tuple[_Search, str]:
    """A search for the positions of the ten nearest, and what to say of it."""
    if kind == _CHOSEN:
        dense = build_dense(vectors, synthetic(vectors, _SAMPLE, seed=_SEED + 2))
        choice = dense.choice
        lists = f": {choice.probes} of {choice.lists} lists" if choice.lists else ""
        return partial(_ten_of, dense), f"; {choice.kind}{lists}"
    index = _faiss_index(kind, vectors)

    def ten(query: Matrix) -> list[int]:
        _, found = index.search(query.reshape(1, -1), _TOP)
        return [int(position) for position in found[0]]

    return ten, ""


def _ten_of(dense: DenseIndex, query: Matrix) -> list[int]:
    cosines = dense.similar(query).cosines
    return [int(position) for position in np.argpartition(-cosines, _TOP - 1)[:_TOP]]


def _faiss_index(kind: str, vectors: Matrix) -> Any:
    import faiss

    dimensions = vectors.shape[1]
    if kind == "flat":
        index: Any = faiss.IndexFlatIP(dimensions)
    else:
        index = faiss.IndexHNSWFlat(dimensions, _NEIGHBORS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efSearch = 64
    index.add(vectors)
    return index


def _too_large(kind: str, size: int) -> str:
    if kind == "HNSW" and size > _HNSW_MOST:
        return f"skipped: building a graph over {size:,} vectors outlasts this run"
    return ""


def _faiss_gpu() -> str:
    import faiss

    count = faiss.get_num_gpus() if hasattr(faiss, "get_num_gpus") else 0
    return "skipped: no CUDA device" if not count else "skipped: FAISS on GPU is not measured yet"


def _row(kind: str, size: int, what: str) -> Row:
    return Row(
        group="growth",
        name=f"{kind}, {what}",
        unit="ms",
        higher_is_better=False,
        setting={"vectors": size},
    )
