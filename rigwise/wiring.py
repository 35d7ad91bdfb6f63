"""The one place that puts the pieces together: settings, embedder, store, engine, application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI

from indexer.embedders import Embedder, EmbedderChoice, make_embedder
from indexer.errors import EmbedderMismatch, GenerationNotFound
from indexer.generation import GenerationStore
from indexer.pipeline import BuildReport, Progress, build_generation
from service.engine import Engine
from service.http.app import HttpLimits, create_app
from service.http.ports import Answerer
from service.http.state import ServiceState
from service.settings import ServiceSettings
from service.snapshot import SnapshotHolder


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """An engine and what it stands on."""

    engine: Engine
    holder: SnapshotHolder


def store_of(settings: ServiceSettings) -> GenerationStore:
    """The generations under the index root."""
    return GenerationStore(settings.index_root)


def embedder_of(settings: ServiceSettings) -> Embedder:
    """The embedder of the settings, loaded."""
    return make_embedder(
        EmbedderChoice(
            backend=settings.embedder,
            model=settings.model,
            threads=settings.threads,
            device=settings.device,
            offline=settings.offline,
        )
    )


def build_index(
    settings: ServiceSettings, embedder: Embedder, progress: Progress | None = None
) -> BuildReport:
    """Bring the index up to date with the folders of the settings."""
    folders: list[Path] = list(settings.corpora)
    return build_generation(folders, store_of(settings), embedder, progress=progress)


def wire(settings: ServiceSettings, embedder: Embedder, progress: Progress | None = None) -> Wired:
    """The engine with its index opened; the index is built first when there is none for this embedder."""
    holder = SnapshotHolder(store_of(settings), fingerprint=embedder.spec.fingerprint())
    try:
        holder.current()
    except (GenerationNotFound, EmbedderMismatch):
        build_index(settings, embedder, progress)
        holder.current()
    engine = Engine(
        holder=holder, embedder=embedder, max_question_chars=settings.max_question_chars
    )
    return Wired(engine=engine, holder=holder)


def state_of(settings: ServiceSettings, progress: Progress | None = None) -> ServiceState:
    """A state that loads model and index when it is started, and then follows new generations."""
    holders: list[SnapshotHolder] = []

    def load(state: ServiceState) -> Answerer:
        state.mark("model", "loading")
        embedder = embedder_of(settings)
        state.mark("model", "ready")
        state.mark("index", "loading")
        wired = wire(settings, embedder, progress)
        holders.append(wired.holder)
        state.mark("index", "ready")
        return wired.engine

    def refresh() -> object:
        return holders[-1].refresh()

    return ServiceState(load, refresh=refresh, refresh_s=settings.refresh_s)


def application(settings: ServiceSettings, state: ServiceState) -> FastAPI:
    """The HTTP application with the limits and the key of the settings.

    Raises:
        UnsafeBinding: the host is not loopback and no key is set.
    """
    settings.check_binding()
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None
    limits = HttpLimits(
        max_concurrent_answers=settings.max_concurrent_answers,
        max_queued_answers=settings.max_queued_answers,
        answer_timeout_s=settings.answer_timeout_s,
        max_question_chars=settings.max_question_chars,
        max_body_bytes=settings.max_body_bytes,
    )
    return create_app(state, limits=limits, api_key=key)
