"""`rigwise index`: build, look at, check, go back, tidy up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from indexer.types import GenerationId
from rigwise import watching
from rigwise.terminal import build_progress, show_json, show_pairs, show_rejected
from service.settings import ServiceSettings, load_settings

if TYPE_CHECKING:
    from indexer.dense import DenseChoice
    from indexer.generation import GenerationStore
    from indexer.manifest import Manifest
    from indexer.pipeline import BuildReport

app = typer.Typer(name="index", help="Build, check and roll back the index.", no_args_is_help=True)
app.command("watch")(watching.watch)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("build")
def build(as_json: AsJson = False) -> None:
    """Bring the index up to date and publish it; unchanged text keeps its vectors.

    Example: RIGWISE_DOCUMENTS=~/datasheets rigwise index build
    """
    from rigwise.wiring import build_index, embedder_of

    settings = load_settings()
    embedder = embedder_of(settings)
    with build_progress() as progress:
        report = build_index(settings, embedder, progress)
    show_rejected(report.rejected)
    shown = _report(report)
    show_json(shown) if as_json else show_pairs(shown)


@app.command("status")
def status(as_json: AsJson = False) -> None:
    """Show the published generation and the ones that are kept.

    Example: rigwise index status --json
    """
    settings, store = _opened()
    generation = _published(settings, store)
    manifest = store.manifest(generation)
    shown = _status(settings, store, generation, manifest)
    show_json(shown) if as_json else show_pairs(shown)


@app.command("verify")
def verify(
    generation: Annotated[
        str | None, typer.Argument(help="A generation; the published one if left out.")
    ] = None,
) -> None:
    """Check every file of a generation against its manifest.

    Example: rigwise index verify
    """
    settings, store = _opened()
    checked = GenerationId(generation) if generation else _published(settings, store)
    manifest = store.verify(checked)
    print(f"{checked}: {len(manifest.files)} files are as the manifest names them")


@app.command("rollback")
def rollback(
    generation: Annotated[
        str | None, typer.Argument(help="Where to; the one before if left out.")
    ] = None,
) -> None:
    """Publish an older generation again; a running service follows by itself.

    Example: rigwise index rollback
    """
    settings, store = _opened()
    current = _published(settings, store)
    with store.writing():
        target = store.roll_back(GenerationId(generation) if generation else None)
    print(f"{current} -> {target}")


@app.command("prune")
def prune(
    keep: Annotated[int, typer.Option(min=1, help="How many of the newest to keep.")] = 3,
) -> None:
    """Remove old generations, never the published one.

    Example: rigwise index prune --keep 2
    """
    _, store = _opened()
    with store.writing():
        removed = store.prune(keep=keep)
    print(f"removed {len(removed)}" + "".join(f"\n{name}" for name in removed))


def _opened() -> tuple[ServiceSettings, GenerationStore]:
    from rigwise.wiring import store_of

    settings = load_settings()
    return settings, store_of(settings)


def _published(settings: ServiceSettings, store: GenerationStore) -> GenerationId:
    from indexer.errors import GenerationNotFound

    current = store.current()
    if current is None:
        raise GenerationNotFound("no index is published", settings.index_root)
    return current


def _report(report: BuildReport) -> dict[str, Any]:
    return {
        "generation": report.generation,
        "published": report.published,
        "held": report.held,
        "added": len(report.added),
        "changed": len(report.changed),
        "removed": len(report.removed),
        "passages": report.passages,
        "embedded": report.embedded,
        "reused": report.reused,
        "rejected": [f"{item.path}:{item.line}: {item.reason}" for item in report.rejected],
        "stale": list(report.stale),
        "seconds": round(sum(report.seconds.values()), 2),
    }


def _status(
    settings: ServiceSettings, store: GenerationStore, generation: GenerationId, manifest: Manifest
) -> dict[str, Any]:
    return {
        "index_root": str(settings.index_root),
        "generation": generation,
        **manifest.counts,
        "embedder": manifest.embedder.model,
        "fingerprint": manifest.fingerprint,
        "dense": _dense(manifest.dense),
        "rejected": [f"{item.path}:{item.line}: {item.reason}" for item in manifest.rejected],
        "stale": [entry.path for entry in manifest.documents if entry.stale],
        "kept": list(store.listed()),
    }


def _dense(choice: DenseChoice) -> str:
    if choice.kind == "flat":
        return "flat (exact)"
    return f"{choice.kind}, {choice.probes} of {choice.lists} lists, recall@10 {choice.recall_at_10} over {choice.queries} queries"
