"""The methods of both clients, written once: a call becomes a method that sends it as its client does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from rigwise.client import asking, browsing
from rigwise.client.calls import Call, Stream
from rigwise.client.events import Event

if TYPE_CHECKING:
    from rigwise.client.clients import AsyncClient, Client

P = ParamSpec("P")
T = TypeVar("T")


class Operation(Generic[P, T]):
    """A method that returns the result, or in `AsyncClient` is awaited for it."""

    def __init__(self, build: Callable[P, Call[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, client: Client, owner: object) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, client: AsyncClient, owner: object
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: None, owner: object) -> Callable[P, Call[T]]: ...
    def __get__(self, client: Client | AsyncClient | None, owner: object) -> Callable[P, Any]:
        """The method of a client; of the class, what makes the call."""
        if client is None:
            return self._build
        send = client.send

        @wraps(self._build)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return send(self._build(*args, **kwargs))

        return method


class Streaming(Generic[P]):
    """A method that yields events, in `AsyncClient` without blocking."""

    def __init__(self, build: Callable[P, Stream]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, client: Client, owner: object) -> Callable[P, Iterator[Event]]: ...
    @overload
    def __get__(self, client: AsyncClient, owner: object) -> Callable[P, AsyncIterator[Event]]: ...
    @overload
    def __get__(self, client: None, owner: object) -> Callable[P, Stream]: ...
    def __get__(self, client: Client | AsyncClient | None, owner: object) -> Callable[P, Any]:
        """The method of a client; of the class, what makes the call."""
        if client is None:
            return self._build
        events = client.events

        @wraps(self._build)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return events(self._build(*args, **kwargs))

        return method


class Operations:
    """What both clients can do."""

    ask = Operation(asking.ask)
    stream = Streaming(asking.stream)
    recommend = Operation(asking.recommend)
    estimate = Operation(asking.estimate)
    answer = Operation(asking.answer)
    feedback = Operation(asking.feedback)
    forget = Operation(asking.forget)
    search = Operation(browsing.search)
    passage = Operation(browsing.passage)
    devices = Operation(browsing.devices)
    offers = Operation(browsing.offers)
    documents = Operation(browsing.documents)
    document = Operation(browsing.document)
    upload = Operation(browsing.upload)
    remove = Operation(browsing.remove)
    job = Operation(browsing.job)
