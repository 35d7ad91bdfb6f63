"""An engine that is simple enough to work out by hand, behind a real application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from threading import Event

import pytest
from starlette.testclient import TestClient

from indexer.collection import restricted
from indexer.generation import OpenIndex
from indexer.types import DocumentId
from service.http.app import HttpLimits, create_app
from service.http.state import ServiceState
from service.types import (
    Analysis,
    Answer,
    Citation,
    Found,
    Hit,
    Number,
    Question,
    Quote,
    Statement,
    Step,
)


def _open_gate() -> Event:
    gate = Event()
    gate.set()
    return gate


@dataclass
class FakeEngine:
    """Quotes the first passage of the index, after waiting for `gate`."""

    opened: OpenIndex
    gate: Event = field(default_factory=_open_gate)
    asked: list[Question] = field(default_factory=list)
    fault: Exception | None = None

    def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        assert self.gate.wait(10)
        if self.fault is not None:
            raise self.fault
        return answer_of(self.opened, question)

    def steps(self, question: Question) -> Iterator[Step]:
        yield Analysis(question=question.text, rewritten="", intent="lookup", devices=())
        yield Found(retrieved=self.search(question.text, limit=1))
        yield self.answer(question)

    def search(self, text: str, *, limit: int) -> tuple[Hit, ...]:
        hits = [
            Hit(passage=passage, score=1.0, legs={"dense": 1}) for passage in self.opened.passages
        ]
        return tuple(hits[:limit])

    def within(self, collections: frozenset[str]) -> FakeEngine:
        return replace(self, opened=restricted(self.opened, collections))

    def index(self) -> OpenIndex:
        return self.opened


def answer_of(index: OpenIndex, question: Question) -> Answer:
    """One statement that quotes the memory of the first device, with its number."""
    device = index.catalog.devices[0]
    fact = device.facts[0]
    document = index.documents[DocumentId(fact.document_id)]
    quote = Quote(document_id=fact.document_id, start=fact.start, end=fact.end)
    passage = next(item for item in index.passages if item.document_id == fact.document_id)
    number = Number(value=80.0, unit="GB", origin="cited", qualifiers=fact.qualifiers)
    text = "The Acme One has 80 GB of HBM3 memory (nominal)."
    return Answer(
        id=question.id,
        question=question.text,
        kind="answer",
        intent="lookup",
        text=f"{text} [1]",
        statements=(Statement(text=text, quotes=(quote,), numbers=(number,)),),
        citations=(
            Citation(
                n=1,
                passage_id=passage.id,
                document_id=document.id,
                title=document.title,
                path=document.path,
                url=document.url,
                kind=document.kind,
                as_of=document.as_of,
                heading_path=passage.heading_path,
                page=None,
                quote=document.text[fact.start : fact.end],
                start=fact.start,
                end=fact.end,
            ),
        ),
        marks=((1,),),
        retrieved=(Hit(passage=passage, score=1.5, legs={"lexical": 1}),),
        generation=index.id,
        timings_ms={"answer": 0.1},
    )


@pytest.fixture
def engine(index) -> FakeEngine:
    return FakeEngine(index)


@pytest.fixture
def make_client(engine) -> Iterator[Callable[..., TestClient]]:
    """Makes clients of applications whose state is ready; they are closed after the test."""
    opened: list[TestClient] = []

    def make(
        *,
        limits: HttpLimits | None = None,
        api_key: str | None = None,
        state: ServiceState | None = None,
    ):
        app = create_app(state or ready_state(engine), limits=limits, api_key=api_key)
        client = TestClient(app, raise_server_exceptions=False)
        client.__enter__()
        opened.append(client)
        if state is None:
            wait_until_ready(client)
        return client

    yield make
    engine.gate.set()
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


def ready_state(engine) -> ServiceState:
    def load(state: ServiceState):
        state.mark("model", "ready")
        state.mark("index", "ready")
        return engine

    return ServiceState(load)


def wait_until_ready(client) -> None:
    for _ in range(500):
        if client.get("/readyz").status_code == 200:
            return
        Event().wait(0.01)
    raise AssertionError(client.get("/readyz").text)
