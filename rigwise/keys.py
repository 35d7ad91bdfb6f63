"""`rigwise keys`: make keys of the API, list, replace and end them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from rigwise.terminal import errors, show_json, show_rows
from service.settings import load_settings

if TYPE_CHECKING:
    from service.store.keys import ApiKeys

app = typer.Typer(name="keys", help="Keys of the HTTP API.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The name of the key; what it asks is kept under it.")]
Scopes = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        help="What the key may do: ask (and read), read, write (documents, index), admin (all). May be given several times.",
    ),
]


@app.command("create")
def create(
    name: Name,
    scopes: Scopes = None,
    collections: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            help="A collection that it sees beside documents that are in none; * is all. May be given several times.",
        ),
    ] = None,
    days: Annotated[float | None, typer.Option(min=0, help="Days until it expires.")] = None,
) -> None:
    """Make a key and print it, once: only its digest is kept. Without `--scope` it may ask and read.

    Example: rigwise keys create alice --scope ask --collection finance --days 90
    """
    from datetime import timedelta

    from service.store.keeper import utc_now

    now = utc_now()
    ends = now + timedelta(days=days) if days is not None else None
    with _opened() as keys:
        secret = keys.create(
            name,
            scopes or ["ask", "read"],
            now=now,
            expires_at=ends,
            collections=collections or (),
        )
    print(secret)


@app.command("list")
def show(as_json: AsJson = False) -> None:
    """List all keys, never their secrets.

    Example: rigwise keys list
    """
    from service.render import plain
    from service.store.keeper import utc_now

    now = utc_now()
    with _opened() as keys:
        rows = [
            {
                "name": key.name,
                "state": key.state(now),
                "scopes": sorted(key.scopes),
                "collections": ["*"] if key.collections is None else sorted(key.collections),
                "created": _day(key.created_at),
                "expires": _day(key.expires_at),
                "used": _day(key.used_at),
            }
            for key in keys.all()
        ]
    show_json(plain(rows)) if as_json else show_rows(rows)


@app.command("rotate")
def rotate(name: Name) -> None:
    """Print a new secret for a key; the old one ends within seconds. Scopes and expiry stay.

    Example: rigwise keys rotate alice
    """
    from service.store.keeper import utc_now

    with _opened() as keys:
        print(keys.rotate(name, now=utc_now()))


@app.command("revoke")
def revoke(name: Name) -> None:
    """End a key. A running service knows within seconds.

    Example: rigwise keys revoke alice
    """
    from service.store.keeper import utc_now

    with _opened() as keys:
        keys.revoke(name, now=utc_now())
    errors().print(f"{name} is revoked")


def _day(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d %H:%M") if moment is not None else ""


@contextmanager
def _opened() -> Iterator[ApiKeys]:
    from rigwise.keeping import sql_of

    settings = load_settings()
    store = sql_of(settings)
    store.prepare()
    try:
        yield store.keys
    finally:
        store.close()
    if not settings.wants_key:
        errors().print("note: the service asks for no key; set RIGWISE_REQUIRE_KEY=true")
