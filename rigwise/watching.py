"""`rigwise index watch`."""

from __future__ import annotations

import signal
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from indexer.errors import IndexerError
from rigwise.terminal import complain, errors, show_rejected
from service.settings import ServiceSettings, load_settings

if TYPE_CHECKING:
    from indexer.embedders import Embedder


def watch(
    poll: Annotated[
        bool, typer.Option("--poll", help="Look at all files every second; for network folders.")
    ] = False,
) -> None:
    """Build whenever a document changes, until interrupted. A running service follows by itself.

    Example: RIGWISE_DOCUMENTS=~/datasheets rigwise index watch
    """
    from indexer.watch import WatchOptions
    from indexer.watch import watch as changes_of
    from rigwise.wiring import embedder_of

    settings = load_settings()
    embedder = embedder_of(settings)
    options = WatchOptions(poll=poll or settings.poll, sweep_s=settings.sweep_s)
    stop = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    _build(settings, embedder)
    errors().print(f"watching {', '.join(map(str, settings.corpora))}; Ctrl-C ends it")
    for _ in changes_of(settings.corpora, stop, options):
        _build(settings, embedder)


def _build(settings: ServiceSettings, embedder: Embedder) -> None:
    """Build and say what came of it; an error is told, and the watching goes on."""
    from indexer.pipeline import BuildOptions
    from rigwise.wiring import build_index

    try:
        # What was rolled back from stays unpublished until the files change.
        report = build_index(settings, embedder, options=BuildOptions(release=False))
    except (IndexerError, OSError) as error:
        complain(error)
        return
    if report.published:
        show_rejected(report.rejected)
        print(
            f"{report.generation}: {len(report.added)} added, {len(report.changed)} changed, "
            f"{len(report.removed)} removed, {report.embedded} embedded, "
            f"{len(report.rejected)} refused, {sum(report.seconds.values()):.1f} s",
            flush=True,
        )
