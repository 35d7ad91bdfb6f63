"""Calls to Slack at a pace that it allows: Retry-After is obeyed for each method, and edits keep a distance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from service.slack.errors import SlackAway, SlackRefused

_LIMITED: Final = frozenset({"ratelimited", "rate_limited"})
_PASSING: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})  # fmt: skip
# Slack takes JSON for what changes something, and forms for what reads (docs.slack.dev/apis/web-api).
_READS: Final = frozenset({"conversations.replies", "conversations.history", "users.info"})
# Sent twice, these are seen twice: after a failure that leaves open whether it was sent, whoever asked looks first.
_ONCE: Final = frozenset({"chat.postMessage", "chat.startStream", "chat.postEphemeral"})
_MOST_WAIT_S: Final = 120.0
_ATTEMPTS: Final = 4
# Tier 3, about 50 a minute (docs.slack.dev/apis/web-api/rate-limits)
_SPACING_S: Final = {"chat.update": 1.2}


class Api:
    """Calls methods of the Web API for all workspaces."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._free_at: dict[tuple[str, str], float] = {}

    async def call(self, client: AsyncWebClient, method: str, **arguments: Any) -> dict[str, Any]:
        """Call a method and return its reply.

        Raises:
            SlackRefused: Slack said no.
            SlackAway: it cannot be reached, or wants us to wait for too long.
        """
        place = str(arguments.get("channel", "")) if method in _SPACING_S else ""
        key = (f"{client.token}{place}", method)
        for attempt in range(_ATTEMPTS):
            await self._turn(key, method)
            try:
                return await _sent(client, method, arguments)
            except SlackApiError as error:
                await self._failed(error, key, method, attempt)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                unsent = isinstance(error, aiohttp.ClientConnectorError)
                if attempt + 1 == _ATTEMPTS or (method in _ONCE and not unsent):
                    raise SlackAway(method, type(error).__name__) from error
                await asyncio.sleep(0.2 * 2**attempt)
        raise SlackAway(method, "its limits")

    async def _turn(self, key: tuple[str, str], method: str) -> None:
        """Wait until the method is free again; with a distance, each caller takes the next place."""
        now = self._clock()
        at = max(now, self._free_at.get(key, 0.0))
        if at - now > _MOST_WAIT_S:
            raise SlackAway(method, f"it asks to wait {at - now:.0f} s")
        if method in _SPACING_S:
            self._free_at[key] = at + _SPACING_S[method]
        if at > now:
            await asyncio.sleep(at - now)

    async def _failed(
        self, error: SlackApiError, key: tuple[str, str], method: str, attempt: int
    ) -> None:
        """Wait when another attempt may do better; give up otherwise."""
        data, status = error.response.data, error.response.status_code
        reason = str(data.get("error", "")) if isinstance(data, dict) else f"status {status}"
        if status == 429 or reason in _LIMITED:
            wait = float(error.response.headers.get("Retry-After", 1))
            self._free_at[key] = max(self._free_at.get(key, 0.0), self._clock() + wait)
        elif status >= 500 or reason in _PASSING:
            if attempt + 1 == _ATTEMPTS or method in _ONCE:
                raise SlackAway(method, reason) from error
            await asyncio.sleep(0.2 * 2**attempt)
        else:
            raise SlackRefused(method, reason) from error


async def _sent(client: AsyncWebClient, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in arguments.items() if value not in (None, "")}
    body = {"data": given} if method in _READS else {"json": given}
    response = await client.api_call(method, **body)  # type: ignore[arg-type]
    return dict(response.data) if isinstance(response.data, dict) else {}
