"""`rigwise eval speed` and `rigwise eval compare`: how fast, how close to the limits, at what cost."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Annotated

import typer

from rigwise.terminal import build_progress, errors
from service.settings import load_settings

if TYPE_CHECKING:
    from eval.speed.prices import Price
    from eval.speed.rows import Report
    from indexer.types import Catalog

Price_ = Annotated[
    float | None, typer.Option("--usd-per-hour", min=0, help="What this machine costs an hour.")
]
Instance = Annotated[
    str | None,
    typer.Option("--instance", help="Take the price of this instance from the catalog's offers."),
]
GpuPrice = Annotated[
    float | None,
    typer.Option("--gpu-usd-per-hour", min=0, help="What a machine with a GPU costs an hour."),
]
GpuInstance = Annotated[
    str | None, typer.Option("--gpu-instance", help="The instance with a GPU to compare with.")
]
Sets = Annotated[
    Path | None,
    typer.Option(
        "--sets", exists=True, file_okay=False, help="Labeled sets in BEIR form, for nDCG."
    ),
]
Out = Annotated[Path, typer.Option("--out", help="Folder for report.json, .md and .html.")]
Threads = Annotated[int, typer.Option("--threads", min=0, help="Threads; 0 takes every core.")]


def speed(  # noqa: PLR0913 - the options of a command
    quick: Annotated[
        bool, typer.Option("--quick", help="Less of everything, in a minute.")
    ] = False,
    sets: Sets = None,
    out: Out = Path("var/speed"),
    threads: Threads = 0,
    usd_per_hour: Price_ = None,
    instance: Instance = None,
    gpu_usd_per_hour: GpuPrice = None,
    gpu_instance: GpuInstance = None,
    add_to_corpus: Annotated[
        bool,
        typer.Option("--add-to-corpus", help="Write the result under corpus/benchmarks/measured."),
    ] = False,
) -> None:
    """Measure embedding and answers on this machine against its own limits.

    Example: rigwise eval speed --quick --usd-per-hour 0.20 --gpu-usd-per-hour 1.20
    """
    from eval.speed.page import write_files

    report = _measured(
        quick=quick,
        sets=sets,
        threads=threads,
        own=(usd_per_hour, instance),
        gpu=(gpu_usd_per_hour, gpu_instance),
    )
    files = write_files(report, out)
    _show(report)
    errors().print(f"report: {', '.join(str(path) for path in files)}")
    if add_to_corpus:
        errors().print(f"added to the corpus: {_added(report)}; run rigwise index build")


def compare(
    before: Annotated[Path, typer.Argument(help="A report.json.", exists=True, dir_okay=False)],
    after: Annotated[Path, typer.Argument(help="Another one.", exists=True, dir_okay=False)],
) -> None:
    """Show two speed reports side by side, whichever machines they were made on.

    Example: rigwise eval compare var/speed/report.json gpu/report.json
    """
    from eval.saved import load_saved
    from eval.speed.compare import compare_speed, difference_table
    from eval.speed.rows import Report

    one, other = load_saved(before, Report), load_saved(after, Report)
    print("\n".join(difference_table(one, other, compare_speed(one, other))))


def _measured(
    *,
    quick: bool,
    sets: Path | None,
    threads: int,
    own: tuple[float | None, str | None],
    gpu: tuple[float | None, str | None],
) -> Report:
    from os import cpu_count

    from eval.labeled import find_sets
    from eval.speed.runner import Plan, Tools, run_speed
    from rigwise.wiring import build_index, embedder_of, wire

    settings = load_settings()
    count = threads or settings.threads or cpu_count() or 1
    embedder = embedder_of(settings.model_copy(update={"threads": count}))
    with build_progress() as progress:
        build_index(settings, embedder, progress)
    engine = wire(settings, embedder).engine
    catalog = engine.index().catalog
    plan = Plan(
        model=settings.model,
        threads=count,
        quick=quick,
        questions=_questions(),
        sets=tuple(find_sets(sets)) if sets else (),
        probe=(sys.executable, "-m", "rigwise.probe"),
        serve=(sys.executable, "-m", "rigwise", "serve", "--host", "127.0.0.1", "--port"),
        price=_price(catalog, *own),
        gpu_price=_price(catalog, *gpu),
    )
    tools = Tools(
        clock=perf_counter,
        cpu_clock=process_time,
        now=lambda: datetime.now(UTC),
        told=errors().print,
    )
    return run_speed(plan, engine, embedder, tools)


def _questions() -> tuple[str, ...]:
    """The shipped questions, every kind early on."""
    from eval.quality import SHIPPED

    rows = [json.loads(line) for line in SHIPPED.read_text(encoding="utf-8").splitlines()]
    texts = [str(row["question"]) for row in rows]
    step = max(1, len(texts) // 100)
    return tuple(texts[::step])


def _price(catalog: Catalog, usd_per_hour: float | None, instance: str | None) -> Price | None:
    from eval.speed.prices import Price, price_of

    if usd_per_hour is not None:
        return Price(usd_per_hour=usd_per_hour, basis="as given")
    return price_of(catalog, instance) if instance else None


def _show(report: Report) -> None:
    from eval.speed.markdown import goal_table

    for sentence in report.verdict:
        print(f"- {sentence}")
    print()
    print("\n".join(goal_table(report.goals)))


def _added(report: Report) -> Path:
    from eval.speed.markdown import corpus_document, file_name

    folder = load_settings().corpus / "benchmarks" / "measured"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(report)
    path.write_text(corpus_document(report), encoding="utf-8")
    return path
