"""Messages of the Model Context Protocol that nobody should send: refused, without a failure, and nothing of them logged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from service.http.app import Equipment, HttpLimits, create_app
from tests.hostile.conftest import KEY
from tests.hostile.test_surface import MARKUP, SECRET
from tests.service.http.conftest import ready_state, wait_until_ready

pytest.importorskip("mcp", reason="the extra mcp is not installed")

TOOLS = ["ask", "recommend", "estimate", "search", "passage"]
FIELDS = ["question", "conversation", "workload", "query", "limit", "passage_id", "context"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture
def door(engine):
    from service.http.mcp_door import McpDoor

    app = create_app(
        ready_state(engine),
        limits=HttpLimits(max_body_bytes=20_000),
        api_key=KEY,
        equipment=Equipment(mcp=McpDoor(hosts=["testserver"], origins=[])),
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        wait_until_ready(client)
        client.headers["Authorization"] = f"Bearer {KEY}"
        client.headers["Accept"] = "application/json, text/event-stream"
        client.headers["Content-Type"] = "application/json"
        yield client


def called(tool: Any, arguments: Any) -> str:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    tool=st.sampled_from(TOOLS) | st.text(max_size=10),
    arguments=st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), VALUES, max_size=4)
    | VALUES,
)
def test_no_arguments_make_a_tool_fail(door, tool, arguments):
    reply = door.post("/mcp", content=called(tool, arguments))

    assert reply.status_code < 500
    assert "internal_error" not in reply.text
    assert "Traceback" not in reply.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"jsonrpc": "2.0"}',
        b"[" * 5000,
        b'{"jsonrpc": "1.0", "id": {}, "method": 7}',
        called("../../ask", {}).encode(),
        json.dumps([json.loads(called("ask", {"question": "x"}))] * 50).encode(),
        b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}',
    ],
)
def test_a_malformed_message_is_refused(door, body):
    reply = door.post("/mcp", content=body)

    assert 200 <= reply.status_code < 500
    assert "root:" not in reply.text
    assert reply.status_code >= 400 or "error" in reply.json() or reply.json()["result"]["isError"]


def test_a_large_message_is_refused_by_size(door):
    reply = door.post("/mcp", content=called("ask", {"question": "a" * 30_000}))

    assert (reply.status_code, reply.json()["code"]) == (413, "payload_too_large")


def test_markup_comes_back_as_data(door):
    reply = door.post("/mcp", content=called("ask", {"question": MARKUP}))

    assert reply.headers["Content-Type"].startswith("application/json")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


def test_what_is_asked_is_not_logged(door, engine, logged, caplog, capfd):
    for arguments in ({"question": SECRET}, {"question": [SECRET]}, {SECRET: SECRET}):
        door.post("/mcp", content=called("ask", arguments))
    engine.fault = RuntimeError("broken")
    door.post("/mcp", content=called("ask", {"question": SECRET}))

    assert "tool.failed" in "".join(logged)
    assert SECRET not in "".join(logged) + caplog.text + "".join(capfd.readouterr())
