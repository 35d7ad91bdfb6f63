from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rigwise.cli import main
from rigwise.slack_checks import check_clock, slack_findings
from service.settings import ServiceSettings
from service.slack.needs import SCOPES
from tests.service.slack.rig_for_tests import until
from tests.slack_fake.api import APP_TOKEN, SECRET, TOKEN, Fake
from tests.slack_fake.events import mention
from tests.slack_fake.server import running

ROOT = Path(__file__).parents[2]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def found(folder, fake: Fake, **settings: str) -> dict[str, tuple[str, str, str]]:
    """State, finding and remedy of each part."""
    given: dict[str, Any] = {
        "index_root": folder / "index",
        "slack_api_url": f"{fake.url}api/",
        "slack_bot_token": TOKEN,
        "slack_app_token": APP_TOKEN,
        **settings,
    }
    findings = await slack_findings(ServiceSettings(**given))
    return {each.part: (each.state, each.found, each.remedy) for each in findings}


@pytest.mark.anyio
async def test_the_doctor_finds_nothing_bad_where_all_is_set_up(tmp_path):
    fake = Fake(scopes=list(SCOPES))
    async with running(fake):
        told = await found(tmp_path, fake)

    assert {state for state, _, _ in told.values()} == {"ok", "note"}
    assert told["events"][1] == "none has come yet"
    assert "app_mention" in told["events"][2]


@pytest.mark.anyio
async def test_the_doctor_names_missing_scopes_and_bad_tokens(tmp_path):
    fake = Fake(scopes=[each for each in SCOPES if each != "files:write"])
    async with running(fake):
        told = await found(tmp_path, fake, slack_app_token="xapp-of-nobody")  # noqa: S106 - of nobody

    assert told["scopes"][:2] == ("bad", "missing: files:write")
    assert told["socket"][:2] == ("bad", "invalid_auth")
    assert "xapp-" in told["socket"][2]


@pytest.mark.anyio
async def test_the_doctor_tells_an_address_that_does_not_answer(tmp_path):
    fake = Fake(scopes=list(SCOPES))
    async with running(fake):
        told = await found(
            tmp_path, fake, slack_signing_secret=SECRET, public_url=fake.url.rstrip("/")
        )

    assert told["events address"][0] == "bad"
    assert "answers 404" in told["events address"][1]


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_command_answers_until_it_is_stopped(tmp_path, corpus):
    fake = Fake(scopes=list(SCOPES))
    async with running(fake) as sockets:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rigwise", "slack"),
            env={
                "PYTHONPATH": str(ROOT),
                "RIGWISE_CORPUS": str(corpus),
                "RIGWISE_EMBEDDER": "hashing",
                "RIGWISE_INDEX_ROOT": str(tmp_path / "index"),
                "RIGWISE_SLACK_API_URL": f"{fake.url}api/",
                "RIGWISE_SLACK_APP_TOKEN": APP_TOKEN,
                "RIGWISE_SLACK_BOT_TOKEN": TOKEN,
            },
        )
        await until(lambda: sockets.open, 30)
        await sockets.deliver(mention(fake, "How much memory does the Acme One have?")[0])
        await until(lambda: "80 GB" in str(fake.replies("C1")), 30)
        process.terminate()
        stopped = await asyncio.wait_for(process.wait(), 15)

    assert stopped == 0
    assert len(fake.replies("C1")) == 1


def test_a_clock_that_is_off_is_told():
    now = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

    assert check_clock("Tue, 01 Dec 2026 12:00:03 GMT", now).state == "ok"
    assert check_clock("Tue, 01 Dec 2026 12:06:00 GMT", now).state == "bad"


def test_the_bot_does_not_start_without_its_tokens(monkeypatch, capsys):
    monkeypatch.delenv("RIGWISE_SLACK_BOT_TOKEN", raising=False)

    with pytest.raises(SystemExit, match="1"):
        main(["slack"])

    assert "RIGWISE_SLACK_APP_TOKEN" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"slack_bot_token": "xapp-1"}, "begins with xoxb-"),
        ({"slack_bot_token": "xoxb-1"}, "RIGWISE_SLACK_SIGNING_SECRET"),
        ({"slack_client_id": "1", "slack_signing_secret": "s"}, "RIGWISE_STORE_KEY"),
    ],
    ids=["a token of another kind", "no way in", "no key for tokens"],
)
def test_settings_that_cannot_work_are_refused(given, told):
    with pytest.raises(ValueError, match=told):
        ServiceSettings(**given)
