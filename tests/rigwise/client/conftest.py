"""A real service over the small corpus, and each client as one kind of thing: what is awaited has been awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

import pytest
import uvicorn

from rigwise.client import AsyncClient, Client
from rigwise.hosting import application, state_of
from service.settings import ServiceSettings

KEY = "a-key-for-tests"


@pytest.fixture(scope="session")
def address(corpus, tmp_path_factory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("service")
    (root / "own").mkdir()
    settings = ServiceSettings(
        corpus=corpus,
        documents=root / "own",
        index_root=root / "index",
        embedder="hashing",
        refresh_s=0.1,
        max_question_chars=300,
        api_key=KEY,  # type: ignore[arg-type]
    )
    server = uvicorn.Server(
        uvicorn.Config(application(settings, state_of(settings)), port=0, log_config=None)
    )
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        Event().wait(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@dataclass(frozen=True)
class Flavour:
    """Calls a method of a client of its own."""

    blocking: bool
    client: Callable[[type], Any]

    def __call__(self, method: str, *args: Any, **kwargs: Any) -> Any:
        if self.blocking:
            with self.client(Client) as client:
                found = getattr(client, method)(*args, **kwargs)
                return list(found) if method == "stream" else found
        return asyncio.run(self._awaited(method, args, kwargs))

    async def _awaited(self, method: str, args: Any, kwargs: Any) -> Any:
        async with self.client(AsyncClient) as client:
            found = getattr(client, method)(*args, **kwargs)
            if method != "stream":
                return await found
            async with aclosing(found) as events:
                return [event async for event in events]


@pytest.fixture(params=[True, False], ids=["blocking", "async"])
def flavour(request) -> Callable[..., Flavour]:
    """Makes the flavour of the test, with what a client is made with."""

    def make(*args: Any, **kwargs: Any) -> Flavour:
        return Flavour(blocking=request.param, client=lambda kind: kind(*args, **kwargs))

    return make


@pytest.fixture
def use(flavour, address) -> Flavour:
    """A client of the service, in both flavours."""
    made: Flavour = flavour(address, key=KEY)
    return made
