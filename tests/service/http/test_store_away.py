"""PostgreSQL stops while questions are asked: answers go on, and every one of them is stored in the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from starlette.testclient import TestClient

from service.http.app import Equipment, HttpLimits, create_app
from service.store.keeper import Keeper
from service.store.spool import Spool
from service.store.store import Store
from service.store.writer import BackgroundWriter
from tests.rigwise.waiting_for_tests import until
from tests.service.http.conftest import ready_state, wait_until_ready
from tests.service.store.conftest import postgres

__all__ = ["postgres"]
ASK = {"question": "How much memory does the Acme One have?", "conversation_id": "c-1"}


def test_answers_go_on_without_the_database_and_none_is_lost(postgres, engine, tmp_path):
    store = Store(postgres.fresh())
    spool = Spool(tmp_path / "spool")
    writer = BackgroundWriter(store, spool, pauses_s=(0.05, 0.2))
    keeper = Keeper(store, spool, writer=writer)
    parts = {"store": writer.fault}
    app = create_app(
        ready_state(engine),
        limits=HttpLimits(max_queued_answers=300),
        equipment=Equipment(keeper=keeper, parts=parts),
    )
    with TestClient(app) as client, ThreadPoolExecutor(8) as threads:
        wait_until_ready(client)

        def ask(_: object) -> int:
            return int(client.post("/v1/ask", json=ASK).status_code)

        until(lambda: store.prepared)
        before = list(threads.map(ask, range(50)))
        until(lambda: writer.fates().get("stored") == 50)
        postgres.stop()
        without = list(threads.map(ask, range(50)))
        until(lambda: writer.fates().get("spooled") == 50)
        ready = client.get("/readyz").json()
        unknown = client.get("/v1/answers/none")
        metrics = client.get("/metrics").text
        postgres.start()
        after = list(threads.map(ask, range(50)))
        until(lambda: writer.fault() == "" and writer.waiting() == (0, 0))

        assert set(before + without + after) == {200}
        assert (ready["status"], unknown.status_code) == ("degraded", 503)
        assert "50 rows wait in the spool" in ready["parts"]["store"]
        assert "rigwise_store_spooled 50.0" in metrics
        assert store.ledger.counts()["answers"] == 150
        assert writer.fates().get("dropped", 0) == 0
