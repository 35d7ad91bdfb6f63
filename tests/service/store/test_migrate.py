from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from service.store.database import Database
from service.store.errors import BadStoreUrl, StoreTooNew, StoreUnavailable
from service.store.migrate import migrate, newest_revision, revision_of
from service.store.store import Store
from service.store.tables import metadata


def test_the_migrations_make_the_tables_that_the_code_uses(sql):
    with sql.database.begin() as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)

    assert found == []


def test_two_processes_that_start_at_once_both_get_the_newest_form(url):
    databases = [Database(url) for _ in range(4)]

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(migrate, databases))

    assert {revision_of(database) for database in databases} == {newest_revision()}
    for database in databases:
        database.close()


def test_a_database_of_a_newer_version_is_left_alone(sql, url):
    with sql.database.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    later = Store(url)

    with pytest.raises(StoreTooNew, match="9999"):
        later.prepare()
    later.close()


def test_a_database_that_is_away_is_no_obstacle_to_opening(tmp_path):
    store = Store(f"postgresql+psycopg://nobody@/none?host={tmp_path}")

    with pytest.raises(StoreUnavailable, match="try again"):
        store.prepare()
    store.close()


@pytest.mark.parametrize("url", ["", "store.db", "mysql://there", "postgresql://there"])
def test_another_kind_of_address_is_refused_by_name(url):
    with pytest.raises(BadStoreUrl, match="RIGWISE_STORE_URL"):
        Store(url)


def test_the_file_is_for_its_owner_only(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'store.sqlite3'}")

    store.prepare()

    assert {path.stat().st_mode & 0o077 for path in tmp_path.glob("store.sqlite3*")} == {0}
    store.close()
