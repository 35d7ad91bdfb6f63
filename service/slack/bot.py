"""The bot as Bolt runs it: every way in leads to the inbox, and is acknowledged once it is kept there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext
from slack_bolt.response import BoltResponse
from slack_sdk.webhook.async_client import AsyncWebhookClient

from service.errors import ServiceError
from service.slack import forms
from service.slack.asks import Ask, of_command, of_event, of_shortcut
from service.slack.desk import Desk
from service.slack.digest import DailyDigest
from service.slack.intake import Intake
from service.slack.needs import COMMAND, EVENTS, SHORTCUT
from service.slack.notes import EXAMPLES
from service.slack.pace import Api
from service.slack.presses import Presses, trouble
from service.slack.replies import Replier
from service.slack.workspaces import authorizer
from service.store.errors import StoreError

Body = Mapping[str, Any]
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the bot is made of. `state` says in a few words how the index is."""

    api: Api
    replier: Replier
    intake: Intake
    desk: Desk
    presses: Presses
    state: Callable[[], str]
    digest: DailyDigest | None = None


class Bot:
    """Registers the ways in at a Bolt application."""

    def __init__(self, parts: Parts, *, signing_secret: str = "") -> None:
        self._parts = parts
        self._tasks: set[asyncio.Task[None]] = set()
        self.app = AsyncApp(
            signing_secret=signing_secret
            or token_hex(),  # never none: without one nothing signed fits
            authorize=authorizer(parts.replier.workspaces),
            process_before_response=True,
        )
        for event in sorted({name.partition(".")[0] for name in EVENTS}):
            self.app.event(event)(self._event)
        self.app.command(COMMAND)(self._command)
        self.app.message_shortcut(SHORTCUT)(self._shortcut)
        self.app.action(re.compile("^rigwise_"))(self._pressed)
        for view in (forms.REASON_VIEW, forms.DETAIL_VIEW, forms.CHANNEL_VIEW):
            self.app.view(view)(self._sent)

    async def run(self) -> None:
        """Answer what is in the inbox until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._parts.desk.run())
            if self._parts.digest is not None:
                group.create_task(self._parts.digest.run())

    async def _event(self, body: Body, context: AsyncBoltContext) -> BoltResponse | None:
        kind = body["event"]["type"]
        if kind == "app_home_opened":
            self._later(self._home(body))
        elif kind == "app_uninstalled":
            await self._parts.replier.workspaces.forget(*_workspace(body))
        else:
            ask = of_event(body, bot_user=str(context.bot_user_id))
            if ask is not None:
                return await self._take(ask)
        return None

    async def _command(self, body: Body, ack: AsyncAck) -> BoltResponse | None:
        if not str(body.get("text") or "").strip():
            await ack(f"Ask me something: `{COMMAND} {EXAMPLES[0]}`")
            return None
        refused = await self._take(of_command(body))
        if refused is None:
            await ack(response_type="ephemeral", text="Looking that up for you alone …")
        return refused

    async def _shortcut(self, body: Body, ack: AsyncAck) -> BoltResponse | None:
        refused = await self._take(of_shortcut(body))
        if refused is None:
            await ack()
        return refused

    async def _take(self, ask: Ask) -> BoltResponse | None:
        """Keep the question; when it cannot be kept it is not acknowledged, and Slack sends it again."""
        try:
            taken = await self._parts.intake.take(ask)
        except StoreError as error:
            _log.error("slack.not_kept", request=ask.request_id, code=error.code)
            return BoltResponse(status=503, body="")
        before = taken.waiting - self._parts.desk.options.workers
        if taken.new and before > 0 and ask.thread_ts:
            self._later(self._in_line(ask, before))
        return None

    async def _pressed(self, body: Body, ack: AsyncAck) -> None:
        await ack()
        self._later(self._press(body))

    async def _press(self, body: Body) -> None:
        workspace = await self._parts.replier.workspaces.of(*_workspace(body))
        try:
            await self._parts.presses.pressed(workspace, body)
        except ServiceError as error:
            _log.warning("slack.press_failed", code=error.code)
            if body.get("response_url"):
                told = trouble(error)
                await AsyncWebhookClient(body["response_url"]).send(
                    response_type="ephemeral", replace_original=False, **told
                )

    async def _sent(self, body: Body, ack: AsyncAck) -> None:
        workspace = await self._parts.replier.workspaces.of(*_workspace(body))
        try:
            errors = await self._parts.presses.sent(workspace, body)
        except ServiceError as error:
            first = body["view"]["blocks"][-1]["block_id"]
            errors = {first: str(error)[:150]}
        if errors:
            await ack(response_action="errors", errors=errors)
        else:
            await ack()

    async def _home(self, body: Body) -> None:
        event = body["event"]
        workspace = await self._parts.replier.workspaces.of(*_workspace(body))
        call, client = self._parts.api.call, workspace.client
        if event.get("tab") == "messages":
            await call(
                client,
                "assistant.threads.setSuggestedPrompts",
                channel_id=event["channel"],
                prompts=forms.prompts(),
            )
        else:
            view = forms.home_view(self._parts.state())
            await call(client, "views.publish", user_id=event["user"], view=view)

    async def _in_line(self, ask: Ask, before: int) -> None:
        workspace = await self._parts.replier.workspaces.of(ask.team, ask.enterprise)
        await self._parts.replier.status(
            workspace, ask, f"has {before} questions to answer before yours"
        )

    def _later(self, work: Awaitable[None]) -> None:
        """Do something after the acknowledgement; what goes wrong is logged."""
        task = asyncio.create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _guarded(work: Awaitable[None]) -> None:
    try:
        await work
    except ServiceError as error:
        _log.warning("slack.aside_failed", code=error.code, reason=str(error))
    except Exception:  # noqa: BLE001 - nobody waits for this task
        _log.exception("slack.aside_failed")


def _workspace(body: Body) -> tuple[str, str]:
    """The ids of workspace and organisation, which events and presses hold in different places."""
    team = body.get("team_id") or (body.get("team") or {}).get("id") or ""
    enterprise = body.get("enterprise_id") or (body.get("enterprise") or {}).get("id") or ""
    return str(team), str(enterprise)
