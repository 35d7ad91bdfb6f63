"""The bot within the service: Slack comes in over HTTP, or over a socket that the service opens itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from fastapi import FastAPI
from slack_bolt.adapter.starlette.async_handler import to_async_bolt_request, to_starlette_response
from starlette.requests import Request
from starlette.responses import Response

from service.access import ANYBODY, Caller
from service.errors import NotReady, ServiceError
from service.slack.assembly import BotOptions, make_bot
from service.slack.bot import Bot
from service.slack.oauth import Installing, oauth_flow
from service.slack.sockets import SocketDoor
from service.store.keeper import Keeper
from service.types import Answer, Question

_AGAIN_S: Final = 1.0
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorOptions:
    """How Slack and the bot reach each other.

    With `app_token` a socket is opened; with a signing secret events over HTTP are taken; with `client_id` the app can be
    installed in several workspaces from `public_url`. `collections` are those whose documents members see; None: all.
    """

    bot: BotOptions = field(default_factory=BotOptions)
    app_token: str = ""
    client_id: str = ""
    client_secret: str = ""
    public_url: str = ""
    collections: frozenset[str] | None = frozenset()


class SlackDoor:
    """Runs the bot while an application runs, on its engine, its places for answers and its store.

    `installing` leads through the installation in further workspaces, where that is set up.
    """

    def __init__(self, keeper: Keeper, options: DoorOptions) -> None:
        self._keeper = keeper
        self._options = options
        self._bot: Bot | None = None
        self._socket: SocketDoor | None = None
        self.installing = _installing(keeper, options) if options.client_id else None

    @property
    def takes_events(self) -> bool:
        """Whether events come in over HTTP."""
        return bool(self._options.bot.signing_secret)

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """Answer while the application runs; what is not answered at its end is answered by the next one."""
        options = self._options
        member = Caller(
            name="slack", scopes=frozenset({"ask", "read"}), collections=options.collections
        )
        self._bot = make_bot(
            self._keeper.store,
            self._keeper,
            _EngineAnswers(app.state, member),
            options=options.bot,
            state=lambda: _told(app.state, member),
            rejected=lambda: _rejected(app.state),
        )
        works = [self._bot.run]
        if options.app_token:
            self._socket = SocketDoor(
                self._bot.app, app_token=options.app_token, api_url=options.bot.api_url
            )
            works.append(self._socket.run)
        tasks = [asyncio.create_task(_kept_going(work)) for work in works]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks)
            self._bot = self._socket = None

    def fault(self) -> str:
        """What is wrong with the connection; empty: nothing."""
        return self._socket.fault() if self._socket is not None else ""

    async def events(self, request: Request, body: bytes) -> Response:
        """An event, command or press; Bolt looks at signature and time first.

        Raises:
            NotReady: the application is starting or stopping.
        """
        if self._bot is None:
            raise NotReady("not ready: the application is starting or stopping")
        reply = await self._bot.app.async_dispatch(to_async_bolt_request(request, body))
        return to_starlette_response(reply)


class _EngineAnswers:
    """Answers in the places that HTTP uses as well."""

    def __init__(self, state: Any, member: Caller) -> None:
        self._state = state
        self._member = member

    async def answer(self, question: Question) -> Answer:
        engine = self._state.service.answerer(self._member)
        answer: Answer = await self._state.pool.run(lambda: engine.answer(question))
        self._state.meters.answered(answer)
        return answer


def _installing(keeper: Keeper, options: DoorOptions) -> Installing:
    flow = oauth_flow(
        keeper.store.installations,
        client_id=options.client_id,
        client_secret=options.client_secret,
        public_url=options.public_url,
        api_url=options.bot.api_url,
    )
    return Installing(flow)


def _told(state: Any, member: Caller) -> str:
    """The index, for the home tab."""
    try:
        index = state.service.answerer(member).index()
    except ServiceError as error:
        return str(error)
    return f"Index {index.id} with {len(index.documents)} documents is in use."


def _rejected(state: Any) -> list[tuple[str, str]]:
    """The documents that the index could not take, with the reasons."""
    try:
        manifest = state.service.answerer(ANYBODY).index().manifest
    except ServiceError:
        return []
    return [(each.path, each.reason) for each in manifest.rejected]


async def _kept_going(work: Any) -> None:
    """Do something until cancelled, whatever happens on the way."""
    while True:
        try:
            await work()
        except Exception:  # noqa: BLE001 - without the bot nobody would be answered
            _log.exception("slack.restarted")
            await asyncio.sleep(_AGAIN_S)
