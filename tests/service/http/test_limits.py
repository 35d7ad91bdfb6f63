from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import perf_counter

import pytest

from service.http.app import HttpLimits

ASK = {"question": "How much memory does the Acme One have?"}


def _wait_for(condition) -> None:
    for _ in range(1000):
        if condition():
            return
        Event().wait(0.005)
    raise AssertionError("it never happened")


def test_a_busy_service_refuses_at_once(make_client, engine):
    client = make_client(limits=HttpLimits(max_concurrent_answers=1, max_queued_answers=0))
    engine.gate.clear()
    with ThreadPoolExecutor(1) as others:
        first = others.submit(client.post, "/v1/ask", json=ASK)
        _wait_for(lambda: engine.asked)

        second = client.post("/v1/ask", json=ASK)
        engine.gate.set()

    assert (second.status_code, second.json()["code"]) == (429, "overloaded")
    assert int(second.headers["Retry-After"]) >= 1
    assert first.result().status_code == 200


def test_a_queued_question_is_answered_in_its_turn(make_client, engine):
    client = make_client(limits=HttpLimits(max_concurrent_answers=1, max_queued_answers=1))
    engine.gate.clear()
    with ThreadPoolExecutor(2) as others:
        replies = [others.submit(client.post, "/v1/ask", json=ASK) for _ in range(2)]
        _wait_for(lambda: engine.asked)
        engine.gate.set()

    assert [reply.result().status_code for reply in replies] == [200, 200]


def test_probes_answer_while_every_place_is_taken(make_client, engine):
    client = make_client(limits=HttpLimits(max_concurrent_answers=8, max_queued_answers=0))
    engine.gate.clear()
    with ThreadPoolExecutor(8) as others:
        replies = [others.submit(client.post, "/v1/ask", json=ASK) for _ in range(8)]
        _wait_for(lambda: len(engine.asked) == 8)
        began = perf_counter()
        alive = client.get("/livez")
        seconds = perf_counter() - began
        engine.gate.set()

    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert seconds < 0.5, "the event loop was blocked"
    assert all(reply.result().status_code == 200 for reply in replies)


def test_browsing_works_while_every_place_is_taken(make_client, engine):
    client = make_client(limits=HttpLimits(max_concurrent_answers=1, max_queued_answers=0))
    engine.gate.clear()
    with ThreadPoolExecutor(1) as others:
        others.submit(client.post, "/v1/ask", json=ASK)
        _wait_for(lambda: engine.asked)

        response = client.get("/v1/devices")
        engine.gate.set()

    assert response.status_code == 200


def test_a_slow_answer_ends_with_a_timeout_and_keeps_its_place(make_client, engine):
    client = make_client(
        limits=HttpLimits(max_concurrent_answers=1, max_queued_answers=0, answer_timeout_s=0.05)
    )
    engine.gate.clear()

    slow = client.post("/v1/ask", json=ASK)
    next_one = client.post("/v1/ask", json=ASK)

    assert (slow.status_code, slow.json()["code"]) == (504, "answer_timeout")
    assert next_one.status_code == 429


def test_a_declared_large_body_is_refused(make_client):
    client = make_client(limits=HttpLimits(max_body_bytes=1024))

    response = client.post("/v1/ask", json={"question": "x" * 2000})

    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


def test_a_streamed_body_is_counted_as_it_comes(make_client):
    client = make_client(limits=HttpLimits(max_body_bytes=1024))
    pieces = (b" " * 512 for _ in range(8))

    response = client.post("/v1/ask", content=pieces, headers={"Content-Type": "application/json"})

    assert "content-length" not in response.request.headers
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


def test_a_body_of_exactly_the_limit_is_read(make_client):
    client = make_client(limits=HttpLimits(max_body_bytes=1024))
    body = b'{"question": "memory?"}'.ljust(1024)

    response = client.post("/v1/ask", content=body, headers={"Content-Type": "application/json"})

    assert response.status_code == 200


@pytest.mark.parametrize("length", ["-1", "abc", "9" * 30])
def test_a_false_length_does_no_harm(make_client, length):
    client = make_client(limits=HttpLimits(max_body_bytes=1024))

    response = client.post(
        "/v1/ask",
        content=b"{}",
        headers={"Content-Type": "application/json", "Content-Length": length},
    )

    assert response.status_code in {413, 422}
