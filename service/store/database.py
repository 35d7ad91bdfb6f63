"""One database: SQLite with a write-ahead log, or PostgreSQL. Foreign errors become ours here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
    StatementError,
)

from service.store.errors import BadStoreUrl, StoreError, StoreRefused, StoreUnavailable

_CONNECT_S: Final = 3
_STATEMENT_S: Final = 30
_BUSY_S: Final = 5
_PAUSE_S: Final = 0.5
_POSTGRES: Final = "postgresql+psycopg"


class Database:
    """An engine that connects when it is first used, so that a process starts while its database is away.

    Raises:
        BadStoreUrl: the address is none, names another kind of database, or the driver is not installed.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = monotonic) -> None:
        parsed = _parsed(url)
        self._file = Path(parsed.database) if _is_file(parsed) and parsed.database else None
        self.engine = _engine(parsed)
        self._clock = clock
        self._away_until = clock()

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of SQLite."""
        return self.engine.dialect.name == "sqlite"

    @property
    def file(self) -> Path | None:
        """The file of SQLite; None for a server or for memory."""
        return self._file

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction, committed at the end.

        Raises:
            StoreRefused: a row does not fit.
            StoreUnavailable: anything else that the database raises; for a moment after that everybody is refused at
                once, so that nobody queues for a database that is away.
        """
        if self._clock() < self._away_until:
            raise StoreUnavailable("it was away a moment ago")
        try:
            self._make_private()
            with self.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._noted(_translated(error)) from error
        except OSError as error:
            raise self._noted(StoreUnavailable(type(error).__name__)) from error

    def insert_new(
        self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
    ) -> int:
        """Insert the rows that are not there yet by any unique column; how many were new."""
        insert = (sqlite.insert if self.is_sqlite else postgresql.insert)(table)
        key = next(iter(table.primary_key))
        new = [insert.values(dict(row)).on_conflict_do_nothing().returning(key) for row in rows]
        return sum(connection.execute(statement).first() is not None for statement in new)

    def upsert(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
        """Insert a row, or replace the one with the same primary key."""
        insert = (sqlite.insert if self.is_sqlite else postgresql.insert)(table).values(dict(row))
        keys = [column.name for column in table.primary_key]
        changed = {name: value for name, value in row.items() if name not in keys}
        connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=changed))

    def check(self) -> str:
        """What is wrong with the database; empty: nothing."""
        try:
            with self.begin() as connection:
                connection.execute(text("SELECT 1"))
        except (StoreUnavailable, StoreRefused) as error:
            return str(error)
        return ""

    def close(self) -> None:
        """End all connections."""
        self.engine.dispose()

    def _noted(self, error: StoreError) -> StoreError:
        if isinstance(error, StoreUnavailable):
            self._away_until = self._clock() + _PAUSE_S
        return error

    def _make_private(self) -> None:
        """Questions of people stand in the file: only its owner reads it."""
        if self._file is not None and not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch(mode=0o600)


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise BadStoreUrl("RIGWISE_STORE_URL is no address of a database") from error
    if parsed.drivername not in ("sqlite", _POSTGRES):
        raise BadStoreUrl(
            f"RIGWISE_STORE_URL begins with {parsed.drivername!r}; known: sqlite, {_POSTGRES}"
        )
    return parsed


def _is_file(url: URL) -> bool:
    return url.drivername == "sqlite" and url.database not in (None, "", ":memory:")


def _engine(url: URL) -> Engine:
    try:
        if url.drivername == "sqlite":
            engine = create_engine(url, connect_args={"timeout": _BUSY_S})
            event.listen(engine, "connect", _prepare_sqlite)
            return engine
        options = f"-c statement_timeout={_STATEMENT_S * 1000} -c timezone=UTC"
        return create_engine(
            url,
            pool_pre_ping=True,
            pool_timeout=_CONNECT_S,
            connect_args={"connect_timeout": _CONNECT_S, "options": options},
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise BadStoreUrl("PostgreSQL needs its driver: pip install 'rigwise[postgres]'") from error


def _prepare_sqlite(connection: Any, _: object) -> None:
    """Readers do not wait for the writer, and what was committed survives a loss of power."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _translated(error: SQLAlchemyError) -> StoreRefused | StoreUnavailable:
    """Without the statement and its values, which may be private."""
    refused = isinstance(error, DataError | IntegrityError) or (
        isinstance(error, StatementError) and not isinstance(error, DBAPIError)
    )
    cause = type(getattr(error, "orig", None) or error).__name__
    if refused:
        return StoreRefused(f"the store does not take this row ({cause})")
    return StoreUnavailable(cause)
