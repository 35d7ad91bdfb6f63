"""Bodies that mean harm: too large, false, deep, doubled, packed. All end in a problem, none in a 5xx."""

from __future__ import annotations

import gzip

import pytest

JSON = {"Content-Type": "application/json"}
_DEEP = b"[" * 9000 + b"]" * 9000
_BODIES = {
    "nothing": b"",
    "not JSON": b"\x00\x01\x02",
    "half": b'{"question": "memory',
    "broken UTF-8": b'{"question": "\xff\xfe"}',
    "a list": b"[]",
    "null": b"null",
    "deep": b'{"question": ' + _DEEP + b"}",
    "huge exponent": b'{"question": 1e999999}',
    "huge integer": b'{"question": ' + b"9" * 9000 + b"}",
    "NaN": b'{"question": NaN}',
    "unknown field": b'{"question": "memory?", "__proto__": {"admin": true}}',
    "wrong type": b'{"question": {"$gt": ""}}',
    "too many turns": b'{"question": "a?", "conversation": [' + b",".join([b'"b"'] * 500) + b"]}",
}
_ROUTES = ("/v1/ask", "/v1/recommend", "/v1/estimate")


@pytest.mark.parametrize("route", _ROUTES)
@pytest.mark.parametrize("body", _BODIES.values(), ids=_BODIES)
def test_a_malformed_body_is_a_problem_of_the_caller(client, route, body):
    reply = client.post(route, content=body, headers=JSON)

    assert 400 <= reply.status_code < 500
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.json()["code"] in {
        "invalid_request",
        "bad_question",
        "payload_too_large",
        "http_error",  # what is not even JSON
    }


@pytest.mark.parametrize("route", _ROUTES)
def test_a_large_body_is_refused_by_size(client, route):
    reply = client.post(route, content=b" " * 20_001, headers=JSON)

    assert (reply.status_code, reply.json()["code"]) == (413, "payload_too_large")


def test_a_packed_body_is_never_unpacked(client, engine):
    bomb = gzip.compress(b'{"question": "' + b" " * 10_000_000 + b'memory?"}')
    assert len(bomb) < 20_000

    reply = client.post("/v1/ask", content=bomb, headers={**JSON, "Content-Encoding": "gzip"})

    assert reply.status_code in {400, 422}
    assert engine.asked == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/xml"])
def test_only_json_is_read_as_json(client, engine, kind):
    reply = client.post("/v1/ask", content=b'{"question": "a?"}', headers={"Content-Type": kind})

    assert reply.status_code == 422
    assert engine.asked == []


@pytest.mark.parametrize("question", ["\x00", "a\x00b?", "\ud800?", "\u202e?", "a" * 500, "🂡" * 50])
def test_odd_characters_never_fail_the_service(client, question):
    escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else c for c in question)

    reply = client.post("/v1/ask", content=f'{{"question": "{escaped}"}}'.encode(), headers=JSON)

    assert reply.status_code in {200, 422}
    reply.json()


def test_of_a_doubled_field_one_is_taken_and_measured(client):
    body = b'{"question": "short?", "question": "' + b"x" * 501 + b'"}'

    assert client.post("/v1/ask", content=body, headers=JSON).status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        "limit=99999999999999999999999",
        "limit=-1",
        "limit=1e9",
        "limit=NaN",
        "limit=%00",
        "offset=" + "9" * 400,
        "min_memory_gb=1e400",
        "min_memory_gb=nan",
        "min_memory_gb=inf",
        "q=%ff%fe",
        "q=%ED%A0%80",
        "q=" + "(a%2B)%2B" * 200,
    ],
)
def test_numbers_and_texts_beyond_reason_in_a_query(client, query):
    reply = client.get(f"/v1/devices?{query}")

    assert reply.status_code in {200, 422}
    reply.json()
