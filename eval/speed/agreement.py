"""Whether faster ways give the same vectors and the same ranking: a speed-up that changes answers is shown as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from eval.speed.backends import PRODUCT, Backend, Encode
from eval.speed.rows import Row, single
from indexer.embedders import Matrix

_TOP: Final = 10
_BATCH: Final = 8
# The same cosine that the product's own embedder is held to.
SAME_COSINE: Final = 0.9999


def agreement_rows(
    loaded: Sequence[tuple[Backend, Encode]], source: Sequence[str], *, quick: bool
) -> list[Row]:
    """Each backend against the product in fp32: mean and lowest cosine, overlap of the best ten."""
    passages = _spread(source, 24 if quick else 48)
    queries = [text[:80] for text in _spread(source, 8 if quick else 16)]
    own = next(encode for item, encode in loaded if item.name == PRODUCT)
    wanted, asked = own(passages, _BATCH), own(queries, _BATCH)
    rows = []
    for item, encode in loaded:
        if item.name == PRODUCT:
            continue
        found = encode(passages, _BATCH)
        cosines = (found * wanted).sum(axis=1)
        overlap = top_overlap(asked @ wanted.T, encode(queries, _BATCH) @ found.T)
        rows += [
            _row(item, "mean cosine", float(cosines.mean())),
            _row(item, "lowest cosine", float(cosines.min())),
            _row(item, "overlap of the best ten", overlap),
        ]
    return rows


def top_overlap(before: Matrix, after: Matrix, top: int = _TOP) -> float:
    """The mean share of the best `top` of each row [queries, passages] that both score matrices have in common."""
    size = min(top, before.shape[1])
    shares = [
        len(_best(old, size) & _best(new, size)) / size
        for old, new in zip(before, after, strict=True)
    ]
    return float(np.mean(shares))


def ndcg_rows(loaded: Sequence[tuple[Backend, Encode]], folder: Path, *, queries: int) -> list[Row]:
    """The change in dense nDCG@10 on a labeled set, over its judged documents and as many others.

    The set is thinned, so that the figure serves for comparing backends and not as the set's published score.
    """
    from eval.labeled import load_set

    labeled = load_set(folder)
    asked = labeled.queries[:: max(1, len(labeled.queries) // queries)][:queries]
    judged = {name for query in asked for name in query.relevant}
    others = [item for item in labeled.documents if item.id not in judged][: 2 * len(judged)]
    documents = [item for item in labeled.documents if item.id in judged] + others
    texts = [f"{item.title} {item.text}".strip() for item in documents]
    names = [item.id for item in documents]
    grades = [query.relevant for query in asked]
    rows, before = [], None
    for item, encode in loaded:
        scores = encode([query.text for query in asked], _BATCH) @ encode(texts, _BATCH).T
        value = mean_ndcg(scores, names, grades)
        before = value if before is None else before
        row = _row(item, "dense nDCG@10", value)
        setting = {**row.setting, "set": labeled.name, "queries": len(asked)}
        rows.append(
            row.model_copy(
                update={"setting": setting, "note": f"{value - before:+.4f} against {PRODUCT} fp32"}
            )
        )
    return rows


def mean_ndcg(
    scores: Matrix, names: Sequence[str], grades: Sequence[Mapping[str, int]], top: int = _TOP
) -> float:
    """Mean nDCG of the rows of scores [queries, documents] with linear gains, as trec_eval counts it."""
    values = []
    for row, relevant in zip(scores, grades, strict=True):
        order = np.argsort(-row, kind="stable")[:top]
        ideal = _gain(sorted(relevant.values(), reverse=True)[:top])
        found = _gain([relevant.get(names[at], 0) for at in order])
        values.append(found / ideal if ideal else 0.0)
    return float(np.mean(values))


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / float(np.log2(at + 2)) for at, grade in enumerate(grades))


def _best(scores: Matrix, size: int) -> set[int]:
    return set(np.argsort(-scores, kind="stable")[:size].tolist())


def _spread(source: Sequence[str], count: int) -> list[str]:
    return list(source[:: max(1, len(source) // count)][:count])


def _row(item: Backend, name: str, value: float) -> Row:
    row = Row(
        group="agreement",
        name=f"{item.name}, {name}",
        device=item.device,
        setting={"precision": item.precision},
    )
    return single(row, value)
