"""Marks on our messages, unseen by readers, that tell after a crash which question a message answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from service.slack.asks import Ask

_EVENT: Final = "rigwise_reply"


def mark(ask: Ask) -> dict[str, Any]:
    """The mark, as Slack keeps it with a message."""
    return {"event_type": _EVENT, "event_payload": {"request": ask.request_id}}


def belongs(message: Mapping[str, Any], ask: Ask) -> bool:
    """Whether a message answers the question. A stream takes no mark, so its text names the request."""
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    return payload.get("request") == ask.request_id or ask.request_id in str(message.get("text"))
