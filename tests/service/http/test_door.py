from __future__ import annotations

from threading import Event

import pytest
from starlette.testclient import TestClient

from indexer.errors import GenerationCorrupt, IndexerError
from service.errors import ServiceError
from service.http.app import Equipment, create_app
from service.http.examples import ANSWER, PROBLEM
from service.http.problems import PROBLEMS
from service.http.schemas import AskResponse, ProblemBody
from service.http.state import ServiceState
from tests.service.http.conftest import ready_state, wait_until_ready


def test_head_has_the_headers_of_get_and_no_body(client):
    got, head = client.get("/v1/index"), client.head("/v1/index")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]


@pytest.mark.parametrize(
    ("path", "allow"), [("/v1/ask", "OPTIONS, POST"), ("/v1/devices", "GET, HEAD, OPTIONS")]
)
def test_options_names_the_methods(client, path, allow):
    response = client.options(path)

    assert (response.status_code, response.headers["Allow"]) == (204, allow)


def test_a_wrong_method_is_a_problem_that_names_the_right_ones(client):
    response = client.get("/v1/ask")

    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"] == "OPTIONS, POST"


def test_a_wrong_address_is_a_problem(client):
    response = client.get("/v1/nothing")

    assert (response.status_code, response.json()["code"]) == (404, "no_such_route")
    assert response.headers["Content-Type"] == "application/problem+json"


def test_a_problem_has_every_documented_field(client):
    problem = client.get("/nowhere").json()

    ProblemBody.model_validate(problem)
    assert problem["request_id"]


@pytest.mark.parametrize("given", ["../x", "a" * 65, "a b", ""])
def test_a_harmful_request_id_is_replaced(client, given):
    answered = client.get("/livez", headers={"X-Request-ID": given}).headers["X-Request-ID"]

    assert answered != given


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Referrer-Policy", "no-referrer"),
    ],
)
def test_every_reply_has_security_headers(client, name, value):
    assert client.get("/nowhere").headers[name] == value


def test_until_loaded_everything_but_the_probes_is_not_ready(make_client, engine):
    gate = Event()

    def load(state):
        state.mark("model", "loading")
        gate.wait(10)
        return engine

    client = make_client(state=ServiceState(load))
    live, ready, ask = (
        client.get("/livez"),
        client.get("/readyz"),
        client.post("/v1/ask", json={"question": "x?"}),
    )
    gate.set()

    assert (live.status_code, ready.status_code, ready.json()["status"]) == (200, 503, "not_ready")
    assert (ask.status_code, ask.json()["code"]) == (503, "not_ready")
    assert ask.headers["Retry-After"]


def test_a_failed_load_is_told_with_its_reason(tmp_path):
    def load(state):
        state.mark("index", "loading")
        raise GenerationCorrupt(tmp_path, "is torn")

    state = ServiceState(load)
    state.start()
    _until(lambda: state.stages()["index"].state == "failed")

    stage = state.stages()["index"]
    assert (stage.code, state.ready()) == ("generation_corrupt", False)
    assert "is torn" in stage.detail


def test_a_failed_refresh_serves_on_as_stale(make_client, engine, tmp_path):
    def load(state):
        state.mark("model", "ready")
        state.mark("index", "ready")
        return engine

    def refresh():
        raise GenerationCorrupt(tmp_path, "is torn")

    client = make_client(state=ServiceState(load, refresh=refresh, refresh_s=0.01))
    _until(lambda: client.get("/readyz").json()["status"] == "stale")

    assert client.get("/readyz").status_code == 200
    assert client.post("/v1/ask", json={"question": "memory?"}).status_code == 200


def test_every_error_has_a_code_of_its_own():
    classes = [*_below(ServiceError), *_below(IndexerError)]
    codes = [kind.code for kind in classes]

    assert len(set(codes)) == len(codes), sorted(codes)


def test_every_title_and_status_is_told_once():
    assert len({title for _, title in PROBLEMS.values()}) == len(PROBLEMS)


def test_the_openapi_document_has_examples_that_are_true(client):
    document = client.get("/openapi.json").json()

    AskResponse.model_validate(ANSWER)
    ProblemBody.model_validate(PROBLEM)
    assert document["components"]["schemas"]["AskResponse"]["examples"] == [ANSWER]
    assert "ProblemBody" in document["components"]["schemas"]


def test_every_reference_of_the_openapi_document_leads_somewhere(engine):
    document = create_app(ServiceState(lambda _: engine)).openapi()

    schemas = document["components"]["schemas"]
    missing = {
        ref for ref in _refs(document) if ref.removeprefix("#/components/schemas/") not in schemas
    }
    assert missing == set()


def _refs(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref":
                yield item
            else:
                yield from _refs(item)
    elif isinstance(value, list):
        for item in value:
            yield from _refs(item)


def _below(root):
    for kind in root.__subclasses__():
        yield kind
        yield from _below(kind)


def _until(condition) -> None:
    for _ in range(500):
        if condition():
            return
        Event().wait(0.01)
    raise AssertionError("it never happened")


def test_readiness_is_degraded_by_a_part_that_has_a_fault(engine):
    parts = {"disk": lambda: "0.1 GiB free; a build needs 1 GiB", "other": lambda: ""}
    with TestClient(create_app(ready_state(engine), equipment=Equipment(parts=parts))) as client:
        wait_until_ready(client)
        ready = client.get("/readyz")

    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    assert ready.json()["parts"] == {"disk": "0.1 GiB free; a build needs 1 GiB", "other": ""}
