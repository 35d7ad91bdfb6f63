"""The one place that puts the pieces together: settings, embedder, store, engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from indexer.embedders import Embedder, EmbedderChoice, make_embedder
from indexer.errors import EmbedderMismatch, GenerationCorrupt, GenerationNotFound
from indexer.generation import GenerationStore
from indexer.pipeline import BuildOptions, BuildReport, Progress, build_generation
from service.engine import Engine
from service.language import Writer
from service.settings import ServiceSettings
from service.snapshot import SnapshotHolder
from service.traces import Traces

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """An engine and what it stands on."""

    engine: Engine
    holder: SnapshotHolder


def store_of(settings: ServiceSettings) -> GenerationStore:
    """The generations under the index root."""
    return GenerationStore(settings.index_root)


def choice_of(settings: ServiceSettings) -> EmbedderChoice:
    """Which embedder the settings ask for."""
    return EmbedderChoice(
        backend=settings.embedder,
        model=settings.model,
        threads=settings.threads,
        device=settings.device,
        offline=settings.offline,
    )


def embedder_of(settings: ServiceSettings) -> Embedder:
    """The embedder of the settings, loaded."""
    return make_embedder(choice_of(settings))


def build_index(
    settings: ServiceSettings,
    embedder: Embedder,
    progress: Progress | None = None,
    options: BuildOptions | None = None,
) -> BuildReport:
    """Bring the index up to date with the folders of the settings."""
    folders: list[Path] = list(settings.corpora)
    chosen = replace(options or BuildOptions(), keep=settings.keep_generations)
    return build_generation(
        folders, store_of(settings), embedder, progress=progress, options=chosen
    )


def writer_of(settings: ServiceSettings) -> Writer | None:
    """The language model of the settings; None where no address is set.

    Raises:
        WriterFailed: the extra `llm` is not installed.
    """
    if settings.llm_url is None:
        return None
    from service.language.model import ModelWriter
    from service.language.openai_client import Endpoint, complete_with

    endpoint = Endpoint(
        url=settings.llm_url,
        model=settings.llm_model,
        key=settings.llm_key.get_secret_value() if settings.llm_key is not None else "",
        timeout_s=settings.llm_timeout_s,
        retries=settings.llm_retries,
    )
    return ModelWriter(complete=complete_with(endpoint))


def traces_of(settings: ServiceSettings) -> Traces | None:
    """Where spans go by the settings; None where no address is set.

    Raises:
        OtelMissing: the extra `otel` is not installed.
    """
    if settings.otel_endpoint is None:
        return None
    from service.traces import traces_to

    return traces_to(settings.otel_endpoint, texts=settings.otel_texts)


def wire(settings: ServiceSettings, embedder: Embedder, progress: Progress | None = None) -> Wired:
    """The engine with its index opened; the index is built first when none can be used.

    None can be used before the first build, when another embedder or another version built it, and when it is damaged;
    the build takes over what is sound.
    """
    holder = SnapshotHolder(store_of(settings), fingerprint=embedder.spec.fingerprint())
    try:
        holder.current()
    except GenerationNotFound:
        build_index(settings, embedder, progress)
    except (GenerationCorrupt, EmbedderMismatch) as error:
        _log.warning("index.built_anew", code=error.code, reason=str(error))
        build_index(settings, embedder, progress)
    engine = Engine(
        holder=holder,
        embedder=embedder,
        max_question_chars=settings.max_question_chars,
        writer=writer_of(settings),
    )
    return Wired(engine=engine, holder=holder)
