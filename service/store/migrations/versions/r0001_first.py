"""The first form of the store."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _answers()
    _keys()
    _slack()


def _moment(name: str, *, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _string(name: str, length: int) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _json(name: str) -> sa.Column[sa.JSON]:
    return sa.Column(name, sa.JSON(), nullable=False)


def _index(table: str, *columns: str) -> None:
    for column in columns:
        op.create_index(f"ix_{table}_{column}", table, [column])


def _answers() -> None:
    op.create_table(
        "answers",
        _string("id", 64),
        _moment("created_at"),
        _text("question"),
        _json("answer"),
        _string("generation", 64),
        _string("kind", 16),
        _string("abstention", 32),
        _string("asker", 200),
        _string("conversation", 300),
        sa.PrimaryKeyConstraint("id", name="pk_answers"),
    )
    _index("answers", "created_at", "asker")
    op.create_table(
        "feedback",
        _string("id", 64),
        _moment("created_at"),
        _string("answer_id", 64),
        _string("verdict", 8),
        _string("reason", 32),
        _text("comment"),
        _string("asker", 200),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
    )
    _index("feedback", "created_at", "answer_id", "asker")
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer(), nullable=False),
        _string("conversation", 300),
        _moment("created_at"),
        _json("turn"),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
    )
    _index("turns", "conversation", "created_at")


def _keys() -> None:
    op.create_table(
        "api_keys",
        _string("id", 32),
        _string("name", 100),
        _string("digest", 64),
        _json("scopes"),
        _json("collections"),
        _moment("created_at"),
        _moment("expires_at", nullable=True),
        _moment("revoked_at", nullable=True),
        _moment("used_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("name", name="uq_api_keys_name"),
        sa.UniqueConstraint("digest", name="uq_api_keys_digest"),
    )


def _slack() -> None:
    op.create_table(
        "slack_inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        _string("event_id", 64),
        _string("team", 32),
        _string("channel", 32),
        _string("ts", 32),
        _string("state", 16),
        sa.Column("attempts", sa.Integer(), nullable=False),
        _json("payload"),
        _moment("received_at"),
        _moment("available_at"),
        _moment("claimed_at", nullable=True),
        _moment("ended_at", nullable=True),
        _string("reply_ts", 32),
        _text("error"),
        sa.PrimaryKeyConstraint("id", name="pk_slack_inbox"),
        sa.UniqueConstraint("event_id", name="uq_slack_inbox_event_id"),
        sa.UniqueConstraint("team", "channel", "ts", name="uq_slack_inbox_team_channel_ts"),
    )
    _index("slack_inbox", "received_at")
    op.create_table(
        "slack_installations",
        _string("enterprise", 32),
        _string("team", 32),
        _moment("installed_at"),
        _text("sealed"),
        sa.PrimaryKeyConstraint("enterprise", "team", name="pk_slack_installations"),
    )
    op.create_table(
        "slack_settings",
        _string("team", 32),
        _string("channel", 32),
        _moment("changed_at"),
        _json("settings"),
        sa.PrimaryKeyConstraint("team", "channel", name="pk_slack_settings"),
    )
