"""What Slack sends: events with their twins, commands, presses, signed as Slack signs them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

from tests.slack_fake.api import BOT_USER, SECRET, TEAM, Fake

_IDS = itertools.count(1)


def event(**fields: Any) -> dict[str, Any]:
    """An event in its outer body."""
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": "A1",
        "event_id": f"Ev{next(_IDS):08d}",
        "event": fields,
        "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True}],
    }


def mention(fake: Fake, text: str, *, channel: str = "C1", user: str = "U1", thread: str = "") -> list[dict[str, Any]]:  # fmt: skip
    """A mention, which Slack sends twice: as app_mention and as message, each with an id of its own."""
    ts = fake.ts()
    fields = {"text": f"<@{BOT_USER}> {text}", "channel": channel, "user": user, "ts": ts}
    if thread:
        fields["thread_ts"] = thread
    fake.messages[channel].append({**fields})
    return [
        event(type="app_mention", **fields),
        event(type="message", channel_type="channel", **fields),
    ]


def said(fake: Fake, text: str, *, channel: str = "C1", thread: str = "", **more: Any) -> dict[str, Any]:  # fmt: skip
    """A message without a mention."""
    fields = {"text": text, "channel": channel, "user": "U1", "ts": fake.ts(), **more}
    if thread:
        fields["thread_ts"] = thread
    kind = "im" if channel.startswith("D") else "channel"
    return event(type="message", channel_type=kind, **fields)


def command(fake: Fake, text: str, key: str = "r1") -> dict[str, Any]:
    """A slash command."""
    return {
        "command": "/hardware", "text": text, "team_id": TEAM, "channel_id": "C1", "user_id": "U1",
        "trigger_id": fake.trigger(), "response_url": f"{fake.url}respond/{key}",
    }  # fmt: skip


def press(fake: Fake, action: dict[str, Any], *, ts: str, user: str = "U1", channel: str = "C1", private: bool = False, thread: str = "") -> dict[str, Any]:  # fmt: skip
    """A press of a button."""
    return {
        "type": "block_actions",
        "team": {"id": TEAM},
        "user": {"id": user, "team_id": TEAM},
        "channel": {"id": channel},
        "container": {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": private},
        "message": {"ts": ts, **({"thread_ts": thread} if thread else {})},
        "trigger_id": fake.trigger(),
        "response_url": f"{fake.url}respond/press",
        "actions": [action],
    }  # fmt: skip


def sent(view: dict[str, Any], fields: dict[str, Any], *, user: str = "U1") -> dict[str, Any]:
    """A form that was filled in and sent."""
    kinds: dict[str, Callable[[Any], dict[str, Any]]] = {
        "radio_buttons": lambda value: {"selected_option": {"value": value}},
        "checkboxes": lambda value: {"selected_options": [{"value": each} for each in value]},
        "conversations_select": lambda value: {"selected_conversation": value},
        "plain_text_input": lambda value: {"value": value},
    }
    inputs = {
        block["block_id"]: block["element"] for block in view["blocks"] if block["type"] == "input"
    }
    values = {
        name: {name: {"type": inputs[name]["type"], **kinds[inputs[name]["type"]](value)}}
        for name, value in fields.items()
    }
    return {
        "type": "view_submission",
        "team": {"id": TEAM},
        "user": {"id": user, "team_id": TEAM},
        "view": {**view, "id": "V1", "state": {"values": values}},
    }


def signed(
    body: dict[str, Any], *, at: int, retry: int = 0, form: bool = False
) -> tuple[bytes, dict[str, str]]:
    """Bytes and headers of a delivery over HTTP; commands, presses and forms come as a form."""
    data = urlencode(body) if form else json.dumps(body)
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=str(at), body=data)
    headers = {
        "Content-Type": "application/x-www-form-urlencoded" if form else "application/json",
        "X-Slack-Request-Timestamp": str(at),
        "X-Slack-Signature": str(signature),
    }
    if retry:
        headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
    return data.encode(), headers
