"""`rigwise eval`: how good the answers are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rigwise.terminal import build_progress, errors
from service.settings import load_settings

app = typer.Typer(name="eval", help="Measure the answers.", no_args_is_help=True)
FAILED = 1

Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--cases",
        exists=True,
        dir_okay=False,
        help="A file of cases, one JSON object a line; may be repeated.",
    ),
]
Sets = Annotated[
    Path | None,
    typer.Option(
        "--sets", exists=True, file_okay=False, help="A folder of labeled sets in BEIR form."
    ),
]
Baseline = Annotated[
    Path | None, typer.Option("--baseline", help="A saved report to compare with.")
]
Gate = Annotated[
    bool,
    typer.Option(
        "--gate", help="Exit with 1 when something is significantly worse than the baseline."
    ),
]
Save = Annotated[
    Path | None,
    typer.Option("--save", help="Write the report as JSON; the Markdown goes beside it."),
]
Queries = Annotated[
    int, typer.Option("--queries", min=0, help="Queries of each labeled set; 0 takes all.")
]


@app.callback()
def _group() -> None:
    """Measure quality and speed, and compare reports."""


@app.command("quality")
def quality(
    cases: Files = None,
    sets: Sets = None,
    baseline: Baseline = None,
    gate: Gate = False,
    save: Save = None,
    queries: Queries = 0,
) -> None:
    """Ask all cases, rank the labeled sets, and print the tables.

    Without --cases it takes the shipped cases and those of the folder RIGWISE_EVAL_SHARED, without --sets the
    labeled sets of that folder; what is not there is named as skipped.

    Example: rigwise eval quality --save var/eval/report.json
    """
    from eval.baseline import change_table, compare, passes, save_report
    from eval.quality import plan_for, run
    from eval.report import Report, markdown
    from eval.saved import load_saved
    from rigwise.wiring import build_index, embedder_of, wire

    settings = load_settings()
    plan = plan_for(
        settings.eval_shared,
        cases=cases or (),
        sets=sets,
        cache=settings.eval_cache,
        queries=queries,
    )
    before = load_saved(baseline, Report) if baseline else None
    embedder = embedder_of(settings)
    with build_progress() as progress:
        build_index(settings, embedder, progress)
    engine = wire(settings, embedder).engine
    report = run(plan, engine, embedder, told=errors().print)
    print(markdown(report))
    if save is not None:
        save_report(report, save)
        save.with_suffix(".md").write_text(markdown(report), encoding="utf-8")
    if before is not None:
        changes = compare(before, report)
        print(change_table(changes))
        if gate and not passes(changes):
            raise typer.Exit(FAILED)
