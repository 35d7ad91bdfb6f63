"""What stands before every route, as plain ASGI: request id and headers, methods, size of the body.

The order, outermost first: `ChatErrors`, `Boundary`, `Tracing` (tracing.py), `Metering`, `RateGuard` (limits.py), `KeyGuard` (auth.py), `RateGuard`, `Methods`, `BodyLimit`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from time import perf_counter
from typing import Final
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from service.http.errors import BodyTimeout, PayloadTooLarge
from service.http.problems import problem_of

REQUEST_ID: Final = "X-Request-ID"
_GOOD_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_log = structlog.get_logger()


class Boundary:
    """The outermost layer: gives each request an id, answers HEAD, lets no error out unshaped."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        new_id: Callable[[], str] = lambda: uuid4().hex,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._app = app
        self._new_id = new_id
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; anything but HTTP passes through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._clock()
        request_id = self._id_of(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        reply = _Reply(send, request_id, bodiless=scope["method"] == "HEAD")
        inner = dict(scope, method="GET") if scope["method"] == "HEAD" else scope
        with bound_contextvars(request_id=request_id):  # every event of the request has it
            try:
                await self._app(inner, receive, reply.send)
            except Exception as error:  # noqa: BLE001 - the last line: what gets here would reach nobody
                _log.exception("request.failed", path=scope["path"])
                if reply.status == 0:
                    await problem_of(error).response(request_id)(inner, receive, reply.send)
            _log.info(
                "request.done",
                method=scope["method"],
                path=scope["path"],
                status=reply.status,
                ms=round((self._clock() - began) * 1000, 1),
            )

    def _id_of(self, scope: Scope) -> str:
        """The caller's own id if it is a harmless one, so that traces can be followed."""
        given = Headers(scope=scope).get(REQUEST_ID, "")
        return given if _GOOD_ID.fullmatch(given) else self._new_id()


class _Reply:
    """Adds the headers, notes the status, and leaves out the body where the method asks for none."""

    def __init__(self, send: Send, request_id: str, *, bodiless: bool) -> None:
        self._send = send
        self._request_id = request_id
        self._bodiless = bodiless
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self._request_id
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        elif self._bodiless and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


class BodyLimit:
    """Reads the body up to a limit before anything else sees it, counting what really arrives.

    A body that has not come within `timeout_s` is refused. `streamed` says of method and path whether the route does that itself.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        timeout_s: float,
        streamed: Callable[[str, str], bool],
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 413 or 408, or pass on with the body replayed."""
        if scope["type"] != "http" or self._streamed(scope["method"], scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            body = await self._whole(scope, receive)
        except (PayloadTooLarge, BodyTimeout) as error:
            response = problem_of(error).response(scope["state"]["request_id"])
            await response(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _whole(self, scope: Scope, receive: Receive) -> bytes:
        if self._declared(scope) > self._max_bytes:
            raise PayloadTooLarge(self._max_bytes)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._read(receive)
        except TimeoutError as error:
            raise BodyTimeout(self._timeout_s) from error

    def _declared(self, scope: Scope) -> int:
        length = Headers(scope=scope).get("Content-Length", "0")
        return int(length) if length.isdecimal() else 0

    async def _read(self, receive: Receive) -> bytes:
        """The whole body, counted as it comes."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body)
            body += message.get("body", b"")
            if len(body) > self._max_bytes:
                raise PayloadTooLarge(self._max_bytes)
            if not message.get("more_body", False):
                return bytes(body)


class Methods:
    """Answers OPTIONS with the methods that an address takes, and completes the list of a 405."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Turn the router's 405 to an OPTIONS request into 204."""
        asking = scope["type"] == "http" and scope["method"] == "OPTIONS"
        turned = False

        async def reply(message: Message) -> None:
            nonlocal turned
            if (
                message["type"] == "http.response.start"
                and message["status"] == HTTPStatus.METHOD_NOT_ALLOWED
            ):
                allowed = _allowed(scope)
                turned = asking
                if turned:
                    message = {
                        "type": message["type"],
                        "status": int(HTTPStatus.NO_CONTENT),
                        "headers": [],
                    }
                MutableHeaders(scope=message)["Allow"] = allowed
            elif turned:
                message = {**message, "body": b""}
            await send(message)

        await self._app(scope, receive, reply)


def _allowed(scope: Scope) -> str:
    """Every method that some route takes at this address; HEAD comes with GET, OPTIONS with everything."""
    methods = {
        method
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        for route in scope["app"].routes
        if route.matches({**scope, "method": method})[0] is Match.FULL
    }
    return ", ".join(sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())))


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
