"""What a serving process holds: the engine in use, who rebuilds the index, and who watches the documents."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from threading import Event, Lock, Thread

import structlog

from indexer.embedders import Embedder, EmbedderChoice, make_embedder
from indexer.errors import EmbedderMismatch, GenerationCorrupt, GenerationNotFound, IndexerError
from indexer.generation import OpenIndex
from indexer.parsing import is_document
from indexer.pipeline import BuildOptions, BuildReport, Progress
from indexer.watch import WatchOptions, watch
from rigwise.rebuild import BackgroundRebuilder
from rigwise.wiring import build_index, choice_of, store_of, traces_of, writer_of
from service.engine import Engine
from service.errors import NotReady
from service.http.documents import Managed
from service.http.ports import Answerer
from service.http.state import ServiceState
from service.http.uploads import DocumentFolder
from service.settings import ServiceSettings
from service.snapshot import SnapshotHolder
from service.types import Answer, Hit, Question, Step

_log = structlog.get_logger()
MakeEmbedder = Callable[[EmbedderChoice], Embedder]


class Switch:
    """Answers with the engine of the moment; a request that has begun keeps the one that it began with."""

    def __init__(self) -> None:
        self.engine: Engine | None = None

    def answer(self, question: Question) -> Answer:
        """Answer a question, or abstain."""
        return self._now().answer(question)

    def steps(self, question: Question) -> Iterator[Step]:
        """The same step by step; the last one is the answer."""
        return self._now().steps(question)

    def search(self, text: str, *, limit: int) -> tuple[Hit, ...]:
        """The best passages for a text, best first."""
        return self._now().search(text, limit=limit)

    def within(self, collections: frozenset[str]) -> Answerer:
        """The same for those who see these collections, and documents that are in none."""
        return self._now().within(collections)

    def index(self) -> OpenIndex:
        """The generation in use."""
        return self._now().index()

    def _now(self) -> Engine:
        if self.engine is None:
            raise NotReady("not ready: index loading")
        return self.engine


class Host:
    """Loads, follows and rebuilds.

    When the settings name another model than the index was built with, the old model serves the old index until the
    new one is published. A generation that does not open is built anew in the background.
    """

    def __init__(self, settings: ServiceSettings, *, make: MakeEmbedder = make_embedder) -> None:
        self._settings = settings
        self._make = make
        self._store = store_of(settings)
        self._switch = Switch()
        self._target: Embedder | None = None
        self._swapping = Lock()
        self._repairing: str | None = None
        self._stop = Event()
        self._watcher: Thread | None = None
        self.traces = traces_of(settings)
        self.rebuilder = BackgroundRebuilder(
            self._store, self._build, self.adopt, journal=settings.index_root / "jobs.json"
        )
        self.managed = Managed(
            rebuilder=self.rebuilder,
            folder=DocumentFolder(
                settings.documents,
                shipped=settings.corpus,
                accepts=is_document,
                max_bytes=settings.max_upload_bytes,
            ),
        )

    def load(self, state: ServiceState) -> Answerer:
        """Load model and index, marking the stages; then begin to work in the background."""
        state.mark("model", "loading")
        target = self._make(choice_of(self._settings))
        self._target = target
        state.mark("model", "ready")
        self.managed.folder.clear()
        state.mark("index", "loading")
        self._switch.engine = engine = self._first(target)
        _settle()
        state.mark("index", "ready")
        self.rebuilder.start()
        if engine.embedder is not target or self._settings.watch:
            self.rebuilder.request("start")
        if self._settings.watch:
            self._watcher = Thread(target=self._watch, name="rigwise-watcher", daemon=True)
            self._watcher.start()
        return self._switch

    def refresh(self) -> None:
        """Bring the published generation into use; a damaged one is asked to be built anew, once.

        Raises:
            IndexerError: it cannot be used; the one in use stays.
        """
        try:
            self.adopt()
        except GenerationCorrupt:
            published = self._store.current()
            if self._repairing != published:
                self._repairing = published
                self.rebuilder.request("repair")
            raise
        self._repairing = None

    def adopt(self) -> None:
        """Serve the published generation, with the model that it was built with.

        Raises:
            IndexerError: as `SnapshotHolder.refresh`.
        """
        with self._swapping:
            engine, target = self._switch.engine, self._target
            if engine is None or target is None:
                return
            try:
                changed = engine.holder.refresh() is not None
            except EmbedderMismatch:
                if engine.embedder is target:
                    raise
                holder = self._holder(target)
                holder.refresh()
                self._switch.engine = self._engine(holder, target)
                _log.info("model.swapped", model=target.spec.model)
                changed = True
            if changed:
                _settle()

    def close(self) -> None:
        """Stop watching and building."""
        self._stop.set()
        self.rebuilder.close()
        if self._watcher is not None:
            self._watcher.join(5)

    def _first(self, target: Embedder) -> Engine:
        """The engine to begin with; the index is built before it only when nothing can be served."""
        holder = self._holder(target)
        try:
            holder.current()
            return self._engine(holder, target)
        except EmbedderMismatch as error:
            former = self._former()
            if former is not None:
                _log.warning("index.shadow_rebuild", reason=str(error))
                return former
        except (GenerationNotFound, GenerationCorrupt) as error:
            _log.warning("index.built_anew", code=error.code, reason=str(error))
        self._build(BuildOptions(), None)
        holder.current()
        return self._engine(holder, target)

    def _former(self) -> Engine | None:
        """The engine of the published generation's own model; None when that model cannot be had."""
        current = self._store.current()
        if current is None:
            return None
        try:
            spec = self._store.manifest(current).embedder
            wanted = choice_of(self._settings)
            backend = "hashing" if spec.model == "hashing" else wanted.backend
            embedder = self._make(replace(wanted, backend=backend, model=spec.model))
            holder = self._holder(embedder)
            holder.current()
        except (IndexerError, OSError) as error:
            _log.warning("index.former_model_missing", reason=str(error))
            return None
        return self._engine(holder, embedder)

    def _holder(self, embedder: Embedder) -> SnapshotHolder:
        return SnapshotHolder(self._store, fingerprint=embedder.spec.fingerprint())

    def _engine(self, holder: SnapshotHolder, embedder: Embedder) -> Engine:
        longest = self._settings.max_question_chars
        return Engine(
            holder=holder,
            embedder=embedder,
            max_question_chars=longest,
            writer=writer_of(self._settings),
            span=self.traces.stage if self.traces is not None else nullcontext,
        )

    def _build(self, options: BuildOptions, progress: Progress | None) -> BuildReport:
        if self._target is None:
            raise NotReady("not ready: model loading")
        return build_index(self._settings, self._target, progress, options)

    def _watch(self) -> None:
        options = WatchOptions(poll=self._settings.poll, sweep_s=self._settings.sweep_s)
        for changes in watch(self._settings.corpora, self._stop, options):
            _log.info("documents.changed", files=len(changes))
            self.rebuilder.request("watch")


def _settle() -> None:
    """Keep what a generation holds out of later garbage collections: a full one would stop every thread for 100 ms."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
