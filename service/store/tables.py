"""The tables. What they are now is said here, how they came to be in `migrations/`; a test compares both."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A point in time with its zone, also in SQLite, which keeps none: there it is UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC; without zone for SQLite."""
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, _: Dialect) -> datetime | None:
        """To UTC, with zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


answers: Final = Table(
    "answers",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("created_at", Moment, nullable=False, index=True),
    Column("question", Text, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("generation", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("abstention", String(32), nullable=False),
    Column("asker", String(200), nullable=False, index=True),
    Column("conversation", String(300), nullable=False),
)
feedback: Final = Table(
    "feedback",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("created_at", Moment, nullable=False, index=True),
    Column("answer_id", String(64), nullable=False, index=True),
    Column("verdict", String(8), nullable=False),
    Column("reason", String(32), nullable=False),
    Column("comment", Text, nullable=False),
    Column("asker", String(200), nullable=False, index=True),
)
turns: Final = Table(
    "turns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("conversation", String(300), nullable=False, index=True),
    Column("created_at", Moment, nullable=False, index=True),
    Column("turn", JSON, nullable=False),
)
api_keys: Final = Table(
    "api_keys",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("scopes", JSON, nullable=False),
    Column("collections", JSON, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("revoked_at", Moment),
    Column("used_at", Moment),
)
slack_inbox: Final = Table(
    "slack_inbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("event_id", String(64), nullable=False, unique=True),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("ts", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("received_at", Moment, nullable=False, index=True),
    Column("available_at", Moment, nullable=False),
    Column("claimed_at", Moment),
    Column("ended_at", Moment),
    Column("reply_ts", String(32), nullable=False),
    Column("error", Text, nullable=False),
    UniqueConstraint("team", "channel", "ts"),
    Index(None, "state", "available_at"),
)
slack_installations: Final = Table(
    "slack_installations",
    metadata,
    Column("enterprise", String(32), primary_key=True),
    Column("team", String(32), primary_key=True),
    Column("installed_at", Moment, nullable=False),
    Column("sealed", Text, nullable=False),
)
slack_settings: Final = Table(
    "slack_settings",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("changed_at", Moment, nullable=False),
    Column("settings", JSON, nullable=False),
)
