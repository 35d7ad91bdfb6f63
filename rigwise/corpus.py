"""`rigwise corpus`: look after the documents."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from rigwise.terminal import errors, show_json
from service.render import plain
from service.settings import load_settings

app = typer.Typer(name="corpus", help="Check the documents.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `check` a command of its own, although it is the only one."""


@app.command("check")
def check(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A corpus; the one of the settings if left out.", file_okay=False, exists=True
        ),
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option(
            help="Documents to compare with the corpus; those of the settings if left out.",
            file_okay=False,
            exists=True,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check all documents: schema, units, ranges, sources, dates, links. Exit code 1: something is wrong.

    Example: rigwise corpus check corpus
    """
    from indexer.corpus_check import check_corpus

    settings = load_settings()
    root = folder or settings.corpus
    documents = documents or (settings.documents if folder is None else None)
    findings = check_corpus(root, today=datetime.now(UTC).date(), documents=documents)
    if as_json:
        show_json(plain(findings))
    else:
        for finding in findings:
            value = f" {finding.value!r}" if finding.value else ""
            print(
                f"{finding.path}:{finding.line}: {finding.severity}:{value} {finding.problem}; {finding.remedy}"
            )
    faults = sum(1 for finding in findings if finding.severity == "error")
    errors().print(f"{root}: {faults} errors, {len(findings) - faults} warnings")
    if faults:
        raise typer.Exit(1)
