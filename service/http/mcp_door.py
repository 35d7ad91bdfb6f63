"""The Model Context Protocol over HTTP: one address within the service, behind the same key and limits as the routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from fastapi import FastAPI
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from service.errors import NotReady
from service.http.errors import HostRefused, OriginRefused
from service.http.mcp import PATH
from service.http.mcp_tools import server_of

_ELSEWHERE: Final = 421
_FORBIDDEN: Final = 403


class _Passed(Response):
    """The reply of another application to the same request."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(dict(scope), receive, send)


class McpDoor:
    """Serves the tools at `/mcp`, without sessions: every call stands for itself, so nothing piles up between calls.

    Only requests for one of `hosts` (`name:*` means any port) are taken, and from a browser only those of a page of
    one of `origins`, so that a page elsewhere cannot reach a service on the reader's own machine by a false name.
    """

    def __init__(self, *, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._guard = TransportSecurityMiddleware(
            TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=list(origins))
        )
        self._app: Starlette | None = None

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """Open while the application runs; made anew each time, since a server of the protocol runs once."""
        server = server_of(app.state, version=app.version)
        self._app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        async with server.session_manager.run():
            yield
        self._app = None

    async def reply(self, request: Request) -> Response:
        """What the protocol replies to a request.

        Raises:
            HostRefused: it was sent to a name that is not ours.
            OriginRefused: a page of somebody else sent it.
        """
        await self._check(request)
        if self._app is None:
            raise NotReady("not ready: the application is starting or stopping")
        return _Passed(self._app)

    async def _check(self, request: Request) -> None:
        fault = await self._guard.validate_request(request, is_post=True)
        if fault is None:
            return
        if fault.status_code == _ELSEWHERE:
            raise HostRefused
        if fault.status_code == _FORBIDDEN:
            raise OriginRefused
        raise HTTPException(fault.status_code, "the body has to be of the type application/json")
