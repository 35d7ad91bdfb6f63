from __future__ import annotations

import json
import sqlite3
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from service.http.app import create_app
from service.http.state import ServiceState
from service.slack.actions import SHARE
from tests.service.slack.rig_for_tests import until
from tests.service.slack.service_for_tests import Service, now_s, ready, service
from tests.slack_fake.api import APP_TOKEN, CODE, TOKEN
from tests.slack_fake.events import command, event, mention, press

pytestmark = [
    pytest.mark.anyio,
    # slack_sdk hands its credentials to aiohttp in the old way.
    pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning"),
]
INSTALLABLE = {"token": "", "client_id": "1.2", "client_secret": "s"}


async def test_a_signed_event_is_answered_once_however_often_it_comes(tmp_path):
    async with service(tmp_path) as it:
        pair = mention(it.fake, "How much memory?")

        replies = [await it.post(body, retry=retry) for retry in (0, 1) for body in pair]
        await until(lambda: it.counts() == {"answered": 1})

    assert [reply.status_code for reply in replies] == [200] * 4
    assert [each["text"] for each in it.fake.replies("C1")] == ["Echo: How much memory? (none)"]


@pytest.mark.parametrize(
    ("collections", "seen"), [(frozenset({"finance"}), "finance"), (None, "all")], ids=str
)
async def test_members_see_the_collections_that_are_named(tmp_path, collections, seen):
    async with service(tmp_path, collections=collections) as it:
        await it.post(mention(it.fake, "Costs?")[0])
        await until(lambda: it.counts() == {"answered": 1})

    assert [each["text"] for each in it.fake.replies("C1")] == [f"Echo: Costs? ({seen})"]


async def test_a_command_and_a_press_come_as_forms(tmp_path):
    async with service(tmp_path) as it:
        command_reply = await it.post(command(it.fake, "Power of an L4?"), form=True)
        await until(lambda: it.fake.private)
        (share,) = [
            each
            for block in it.fake.private[0]["blocks"]
            for each in block.get("elements", ())
            if each.get("action_id") == SHARE
        ]
        body = press(it.fake, share, ts="1.1", private=True)

        press_reply = await it.post({"payload": json.dumps(body)}, form=True)
        await until(lambda: it.fake.replies("C1"))

    assert command_reply.json()["response_type"] == "ephemeral"
    assert (press_reply.status_code, press_reply.text) == (200, "")
    assert it.fake.replies("C1")[0]["text"] == "Echo: Power of an L4? (none)"


async def test_what_slack_did_not_sign_or_sent_long_ago_is_refused(tmp_path):
    async with service(tmp_path) as it:
        body = mention(it.fake, "How much memory?")[0]

        unsigned = await it.client.post("/slack/events", json=body)
        old = await it.post(body, at=now_s() - 600)

    assert (unsigned.status_code, old.status_code) == (401, 401)
    assert it.counts() == {}


async def test_slack_finds_the_address_by_its_challenge(tmp_path):
    async with service(tmp_path) as it:
        reply = await it.post({"type": "url_verification", "challenge": "c1", "token": "t"})

    assert (reply.status_code, reply.json()) == (200, {"challenge": "c1"})


async def test_a_body_without_end_is_refused(tmp_path):
    async with service(tmp_path) as it:
        reply = await it.client.post("/slack/events", content=b"x" * (2**20 + 1))

    assert reply.status_code == 413


async def test_without_the_bot_the_addresses_say_what_to_do():
    app = create_app(ServiceState(ready))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        events = await client.post("/slack/events", json={})
        install = await client.get("/slack/install")

    assert (events.status_code, events.json()["code"]) == (404, "slack_missing")
    assert "RIGWISE_SLACK_CLIENT_ID" in install.json()["detail"]


async def test_a_workspace_installs_the_app_and_is_served_until_it_removes_it(tmp_path):
    async with service(tmp_path, **INSTALLABLE) as it:
        state = await begun(it)
        reply = await it.client.get("/slack/oauth_redirect", params={"code": CODE, "state": state})
        await it.post(mention(it.fake, "How much memory?")[0])
        await until(lambda: it.counts() == {"answered": 1})
        stored = sqlite3.connect(tmp_path / "store.sqlite3").execute(
            "SELECT sealed FROM slack_installations"
        )
        sealed = str(stored.fetchall())
        await it.post(event(type="app_uninstalled"))
        left = it.keeper.store.installations.find(enterprise="", team="T1")

    assert reply.status_code == 200
    assert len(it.fake.replies("C1")) == 1
    assert TOKEN not in sealed
    assert left is None


@pytest.mark.parametrize(
    ("code", "state", "cookies"),
    [(CODE, "", True), (CODE, "begun", False), ("another", "begun", True), (CODE, "a.b.c", True)],
    ids=["no state", "another browser", "another code", "another state"],
)
async def test_an_installation_that_was_not_begun_here_is_refused(tmp_path, code, state, cookies):
    async with service(tmp_path, **INSTALLABLE) as it:
        real = await begun(it)
        if not cookies:
            it.client.cookies.clear()

        given = {"code": code, "state": real if state == "begun" else state}
        reply = await it.client.get("/slack/oauth_redirect", params=given)

        assert reply.status_code in (400, 401)
        assert it.keeper.store.installations.find(enterprise="", team="T1") is None


async def begun(it: Service) -> str:
    """An installation that was begun: its state."""
    there = (await it.client.get("/slack/install")).headers["Location"]
    wanted = parse_qs(urlsplit(there).query)
    assert wanted["redirect_uri"] == ["https://rigwise.test/slack/oauth_redirect"]
    return wanted["state"][0]


async def test_readiness_shows_a_socket_that_cannot_connect(tmp_path):
    async with service(tmp_path, app_token=f"{APP_TOKEN}-of-another-app") as it:
        await until(lambda: it.fake.refused["apps.connections.open invalid_auth"])
        told = (await it.client.get("/readyz")).json()

    assert "connect" in told["parts"]["slack"]
    assert told["status"] == "degraded"
