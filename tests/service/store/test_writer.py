from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest

from service.store.spool import Spool
from service.store.store import Store
from service.store.writer import BackgroundWriter
from tests.rigwise.waiting_for_tests import until
from tests.service.store.records_for_tests import judged, stored

QUICK = (0.05, 0.2)


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "spool")


@pytest.fixture
def start():
    """Starts writers; they are closed after the test."""
    writers: list[BackgroundWriter] = []

    def started(store, spool, **changed) -> BackgroundWriter:
        writer = BackgroundWriter(store, spool, **({"pauses_s": QUICK} | changed))
        writer.start()
        writers.append(writer)
        return writer

    yield started
    for writer in writers:
        writer.close()


def test_records_reach_the_database(sql, spool, start):
    writer = start(sql, spool)

    for n in range(250):
        writer.put(stored(n))
    writer.put(judged())

    until(lambda: writer.fates().get("stored") == 251)
    assert sql.ledger.counts()["answers"] == 250
    assert writer.pending("a1") is None


def test_a_record_that_is_refused_is_put_aside(sql, spool, start, tmp_path):
    writer = start(sql, spool)

    writer.put(replace(stored(2), question=None))  # type: ignore[arg-type]
    writer.put(stored(3))

    until(lambda: sum(writer.fates().values()) == 2)
    assert (writer.fates()["refused"], writer.fates()["stored"]) == (1, 1)
    assert "a2" in (tmp_path / "spool/refused.jsonl").read_text()


def test_a_full_queue_drops_the_record_and_says_so(sql, spool):
    writer = BackgroundWriter(sql, spool, most=1)

    assert [writer.put(stored(1)), writer.put(stored(2))] == [True, False]
    assert writer.fates()["dropped"] == 1


def test_what_waits_is_written_at_the_end(sql, spool, start):
    writer = start(sql, spool)
    for n in range(50):
        writer.put(stored(n))

    writer.close()

    assert sql.ledger.counts()["answers"] == 50


def test_records_of_an_earlier_process_are_replayed(sql, spool, start):
    spool.append([stored(1), stored(2)])

    writer = start(sql, spool)

    until(lambda: writer.fates().get("replayed") == 2)
    until(lambda: writer.waiting() == (0, 0))


def test_neither_database_nor_disk_is_told_and_counted(tmp_path, start):
    (tmp_path / "file").touch()
    writer = start(
        Store(f"postgresql+psycopg://nobody@/none?host={tmp_path}"), Spool(tmp_path / "file/spool")
    )

    writer.put(stored())

    until(lambda: writer.fates().get("dropped") == 1)


def test_nothing_is_lost_when_postgres_stops_in_the_middle(postgres, url_of_postgres, spool, start):
    store = Store(url_of_postgres)
    writer = start(store, spool)

    for n in range(300):
        if n == 100:
            until(lambda: writer.fates().get("stored") == 100)
            postgres.stop()
        if n == 200:
            until(lambda: writer.fates().get("spooled") == 100)
            assert "rows wait in the spool" in writer.fault()
            postgres.start()
        assert writer.put(stored(n))
        Event().wait(0.001)

    until(lambda: writer.fault() == "" and writer.waiting() == (0, 0))
    until(lambda: store.ledger.counts()["answers"] == 300)
    fates = writer.fates()
    assert fates["stored"] + fates["replayed"] == 300
    assert fates["spooled"] == fates["replayed"] >= 100
    assert fates.get("dropped", 0) == fates.get("refused", 0) == 0
    store.close()


def test_what_the_database_takes_too_long_for_is_in_the_spool_at_the_end(tmp_path, spool):
    sql = Store(f"sqlite:///{tmp_path / 'store.sqlite3'}")
    writer = BackgroundWriter(sql, spool)  # never started: as if its thread hung
    writer.put(stored(1))

    writer.close()

    assert (spool.count(), writer.fates()) == (1, {"spooled": 1})
