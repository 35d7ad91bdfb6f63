"""Serves the fake: Web API, response URLs, uploads, and Socket Mode as Slack speaks it.

docs.slack.dev/apis/events-api/using-socket-mode: hello, envelopes with ids, acknowledgement by id, disconnect with a
reason; an envelope that is not acknowledged comes again with retry_attempt.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from aiohttp import web

from tests.slack_fake.api import Fake


class Sockets:
    """The open connections, and what was acknowledged."""

    def __init__(self) -> None:
        self.open: list[web.WebSocketResponse] = []
        self.acked: dict[str, dict[str, Any]] = {}
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Event] = {}
        self.acked_s: list[float] = []
        self.resent = 0
        self.mute = False
        self.opened = 0

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection until it ends; a mute one answers no ping and no message."""
        socket = web.WebSocketResponse(autoping=not self.mute)
        await socket.prepare(request)
        self.opened += 1
        await socket.send_json({"type": "hello", "num_connections": 1})
        self.open.append(socket)
        async for message in socket:
            if message.type == web.WSMsgType.TEXT:
                reply = json.loads(message.data)
                self.acked[reply["envelope_id"]] = reply
                if reply["envelope_id"] in self._waiting:
                    self._waiting[reply["envelope_id"]].set()
        if socket in self.open:
            self.open.remove(socket)
        return socket

    async def deliver(
        self, body: dict[str, Any], *, kind: str = "events_api", wait_s: float = 3.0, tries: int = 200
    ) -> dict[str, Any]:  # fmt: skip
        """Send an envelope until it is acknowledged, anew when it is not; the acknowledgement."""
        for attempt in range(tries):
            envelope = f"envelope-{next(self._ids)}"
            done = self._waiting[envelope] = asyncio.Event()
            sent = {"envelope_id": envelope, "type": kind, "payload": body, "accepts_response_payload": True}  # fmt: skip
            if kind == "events_api":
                sent |= {"retry_attempt": attempt, "retry_reason": "timeout" if attempt else ""}
            began = monotonic()
            try:
                await self.open[-1].send_json(sent)
                await asyncio.wait_for(done.wait(), wait_s)
            except (IndexError, OSError, TimeoutError):
                self.resent += 1
                await asyncio.sleep(0.05)
            else:
                self.acked_s.append(monotonic() - began)
                return self.acked[envelope]
        raise AssertionError("never acknowledged")

    async def refresh(self) -> None:
        """Ask for a new connection, then end this one."""
        old = list(self.open)
        for socket in old:
            await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})
        await asyncio.sleep(0.2)
        for socket in old:
            await socket.close()


@asynccontextmanager
async def running(fake: Fake) -> AsyncIterator[Sockets]:
    """The fake on a free port."""
    sockets = Sockets()

    async def upload(request: web.Request) -> web.Response:
        fake.files.append((await request.read()).decode())
        return web.Response(text="OK")

    app = web.Application(client_max_size=2**24)
    app.router.add_get("/socket", sockets.serve)
    app.router.add_post("/respond/{key}", fake.respond)
    app.router.add_post("/upload", upload)
    app.router.add_route("*", "/api/{method}", fake.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    fake.url = f"http://127.0.0.1:{port}/"
    try:
        yield sockets
    finally:
        for socket in list(sockets.open):
            await socket.close()
        await runner.cleanup()
