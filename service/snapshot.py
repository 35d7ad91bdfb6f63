"""The generation in use, with what is derived from it once: lexicon, speller, result rows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from threading import Lock

from indexer.errors import EmbedderMismatch
from indexer.generation import GenerationStore, OpenIndex
from indexer.types import GenerationId
from service.compose.results import ResultRow, result_rows
from service.lexicon import Lexicon, build_lexicon
from service.query import Speller
from service.views import Views

_WORD = re.compile(r"[a-z]{4,}")
# A word must stand this often in the corpus before a misspelling is mended to it.
_COMMON = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A generation opened, and its views. It stays valid while a request holds it."""

    index: OpenIndex
    lexicon: Lexicon
    speller: Speller
    results: tuple[ResultRow, ...]
    views: Views


def take_snapshot(index: OpenIndex) -> Snapshot:
    """Derive the views of a generation."""
    counts: Counter[str] = Counter()
    for passage in index.passages:
        counts.update(_WORD.findall(passage.embedded.casefold()))
    lexicon = build_lexicon(index.catalog)
    return Snapshot(
        index=index,
        lexicon=lexicon,
        speller=Speller(counts, common=_COMMON),
        results=result_rows(index),
        views=Views(index, lexicon),
    )


class SnapshotHolder:
    """Hands out the newest generation; readers keep the one that they hold."""

    def __init__(self, store: GenerationStore, *, fingerprint: str) -> None:
        self._store = store
        self._fingerprint = fingerprint
        self._lock = Lock()
        self._snapshot: Snapshot | None = None

    def current(self) -> Snapshot:
        """The snapshot in use, opened on first need.

        Raises:
            GenerationNotFound: nothing is published.
            GenerationCorrupt: no generation opens.
            EmbedderMismatch: the generation was built with another embedder.
        """
        with self._lock:
            if self._snapshot is None:
                self._snapshot = self._open()
            return self._snapshot

    def refresh(self) -> GenerationId | None:
        """Open the published generation if it is another; None when there is nothing new."""
        published = self._store.current()
        held = self._snapshot
        if published is None or (held is not None and held.index.id == published):
            return None
        snapshot = self._open()
        with self._lock:
            self._snapshot = snapshot
        return snapshot.index.id

    def _open(self) -> Snapshot:
        index = self._store.open_current()
        if index.manifest.fingerprint != self._fingerprint:
            raise EmbedderMismatch(index.manifest.embedder.model, self._fingerprint)
        return take_snapshot(index)
