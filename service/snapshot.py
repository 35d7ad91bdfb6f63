"""The generation in use, with what is derived from it once: lexicon, speller, result rows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from threading import Lock

import structlog

from indexer.collection import restricted
from indexer.errors import EmbedderMismatch, GenerationCorrupt, GenerationNotFound, IndexerError
from indexer.generation import GenerationStore, OpenIndex
from indexer.types import GenerationId
from service.advisor.answers import Desk, open_desk
from service.compose.results import ResultRow, result_rows
from service.lexicon import Lexicon, build_lexicon
from service.query import Speller
from service.verify import Checker
from service.views import Views

_log = structlog.get_logger()
_WORD = re.compile(r"[a-z]{4,}")
# A word must stand this often in the corpus before a misspelling is mended to it.
_COMMON = 25
_VIEWS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A generation opened, and its views. It stays valid while a request holds it."""

    index: OpenIndex
    lexicon: Lexicon
    speller: Speller
    results: tuple[ResultRow, ...]
    views: Views
    desk: Desk
    checker: Checker


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
        desk=open_desk(index.catalog, lexicon, today=_newest(index)),
        checker=Checker(index.documents),
    )


def _newest(index: OpenIndex) -> str:
    """The newest full date that a document of the generation carries: prices are old or not as of that day."""
    dates = (document.as_of for document in index.documents.values())
    return max((date for date in dates if len(date) == len("2026-12-01")), default="")


class SnapshotHolder:
    """Hands out the newest generation; whoever holds a snapshot keeps it.

    References are the use count: an old generation is closed, and its lease given back, when the last request that
    holds its snapshot ends.
    """

    def __init__(self, store: GenerationStore, *, fingerprint: str) -> None:
        self._store = store
        self._fingerprint = fingerprint
        self._opening = Lock()
        self._snapshot: Snapshot | None = None
        self._viewing = Lock()
        self._views: dict[frozenset[str], Snapshot] = {}
        self._fault: tuple[GenerationId, int, IndexerError] | None = None

    def current(self) -> Snapshot:
        """The snapshot in use, opened on first need; the last good one when the published generation is damaged.

        Raises:
            GenerationNotFound: nothing is published.
            GenerationCorrupt: no generation opens.
            EmbedderMismatch: the generation was built with another embedder.
        """
        snapshot = self._snapshot
        if snapshot is not None:
            return snapshot
        with self._opening:
            if self._snapshot is None:
                self._snapshot = self._first()
            return self._snapshot

    def within(self, collections: frozenset[str]) -> Snapshot:
        """The snapshot in use without the documents of other collections; the first call of a generation makes it.

        Views hold no lease: a generation that is only viewed may be closed. Raises as `current`.
        """
        whole = self.current()
        held = self._views.get(collections)
        if held is not None and held.index.id == whole.index.id:
            return held
        with self._viewing:  # whoever waits here would make the same
            held = self._views.pop(collections, None)
            if held is None or held.index.id != whole.index.id:
                index = restricted(whole.index, collections)
                if index is whole.index:
                    return whole
                held = take_snapshot(index)
            self._views[collections] = held
            while len(self._views) > _VIEWS:
                del self._views[next(iter(self._views))]
            return held

    def refresh(self) -> GenerationId | None:
        """Open the published generation if it is another; None when there is nothing new.

        Raises:
            IndexerError: it cannot be used; the one in use stays. A damaged one is not read again until it changes.
        """
        with self._opening:
            published = self._current_id()
            held = self._snapshot
            if held is not None and held.index.id == published:
                self._fault = None
                return None
            self._snapshot = self._published(published)
            return published

    def _first(self) -> Snapshot:
        try:
            return self._published(self._current_id())
        except (GenerationCorrupt, GenerationNotFound) as error:
            fallback = self._last_good(self._store.current())
            if fallback is None:
                raise
            _log.warning("generation.fallback", generation=fallback.index.id, reason=str(error))
            return fallback

    def _published(self, generation: GenerationId) -> Snapshot:
        version = self._store.version(generation)
        if self._fault is not None and self._fault[:2] == (generation, version):
            raise self._fault[2].with_traceback(None)
        try:
            snapshot = self._open(generation)
        except IndexerError as error:
            self._fault = (generation, version, error)
            raise
        self._fault = None
        return snapshot

    def _current_id(self) -> GenerationId:
        published = self._store.current()
        if published is None:
            raise GenerationNotFound("no index is published", self._store.root)
        return published

    def _last_good(self, published: GenerationId | None) -> Snapshot | None:
        for name in self._store.listed():
            if name != published:
                try:
                    return self._open(name)
                except (GenerationCorrupt, GenerationNotFound, EmbedderMismatch):
                    continue
        return None

    def _open(self, generation: GenerationId) -> Snapshot:
        """The embedder is compared before the other files are read, which takes longer."""
        manifest = self._store.manifest(generation)
        if manifest.fingerprint != self._fingerprint:
            raise EmbedderMismatch(manifest.embedder.model, self._fingerprint)
        return take_snapshot(self._store.open(generation))
