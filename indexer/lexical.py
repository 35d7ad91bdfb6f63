"""The lexical leg: BM25 (Lucene's variant) over the passages' embedded text.

Kept as how often a term occurs in which passage, so that the next index takes over the rows of unchanged texts
without reading them again. Four files, described to the byte in docs/index-format.md.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.text import lexical_tokens

# A lower k1 than Lucene's 1.2: a repeated word adds less (docs/decisions/0011-fusion.md).
_K1 = 0.9
_B = 0.75

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Rows `starts[t]` to `starts[t + 1]` of `passages` and `counts` belong to `terms[t]`; passages ascend there."""

    terms: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    passages: Ints
    counts: Ints


class LexicalIndex:
    """BM25 scores of passages by position."""

    def __init__(self, postings: Postings, size: int) -> None:
        self._postings = postings
        self._size = size
        self._numbers = {term: number for number, term in enumerate(postings.terms)}
        lengths = np.bincount(postings.passages, weights=postings.counts, minlength=size)
        mean = lengths.mean() if lengths.any() else 1.0
        self._norms = (_K1 * (1 - _B + _B * lengths / mean)).astype(np.float32)
        found = np.diff(postings.starts)
        self._weights = np.log1p((size - found + 0.5) / (found + 0.5)).astype(np.float32)

    def __len__(self) -> int:
        return self._size

    @property
    def postings(self) -> Postings:
        """What is stored."""
        return self._postings

    def weight(self, term: str) -> float:
        """How much a term tells, as BM25 weighs it; a term that no passage holds tells most."""
        number = self._numbers.get(term)
        return float(np.log1p(2 * self._size + 1) if number is None else self._weights[number])

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """float32 [passages]: BM25 of every passage; zero where no query token occurs."""
        scores = np.zeros(self._size, dtype=np.float32)
        for token in lexical_tokens(query):
            number = self._numbers.get(token)
            if number is not None:
                rows = slice(*self._postings.starts[number : number + 2])
                passages, counts = self._postings.passages[rows], self._postings.counts[rows]
                scores[passages] += self._weights[number] * (
                    counts / (counts + self._norms[passages])
                )
        return scores

    def encode(self) -> dict[str, bytes]:
        """The files by name; no pickle."""
        return {
            "terms.txt": "".join(f"{term}\n" for term in self._postings.terms).encode(),
            "starts.npy": npy_bytes(self._postings.starts),
            "passages.npy": npy_bytes(self._postings.passages),
            "counts.npy": npy_bytes(self._postings.counts),
        }


def build_lexical(
    texts: Sequence[str], *, old: LexicalIndex | None = None, rows: Sequence[int | None] = ()
) -> LexicalIndex:
    """Index texts in their order. `rows` names for each text its row in `old`, or None for a new text."""
    origins = rows or [None] * len(texts)
    kept = [(at, row) for at, row in enumerate(origins) if row is not None]
    fresh = [
        (at, Counter(lexical_tokens(texts[at]))) for at, row in enumerate(origins) if row is None
    ]
    before = _taken_over(old.postings, len(old), kept) if old and kept else _empty()
    names = [before.terms[term] for term in before.term_ids]
    names += [term for _, counter in fresh for term in counter]
    at = np.concatenate(
        [before.passages, np.array([at for at, counter in fresh for _ in counter], np.int32)]
    )
    counts = np.concatenate(
        [before.counts, np.array([n for _, counter in fresh for n in counter.values()], np.int32)]
    )
    return LexicalIndex(_sorted(names, at, counts), len(texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entries:
    """One row for each term in each passage, in no order."""

    terms: tuple[str, ...]
    term_ids: list[int]
    passages: Ints
    counts: Ints


def _empty() -> _Entries:
    none = np.empty(0, np.int32)
    return _Entries(terms=(), term_ids=[], passages=none, counts=none)


def _taken_over(old: Postings, size: int, kept: Sequence[tuple[int, int]]) -> _Entries:
    """The entries of the kept rows, at their new positions."""
    order = np.argsort(old.passages, kind="stable")
    begins = np.searchsorted(old.passages[order], np.arange(size + 1))
    at, rows = np.array(kept, dtype=np.int64).T
    lengths = begins[rows + 1] - begins[rows]
    ends = np.cumsum(lengths)
    total = int(ends[-1])
    picked = order[np.arange(total) + np.repeat(begins[rows] - (ends - lengths), lengths)]
    term_ids = np.searchsorted(old.starts, picked, side="right") - 1
    return _Entries(
        terms=old.terms,
        term_ids=term_ids.tolist(),
        passages=np.repeat(at, lengths).astype(np.int32),
        counts=old.counts[picked],
    )


def _sorted(names: Sequence[str], passages: Ints, counts: Ints) -> Postings:
    """Entries by term, then by passage; terms in the order of their code points."""
    terms = tuple(sorted(set(names)))
    numbers = {term: number for number, term in enumerate(terms)}
    ids = np.array([numbers[name] for name in names], dtype=np.int64)
    order = np.lexsort((passages, ids))
    starts = np.searchsorted(ids[order], np.arange(len(terms) + 1)).astype(np.int64)
    return Postings(
        terms=terms,
        starts=starts,
        passages=passages[order].astype(np.int32),
        counts=counts[order].astype(np.int32),
    )


def npy_bytes(array: npt.NDArray[np.generic]) -> bytes:
    """An array as the bytes of a .npy file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def load_lexical(folder: Path, size: int) -> LexicalIndex:
    """Open a saved index of `size` passages, its arrays mapped from disk. Hashes must have been checked before."""
    terms = (folder / "terms.txt").read_text(encoding="utf-8")
    starts, passages, counts = (
        np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        for name in ("starts", "passages", "counts")
    )
    postings = Postings(
        terms=tuple(terms.removesuffix("\n").split("\n")) if terms else (),
        starts=starts,
        passages=passages,
        counts=counts,
    )
    return LexicalIndex(postings, size)
