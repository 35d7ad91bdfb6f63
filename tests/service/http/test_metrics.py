from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from service.http.app import HttpLimits
from service.http.metrics import Meters

ASK = {"question": "How much memory does the Acme One have?"}
KEY = "a-long-random-key"


def samples(client, **headers):
    reply = client.get("/metrics", headers=headers)
    assert reply.status_code == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }


def one(found, name, **labels):
    return found[name, frozenset(labels.items())]


def test_a_request_is_counted_under_the_template_of_its_route(client):
    for path in ("/v1/passages/one", "/v1/passages/two"):
        client.get(path)

    found = samples(client)

    labels = {"route": "/v1/passages/{passage_id}", "method": "GET", "status": "404"}
    assert one(found, "rigwise_requests_total", **labels) == 2
    assert one(found, "rigwise_request_seconds_count", route=labels["route"]) == 2


def test_what_callers_make_up_is_no_label(client):
    client.get("/secret-path-1234")
    client.request("PURGE", "/livez")
    client.post("/v1/ask", json=ASK)

    text = client.get("/metrics").text

    assert "secret-path" not in text
    assert "PURGE" not in text
    assert "Acme" not in text
    assert 'route="unmatched"' in text


def test_answers_are_counted_by_kind_with_their_stages(client):
    client.post("/v1/ask", json=ASK)
    client.post("/v1/ask", json=ASK, headers={"Accept": "text/event-stream"})

    found = samples(client)

    assert one(found, "rigwise_answers_total", kind="answer") == 2
    assert one(found, "rigwise_stage_seconds_count", stage="answer") == 2
    # The fake engine says 0.1 ms each time: 2 * 0.0001 s.
    assert one(found, "rigwise_stage_seconds_sum", stage="answer") == pytest.approx(0.0002)


def test_places_and_refusals_are_seen_while_it_is_busy(make_client, engine):
    client = make_client(limits=HttpLimits(max_concurrent_answers=1, max_queued_answers=1))
    engine.gate.clear()
    with ThreadPoolExecutor(2) as others:
        for _ in range(2):
            others.submit(client.post, "/v1/ask", json=ASK)
        for _ in range(1000):
            found = samples(client)
            if one(found, "rigwise_answers_waiting") == 1:
                break
            Event().wait(0.005)
        client.post("/v1/ask", json=ASK)
        found = samples(client)
        engine.gate.set()

    assert one(found, "rigwise_answers_running") == 1
    assert one(found, "rigwise_answers_waiting") == 1
    assert one(found, "rigwise_answers_refused_total") == 1


def test_the_generation_in_use_is_told(client, index):
    found = samples(client)

    assert one(found, "rigwise_generation_info", generation=index.id) == 1
    assert one(found, "rigwise_generation_documents", state="indexed") == 4
    assert one(found, "rigwise_generation_seen_seconds") >= 0
    assert one(found, "rigwise_ready") == 1
    assert one(found, "process_resident_memory_bytes") > 1e6


def test_metrics_want_the_key_where_one_is_set(make_client):
    client = make_client(api_key=KEY)

    assert client.get("/metrics").status_code == 401
    assert samples(client, Authorization=f"Bearer {KEY}")


def test_two_applications_do_not_share_a_registry(make_client):
    first, second = make_client(), make_client()
    first.post("/v1/ask", json=ASK)

    assert ("rigwise_answers_total", frozenset({("kind", "answer")})) not in samples(second)


def test_a_failure_counts_as_500(client, engine):
    engine.fault = RuntimeError("broken")

    client.post("/v1/ask", json=ASK)

    labels = {"route": "/v1/ask", "method": "POST", "status": "500"}
    assert one(samples(client), "rigwise_requests_total", **labels) == 1


def test_a_registry_can_be_given():
    registry = CollectorRegistry()
    Meters(registry).requested("/livez", "GET", 200, 0.02)

    labels = {"route": "/livez", "le": "0.025"}
    assert registry.get_sample_value("rigwise_request_seconds_bucket", labels) == 1
