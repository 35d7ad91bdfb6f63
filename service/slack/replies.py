"""Brings a message to where the question was asked, whatever Slack refuses on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from service.slack.asks import Ask
from service.slack.blocks import Message
from service.slack.errors import SlackAway, SlackRefused
from service.slack.limits import FALLBACK
from service.slack.marks import belongs, mark
from service.slack.mrkdwn import atoms, pack
from service.slack.pace import Api
from service.slack.signs import Sign
from service.slack.workspaces import Workspace, Workspaces

PRIVATE: Final = "private"  # stands for the time stamp of a message that one person alone sees
_TOO_MUCH: Final = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long", "only_one_table_allowed"}
)  # fmt: skip
_GONE: Final = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
_SHUT: Final = frozenset(
    {"channel_not_found", "not_in_channel", "is_archived", "restricted_action", "thread_not_found", "no_permission"}
)  # fmt: skip
_LOOK_AT: Final = 50  # messages after a question, among which its reply is looked for
_log = structlog.get_logger()


class Replier:
    """Posts, edits and finds again our replies."""

    def __init__(self, api: Api, workspaces: Workspaces) -> None:
        self._api = api
        self.workspaces = workspaces

    async def reply(
        self, workspace: Workspace, ask: Ask, message: Message, *, former: str = ""
    ) -> str:
        """Post the message, or write it into `former`, and return its time stamp.

        Raises:
            SlackAway, SlackRefused: there is no way to the asker.
        """
        if ask.response_url:
            return await self.whisper(workspace, ask, message)
        try:
            ts = await self._written(workspace, ask, message, former)
        except SlackRefused as error:
            if error.reason in _TOO_MUCH:
                return await self._plainly(workspace, ask, message, former)
            if error.reason not in _SHUT:
                raise
            return await self._direct(workspace, ask, message, error.reason)
        if message.cut:
            await self._attach(workspace, ask, message)
        return ts

    async def whisper(self, workspace: Workspace, ask: Ask, message: Message) -> str:
        """Show the message to the asker alone."""
        body: dict[str, Any] = {"text": message.text, "blocks": list(message.blocks)}
        if ask.response_url and await self._responded(ask, body):
            return await self._followed(workspace, ask, message)
        arguments = {"channel": ask.channel, "user": ask.user, "thread_ts": ask.thread_ts, **body}
        try:
            await self._api.call(workspace.client, "chat.postEphemeral", **arguments)
        except SlackRefused as error:
            if error.reason in _TOO_MUCH and message.blocks:
                _log.error("slack.blocks_refused", request=ask.request_id)
                return await self.whisper(workspace, ask, _bare(message))
            return await self._direct(workspace, ask, message, error.reason)
        return await self._followed(workspace, ask, message)

    def sign(self, workspace: Workspace, ask: Ask) -> Sign:
        """A sign of life for a question that takes long."""
        return Sign(self._api, workspace, ask)

    async def status(self, workspace: Workspace, ask: Ask, text: str) -> None:
        """Say what is going on: a line that Slack clears with our next message, or words for the asker alone."""
        line = {"channel_id": ask.channel, "thread_ts": ask.thread_ts, "status": text}
        client, call = workspace.client, self._api.call
        try:
            if ask.thread_ts:
                await call(client, "assistant.threads.setStatus", **line)
                return
        except SlackRefused as error:
            _log.debug("slack.no_status", reason=str(error))
        words = Message(text=f"Rigwise {text} (request {ask.request_id}).", blocks=())
        await self.whisper(workspace, ask, words)

    async def left_behind(self, workspace: Workspace, ask: Ask) -> str:
        """The reply that an attempt posted before it died; empty: there is none."""
        if ask.response_url:
            return ""
        place = {"channel": ask.channel, "oldest": ask.key.partition(":")[0]}
        method = "conversations.history"
        if ask.thread_ts:
            method, place = "conversations.replies", {**place, "ts": ask.thread_ts}
        wanted = {**place, "limit": str(_LOOK_AT), "include_all_metadata": "true"}
        try:
            found = await self._api.call(workspace.client, method, **wanted)
        except SlackRefused as error:  # rather a second reply than none
            _log.warning("slack.cannot_look", method=method, reason=error.reason)
            return ""
        own = (each for each in found["messages"] if each.get("bot_id") == workspace.bot_id)
        return next((str(each["ts"]) for each in own if belongs(each, ask)), "")

    async def close_stream(self, workspace: Workspace, ask: Ask, ts: str) -> None:
        """End the stream that an attempt left open when it died, if that message is one."""
        try:
            await self._api.call(workspace.client, "chat.stopStream", channel=ask.channel, ts=ts)
        except SlackRefused as error:
            _log.debug("slack.no_open_stream", reason=error.reason)

    async def _responded(self, ask: Ask, body: Mapping[str, Any]) -> bool:
        """Whether the message went through the address that came with a command or a press; it ends with time."""
        try:
            response = await AsyncWebhookClient(ask.response_url).send(
                response_type="ephemeral", replace_original=False, **body
            )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SlackAway("response_url", type(error).__name__) from error
        if response.status_code != 200:
            _log.warning("slack.response_url", status=response.status_code)
        return response.status_code == 200

    async def _followed(self, workspace: Workspace, ask: Ask, message: Message) -> str:
        """A file cannot be for one person in a channel: it goes to the asker directly."""
        if message.cut:
            place = await self._api.call(workspace.client, "conversations.open", users=ask.user)
            await self._attach(workspace, ask, message, channel=place["channel"]["id"])
        return PRIVATE

    async def _written(self, workspace: Workspace, ask: Ask, message: Message, former: str) -> str:
        body = {
            "channel": ask.channel,
            "text": message.text,
            "blocks": list(message.blocks),
            "metadata": mark(ask),
        }
        if former and former != PRIVATE:
            try:
                await self._api.call(workspace.client, "chat.update", ts=former, **body)
            except SlackRefused as error:
                if error.reason not in _GONE:
                    raise
            else:
                return former
        posted = await self._api.call(
            workspace.client,
            "chat.postMessage",
            thread_ts=ask.thread_ts,
            unfurl_links=False,
            unfurl_media=False,
            **body,
        )
        return str(posted["ts"])

    async def _plainly(self, workspace: Workspace, ask: Ask, message: Message, former: str) -> str:
        """Without blocks, and with the whole as a file: the last resort when Slack finds the blocks wrong."""
        _log.error("slack.blocks_refused", request=ask.request_id)
        bare = _bare(message)
        ts = await self._written(workspace, ask, bare, former)
        if bare.cut:
            await self._attach(workspace, ask, bare)
        return ts

    async def _direct(self, workspace: Workspace, ask: Ask, message: Message, why: str) -> str:
        """To the asker himself, when the channel is shut."""
        _log.warning("slack.channel_shut", reason=why, channel=ask.channel)
        sent = await self._api.call(
            workspace.client,
            "chat.postMessage",
            channel=ask.user,
            text=message.text,
            blocks=list(message.blocks),
        )
        return str(sent["ts"])

    async def _attach(
        self, workspace: Workspace, ask: Ask, message: Message, *, channel: str = ""
    ) -> None:
        """The whole answer as a file, or in as many messages as it takes."""
        thread_ts = "" if channel else ask.thread_ts
        try:
            await workspace.client.files_upload_v2(
                channel=channel or ask.channel,
                thread_ts=thread_ts or None,
                filename="answer.md",
                title="The whole answer",
                content=message.whole,
            )
        except (SlackApiError, OSError) as error:
            _log.warning("slack.no_upload", reason=str(error))
            for text in pack(atoms(message.whole), FALLBACK - 500) or ():
                await self._api.call(
                    workspace.client,
                    "chat.postMessage",
                    channel=channel or ask.channel,
                    thread_ts=thread_ts,
                    text=text,
                )


def _bare(message: Message) -> Message:
    """The message without blocks, with the whole as a file."""
    return Message(text=message.text, blocks=(), whole=message.whole, cut=bool(message.whole))
