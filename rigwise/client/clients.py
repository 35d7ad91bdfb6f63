"""The two clients: how a call is sent, blocking or not. All else is shared."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self, TypeVar

import httpx2
import stamina

from rigwise.client.calls import Call, Stream, check
from rigwise.client.errors import BadReply, Problem, Unreachable
from rigwise.client.events import Event, check_end, event_of
from rigwise.client.operations import Operations

T = TypeVar("T")
DEFAULT_URL: Final = "http://127.0.0.1:8080"
_CONNECT_S: Final = 5.0
_TRIES: Final = 6
_UNSENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Client(Operations):
    """Asks a service, and waits for the reply.

    `timeout_s` is how long the service may say nothing. A call that was certainly not done, since the service was busy, not
    ready or not reached, is tried again as the service says, for `patience_s` seconds at most.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        key: str | None = None,
        timeout_s: float = 60.0,
        patience_s: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._http = httpx2.Client(
            base_url=base_url,
            headers=_headers(key),
            timeout=httpx2.Timeout(timeout_s, connect=_CONNECT_S),
            transport=transport,
        )
        self._retry = stamina.RetryingCaller(attempts=_TRIES, timeout=patience_s).on(
            waiting(patience_s)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """The result of a call.

        Raises:
            ClientError: it did not come about; the class says why.
        """
        return self._retry(self._once, call)

    def events(self, stream: Stream) -> Iterator[Event]:
        """The events of a stream. It ends when the iterator is closed.

        Raises:
            ClientError: as `send`, also in the middle.
        """
        reply = self._retry(self._open, stream)
        last = None
        try:
            with _translated():
                for sent in httpx2.EventSource(reply):
                    if (event := event_of(sent)) is not None:
                        last = event
                        yield event
        finally:
            reply.close()
        check_end(last)

    def _once(self, call: Call[T]) -> T:
        with _translated():
            reply = self._http.send(call.request(self._http))
        return call.result(reply)

    def _open(self, stream: Stream) -> httpx2.Response:
        with _translated():
            reply = self._http.send(stream.call.request(self._http), stream=True)
            if not reply.is_success:
                reply.read()
        check(reply)
        return reply


class AsyncClient(Operations):
    """The same as `Client`, for programs with an event loop: methods are awaited, streams iterated with `async for`."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        key: str | None = None,
        timeout_s: float = 60.0,
        patience_s: float = 60.0,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx2.AsyncClient(
            base_url=base_url,
            headers=_headers(key),
            timeout=httpx2.Timeout(timeout_s, connect=_CONNECT_S),
            transport=transport,
        )
        self._retry = stamina.AsyncRetryingCaller(attempts=_TRIES, timeout=patience_s).on(
            waiting(patience_s)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """The result of a call. Raises as `Client.send`."""
        return await self._retry(self._once, call)

    async def events(self, stream: Stream) -> AsyncIterator[Event]:
        """The events of a stream. Raises as `Client.events`."""
        reply = await self._retry(self._open, stream)
        last = None
        try:
            with _translated():
                async for sent in httpx2.EventSource(reply):
                    if (event := event_of(sent)) is not None:
                        last = event
                        yield event
        finally:
            await reply.aclose()
        check_end(last)

    async def _once(self, call: Call[T]) -> T:
        with _translated():
            reply = await self._http.send(call.request(self._http))
        return call.result(reply)

    async def _open(self, stream: Stream) -> httpx2.Response:
        with _translated():
            reply = await self._http.send(stream.call.request(self._http), stream=True)
            if not reply.is_success:
                await reply.aread()
        check(reply)
        return reply


def waiting(patience_s: float) -> Callable[[Exception], bool | float]:
    """Whether to try again after an error: not at all, after a while, or after so many seconds as the service says."""

    def wait(error: Exception) -> bool | float:
        if isinstance(error, Problem) and error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= patience_s else False
        return isinstance(error, Unreachable) and not error.sent

    return wait


def _headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


@contextmanager
def _translated() -> Iterator[None]:
    """The one place where errors of the transport become ours."""
    try:
        yield
    except httpx2.SSEError as error:
        raise BadReply(str(error)) from error
    except _UNSENT as error:
        raise Unreachable(_told(error), sent=False) from error
    except httpx2.HTTPError as error:
        raise Unreachable(_told(error), sent=True) from error


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
