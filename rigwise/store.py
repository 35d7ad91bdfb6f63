"""`rigwise store`: look at what is kept, hand it out, forget it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rigwise.terminal import show_json, show_pairs
from service.settings import ServiceSettings, load_settings

if TYPE_CHECKING:
    from service.store.spool import Spool
    from service.store.store import Store

app = typer.Typer(
    name="store", help="What is kept of questions, answers and feedback.", no_args_is_help=True
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Asker = Annotated[
    str, typer.Option(help="Who asked: the name of a key, `oidc:SUBJECT`, `slack:TEAM:USER`.")
]


@app.command("status")
def status(as_json: AsJson = False) -> None:
    """Show the database, its revision, and how many rows are kept or wait.

    Example: rigwise store status
    """
    from service.store.migrate import revision_of

    with _opened() as (_, store, spool):
        shown = {
            "database": store.database.engine.url.render_as_string(hide_password=True),
            "revision": revision_of(store.database),
            **store.ledger.counts(),
            "inbox": store.inbox.counts(),
            "spooled": spool.count(),
        }
    show_json(shown) if as_json else show_pairs(shown)


@app.command("export")
def export(asker: Asker) -> None:
    """Print all that is kept of somebody, one JSON object a line.

    Example: rigwise store export --asker alice > alice.jsonl
    """
    import msgspec

    with _opened() as (_, store, spool):
        for row in store.ledger.of_asker(asker):
            print(msgspec.json.encode(row).decode())
        for record in spool.of_asker(asker):
            print(msgspec.json.encode({"table": "spool", **msgspec.to_builtins(record)}).decode())


@app.command("delete")
def delete(asker: Asker) -> None:
    """Delete all that is kept of somebody, also what waits in the spool.

    Example: rigwise store delete --asker alice
    """
    with _opened() as (_, store, spool):
        waiting = spool.forget(asker)
        show_json({**store.ledger.forget(asker), "spooled": waiting})


@app.command("prune")
def prune(
    days: Annotated[
        float | None, typer.Option(min=0, help="Days to keep instead of RIGWISE_KEEP_DAYS.")
    ] = None,
) -> None:
    """Forget what is older than the days to keep. A running service does it every hour.

    Example: rigwise store prune --days 30
    """
    from datetime import timedelta

    from service.store.keeper import utc_now

    with _opened() as (settings, store, _):
        kept_days = settings.keep_days if days is None else days
        before = utc_now() - timedelta(days=kept_days)
        show_json({"pruned": store.ledger.prune(before=before) + store.inbox.prune(before=before)})


@app.command("feedback")
def feedback(
    cases: Annotated[Path, typer.Option(help="File to write, one case a line.")],
) -> None:
    """Write answers that were judged as cases that `rigwise eval quality --cases` reads.

    Example: rigwise store feedback --cases feedback.jsonl
    """
    import json

    from eval.feedback import case_of

    with _opened() as (_, store, _spool):
        rows = [case_of(answer, given) for answer, given in store.ledger.judged()]
    cases.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    show_json({"cases": len(rows), "file": str(cases)})


@contextmanager
def _opened() -> Iterator[tuple[ServiceSettings, Store, Spool]]:
    from rigwise.keeping import spool_of, sql_of

    settings = load_settings()
    store = sql_of(settings)
    store.prepare()
    try:
        yield settings, store, spool_of(settings)
    finally:
        store.close()
