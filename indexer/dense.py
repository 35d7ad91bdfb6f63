"""The dense leg: a FAISS index over the passages' unit vectors, by inner product, so higher is nearer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.embedders import Matrix
from indexer.errors import EmbedderMismatch


class DenseIndex:
    """Cosine similarity of passages by position. Exact (flat); never changed after it is built."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimensions(self) -> int:
        """Of the vectors."""
        return int(self._index.d)

    def scores(self, vector: Matrix) -> npt.NDArray[np.float32]:
        """float32 [passages]: the cosine with one query vector [dimensions], for every passage.

        Raises:
            EmbedderMismatch: the vector has another number of dimensions than the index.
        """
        if vector.shape[-1] != self._index.d:
            raise EmbedderMismatch(f"{self._index.d} dimensions", f"{vector.shape[-1]} dimensions")
        scores = np.zeros(len(self), dtype=np.float32)
        if len(self):
            found, positions = self._index.search(vector.reshape(1, -1), len(self))
            valid = positions[0] >= 0
            scores[positions[0][valid]] = found[0][valid]
        return scores

    def vectors(self) -> Matrix:
        """float32 [passages, dimensions]: the stored vectors, in order."""
        stored: Matrix = (
            self._index.reconstruct_n(0, len(self))
            if len(self)
            else np.empty((0, self._index.d), np.float32)
        )
        return stored

    def encode(self) -> bytes:
        """FAISS's own format."""
        import faiss

        return bytes(faiss.serialize_index(self._index).tobytes())


def build_dense(vectors: Matrix) -> DenseIndex:
    """Index unit vectors [n, dimensions] in their order."""
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors, dtype=np.float32))
    return DenseIndex(index)


def load_dense(path: Path) -> DenseIndex:
    """Open a saved index, its vectors mapped from disk. The file's hash must have been checked before."""
    import faiss

    return DenseIndex(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC))
