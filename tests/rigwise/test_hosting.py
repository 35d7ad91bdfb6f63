from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request

from rigwise.hosting import mcp_of
from service.errors import NotReady
from service.http.errors import HostRefused, OriginRefused
from service.settings import ServiceSettings

pytest.importorskip("mcp", reason="the extra mcp is not installed")
PUBLIC = {"public_url": "https://rigwise.example.org/x"}
LET_IN = NotReady  # nothing runs behind the door


@pytest.mark.parametrize(
    ("settings", "headers", "outcome"),
    [
        ({}, {"host": "127.0.0.1:8080"}, LET_IN),
        ({}, {"host": "localhost"}, LET_IN),
        ({}, {"host": "[::1]:9000"}, LET_IN),
        ({}, {"host": "evil.example:8080"}, HostRefused),
        ({}, {"host": "localhost", "origin": "http://localhost:8080"}, LET_IN),
        ({}, {"host": "localhost", "origin": "http://localhost:3000"}, OriginRefused),
        ({"host": "10.0.0.7"}, {"host": "10.0.0.7:8080"}, LET_IN),
        ({"host": "10.0.0.7", **PUBLIC}, {"host": "10.0.0.7:8080"}, LET_IN),
        (PUBLIC, {"host": "rigwise.example.org"}, LET_IN),
        (PUBLIC, {"host": "rigwise.example.org.evil.example"}, HostRefused),
        (PUBLIC, {"host": "localhost", "origin": "https://rigwise.example.org"}, LET_IN),
        (PUBLIC, {"host": "localhost", "origin": "http://rigwise.example.org"}, OriginRefused),
    ],
)
def test_only_our_own_names_and_pages_are_let_in(settings, headers, outcome):
    door = mcp_of(ServiceSettings(**settings))
    assert door is not None
    told = {"content-type": "application/json", **headers}
    raw = [(name.encode(), value.encode()) for name, value in told.items()]

    with pytest.raises(outcome):
        asyncio.run(door.reply(Request({"type": "http", "method": "POST", "headers": raw})))
