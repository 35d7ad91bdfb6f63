"""The guard at the door: wants a bearer token that one of its gates knows."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.access import ANYBODY, SCOPES, Caller, Gate
from service.errors import ServiceError
from service.http.errors import Unauthorized
from service.http.policy import is_public
from service.http.problems import problem_of


class SettingKey:
    """The one key of the settings, which may do everything."""

    def __init__(self, key: str) -> None:
        self._digest = _digest(key)

    async def caller(self, token: str) -> Caller | None:
        """The administrator, if it is his key. Digests have one length, so every comparison takes the same time."""
        if hmac.compare_digest(_digest(token), self._digest):
            return Caller(name="admin", scopes=frozenset(SCOPES), collections=None)
        return None


class KeyGuard:
    """Wants a token on every route but the public ones. Without a gate it lets everything through."""

    def __init__(self, app: ASGIApp, *, gates: Sequence[Gate]) -> None:
        self._app = app
        self._gates = tuple(gates)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 401, or note who it is and pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope["state"]
        state["caller"] = ANYBODY
        if self._gates and not is_public(scope["path"]):
            try:
                state["caller"] = await self._caller(scope)
            except ServiceError as error:
                response = problem_of(error).response(state["request_id"])
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _caller(self, scope: Scope) -> Caller:
        scheme, _, token = Headers(scope=scope).get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            fault: ServiceError = Unauthorized()
            for gate in self._gates:
                try:
                    caller = await gate.caller(token.strip())
                except ServiceError as error:  # another gate may know him
                    fault = error
                    continue
                if caller is not None:
                    return caller
            raise fault
        raise Unauthorized


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
