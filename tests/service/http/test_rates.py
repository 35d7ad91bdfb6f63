"""Rates by address and by key, in memory and in a real Redis."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from typing import Any

import pytest
from limits import parse_many
from starlette.testclient import TestClient

from service.http.app import Equipment, HttpLimits, create_app
from service.http.limits import HitCounter
from tests.rigwise.waiting_for_tests import until
from tests.service.http.conftest import ready_state, wait_until_ready
from tests.service.http.test_policy import Names, as_

ASK = {"question": "How much memory does the Acme One have?"}


@pytest.fixture
def make(engine):
    """Makes clients of an application with rates; those with gates know people by their names."""
    opened: list[TestClient] = []

    def made(address: str = "testclient", **rates: Any) -> TestClient:
        app = create_app(
            ready_state(engine),
            limits=HttpLimits(**rates),
            equipment=Equipment(gates=[Names()]),
        )
        client = TestClient(app, client=(address, 1))
        client.__enter__()
        opened.append(client)
        wait_until_ready(client)
        return client

    yield made
    for client in opened:
        client.__exit__(None, None, None)


def statuses(client, times: int, **more) -> list[int]:
    return [client.post("/v1/ask", json=ASK, **more).status_code for _ in range(times)]


def test_a_key_may_send_so_many_and_another_one_as_many_again(make):
    client = make(rate_per_key="3/minute")

    assert statuses(client, 4, headers=as_("ann", "ask")) == [200, 200, 200, 429]
    assert statuses(client, 1, headers=as_("bob", "ask")) == [200]


def test_a_refusal_says_when_to_come_back(make):
    client = make(rate_per_key="2/minute")
    first = client.post("/v1/ask", json=ASK, headers=as_("ann", "ask"))
    statuses(client, 1, headers=as_("ann", "ask"))

    reply = client.post("/v1/ask", json=ASK, headers=as_("ann", "ask"))

    assert first.headers["RateLimit-Policy"] == '"key";q=2;w=60'
    assert first.headers["RateLimit"].startswith('"key";r=1;t=')
    assert (reply.status_code, reply.json()["code"]) == (429, "rate_limited")
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert 1 <= int(reply.headers["Retry-After"]) <= 60
    assert "2 requests in 60 s" in reply.json()["detail"]
    metrics = client.get("/metrics", headers=as_("watch", "read")).text
    assert 'rigwise_rate_limited_total{by="key"} 1.0' in metrics


def test_an_address_is_counted_before_its_key_is_looked_at(make):
    client = make(rate_per_address="2/minute")

    assert statuses(client, 3) == [401, 401, 429]
    assert client.get("/livez").status_code == 200


def test_addresses_of_one_network_count_together(make):
    client = make("2001:db8::1", rate_per_address="2/minute")
    app = client.app

    def ask(address: str) -> int:
        neighbour = TestClient(app, client=(address, 1))
        return int(neighbour.post("/v1/ask", json=ASK).status_code)

    assert statuses(client, 1) == [401]
    assert [ask("2001:db8::2"), ask("2001:db8::3"), ask("2001:db8:1::1")] == [401, 429, 401]


def test_the_tightest_of_several_rates_counts(make):
    client = make(rate_per_key="100/hour;1/minute")

    assert statuses(client, 2, headers=as_("ann", "ask")) == [200, 429]


def test_without_rates_nothing_is_told(make):
    reply = make().post("/v1/ask", json=ASK, headers=as_("ann", "ask"))

    assert "RateLimit" not in reply.headers


@pytest.fixture
def redis(tmp_path):
    """A real server on a socket of its own."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("needs redis-server")
    words = [program, "--port", "16399", "--bind", "127.0.0.1", "--save", "", "--dir", tmp_path]
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout is not None
    for line in process.stdout:
        if "Ready to accept connections" in line:
            break
    yield process
    process.terminate()
    process.wait(10)
    process.stdout.close()


def test_redis_counts_for_several_processes_and_is_done_without(redis):
    rates = parse_many("2/minute")
    address = "redis://127.0.0.1:16399/0"

    async def hits() -> list[bool]:
        one, other = HitCounter(address), HitCounter(address)
        seen = [(await counter.hit(rates, "ann")).allowed for counter in (one, other, one)]
        redis.terminate()
        until(lambda: redis.poll() is not None)
        seen += [(await one.hit(rates, "ann")).allowed for _ in range(3)]
        await one.close()
        await other.close()
        return seen

    assert asyncio.run(hits()) == [True, True, False, True, True, False]
