"""The dense leg: a FAISS index over the passages' unit vectors, by inner product, so higher is nearer.

Up to `FLAT_MOST` passages it is exact. Beyond that the vectors lie in lists around centroids (IVF) and a search looks into the
nearest lists only, as many as it takes for `RECALL` of the ten best; what was measured stands in the manifest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from indexer.embedders import Matrix
from indexer.errors import EmbedderMismatch
from indexer.lexical import npy_bytes

Scores = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

FLAT_MOST: Final = 20_000
# Above the 0.98 that is promised, since it is measured on a sample.
RECALL: Final = 0.985
_SAMPLE: Final = 256
_TOP: Final = 10
# How deep a search over lists goes; fusion looks no deeper than that into a leg.
_NEAREST: Final = 1000
# FAISS wants 39 vectors a list to train on; more is slower and no better.
_TRAINED_ON: Final = 40
_ROUNDS: Final = 5
_SAME: Final = 1e-6


class DenseChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Which index holds the vectors, and the share of the ten exactly nearest that it found for a sample of queries."""

    kind: Literal["flat", "ivf"] = "flat"
    lists: int = 0
    probes: int = 0
    recall_at_10: float = 1.0
    queries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Cosines with a query, float32 [passages], right where `seen`, else 0; mean and deviation are those of all passages."""

    cosines: Scores
    seen: Flags
    mean: float
    deviation: float


class DenseIndex:
    """Cosine similarity of passages by position; never changed after it is built.

    `moments` [dimensions + 1, dimensions] go with lists: the mean vector, then the mean of all outer products.
    """

    def __init__(
        self, index: Any, choice: DenseChoice | None = None, moments: Matrix | None = None
    ) -> None:
        self._index = index
        self._moments = moments
        self.choice = choice or DenseChoice()

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimensions(self) -> int:
        """Of the vectors."""
        return int(self._index.d)

    def similar(
        self, vector: Matrix, *, beside: Scores | None = None, allowed: Flags | None = None
    ) -> Similar:
        """The cosines with one query vector [dimensions].

        An exact index sees every passage. Lists show the nearest of the `allowed` passages, and those that are best by
        `beside` [passages], the scores of another leg.

        Raises:
            EmbedderMismatch: the vector has another number of dimensions than the index.
        """
        if vector.shape[-1] != self._index.d:
            raise EmbedderMismatch(f"{self._index.d} dimensions", f"{vector.shape[-1]} dimensions")
        if self._moments is None:
            return self._all(vector)
        return self._nearest(vector, self._moments, beside, allowed)

    def vectors(self) -> Matrix:
        """float32 [passages, dimensions]: the stored vectors, in order."""
        stored: Matrix = (
            self._index.reconstruct_n(0, len(self))
            if len(self)
            else np.empty((0, self._index.d), np.float32)
        )
        return stored

    def encode(self) -> dict[str, bytes]:
        """The files: `dense.faiss` in FAISS's own format, and the moments of lists."""
        import faiss

        files = {"dense.faiss": bytes(faiss.serialize_index(self._index).tobytes())}
        if self._moments is not None:
            files["moments.npy"] = npy_bytes(self._moments)
        return files

    def _all(self, vector: Matrix) -> Similar:
        # One product over FAISS's own rows: its search would sort all of them.
        cosines: Scores = self._rows() @ vector.astype(np.float32, copy=False)
        return Similar(
            cosines=cosines,
            seen=np.ones(len(self), dtype=bool),
            mean=float(cosines.mean()) if len(self) else 0.0,
            deviation=float(cosines.std()) if len(self) else 0.0,
        )

    def _rows(self) -> Matrix:
        """A view of an exact index's vectors, which lives as long as the index."""
        import faiss

        if not len(self):
            return np.empty((0, self._index.d), np.float32)
        values = faiss.rev_swig_ptr(self._index.get_xb(), len(self) * self._index.d)
        rows: Matrix = values.reshape(len(self), self._index.d)
        return rows

    def _nearest(
        self, vector: Matrix, moments: Matrix, beside: Scores | None, allowed: Flags | None
    ) -> Similar:
        import faiss

        library: Any = faiss  # its stubs do not know keywords
        only = None if allowed is None else library.IDSelectorBitmap(_bits(allowed))
        chosen = library.SearchParametersIVF(sel=only, nprobe=self.choice.probes)
        count = min(_NEAREST, len(self))
        found, positions = self._index.search(vector.reshape(1, -1), count, params=chosen)
        cosines, seen = np.zeros(len(self), np.float32), np.zeros(len(self), bool)
        valid = positions[0] >= 0
        cosines[positions[0][valid]] = found[0][valid]
        seen[positions[0][valid]] = True
        if beside is not None:
            best = np.argpartition(-beside, count - 1)[:count]
            rest = best[(beside[best] > 0) & ~seen[best]]
            cosines[rest] = self._index.reconstruct_batch(rest) @ vector
            seen[rest] = True
        query = vector.astype(np.float64)
        mean = float(moments[0] @ query)
        variance = float(query @ moments[1:].astype(np.float64) @ query) - mean * mean
        return Similar(cosines=cosines, seen=seen, mean=mean, deviation=max(0.0, variance) ** 0.5)


def build_dense(
    vectors: Matrix, queries: Matrix | None = None, *, flat_most: int = FLAT_MOST
) -> DenseIndex:
    """Index unit vectors [n, dimensions] in their order; many of them in lists, if these find what an exact search finds.

    `queries` [n, dimensions], by default the vectors themselves, are what the recall is measured with.
    """
    import faiss

    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    if len(rows) <= flat_most:
        return DenseIndex(flat)
    asked = queries if queries is not None and len(queries) else rows
    sample = np.ascontiguousarray(asked[:: max(1, len(asked) // _SAMPLE)], dtype=np.float32)
    exact, _ = flat.search(sample, _TOP)
    lists = _in_lists(rows)
    choice = _choice(lists, sample, exact[:, -1:])
    return DenseIndex(flat) if choice is None else DenseIndex(lists, choice, _moments(rows))


def load_dense(folder: Path, choice: DenseChoice) -> DenseIndex:
    """Open a saved index, its vectors mapped from disk. The hashes of the files must have been checked before."""
    import faiss

    index = faiss.read_index(str(folder / "dense.faiss"), faiss.IO_FLAG_MMAP_IFC)
    lists = choice.kind == "ivf"
    return DenseIndex(index, choice, np.load(folder / "moments.npy") if lists else None)


def _in_lists(rows: Matrix) -> Any:
    import faiss

    dimensions, count = rows.shape[1], 2 * int(np.sqrt(len(rows)))
    index = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(dimensions), dimensions, count, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.niter = _ROUNDS
    index.train(rows[:: max(1, len(rows) // (_TRAINED_ON * count))])
    index.add(rows)
    index.make_direct_map()
    return index


def _choice(index: Any, sample: Matrix, tenth: Matrix) -> DenseChoice | None:
    """The fewest lists to look into, in doublings, that find enough; None when that is half of them or more.

    `tenth` [queries, 1] is the cosine of the tenth exact neighbor: another one as near counts as well.
    """
    probes = 1
    while 2 * probes < index.nlist:
        index.nprobe = probes
        found, _ = index.search(sample, _TOP)
        recall = float((found >= tenth - _SAME).mean())
        if recall >= RECALL:
            return DenseChoice(
                kind="ivf",
                lists=int(index.nlist),
                probes=probes,
                recall_at_10=round(recall, 4),
                queries=len(sample),
            )
        probes *= 2
    return None


def _bits(flags: Flags) -> npt.NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _moments(rows: Matrix) -> Matrix:
    mean = rows.mean(axis=0, dtype=np.float64)
    outer = (rows.T @ rows) / np.float32(len(rows))
    return np.vstack([mean.astype(np.float32), outer])
