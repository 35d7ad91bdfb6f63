"""Bodies that never end, over the bare ASGI interface: one piece comes, then nothing."""

from __future__ import annotations

import asyncio
import json

import pytest

from service.http.app import Equipment, HttpLimits, create_app
from tests.hostile.conftest import KEY
from tests.service.http.conftest import ready_state


async def _trickled(app, method: str, path: str):
    sent = [{"type": "http.request", "body": b'{"question": ', "more_body": True}]
    replies = []

    async def receive():
        if sent:
            return sent.pop()
        return await asyncio.Event().wait()

    async def send(message):
        replies.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {KEY}".encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    await app(scope, receive, send)
    return replies[0]["status"], json.loads(replies[1]["body"])["code"]


@pytest.fixture
def impatient(engine, app):
    managed = app.state.managed
    limits = HttpLimits(body_timeout_s=0.05)
    return create_app(
        ready_state(engine), limits=limits, api_key=KEY, equipment=Equipment(managed=managed)
    )


def test_a_body_that_trickles_in_is_given_up(impatient):
    assert asyncio.run(_trickled(impatient, "POST", "/v1/ask")) == (408, "body_timeout")


def test_an_upload_that_trickles_in_leaves_nothing(impatient, folder):
    told = asyncio.run(_trickled(impatient, "PUT", "/v1/documents/slow.md"))

    assert told == (408, "body_timeout")
    assert list(folder.iterdir()) == []
