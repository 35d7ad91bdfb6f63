"""A model that can be worked out by hand, behind a real server on loopback, and two clients that ask it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from indexer.embedders.hashing import HashingEmbedder
from service.engine import Engine
from service.language import Writer, WriterFailed
from service.language.breaker import Breaker
from service.language.model import Complete, ModelWriter
from service.language.openai_client import Endpoint, complete_with
from service.language.prompt import Message
from service.snapshot import SnapshotHolder

Reply = Callable[[str, list[dict[str, Any]]], object]
TIMEOUT_S = 0.5


@dataclass
class FakeModel:
    """Speaks the chat protocol. `reply` makes the sentences of a question and its evidence; what else it can do:

    `manner` "hangs", "dies" in mid-sentence, "fails" with 500, or "babbles" something that is no JSON.
    """

    url: str = ""
    manner: str = ""
    reply: Reply = lambda _, evidence: []
    asked: list[dict[str, Any]] = field(default_factory=list)
    released: Event = field(default_factory=Event)

    async def chat(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        if self.manner == "hangs":
            for _ in range(200):
                if self.released.is_set():
                    break
                await asyncio.sleep(0.02)
        if self.manner == "dies":
            return _Torn()
        if self.manner == "fails":
            return PlainTextResponse("out of memory", 500)
        data = json.loads(body["messages"][1]["content"])
        sentences = self.reply(data["QUESTION"], data["EVIDENCE"])
        text = (
            "Sure! Here you go."
            if self.manner == "babbles"
            else json.dumps({"sentences": sentences})
        )
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": "fake",
                "choices": [choice],
            }
        )


class _Torn(Response):
    """Promises more than it sends, as a server does that is killed."""

    async def __call__(self, scope, receive, send):
        headers = [(b"content-type", b"application/json"), (b"content-length", b"5000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"choices": [', "more_body": True})
        raise ConnectionAbortedError


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel()
    app = Starlette(routes=[Route("/v1/chat/completions", made.chat, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    made.url = f"http://127.0.0.1:{port}/v1"
    yield made
    made.released.set()
    server.should_exit = True
    thread.join(10)


def _by_hand(url: str) -> Complete:
    """The protocol in a few lines, so that the tests run without the extra as well."""

    def complete(messages: Sequence[Message]) -> str:
        try:
            reply = httpx2.post(
                f"{url}/chat/completions",
                json={"model": "fake", "messages": list(messages)},
                timeout=TIMEOUT_S,
            )
            reply.raise_for_status()
            return str(reply.json()["choices"][0]["message"]["content"])
        except (httpx2.HTTPError, ValueError) as error:
            raise WriterFailed(type(error).__name__) from error

    return complete


@pytest.fixture(params=["by hand", "openai"])
def writer(request, model) -> ModelWriter:
    if request.param == "by hand":
        return ModelWriter(complete=_by_hand(model.url))
    pytest.importorskip("openai", reason="the extra llm is not installed")
    endpoint = Endpoint(url=model.url, model="fake", timeout_s=TIMEOUT_S, retries=0)
    return ModelWriter(complete=complete_with(endpoint))


@pytest.fixture
def resting(model) -> ModelWriter:
    """A writer whose breaker opens after two failures and stays open."""
    return ModelWriter(complete=_by_hand(model.url), breaker=Breaker(failures=2, rest_s=1e9))


@pytest.fixture
def make_engine(store) -> Callable[[Writer | None], Engine]:
    embedder = HashingEmbedder()
    holder = SnapshotHolder(store, fingerprint=embedder.spec.fingerprint())

    def make(writer: Writer | None) -> Engine:
        return Engine(holder=holder, embedder=embedder, writer=writer)

    return make
