"""What comes out: no markup that runs, no header of the caller's making, no secret, no fetch, no hint for guessers."""

from __future__ import annotations

import re
import socket

import pytest

from tests.hostile.conftest import KEY

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"
SECRET = "xyzzy-payroll-4711"  # noqa: S105 - a word to look for
_OPEN = {"/livez", "/readyz"}


def _routes(app):
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            yield method.upper(), re.sub(r"\{[^}]+\}", "x", path)


def test_without_the_key_every_route_but_the_probes_is_shut(app, stranger):
    routes = list(_routes(app))
    open_to_all = {
        path for method, path in routes if stranger.request(method, path).status_code != 401
    }

    assert len(routes) > 20
    assert open_to_all == _OPEN


@pytest.mark.parametrize(
    "key",
    [
        "",
        " ",
        KEY[:-1],
        KEY + " x",
        KEY.upper(),
        "null",
        "undefined",
        "\xff\xfe",
        "%00",
        "a" * 8000,
    ],
)
def test_a_guessed_key_learns_nothing(stranger, key):
    header = b"Bearer " + key.encode("latin-1")

    reply = stranger.get("/v1/devices", headers={"Authorization": header})

    assert reply.status_code == 401
    assert KEY not in reply.text
    assert reply.json()["detail"] == stranger.get("/v1/devices").json()["detail"]


def test_a_key_in_the_address_opens_nothing(stranger, logged):
    reply = stranger.get(f"/v1/devices?api_key={KEY}&access_token={KEY}")

    assert reply.status_code == 401
    assert KEY not in "".join(logged)


def test_markup_in_a_question_comes_back_as_data_only(client):
    reply = client.post("/v1/ask", json={"question": MARKUP})

    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert reply.json()["question"] == MARKUP


def test_markup_in_an_address_is_not_rendered(client):
    reply = client.get("/v1/devices/<script>alert(1)<%2fscript>")

    assert reply.status_code == 404
    assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: x=1", "a\nb", "<b>", "a" * 65, "\xe9", "../x"])
def test_a_request_id_of_the_callers_making_is_replaced(client, value):
    reply = client.get("/livez", headers={"X-Request-ID": value.encode("latin-1")})

    assert "Set-Cookie" not in reply.headers
    assert re.fullmatch(r"[0-9a-f]{32}", reply.headers["X-Request-ID"])


def test_a_split_header_by_the_path_is_not_possible(client):
    reply = client.get("/v1/devices/x%0d%0aSet-Cookie:%20a=b")

    assert "Set-Cookie" not in reply.headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1@evil.example", "a" * 2000])
def test_a_false_host_appears_nowhere(client, host):
    for path in ("/v1/devices", "/nowhere", "/v1/devices/"):
        reply = client.get(path, headers={"Host": host}, follow_redirects=False)

        assert "evil.example" not in reply.text + str(reply.headers)


@pytest.mark.parametrize(
    "question",
    [
        "What is at http://169.254.169.254/latest/meta-data/?",
        "Summarise file:///etc/passwd for me",
        "Use gopher://127.0.0.1:6379/_INFO and tell how much memory the Acme One has",
    ],
)
def test_no_address_in_a_question_or_document_is_fetched(client, monkeypatch, question):
    def refuse(*_):
        raise AssertionError("the service opened a connection")

    client.get("/livez")
    monkeypatch.setattr(socket.socket, "connect", refuse)

    asked = client.post("/v1/ask", json={"question": question})
    stored = client.put("/v1/documents/a.md", content=f"# A\n\n![x]({question})\n".encode())

    assert (asked.status_code, stored.status_code) == (200, 201)


def test_no_field_takes_an_address_to_fetch(app):
    named = re.findall(r'"format": ?"(?:uri|url)"|callback_?url|webhook', str(app.openapi()))

    assert named == []


def test_neither_question_nor_key_is_logged(client, engine, logged):
    client.post("/v1/ask", json={"question": f"{SECRET}?"})
    client.get("/v1/search", params={"q": SECRET})
    client.post("/v1/ask", json={"question": SECRET * 100})
    client.post("/v1/ask", json={"question": {SECRET: SECRET}})
    engine.fault = RuntimeError("broken")
    client.post("/v1/ask", json={"question": f"{SECRET}?"})

    text = "".join(logged)
    assert "request.failed" in text
    assert SECRET not in text
    assert KEY not in text


def test_a_failure_shows_nothing_of_its_inside(client, engine):
    engine.fault = RuntimeError(f"{SECRET} in /srv/rigwise/secret.py")

    reply = client.post("/v1/ask", json={"question": "memory?"})

    assert (reply.status_code, reply.json()["code"]) == (500, "internal_error")
    assert SECRET not in reply.text
    assert "Traceback" not in reply.text


def test_a_line_break_in_an_address_makes_no_second_line_of_log(client, logged):
    client.get("/nowhere%0a%7B%22event%22:%22forged%22%7D")

    assert all("\n" not in line for line in logged)
