"""Spans as a collector gets them, and ids in the log."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import structlog
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.testclient import TestClient

from service.http.app import Equipment, create_app
from service.traces import traces_to
from tests.service.http.conftest import ready_state, wait_until_ready

ASK = {"question": "How much memory does the H100 SXM have?"}
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@dataclass
class Collector:
    """What was sent to it."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> dict[str, Any]:
        return {
            span.name: span
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        }


@pytest.fixture
def collector():
    """A real server that takes traces over HTTP."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.url = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, daemon=True).start()
    yield collector
    server.shutdown()
    server.server_close()


@pytest.fixture
def serve(collector, sheet_engine):
    """Serves real answers with traces; what was sent is complete when the block has ended."""

    def served(*, texts: bool = False) -> TestClient:
        traces = traces_to(collector.url, texts=texts)
        state = ready_state(replace(sheet_engine, span=traces.stage))
        app = create_app(state, equipment=Equipment(traces=traces))
        return TestClient(app, raise_server_exceptions=False)

    return served


def values(span) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def test_a_request_is_a_span_with_its_stages_below_that_of_the_caller(serve, collector):
    with serve() as client:
        wait_until_ready(client)
        headers = {"traceparent": PARENT, "X-Request-ID": "r-1"}
        client.post("/v1/ask", json=ASK, headers=headers)

    spans = collector.spans()
    request = spans["POST /v1/ask"]
    told = values(request)
    assert request.trace_id.hex() == PARENT.split("-")[1]
    assert request.parent_span_id.hex() == PARENT.split("-")[2]
    assert (told["http.route"], told["http.response.status_code"]) == ("/v1/ask", 200)
    assert (told["rigwise.request_id"], told["rigwise.kind"]) == ("r-1", "answer")
    stages = {name for name, span in spans.items() if span.parent_span_id == request.span_id}
    assert stages >= {"understand", "retrieve", "compose", "verify", "cite"}


def test_a_streamed_answer_has_its_stages_as_well(serve, collector):
    with serve() as client:
        wait_until_ready(client)
        client.post("/v1/ask", json=ASK, headers={"Accept": "text/event-stream"})

    spans = collector.spans()
    assert spans["cite"].parent_span_id == spans["POST /v1/ask"].span_id


@pytest.mark.parametrize("texts", [False, True])
def test_a_question_is_only_told_where_it_is_allowed(serve, collector, texts):
    with serve(texts=texts) as client:
        wait_until_ready(client)
        client.post("/v1/ask", json=ASK)
        client.get("/v1/search", params={"q": "a secret word"})

    sent = b"".join(collector.bodies)
    assert (ASK["question"].encode() in sent) == texts
    assert b"secret" not in sent


def test_a_fault_is_marked_and_probes_are_left_out(serve, collector):
    with serve() as client:
        wait_until_ready(client)
        client.get("/nowhere")

    [span] = collector.spans().values()
    assert (span.name, values(span)["http.response.status_code"]) == ("GET unmatched", 404)


def test_every_event_of_a_request_has_its_id_also_on_other_threads(engine):
    events: list[dict[str, Any]] = []

    def keep(_logger: object, _name: str, event: MutableMapping[str, Any]) -> str:
        events.append(dict(event))
        return ""

    def answer(question):
        structlog.get_logger().info("inside")
        return type(engine).answer(engine, question)

    before = structlog.get_config()
    structlog.configure(  # whatever level a test before this one has set
        processors=[structlog.contextvars.merge_contextvars, keep],
        wrapper_class=structlog.make_filtering_bound_logger(0),
    )
    try:
        engine.answer = answer
        with TestClient(create_app(ready_state(engine))) as client:
            wait_until_ready(client)
            events.clear()
            client.post("/v1/ask", json=ASK, headers={"X-Request-ID": "r-1"})
            stream = {"X-Request-ID": "r-2", "Accept": "text/event-stream"}
            client.post("/v1/ask", json=ASK, headers=stream)
    finally:
        structlog.configure(**before)

    told = [(event["event"], event["request_id"]) for event in events]
    assert told == [
        ("inside", "r-1"),
        ("request.done", "r-1"),
        ("inside", "r-2"),
        ("request.done", "r-2"),
    ]
