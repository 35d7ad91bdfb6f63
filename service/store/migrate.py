"""Brings a database to the form that this version wants. Two processes that start at once do it one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from filelock import FileLock
from sqlalchemy import Connection, text

from service.store.database import Database
from service.store.errors import StoreTooNew

_SCRIPTS: Final = "service.store:migrations"
_LOCK: Final = 0x5249475749  # "RIGWI": the number of the advisory lock


def migrate(database: Database) -> None:
    """Run the migrations that the database lacks, in one transaction.

    Raises:
        StoreUnavailable: the database cannot be reached.
        StoreTooNew: a newer version has changed it.
    """
    with _alone(database), database.begin() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        config = _config(connection)
        _refuse_newer(connection, ScriptDirectory.from_config(config))
        command.upgrade(config, "head")


def revision_of(database: Database) -> str:
    """The revision that the database is at; empty before the first migration."""
    with database.begin() as connection:
        return MigrationContext.configure(connection).get_current_revision() or ""


def newest_revision() -> str:
    """The revision that this version wants."""
    return ScriptDirectory.from_config(_config(None)).get_current_head() or ""


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", _SCRIPTS)
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _refuse_newer(connection: Connection, scripts: ScriptDirectory) -> None:
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None:
        return
    try:
        scripts.get_revision(revision)
    except CommandError as error:
        raise StoreTooNew(revision) from error


@contextmanager
def _alone(database: Database) -> Iterator[None]:
    """SQLite has no advisory locks, so a file beside it does."""
    if database.file is None:
        yield
        return
    database.file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(database.file.with_name(f"{database.file.name}.lock"), timeout=60, mode=0o600):
        yield
