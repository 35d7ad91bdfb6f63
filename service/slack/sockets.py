"""Socket Mode with a watchdog: a socket that looks alive and delivers nothing is replaced, and readiness says so."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

import aiohttp
import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

_LOOK_S: Final = 5.0
_PING_S: Final = 10.0
_CONNECT_S: Final = 20.0
_log = structlog.get_logger()


class SocketDoor:
    """Keeps one connection to Slack.

    `silent_s` is how long nothing may come, not even the answer to a ping. After `renew_s` without an event the
    connection is made anew although it answers pings: such have been seen to deliver nothing (slackapi/bolt-python#1529).
    """

    def __init__(
        self,
        app: AsyncApp,
        *,
        app_token: str,
        api_url: str,
        silent_s: float = 45.0,
        renew_s: float = 600.0,
    ) -> None:
        self._silent_s = silent_s
        self._renew_s = renew_s
        self._look_s = min(_LOOK_S, silent_s / 3)
        self._handler = AsyncSocketModeHandler(
            app,
            app_token,
            web_client=AsyncWebClient(base_url=api_url),
            ping_interval=min(_PING_S, silent_s / 3),
        )
        # The library looks at its connection as well; two that reconnect at once would leave one open.
        self._handler.client.default_auto_reconnect_enabled = False
        self._handler.client.auto_reconnect_enabled = False
        self._handler.client.on_message_listeners.append(self._event)
        self._pong: float | None = None
        self._heard = self._delivered = monotonic()
        self._fault = "not connected yet"

    async def run(self) -> None:
        """Connect, and stay so until cancelled."""
        try:
            while True:
                await self._look()
                await asyncio.sleep(self._look_s)
        finally:
            await self._handler.close_async()  # type: ignore[no-untyped-call]

    def fault(self) -> str:
        """What is wrong with the connection; empty: nothing."""
        return self._fault

    async def _look(self) -> None:
        client, now = self._handler.client, monotonic()
        if client.last_ping_pong_time != self._pong:
            self._pong, self._heard = client.last_ping_pong_time, now
        session = client.current_session
        if client.connect_operation_lock.locked():
            return  # Slack asked for a new connection, and it is being made
        if session is None or session.closed:
            await self._connect("not connected")
        elif now - self._heard > self._silent_s:
            await self._connect(f"silent for {now - self._heard:.0f} s")
        elif now - self._delivered > self._renew_s:
            await self._connect("")
        else:
            self._fault = ""

    async def _connect(self, why: str) -> None:
        """A new connection in place of the old one."""
        self._fault = why
        _log.info("slack.connecting", fault=why)
        client = self._handler.client
        try:
            await asyncio.wait_for(client.connect_to_new_endpoint(force=True), _CONNECT_S)
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
            self._fault = f"cannot connect: {type(error).__name__} {error}".strip()
            _log.warning("slack.not_connected", reason=self._fault)
        else:
            self._heard = self._delivered = monotonic()
            self._fault = ""

    async def _event(self, _: aiohttp.WSMessage) -> None:
        self._heard = self._delivered = monotonic()
