"""The addresses of Slack, whether or not the bot is set up. Slack signs what it sends, so they want no key."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.http.errors import BodyTimeout, PayloadTooLarge, SlackMissing

if TYPE_CHECKING:
    from service.slack.door import SlackDoor
    from service.slack.oauth import Installing

EVENTS_PATH: Final = "/slack/events"
_MAX_BYTES: Final = (
    2**20
)  # a press carries its whole message, in an encoding that triples most of it
router = APIRouter(prefix="/slack", include_in_schema=False)  # Slack describes what it sends


@router.post("/events")
async def events(request: Request) -> Response:
    """Events, commands, presses and forms."""
    door: SlackDoor | None = request.app.state.slack
    if door is None or not door.takes_events:
        raise SlackMissing("RIGWISE_SLACK_SIGNING_SECRET")
    return await door.events(request, await _body(request))


@router.get("/install")
async def install(request: Request) -> Response:
    """To Slack, to install the app in another workspace."""
    return await _installing(request).begin(request)


@router.get("/oauth_redirect")
async def installed(request: Request) -> Response:
    """Back from Slack."""
    return await _installing(request).end(request)


def _installing(request: Request) -> Installing:
    door: SlackDoor | None = request.app.state.slack
    if door is None or door.installing is None:
        raise SlackMissing("RIGWISE_SLACK_CLIENT_ID")
    return door.installing


async def _body(request: Request) -> bytes:
    body, most_s = bytearray(), request.app.state.body_timeout_s
    try:
        async with asyncio.timeout(most_s):
            async for piece in request.stream():
                body += piece
                if len(body) > _MAX_BYTES:
                    raise PayloadTooLarge(_MAX_BYTES)
    except TimeoutError as error:
        raise BodyTimeout(most_s) from error
    return bytes(body)
