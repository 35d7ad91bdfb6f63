"""An answer as server-sent events: what was understood, what was found, then only what has been checked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from threading import Event
from typing import Any, Final, NamedTuple, Protocol

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from service.http.errors import AnswerTimeout
from service.http.pool import AnswerPool
from service.http.problems import problem_of
from service.render import answer_object, plain, retrieved_objects, statement_object
from service.types import Analysis, Answer, Found, Step

MEDIA_TYPE: Final = "text/event-stream"
EVENTS: Final = ("analysis", "evidence", "statement", "recommendation", "done", "error")
_HEADERS: Final = {
    "Cache-Control": "no-store, no-transform",  # no proxy may pack or keep it
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}
_HEARTBEAT: Final = b": still working\n\n"
_log = structlog.get_logger()

Steps = Callable[[], Iterator[Step]]


class _Chunk(NamedTuple):
    """One event as it is sent, and whether nothing comes after it."""

    body: bytes
    last: bool


def wants_events(request: Request) -> bool:
    """Whether the client asks for a stream."""
    accepted = request.headers.get("Accept", "").casefold()
    return any(part.split(";")[0].strip() == MEDIA_TYPE for part in accepted.split(","))


def described(*events: str) -> dict[str, Any]:
    """The OpenAPI entry of a stream of such events. Before version 3.2 the schema of a stream is the one of each event."""
    fields = {"event": {"type": "string", "enum": list(events)}, "data": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": ["data"]}
    return {MEDIA_TYPE: {"schema": schema}}


class Wire(Protocol):
    """How steps and a failure are written into a stream of server-sent events."""

    def of_step(self, step: Step) -> Iterator[bytes]:
        """The events of a step, encoded; those of the answer end the stream."""
        ...

    def failed(self, problem: Mapping[str, Any]) -> bytes:
        """The event that tells a problem and ends the stream."""
        ...


class NamedEvents:
    """The events of POST /v1/ask."""

    def of_step(self, step: Step) -> Iterator[bytes]:
        """A step as events; an answer is its statements, its recommendation, and the whole object at the end."""
        for name, data in _events(step):
            yield _encoded(name, data)

    def failed(self, problem: Mapping[str, Any]) -> bytes:
        """The same problem that a plain reply would be."""
        return _encoded("error", problem)


class EventStream(Response):
    """Sends the steps of an answer as they come, in the form of `wire`. The work ends at the next step when the client has gone.

    Raises:
        Overloaded: every place for an answer is taken; nothing has been sent.
    """

    def __init__(
        self,
        steps: Steps,
        pool: AnswerPool,
        *,
        request_id: str,
        heartbeat_s: float,
        wire: Wire | None = None,
    ) -> None:
        super().__init__(status_code=200, headers=_HEADERS, media_type=MEDIA_TYPE)
        del self.headers["Content-Length"]
        self._gone = Event()
        self._wire = wire or NamedEvents()
        self._request_id = request_id
        self._heartbeat_s = heartbeat_s
        self._timeout_s = pool.timeout_s
        self._queue: asyncio.Queue[_Chunk | Exception] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def put(item: _Chunk | Exception) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._queue.put_nowait, item)

        self._work = pool.start(lambda: self._run(steps, put))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send until the answer is done, the client has gone, or the time is up."""
        leaving = asyncio.create_task(_until_gone(receive))
        sending = asyncio.create_task(self._send(send))
        try:
            await asyncio.wait({leaving, sending}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        except OSError:
            _log.info("stream.gone")
        finally:
            self._gone.set()
            self._work.cancel()
            leaving.cancel()
            sending.cancel()
            await asyncio.gather(leaving, sending, return_exceptions=True)

    def _run(self, steps: Steps, put: Callable[[_Chunk | Exception], None]) -> None:
        """On a thread of the pool: each step goes to the loop, written out; nobody listens any more: it ends."""
        try:
            for step in steps():
                if self._gone.is_set():
                    return
                bodies = tuple(self._wire.of_step(step))
                for place, body in enumerate(bodies, 1):
                    put(_Chunk(body, isinstance(step, Answer) and place == len(bodies)))
        except Exception as error:  # noqa: BLE001 - it is told to the client as an event
            put(error)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for chunk in self._chunks():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _chunks(self) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._timeout_s
        while True:
            left = ends - loop.time()
            try:
                item = await asyncio.wait_for(
                    self._queue.get(), max(0.0, min(self._heartbeat_s, left))
                )
            except TimeoutError:
                if loop.time() >= ends:
                    yield self._failed(AnswerTimeout(self._timeout_s))
                    return
                yield _HEARTBEAT
                continue
            if isinstance(item, Exception):
                yield self._failed(item)
                return
            yield item.body
            if item.last:
                return

    def _failed(self, error: Exception) -> bytes:
        if not hasattr(error, "code"):
            _log.error("request.failed", exc_info=error)
        body = problem_of(error).response(self._request_id).body
        return self._wire.failed(json.loads(bytes(body)))


def _events(step: Step) -> Iterator[tuple[str, Any]]:
    if isinstance(step, Analysis):
        yield "analysis", plain(step)
    elif isinstance(step, Found):
        yield "evidence", {"retrieved": retrieved_objects(step.retrieved)}
    else:
        whole = answer_object(step)
        for place in range(len(step.statements)):
            yield "statement", statement_object(step, place)
        if whole["recommendation"] is not None:
            yield "recommendation", whole["recommendation"]
        yield "done", whole


def _encoded(name: str, data: Any) -> bytes:
    """One event; JSON has no line breaks of its own, so the data is one line."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"event: {name}\ndata: {text}\n\n".encode()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
