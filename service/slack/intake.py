"""Takes questions in: what Slack delivers several times is kept once, on the disk, before it is acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from service.slack.asks import Ask
from service.store.inbox import Inbox
from service.store.workspaces import ChannelSettings

_AHEAD: Final = timedelta(hours=1)
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of a delivery. `waiting` counts the questions that are not answered yet, this one included."""

    new: bool
    waiting: int = 0


class Intake:
    """Keeps questions in the inbox, each once. `wake` is called for each new one."""

    def __init__(
        self,
        inbox: Inbox,
        channels: ChannelSettings,
        *,
        now: Callable[[], datetime],
        wake: Callable[[], None],
        max_waiting: int = 1000,
    ) -> None:
        self._inbox = inbox
        self._channels = channels
        self._now = now
        self._wake = wake
        self._max_waiting = max_waiting

    async def take(self, ask: Ask) -> Taken:
        """Keep a question.

        Raises:
            StoreUnavailable: it cannot be kept, and must not be acknowledged.
        """
        taken = await asyncio.to_thread(self._take, ask)
        if taken.new:
            self._wake()
        return taken

    def _take(self, ask: Ask) -> Taken:
        if ask.way == "thread" and not self._ours(ask):
            return Taken(new=False)
        waiting = self._inbox.waiting()
        kept = replace(ask, refused=waiting >= self._max_waiting)
        ahead = (
            _AHEAD if kept.refused else timedelta()
        )  # a refusal takes no time, so it does not wait
        new = self._inbox.receive(
            event_id=ask.event_id,
            team=ask.team,
            channel=ask.channel,
            ts=ask.key,
            payload=kept.payload(),
            now=self._now() - ahead,
        )
        _log.info("slack.received", request=ask.request_id, way=ask.way, new=new)
        return Taken(new=new, waiting=waiting + 1)

    def _ours(self, ask: Ask) -> bool:
        """Whether a thread began with a question to us, in a channel where we follow."""
        root = self._inbox.find(team=ask.team, channel=ask.channel, ts=ask.thread_ts)
        settings = self._channels.get(team=ask.team, channel=ask.channel)
        return root is not None and settings.get("follow", True) is not False
