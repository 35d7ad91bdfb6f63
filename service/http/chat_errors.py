"""Problems of the routes of OpenAI's protocol also carry the member `error`, which its clients read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.http.problems import MEDIA_TYPE

_PATHS: Final = ("/v1/chat/", "/v1/models")


def error_member(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem as the member `error` that OpenAI's clients look for."""
    client_fault = problem["status"] < HTTPStatus.INTERNAL_SERVER_ERROR
    return {
        "message": problem["detail"],
        "type": "invalid_request_error" if client_fault else "server_error",
        "param": None,
        "code": problem["code"],
    }


class ChatErrors:
    """Adds the member to every problem of those routes, whichever layer sent it. Stands outside all others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; other addresses pass through."""
        if scope["type"] != "http" or not scope["path"].startswith(_PATHS):
            await self._app(scope, receive, send)
            return
        held: Message | None = None

        async def sending(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_problem(message):
                held = message
            elif held is not None and message["type"] == "http.response.body":
                body = _with_member(message.get("body", b""))
                if body:  # the reply to HEAD has none, and keeps its length
                    MutableHeaders(scope=held)["Content-Length"] = str(len(body))
                first, held = held, None
                await send(first)
                await send({**message, "body": body})
            else:
                await send(message)

        await self._app(scope, receive, sending)


def _is_problem(start: Message) -> bool:
    return MutableHeaders(scope=start).get("Content-Type", "") == MEDIA_TYPE


def _with_member(body: bytes) -> bytes:
    if not body:
        return body
    problem = json.loads(body)
    return json.dumps({**problem, "error": error_member(problem)}, ensure_ascii=False).encode()
