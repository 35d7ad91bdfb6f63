from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from service.errors import UncitedClaim
from service.http.app import HttpLimits
from service.http.pool import AnswerPool
from service.http.schemas import AskResponse
from service.http.stream import EventStream
from service.types import Analysis, Step

ASK = {"question": "How much memory does the Acme One have?"}
STREAM = {"Accept": "text/event-stream"}


def events_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for block in text.split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.split("\n") if not line.startswith(":") and line
        )
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_the_events_come_in_their_order(client):
    response = client.post("/v1/ask", json=ASK, headers=STREAM)

    assert [name for name, _ in events_of(response.text)] == [
        "analysis",
        "evidence",
        "statement",
        "done",
    ]


def test_the_description_names_every_event(client):
    told = client.get("/openapi.json").json()["paths"]["/v1/ask"]["post"]["responses"]["200"]
    event = told["content"]["text/event-stream"]["schema"]["properties"]["event"]

    sent = {name for name, _ in events_of(client.post("/v1/ask", json=ASK, headers=STREAM).text)}
    assert sent < set(event["enum"])


def test_the_last_event_is_the_whole_answer(client):
    done = events_of(client.post("/v1/ask", json=ASK, headers=STREAM).text)[-1][1]
    plain = client.post("/v1/ask", json=ASK).json()

    AskResponse.model_validate(done)
    assert {**done, "id": ""} == {**plain, "id": ""}


def test_a_statement_brings_the_sources_that_it_is_the_first_to_use(client):
    statement = events_of(client.post("/v1/ask", json=ASK, headers=STREAM).text)[2][1]

    assert statement["citations"] == [1]
    assert [source["n"] for source in statement["sources"]] == [1]


def test_no_proxy_may_hold_a_stream_back(client):
    headers = client.post("/v1/ask", json=ASK, headers=STREAM).headers

    assert headers["Content-Type"].startswith("text/event-stream")
    assert (headers["X-Accel-Buffering"], headers["Cache-Control"]) == (
        "no",
        "no-store, no-transform",
    )
    assert "Content-Length" not in headers


def test_an_error_is_an_event_with_the_code_of_the_problem(client, engine):
    engine.fault = UncitedClaim("private words")

    text = client.post("/v1/ask", json=ASK, headers=STREAM).text
    name, problem = events_of(text)[-1]

    assert (name, problem["code"], problem["status"]) == ("error", "uncited_claim", 500)
    assert "private words" not in text


def test_a_slow_answer_is_kept_alive_by_comments(make_client, engine):
    client = make_client(limits=HttpLimits(heartbeat_s=0.02, answer_timeout_s=0.3))
    engine.gate.clear()

    text = client.post("/v1/ask", json=ASK, headers=STREAM).text

    assert ": still working\n\n" in text
    assert events_of(text)[-1][1]["code"] == "answer_timeout"


def test_a_full_house_refuses_before_the_stream_begins(make_client, engine):
    client = make_client(limits=HttpLimits(max_concurrent_answers=1, max_queued_answers=0))
    engine.gate.clear()
    client.app.state.pool.start(lambda: engine.gate.wait(10))

    response = client.post("/v1/ask", json=ASK, headers=STREAM)

    assert (response.status_code, response.json()["code"]) == (429, "overloaded")


def test_json_is_sent_to_whoever_does_not_ask_for_a_stream(client):
    response = client.post("/v1/ask", json=ASK, headers={"Accept": "application/json, */*"})

    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("leaves", ["by a message", "by a broken pipe"])
def test_the_work_ends_when_the_client_has_gone(leaves):
    has_ended, taken = asyncio.run(_stream_to_one_who_leaves(leaves))

    assert has_ended
    assert taken <= 4


async def _stream_to_one_who_leaves(leaves: str) -> tuple[bool, int]:
    pool = AnswerPool(running=1, waiting=0, timeout_s=10)
    left, ended = Event(), Event()
    taken = 0

    def steps() -> Iterator[Step]:
        nonlocal taken
        try:
            while True:
                taken += 1
                yield Analysis(question="?", rewritten="", intent="lookup", devices=())
                assert left.wait(10)
                Event().wait(0.05)
        finally:
            ended.set()

    async def receive():
        if leaves == "by a message":
            await asyncio.to_thread(left.wait, 10)
            return {"type": "http.disconnect"}
        await asyncio.sleep(10)
        return {"type": "http.request"}

    async def send(message):
        if message["type"] == "http.response.body":
            left.set()
            if leaves == "by a broken pipe":
                raise OSError("gone")

    stream = EventStream(steps, pool, request_id="r", heartbeat_s=5)
    await asyncio.wait_for(stream({"type": "http"}, receive, send), 5)
    has_ended = await asyncio.to_thread(ended.wait, 5)
    pool.close()
    return has_ended, taken
