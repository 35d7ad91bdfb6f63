"""A sign of life while an answer takes long: a stream where Slack has them, and edits where it has none or ended it."""

from __future__ import annotations

from typing import Any, Final

import structlog

from service.slack.asks import Ask
from service.slack.errors import SlackAway, SlackRefused
from service.slack.marks import mark
from service.slack.pace import Api
from service.slack.workspaces import Workspace

_MORE: Final = " …"
_log = structlog.get_logger()


class Sign:
    """One message that shows that work goes on, and then becomes the answer."""

    def __init__(self, api: Api, workspace: Workspace, ask: Ask) -> None:
        self._api = api
        self._client = workspace.client
        self._ask = ask
        self._text = f"Looking that up (request {ask.request_id}){_MORE}"
        self._streams = True
        self._ts = ""

    async def begin(self) -> str:
        """Show it; its time stamp, empty where Slack takes neither stream nor message."""
        ask, call = self._ask, self._api.call
        place = {"channel": ask.channel, "thread_ts": ask.thread_ts}
        to = {"recipient_team_id": ask.team, "recipient_user_id": ask.user}
        try:
            begun = await call(
                self._client, "chat.startStream", **place, **to, markdown_text=self._text
            )
        except SlackRefused as error:
            _log.info("slack.no_stream", reason=error.reason)
            self._streams = False
            begun = await self._posted(place)
        self._ts = str(begun.get("ts", ""))
        return self._ts

    async def _posted(self, place: dict[str, str]) -> dict[str, Any]:
        whole = {**place, "text": self._text, "metadata": mark(self._ask)}
        try:
            return await self._api.call(self._client, "chat.postMessage", **whole)
        except SlackRefused as error:
            _log.info("slack.no_sign", reason=error.reason)
            return {}

    async def go_on(self) -> None:
        """Show that it still goes on; a sign that cannot be shown is no reason to give up."""
        self._text += _MORE
        place = {"channel": self._ask.channel, "ts": self._ts}
        if self._streams and not await self._tried(
            "chat.appendStream", markdown_text=_MORE, **place
        ):
            self._streams = False
        if not self._streams:
            await self._tried("chat.update", text=self._text, **place)

    async def end(self) -> None:
        """End the stream, so that the message can be written anew."""
        if self._streams:
            await self._tried("chat.stopStream", channel=self._ask.channel, ts=self._ts)

    async def _tried(self, method: str, **arguments: str) -> bool:
        try:
            await self._api.call(self._client, method, **arguments)
        except (SlackRefused, SlackAway) as error:
            _log.info("slack.sign_failed", method=method, reason=str(error))
            return False
        return True
