"""The same tests over a file of SQLite and over a real PostgreSQL, which comes with a package and listens on a socket."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import pytest

from service.store.store import Store
from service.store.talks import StoredConversations

NOON = datetime(2026, 12, 7, 12, tzinfo=UTC)


@dataclass
class Postgres:
    """A server of this test run. It can be stopped and started again."""

    server: Any

    def fresh(self) -> str:
        """The address of a new, empty database."""
        name = f"t{uuid4().hex}"
        self.server.psql(f"CREATE DATABASE {name};")
        return str(self.server.get_uri(name)).replace("postgresql://", "postgresql+psycopg://")

    def stop(self) -> None:
        self._control(["-m", "immediate", "-w", "stop"])

    def start(self) -> None:
        socket = ["-o", '-h ""', "-o", f"-k {self.server.pgdata}"]
        self._control(["-w", *socket, "-l", str(self.server.log), "start"])

    def _control(self, arguments: list[str]) -> None:
        from pgserver import pg_ctl  # type: ignore[attr-defined]  # made when it is imported

        pg_ctl(arguments, pgdata=self.server.pgdata, user=self.server.system_user, timeout=30)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pgserver = pytest.importorskip("pgserver")
        server = pgserver.get_server(mkdtemp(prefix="rigwise-pg-"), cleanup_mode="delete")
    yield Postgres(server)
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.sqlite3'}"
    fresh: Callable[[], str] = request.getfixturevalue("postgres").fresh
    return fresh()


@pytest.fixture
def sql(url) -> Iterator[Store]:
    """A store in its newest form."""
    store = Store(url, keys=("b1CGBGvL0sZqwTzlvrFHz2ehNbHPDzZ6e3JHGbFDVpE=",))
    store.prepare()
    yield store
    store.close()


@pytest.fixture
def url_of_postgres(postgres) -> str:
    return str(postgres.fresh())


@pytest.fixture
def conversations(sql) -> StoredConversations:
    return StoredConversations(sql.database, keep_s=60, now=lambda: NOON)
