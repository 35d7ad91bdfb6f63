"""A span for each request, as plain ASGI. It is only in place where traces are set."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from service.traces import Traces

_FAILED: Final = 500
_FREE: Final = frozenset({"/livez", "/readyz", "/metrics"})


class Tracing:
    """Spans around requests; probes and scrapes have none. The events of the log name the trace."""

    def __init__(self, app: ASGIApp, *, traces: Traces) -> None:
        self._app = app
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; anything but HTTP passes through."""
        if scope["type"] != "http" or scope["path"] in _FREE:
            await self._app(scope, receive, send)
            return
        status = _FAILED

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        method = scope["method"]
        with self._traces.request(method, Headers(scope=scope)) as span:
            span.set_attribute("rigwise.request_id", scope["state"]["request_id"])
            trace = f"{span.get_span_context().trace_id:032x}"
            try:
                with bound_contextvars(trace_id=trace):
                    await self._app(scope, receive, noting)
            finally:
                route = getattr(scope.get("route"), "path", "unmatched")
                self._traces.ended(span, route=route, method=method, status=status)
