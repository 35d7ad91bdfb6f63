from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from service.http.app import Equipment, create_app
from service.store.keeper import Keeper, KeepOptions
from service.store.spool import Spool
from service.store.store import Store
from tests.rigwise.waiting_for_tests import until
from tests.service.http.conftest import ready_state, wait_until_ready

ASK = {"question": "How much memory does the Acme One have?"}


@pytest.fixture
def open_client(engine, tmp_path):
    """Makes clients of services that keep their answers in one file."""
    opened: list[TestClient] = []

    def make(**options):
        store = Store(f"sqlite:///{tmp_path / 'store.sqlite3'}")
        keeper = Keeper(store, Spool(tmp_path / "spool"), KeepOptions(**options))
        app = create_app(ready_state(engine), equipment=Equipment(keeper=keeper))
        client = TestClient(app, raise_server_exceptions=False)
        client.__enter__()
        opened.append(client)
        wait_until_ready(client)
        return client

    yield make
    for client in opened:
        client.__exit__(None, None, None)


def kept(client) -> Keeper:
    keeper: Keeper = client.app.state.keeper
    until(lambda: keeper.writer.waiting()[0] == 0 and not keeper.writer.pending("any"))
    return keeper


def stored(client, count: int) -> None:
    until(lambda: kept(client).store.ledger.counts()["answers"] == count)


def test_an_answer_is_given_again_exactly_also_after_a_restart(open_client):
    client = open_client()
    answer = client.post("/v1/ask", json=ASK).json()

    at_once = client.get(f"/v1/answers/{answer['id']}")
    stored(client, 1)
    later = open_client().get(f"/v1/answers/{answer['id']}")

    assert at_once.json() == later.json() == answer


def test_a_streamed_answer_is_kept_as_well(open_client):
    client = open_client()
    reply = client.post("/v1/ask", json=ASK, headers={"Accept": "text/event-stream"})

    found = client.get(f"/v1/answers/{reply.headers['X-Request-ID']}")

    assert (found.status_code, found.json()["question"]) == (200, ASK["question"])


def test_an_answer_that_was_never_given_is_not_found(open_client):
    response = open_client().get("/v1/answers/none")

    assert (response.status_code, response.json()["code"]) == (404, "answer_not_found")


def test_feedback_is_stored_with_its_reason(open_client):
    client = open_client()
    answer = client.post("/v1/ask", json=ASK).json()

    reply = client.post(
        "/v1/feedback",
        json={"answer_id": answer["id"], "verdict": "down", "reason": "outdated", "comment": "old"},
    )

    assert reply.status_code == 202
    until(lambda: kept(client).store.ledger.counts()["feedback"] == 1)
    [(about, given)] = kept(client).store.ledger.judged()
    assert (about.id, given.id) == (answer["id"], reply.json()["id"])
    assert (given.verdict, given.reason, given.comment) == ("down", "outdated", "old")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"answer_id": "none", "verdict": "up"}, 404, "answer_not_found"),
        ({"answer_id": "none", "verdict": "meh"}, 422, "invalid_request"),
        ({"answer_id": "none", "verdict": "up", "reason": "boring"}, 422, "invalid_request"),
        ({"answer_id": "none", "verdict": "up", "comment": "x" * 2001}, 422, "invalid_request"),
        ({"answer_id": "no/id", "verdict": "up"}, 422, "invalid_request"),
    ],
)
def test_feedback_that_cannot_be_taken_is_refused(open_client, body, status, code):
    response = open_client().post("/v1/feedback", json=body)

    assert (response.status_code, response.json()["code"]) == (status, code)


def test_without_texts_only_facts_are_kept(open_client, tmp_path):
    client = open_client(texts=False)
    answer = client.post("/v1/ask", json={**ASK, "conversation_id": "c-1"}).json()
    stored(client, 1)

    assert client.get(f"/v1/answers/{answer['id']}").status_code == 404
    found = kept(client).store.ledger.find(answer["id"])
    assert found is not None
    assert found.answer["kind"] == "answer"
    assert kept(client).store.ledger.counts()["turns"] == 0
    assert all(b"Acme" not in path.read_bytes() for path in tmp_path.glob("store.sqlite3*"))


def test_a_conversation_goes_on_after_a_restart(open_client, engine):
    open_client().post("/v1/ask", json={**ASK, "conversation_id": "c-1"})

    open_client().post("/v1/ask", json={"question": "And its power?", "conversation_id": "c-1"})

    assert engine.asked[-1].conversation == (ASK["question"],)


def test_the_fates_of_rows_are_in_the_metrics(open_client):
    client = open_client()
    client.post("/v1/ask", json=ASK)
    stored(client, 1)

    assert 'rigwise_store_rows_total{fate="stored"} 1.0' in client.get("/metrics").text


def test_a_service_without_a_store_says_so(client):
    found = client.get("/v1/answers/a1")
    judged = client.post("/v1/feedback", json={"answer_id": "a1", "verdict": "up"})

    assert found.json()["code"] == judged.json()["code"] == "nothing_kept"


def test_questions_that_no_document_answers_are_told(open_client):
    client = open_client()
    client.post("/v1/ask", json=ASK)
    stored(client, 1)

    assert client.get("/v1/questions/unanswered").json() == {"items": []}
    assert client.get("/v1/questions/unanswered?limit=0").status_code == 422
