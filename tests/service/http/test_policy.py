"""Every route has a stated policy, and the policy holds."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from service.access import SCOPES, Caller
from service.http.app import Equipment, create_app
from service.http.policy import POLICY, check_scope
from service.store.keeper import Keeper
from service.store.spool import Spool
from service.store.store import Store
from tests.service.http.conftest import ready_state, wait_until_ready

ASK = {"question": "How much memory does the Acme One have?", "conversation_id": "c"}


class Names:
    """A gate that knows people by tokens like `ann:ask,read`."""

    async def caller(self, token: str) -> Caller | None:
        name, found, scopes = token.partition(":")
        return Caller(name=name, scopes=frozenset(scopes.split(","))) if found else None  # type: ignore[arg-type]


@pytest.fixture
def app(engine, tmp_path):
    keeper = Keeper(Store(f"sqlite:///{tmp_path / 'store.sqlite3'}"), Spool(tmp_path / "spool"))
    return create_app(ready_state(engine), equipment=Equipment(keeper=keeper, gates=[Names()]))


@pytest.fixture
def client(app):
    with TestClient(app, raise_server_exceptions=False) as client:
        wait_until_ready(client)
        yield client


def as_(name: str, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {name}:{','.join(scopes)}"}


def _routes(app):
    """All routes, those of included routers as well."""
    for route in app.routes:
        if hasattr(route, "effective_route_contexts"):
            yield from (context.original_route for context in route.effective_route_contexts())
        else:
            yield route


def test_every_route_has_a_policy_and_every_policy_a_route(app):
    routes = list(_routes(app))
    named = chain.from_iterable(
        (f"{method} {route.path}" for method in route.methods) for route in routes
    )

    assert [route for route in routes if not isinstance(route, APIRoute)] == []
    assert sorted(named) == sorted(POLICY)


def test_every_route_is_behind_the_check(app):
    assert check_scope in [each.dependency for each in app.router.dependencies]


@pytest.mark.parametrize("route", POLICY)
def test_the_policy_of_a_route_holds(client, route):
    method, path = route.split(" ")
    address = re.sub(r"\{[^}]+\}", "x", path)
    policy = POLICY[route]

    def status(**headers) -> int:
        return int(client.request(method, address, **headers).status_code)

    alone = {scope: status(headers=as_("ann", scope)) for scope in SCOPES}
    opened = {scope for scope in SCOPES if alone[scope] != 403}
    expected = set(SCOPES) if policy in ("public", "any") else {policy, "admin"}
    assert opened == expected
    assert (status() == 401) == (policy != "public")


def test_a_refusal_names_the_scope(client):
    reply = client.post("/v1/ask", json=ASK, headers=as_("ann", "read"))

    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
    assert "scope ask" in reply.json()["detail"]


def test_what_one_asked_another_does_not_see(client):
    answer = client.post("/v1/ask", json=ASK, headers=as_("ann", "ask")).json()
    place = f"/v1/answers/{answer['id']}"
    judged = {"answer_id": answer["id"], "verdict": "up"}

    def seen(name: str, scope: str) -> tuple[int, int]:
        headers = as_(name, scope)
        return (
            client.get(place, headers=headers).status_code,
            client.post("/v1/feedback", json=judged, headers=headers).status_code,
        )

    assert seen("ann", "ask") == (200, 202)
    assert seen("bob", "ask") == (404, 404)
    assert seen("root", "admin") == (200, 202)


def test_a_conversation_is_one_callers_own(client, engine):
    client.post("/v1/ask", json=ASK, headers=as_("ann", "ask"))

    client.post("/v1/ask", json=ASK, headers=as_("bob", "ask"))
    deleted = client.delete("/v1/conversations/c", headers=as_("eve", "ask")).json()

    assert engine.asked[-1].conversation == ()
    assert deleted == {"deleted": False}
