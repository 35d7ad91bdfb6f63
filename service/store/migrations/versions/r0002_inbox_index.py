"""Finds what waits in the inbox without reading what was answered long ago."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_slack_inbox_state_available_at", "slack_inbox", ["state", "available_at"])
