"""The rows of the store as values. Times carry their zone and are UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from service.access import Scope

Verdict = Literal["up", "down"]
Reason = Literal["", "wrong", "incomplete", "outdated", "unclear", "no_answer", "other"]
InboxState = Literal["received", "working", "answered", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer as it was given. `answer` is the object that was sent; `asker` labels who asked, empty: nobody known."""

    id: str
    created_at: datetime
    answer: Mapping[str, Any]
    question: str = ""
    asker: str = ""
    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that no document answers, and how often it was asked."""

    question: str
    code: str
    times: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody thinks of an answer. Of several by the same asker the newest counts."""

    id: str
    created_at: datetime
    answer_id: str
    verdict: Verdict
    reason: Reason = ""
    comment: str = ""
    asker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key of the API without its secret. `collections` None: all. `used_at` lags by a minute."""

    id: str
    name: str
    scopes: frozenset[Scope]
    collections: frozenset[str] | None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None

    def state(self, now: datetime) -> Literal["live", "expired", "revoked"]:
        """Whether it opens anything."""
        if self.revoked_at is not None:
            return "revoked"
        return "live" if self.expires_at is None or now < self.expires_at else "expired"

    def lives(self, now: datetime) -> bool:
        """Whether it was not revoked and has not expired."""
        return self.state(now) == "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """An event of Slack that was taken in. `attempts` counts how often it was claimed."""

    id: int
    event_id: str
    team: str
    channel: str
    ts: str
    state: InboxState
    attempts: int
    payload: Mapping[str, Any]
    reply_ts: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A workspace that installed the app. `secrets` holds its tokens; it is stored encrypted."""

    enterprise: str
    team: str
    installed_at: datetime
    secrets: Mapping[str, Any]
