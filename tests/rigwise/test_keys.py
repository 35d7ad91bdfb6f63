from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from indexer.errors import GenerationNotFound
from rigwise.cli import app
from rigwise.hosting import application
from service.http.state import ServiceState
from service.settings import load_settings
from tests.rigwise.waiting_for_tests import until


@pytest.fixture
def run(monkeypatch, corpus, tmp_path):
    monkeypatch.setenv("RIGWISE_CORPUS", str(corpus))
    monkeypatch.setenv("RIGWISE_INDEX_ROOT", str(tmp_path / "index"))
    monkeypatch.setenv("RIGWISE_REQUIRE_KEY", "true")

    def invoke(*words: str) -> str:
        result = CliRunner().invoke(app, ["keys", *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout.strip()

    return invoke


def test_a_key_is_shown_once_listed_and_revoked(run):
    secret = run("create", "alice", "--scope", "ask", "--days", "90")
    [listed] = json.loads(run("list", "--json"))
    run("revoke", "alice")
    table = run("list")

    assert (listed["name"], listed["state"], listed["scopes"]) == ("alice", "live", ["ask"])
    assert secret.startswith("rgw_")
    assert secret not in table
    assert "revoked" in table


def test_a_key_of_the_command_line_opens_the_service(run, engine_state):
    secret = run("create", "alice")
    old, secret = secret, run("rotate", "alice")
    client = TestClient(application(load_settings(), engine_state))

    def status(key: str) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        return int(client.get("/openapi.json", headers=headers).status_code)

    with client:
        until(lambda: status(secret) == 200)
        assert status(old) == status("") == 401
        assert client.get("/openapi.json").status_code == 401


@pytest.fixture
def engine_state() -> ServiceState:
    def never(_: ServiceState):
        raise GenerationNotFound("nothing is asked", Path())

    return ServiceState(never)
