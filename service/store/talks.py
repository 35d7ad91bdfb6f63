"""Conversations in the database, so that they outlive a restart and are shared between processes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import msgspec
import structlog
from sqlalchemy import delete, insert, select

from service.store.database import Database
from service.store.errors import StoreError
from service.store.tables import turns as table
from service.turns import MemoryConversations, Turn

_TURNS: Final = 20
_log = structlog.get_logger()


class StoredConversations:
    """Conversations in the store. While the database is away, the memory of this process stands in for it."""

    def __init__(
        self,
        database: Database,
        *,
        keep_s: float,
        now: Callable[[], datetime],
        memory: MemoryConversations | None = None,
    ) -> None:
        self._database = database
        self._keep = timedelta(seconds=keep_s)
        self._now = now
        self._memory = memory or MemoryConversations(keep_s=keep_s)

    def turns(self, conversation: str) -> tuple[Turn, ...]:
        """The turns, oldest first; none for an id that is unknown or has expired."""
        remembered = self._memory.turns(conversation)
        try:
            stored = self._stored(conversation)
        except StoreError as error:
            _log.warning("conversation.from_memory", code=error.code)
            return remembered
        return max(stored, remembered, key=len)  # what was said while the database was away

    def add(self, conversation: str, turn: Turn) -> None:
        """Append a turn; the conversation lives anew from now on."""
        self._memory.add(conversation, turn)
        row = {
            "conversation": conversation,
            "created_at": self._now(),
            "turn": msgspec.to_builtins(turn),
        }
        try:
            with self._database.begin() as connection:
                connection.execute(insert(table).values(row))
        except StoreError as error:
            _log.warning("conversation.in_memory_only", code=error.code)

    def delete(self, conversation: str) -> bool:
        """Forget a conversation; False when there was none.

        Raises:
            StoreUnavailable: the database is away; nothing is forgotten but what this process holds.
        """
        known = bool(self.turns(conversation))
        self._memory.delete(conversation)
        with self._database.begin() as connection:
            connection.execute(delete(table).where(table.c.conversation == conversation))
        return known

    def prune(self) -> int:
        """Forget conversations that have expired; how many turns.

        Raises:
            StoreUnavailable: the database is away.
        """
        live = select(table.c.conversation).where(table.c.created_at > self._now() - self._keep)
        with self._database.begin() as connection:
            return connection.execute(
                delete(table).where(table.c.conversation.not_in(live))
            ).rowcount

    def _stored(self, conversation: str) -> tuple[Turn, ...]:
        newest = (
            select(table.c.turn, table.c.created_at)
            .where(table.c.conversation == conversation)
            .order_by(table.c.id.desc())
            .limit(_TURNS)
        )
        with self._database.begin() as connection:
            rows = connection.execute(newest).all()
        if not rows or rows[0].created_at + self._keep <= self._now():
            return ()
        return tuple(msgspec.convert(row.turn, Turn) for row in reversed(rows))
