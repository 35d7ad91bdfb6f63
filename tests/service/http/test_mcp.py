"""The official client of the Model Context Protocol against a real server, over HTTP and over standard input."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest
import uvicorn

from service.access import SCOPES, Caller, Scope
from service.http.app import Equipment, HttpLimits, create_app
from tests.service.http.conftest import ready_state

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
streamable_http_client = pytest.importorskip("mcp.client.streamable_http").streamable_http_client
McpDoor = pytest.importorskip("service.http.mcp_door").McpDoor

ROOT = Path(__file__).parent.parent.parent.parent
MEMORY = "How much memory does the Acme One have?"
KEY = "k-123"
ORIGIN = "https://rigwise.example.org"


@dataclass(frozen=True)
class Names:
    """A gate that knows whoever sends the key."""

    scopes: frozenset[Scope]

    async def caller(self, token: str) -> Caller | None:
        return Caller(name="ann", scopes=self.scopes) if token == KEY else None


@contextmanager
def served(engine, *, gates=()) -> Iterator[str]:
    """A real service on a free port; gives the address of the protocol."""
    equipment = Equipment(
        mcp=McpDoor(hosts=["127.0.0.1:*"], origins=[ORIGIN]),
        gates=gates or [Names(scopes=frozenset(SCOPES))],
    )
    limits = HttpLimits(max_question_chars=200)
    app = create_app(ready_state(engine), limits=limits, equipment=equipment)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        Event().wait(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def address(engine) -> Iterator[str]:
    with served(engine) as found:
        yield found


def call(server, name: str, **arguments: object):
    """The result of one tool, over a connection of its own."""

    async def run():
        async with mcp.Client(server) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(run())


def over_http(address: str, name: str, **arguments: object):
    return with_key(address, lambda client: client.call_tool(name, arguments))


def with_key(address: str, do):
    """What `do` returns of a client that sends the key."""

    async def run():
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"})
        async with http, mcp.Client(streamable_http_client(address, http_client=http)) as client:
            return await do(client)

    return asyncio.run(run())


def post(address: str, **headers: str):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    told = {"Authorization": f"Bearer {KEY}", "Accept": "application/json, text/event-stream"}
    return httpx2.post(address, json=body, headers=told | headers)


def test_a_full_question_over_http(address):
    result = over_http(address, "ask", question=MEMORY)

    assert not result.is_error
    assert "80 GB of HBM3 memory (nominal). [1]" in result.content[0].text
    assert "Sources:" in result.content[0].text
    cited = result.structured_content["citations"][0]
    found = over_http(address, "passage", passage_id=cited["passage_id"]).structured_content
    assert cited["quote"] in found["text"]


def test_a_full_question_over_standard_input(corpus, tmp_path):
    settings = {
        "RIGWISE_CORPUS": str(corpus),
        "RIGWISE_INDEX_ROOT": str(tmp_path / "index"),
        "RIGWISE_EMBEDDER": "hashing",
        "RIGWISE_HOST": "0.0.0.0",  # noqa: S104 - nothing listens
    }
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "rigwise", "mcp"], env=settings, cwd=ROOT
    )

    result = call(command, "ask", question=MEMORY)

    assert not result.is_error
    assert "80 GB" in result.structured_content["text"]
    assert result.structured_content["citations"]


def test_every_tool_says_what_it_takes_and_gives(address):
    tools = {
        tool.name: tool for tool in with_key(address, lambda client: client.list_tools()).tools
    }

    assert set(tools) == {"ask", "recommend", "estimate", "search", "passage"}
    for tool in tools.values():
        assert tool.description
        assert tool.annotations.read_only_hint
        assert "context" not in tool.input_schema["properties"]
    assert tools["ask"].input_schema["required"] == ["question"]
    assert "citations" in tools["ask"].output_schema["properties"]
    fields = tools["estimate"].input_schema["$defs"]["WorkloadBody"]["properties"]
    assert {"task", "model", "seq_len"} <= set(fields)


def test_a_workload_is_taken_as_fields_or_in_words(address):
    fields = {"task": "inference", "params_b": 7, "precision": "bf16"}

    needed = over_http(address, "estimate", workload=fields).structured_content
    found = over_http(address, "recommend", workload=fields).structured_content
    said = over_http(address, "estimate", question="inference with 7B in bf16").structured_content

    assert needed["need"]["total_gib"] > 13  # 7e9 parameters of two bytes
    assert said["need"]["total_gib"] == needed["need"]["total_gib"]
    assert found["recommendation"]["need"] == needed["need"]


def test_the_text_of_advice_is_short_and_says_what_was_found(address):
    fields = {"task": "inference", "params_b": 1, "precision": "bf16"}
    needed = over_http(address, "estimate", workload=fields)
    found = over_http(address, "recommend", workload=fields)

    whole = needed.structured_content["need"]
    total = whole["total_gib"] + whole["context_gib"]
    assert f"Needs about {total:.1f} GiB" in needed.content[0].text
    assert f"Needs about {total:.1f} GiB" in found.content[0].text
    assert "Assumed:" in found.content[0].text
    assert len(found.content[0].text) < 4000


def test_passages_are_found(address):
    found = over_http(address, "search", query="memory", limit=2).structured_content

    assert len(found["hits"]) == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ask", {"question": "a" * 201}, "bad_question: the question has 201 characters"),
        ("estimate", {}, "bad_question: give either a workload or a question"),
        ("estimate", {"workload": {"task": "cooking"}}, "workload.task"),
        ("recommend", {"workload": {"task": "lora", "model": "nomodel"}}, "bad_question: no model"),
        ("passage", {"passage_id": "nowhere"}, "not_found"),
    ],
)
def test_what_cannot_be_done_is_told(address, tool, arguments, told):
    result = over_http(address, tool, **arguments)

    assert result.is_error
    assert told in result.content[0].text


def test_a_failure_shows_nothing_of_its_inside(address, engine):
    engine.fault = RuntimeError("xyzzy in /srv/secret.py")

    result = over_http(address, "ask", question=MEMORY)

    assert result.is_error
    assert "internal_error" in result.content[0].text
    assert "xyzzy" not in result.content[0].text


def test_each_tool_wants_its_scope(engine):
    reader = Names(scopes=frozenset({"read"}))
    with served(engine, gates=[reader]) as address:
        asked = over_http(address, "ask", question=MEMORY)
        found = over_http(address, "search", query="memory")

    assert "forbidden: this needs a key with the scope ask" in asked.content[0].text
    assert not found.is_error


def test_without_the_extra_the_address_says_what_to_install(client):
    reply = client.post("/mcp", json={})

    assert (reply.status_code, reply.json()["code"]) == (404, "mcp_missing")


def test_it_wants_the_same_key_as_every_route(address):
    assert post(address, Authorization="Bearer wrong").json()["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Host": "evil.example"}, 421, "host_refused"),
        ({"Host": "evil.example:8080"}, 421, "host_refused"),
        ({"Origin": "https://evil.example"}, 403, "origin_refused"),
        ({"Origin": "null"}, 403, "origin_refused"),
        ({"Content-Type": "text/plain"}, 400, "http_error"),
    ],
)
def test_a_page_from_elsewhere_gets_nothing(address, headers, status, code):
    reply = post(address, **headers)

    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.headers["Content-Type"] == "application/problem+json"


def test_our_own_page_may_call(address):
    assert post(address, Origin=ORIGIN).status_code != 403


def test_it_keeps_no_sessions(address):
    reply = httpx2.get(address, headers={"Authorization": f"Bearer {KEY}"})

    assert (reply.status_code, reply.headers["Allow"]) == (405, "OPTIONS, POST")


def test_what_is_asked_is_counted_as_everywhere(address):
    over_http(address, "ask", question=MEMORY)
    scrape = httpx2.get(
        address.replace("/mcp", "/metrics"), headers={"Authorization": f"Bearer {KEY}"}
    )

    assert 'rigwise_answers_total{kind="answer"} 1.0' in scrape.text
    assert 'route="/mcp"' in scrape.text
