"""What the manifest asks for is what the code uses: no scope too few, none too many."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from service.slack.needs import COMMAND, EVENTS, METHODS, SCOPES, SHORTCUT

ROOT = Path(__file__).parents[3]
METHOD = re.compile(
    r'"((?:api|apps|assistant|auth|chat|conversations|files|users|views)(?:\.[a-zA-Z]+)+)"'
)


@pytest.fixture(scope="module")
def manifest():
    return yaml.safe_load((ROOT / "deploy" / "slack-manifest.yaml").read_text(encoding="utf-8"))


def test_the_manifest_asks_for_the_scopes_that_are_used(manifest):
    assert tuple(manifest["oauth_config"]["scopes"]["bot"]) == SCOPES


def test_the_manifest_subscribes_to_the_events_that_are_handled(manifest):
    assert manifest["settings"]["event_subscriptions"]["bot_events"] == sorted(EVENTS)


def test_the_manifest_has_the_command_and_the_shortcut(manifest):
    features = manifest["features"]

    assert [each["command"] for each in features["slash_commands"]] == [COMMAND]
    assert [each["callback_id"] for each in features["shortcuts"]] == [SHORTCUT]


def test_the_manifest_keeps_the_lengths_of_slack(manifest):
    # docs.slack.dev/reference/app-manifest
    assert len(manifest["display_information"]["name"]) <= 35
    assert len(manifest["display_information"]["description"]) <= 140
    assert len(manifest["features"]["agent_view"]["agent_description"]) <= 300
    assert all(len(each["name"]) <= 24 for each in manifest["features"]["shortcuts"])


def test_every_method_that_is_called_has_its_scope_told():
    sources = [
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "service" / "slack").glob("*.py"))
        if path.name != "needs.py"
    ]
    called = {name for source in sources for name in METHOD.findall(source)}

    assert called <= set(METHODS)
    assert set(METHODS) - called <= {
        "apps.connections.open",
        "files.completeUploadExternal",
        "files.getUploadURLExternal",
    }
