"""What follows a press of a button or a form that was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Final

import structlog

from service.access import Caller
from service.errors import ServiceError
from service.slack import actions, forms
from service.slack.asks import Ask, of_button, of_share
from service.slack.blocks import details_view
from service.slack.errors import SlackRefused
from service.slack.pace import Api
from service.slack.ports import Records, asker
from service.slack.room import plain
from service.slack.workspaces import Workspace
from service.store.types import Verdict
from service.store.workspaces import ChannelSettings

Take = Callable[[Ask], Awaitable[object]]
Body = Mapping[str, Any]
_NO_RIGHT: Final = "Only admins of the workspace may change the settings of a channel."
_log = structlog.get_logger()


class Presses:
    """Answers presses at once; what needs an answer of the engine goes into the inbox like any question."""

    def __init__(
        self,
        api: Api,
        records: Records,
        channels: ChannelSettings,
        *,
        take: Take,
        now: Callable[[], datetime],
        links: str = "",
    ) -> None:
        self._api = api
        self._records = records
        self._channels = channels
        self._take = take
        self._now = now
        self._links = links

    async def pressed(self, workspace: Workspace, body: Body) -> None:
        """A button under a message or on the home tab."""
        action = body["actions"][0]
        name = str(action["action_id"])
        value = str(action.get("value") or action.get("selected_conversation") or "")
        if name.startswith(actions.CHOICE):
            await self._take(of_button(body, value, part=name))
            return
        steps = {
            actions.DETAILS: self._details,
            actions.SHARE: self._share,
            actions.ADD_DETAIL: self._ask_detail,
            actions.FEEDBACK: self._judge,
            forms.OPEN_CHANNEL: self._open_settings,
        }
        if name in steps:
            await steps[name](workspace, body, value)
        else:  # a button of a message that another version wrote
            _log.warning("slack.unknown_button", name=name)

    async def sent(self, workspace: Workspace, body: Body) -> dict[str, Any] | None:
        """A form that was sent; returns the errors to show in it, if any."""
        view = body["view"]
        name, kept = view["callback_id"], view["private_metadata"]
        if name == forms.REASON_VIEW:
            comment = forms.value_of(view, "comment")
            reason = forms.value_of(view, "reason")
            await self._kept_judgement(body, kept, "down", reason=reason, comment=comment)
        elif name == forms.DETAIL_VIEW:
            origin = json.loads(kept)
            detail = forms.value_of(view, "detail")
            await self._take(of_button({**body, **origin}, detail, part=f"detail {detail}"))
        else:
            return await self._settings_sent(workspace, body, view)
        return None

    async def _details(self, workspace: Workspace, body: Body, value: str) -> None:
        await self._open(
            workspace, body, details_view(await self._answer(body, value), links=self._links)
        )

    async def _share(self, _: Workspace, body: Body, value: str) -> None:
        """Show all what its asker alone saw; only he may."""
        asking = of_share(body, value)
        own = asker(asking.team, asking.user)
        await asyncio.to_thread(self._records.find, value, caller=own)
        await self._take(asking)

    async def _ask_detail(self, workspace: Workspace, body: Body, value: str) -> None:
        keys = ("container", "channel", "response_url")
        message = {"thread_ts": (body.get("message") or {}).get("thread_ts")}
        origin = {**{key: body[key] for key in keys if key in body}, "message": message}
        await self._open(
            workspace, body, forms.detail_view(await self._answer(body, value), json.dumps(origin))
        )

    async def _judge(self, workspace: Workspace, body: Body, value: str) -> None:
        verdict, _, answer_id = value.partition(":")
        if verdict == "down":
            await self._open(workspace, body, forms.reason_view(answer_id))
        await self._kept_judgement(body, answer_id, "down" if verdict == "down" else "up")

    async def _open_settings(self, workspace: Workspace, body: Body, value: str) -> None:
        settings = await asyncio.to_thread(
            self._channels.get, team=body["team"]["id"], channel=value
        )
        await self._open(workspace, body, forms.channel_view(value, settings))

    async def _settings_sent(
        self, workspace: Workspace, body: Body, view: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        user = await self._api.call(workspace.client, "users.info", user=body["user"]["id"])
        if not user["user"].get("is_admin"):
            return {"follow": _NO_RIGHT}
        scope = [part.strip() for part in forms.value_of(view, "scope").split(",")]
        settings = {
            "follow": bool(forms.value_of(view, "follow")),
            "scope": [part for part in scope if part],
        }
        await asyncio.to_thread(
            self._channels.put,
            settings,
            team=body["team"]["id"],
            channel=view["private_metadata"],
            now=self._now(),
        )
        return None

    async def _kept_judgement(
        self, body: Body, answer_id: str, verdict: Verdict, *, reason: Any = "", comment: str = ""
    ) -> None:
        await asyncio.to_thread(
            self._records.judge,
            answer_id,
            verdict,
            reason=reason,
            comment=comment,
            caller=_reader(body),
        )

    async def _answer(self, body: Body, answer_id: str) -> Mapping[str, Any]:
        found = await asyncio.to_thread(self._records.find, answer_id, caller=_reader(body))
        return found.answer

    async def _open(self, workspace: Workspace, body: Body, view: dict[str, Any]) -> None:
        """Open a modal; a trigger holds three seconds, so nothing slow comes before."""
        await self._api.call(
            workspace.client, "views.open", trigger_id=body["trigger_id"], view=view
        )


def _reader(body: Body) -> Caller:
    """Who pressed a button: it stands under an answer that he was shown, whoever asked."""
    return asker(body["team"]["id"], body["user"]["id"], reader=True)


def trouble(error: ServiceError) -> dict[str, Any]:
    """What is shown to who pressed a button that did not work."""
    late = isinstance(error, SlackRefused) and "trigger" in error.reason
    text = "That took too long; press the button again." if late else str(error)
    return {"text": text, "blocks": [{"type": "alert", "level": "warning", "text": plain(text)}]}
