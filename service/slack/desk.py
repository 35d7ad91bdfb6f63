"""The workers: each takes the oldest question from the inbox, has it served, and lets nothing end without a message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from service.errors import NotReady, Overloaded, ServiceError
from service.slack.asks import Ask
from service.slack.clerk import Clerk
from service.slack.errors import NoWorkspace, SlackAway, SlackRefused
from service.slack.notes import failure
from service.slack.replies import Replier
from service.store.errors import StoreError
from service.store.inbox import Inbox
from service.store.types import InboxItem

_PASSING: Final = (NotReady, Overloaded, SlackAway, StoreError)
_IDLE_S: Final = 1.0
_LONGEST_WAIT_S: Final = 60.0
_TURNSTILES: Final = 256  # questions of one thread go one after the other
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskOptions:
    """How many work, how long a dead worker's question rests, and how often a question is tried."""

    workers: int = 4
    lease_s: float = 60.0
    attempts: int = 12
    retry_s: float = 2.0


class Desk:
    """Answers what is in the inbox. A worker that dies leaves its question to the next one, also of another process."""

    def __init__(
        self,
        inbox: Inbox,
        clerk: Clerk,
        replier: Replier,
        *,
        now: Callable[[], datetime],
        options: DeskOptions | None = None,
    ) -> None:
        self._inbox = inbox
        self._clerk = clerk
        self._replier = replier
        self._now = now
        self.options = options or DeskOptions()
        self._woken = asyncio.Event()
        self._turnstiles = tuple(asyncio.Lock() for _ in range(_TURNSTILES))

    def wake(self) -> None:
        """Say that there is something in the inbox."""
        self._woken.set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.options.workers):
                group.create_task(self._worker())

    async def _worker(self) -> None:
        while True:
            self._woken.clear()  # before looking: what comes from now on wakes
            try:
                item = await asyncio.to_thread(self._inbox.claim, self._now(), self.options.lease_s)
            except StoreError as error:
                _log.warning("slack.inbox_away", code=error.code)
                item = None
            if item is not None:
                await self._handle(item)
            else:
                await self._rest()

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), _IDLE_S)
        except TimeoutError:
            return

    async def _handle(self, item: InboxItem) -> None:
        """One question from claim to end; whatever happens is told to the asker or tried again."""
        ask = Ask(**item.payload)
        keeping = asyncio.create_task(self._keep_lease(item))
        try:
            async with self._turnstiles[hash(ask.conversation) % _TURNSTILES]:
                ts = await self._clerk.serve(item, ask)
            await asyncio.to_thread(self._inbox.done, item.id, reply_ts=ts, now=self._now())
            _log.info("slack.answered", request=ask.request_id, attempts=item.attempts)
        except asyncio.CancelledError:
            with suppress(StoreError):  # the lease runs out by itself
                self._inbox.later(item.id, at=self._now(), error="stopped")
            raise
        except _PASSING as error:
            await self._again(item, ask, error)
        except Exception as error:  # noqa: BLE001 - the last line: an asker is never left without a word
            _log.exception("slack.failed", request=ask.request_id)
            await self._give_up(item, ask, error)
        finally:
            keeping.cancel()

    async def _again(self, item: InboxItem, ask: Ask, error: ServiceError) -> None:
        """Give the question back for later, unless that was tried often enough."""
        if item.attempts >= self.options.attempts:
            await self._give_up(item, ask, error)
            return
        wait_s = min(self.options.retry_s * 2 ** (item.attempts - 1), _LONGEST_WAIT_S)
        _log.warning("slack.later", request=ask.request_id, code=error.code, wait_s=wait_s)
        at = self._now() + timedelta(seconds=wait_s)
        try:
            await asyncio.to_thread(self._inbox.later, item.id, at=at, error=error.code)
            if item.attempts == 1:
                await self._tell_of_delay(ask)
        except (StoreError, SlackAway, SlackRefused, NoWorkspace) as failed:
            _log.warning("slack.later_untold", request=ask.request_id, code=failed.code)

    async def _tell_of_delay(self, ask: Ask) -> None:
        workspace = await self._replier.workspaces.of(ask.team, ask.enterprise)
        await self._replier.status(workspace, ask, "cannot answer right now and will try again")

    async def _give_up(self, item: InboxItem, ask: Ask, error: Exception) -> None:
        """Tell the asker that there is no answer, and why."""
        code = getattr(error, "code", "internal_error")
        detail = str(error) if isinstance(error, ServiceError) else "Something went wrong here."
        told = failure(code, detail, request_id=ask.request_id)
        try:
            workspace = await self._replier.workspaces.of(ask.team, ask.enterprise)
            await self._replier.reply(workspace, ask, told, former=await self._begun(item))
        except (SlackRefused, SlackAway, NoWorkspace) as failed:
            _log.error("slack.unreachable", request=ask.request_id, code=failed.code)
        try:
            await asyncio.to_thread(self._inbox.failed, item.id, error=code, now=self._now())
        except StoreError:
            _log.warning("slack.inbox_away", request=ask.request_id)

    async def _begun(self, item: InboxItem) -> str:
        """The message that already stands for the reply, if any."""
        try:
            now = await asyncio.to_thread(
                self._inbox.find, team=item.team, channel=item.channel, ts=item.ts
            )
        except StoreError:
            now = item
        return now.reply_ts if now is not None else ""

    async def _keep_lease(self, item: InboxItem) -> None:
        while True:
            await asyncio.sleep(self.options.lease_s / 3)
            until = self._now() + timedelta(seconds=self.options.lease_s)
            try:
                await asyncio.to_thread(self._inbox.extend, item.id, until=until)
            except StoreError as error:
                _log.warning("slack.lease", code=error.code)
