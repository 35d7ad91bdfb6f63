"""The inbox of Slack: an event is taken in once, claimed by one worker at a time, and never forgotten half done."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, func, select, update

from service.store.database import Database
from service.store.tables import slack_inbox as table
from service.store.types import InboxItem


class Inbox:
    """Every call is a transaction of its own. Times are given, so that tests need not wait.

    An item is `received`, then `working` under a lease, then `answered` or `failed`. A worker that dies leaves its lease
    to run out; then the item is claimed again, with one attempt more. How many attempts are enough the caller decides.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def receive(
        self, *, event_id: str, team: str, channel: str, ts: str, payload: Mapping[str, Any], now: datetime
    ) -> bool:  # fmt: skip
        """Take an event in; False when it is known by its id, or by its message."""
        row = {
            "event_id": event_id,
            "team": team,
            "channel": channel,
            "ts": ts,
            "state": "received",
            "attempts": 0,
            "payload": dict(payload),
            "received_at": now,
            "available_at": now,
            "reply_ts": "",
            "error": "",
        }
        with self._database.begin() as connection:
            return self._database.insert_new(connection, table, [row]) == 1

    def claim(self, now: datetime, lease_s: float) -> InboxItem | None:
        """The oldest item that waits, or whose lease has run out, for `lease_s` seconds; None when there is none."""
        oldest = (
            select(table.c.id)
            .where(_open(), table.c.available_at <= now)
            .order_by(table.c.available_at, table.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        statement = (
            update(table)
            .where(table.c.id == oldest.scalar_subquery())
            .values(
                state="working",
                attempts=table.c.attempts + 1,
                claimed_at=now,
                available_at=now + timedelta(seconds=lease_s),
            )
            .returning(table)
        )
        with self._database.begin() as connection:
            row = connection.execute(statement).first()
        return _item(row) if row is not None else None

    def extend(self, item_id: int, *, until: datetime) -> bool:
        """Lengthen the lease of an item that is being worked on; False when it is not."""
        return self._change(item_id, available_at=until)

    def replying(self, item_id: int, *, reply_ts: str) -> bool:
        """Note the message that the reply is written into, so that a later attempt writes no second one."""
        return self._change(item_id, reply_ts=reply_ts)

    def done(self, item_id: int, *, reply_ts: str, now: datetime) -> bool:
        """The item is answered; False when it was not being worked on."""
        return self._change(item_id, state="answered", reply_ts=reply_ts, ended_at=now, error="")

    def later(self, item_id: int, *, at: datetime, error: str) -> bool:
        """Give the item back: it may be claimed again from `at` on."""
        return self._change(item_id, state="received", available_at=at, error=error)

    def failed(self, item_id: int, *, error: str, now: datetime) -> bool:
        """The item will not be tried again."""
        return self._change(item_id, state="failed", ended_at=now, error=error)

    def find(self, *, team: str, channel: str, ts: str) -> InboxItem | None:
        """The item of a message."""
        wanted = (table.c.team == team, table.c.channel == channel, table.c.ts == ts)
        with self._database.begin() as connection:
            row = connection.execute(select(table).where(*wanted)).first()
        return _item(row) if row is not None else None

    def counts(self) -> dict[str, int]:
        """How many items are in which state."""
        statement = select(table.c.state, func.count()).group_by(table.c.state)
        with self._database.begin() as connection:
            return {row[0]: row[1] for row in connection.execute(statement)}

    def waiting(self) -> int:
        """How many items have not ended."""
        statement = select(func.count()).select_from(table).where(_open())
        with self._database.begin() as connection:
            return connection.execute(statement).scalar_one()

    def prune(self, *, before: datetime) -> int:
        """Forget items that ended, and were received, before that time; how many."""
        old = delete(table).where(table.c.received_at < before, table.c.ended_at.is_not(None))
        with self._database.begin() as connection:
            return connection.execute(old).rowcount

    def _change(self, item_id: int, **values: object) -> bool:
        statement = (
            update(table).where(table.c.id == item_id, table.c.state == "working").values(**values)
        )
        with self._database.begin() as connection:
            return connection.execute(statement).rowcount == 1


def _open() -> Any:
    return table.c.state.in_(("received", "working"))


def _item(row: Row[Any]) -> InboxItem:
    return InboxItem(
        id=row.id,
        event_id=row.event_id,
        team=row.team,
        channel=row.channel,
        ts=row.ts,
        state=row.state,
        attempts=row.attempts,
        payload=row.payload,
        reply_ts=row.reply_ts,
        error=row.error,
    )
