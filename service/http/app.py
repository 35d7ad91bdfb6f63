"""The application, built from what it is given: no globals, no settings, no environment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from prometheus_client import CollectorRegistry
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from indexer.errors import IndexerError
from service.access import Gate
from service.errors import ServiceError
from service.http import advice, asking, chat, documents, keeping, mcp, routes, schemas, slack
from service.http.auth import KeyGuard, SettingKey
from service.http.chat_errors import ChatErrors
from service.http.documents import Managed
from service.http.examples import ANSWER, PROBLEM
from service.http.gauges import Gauges
from service.http.kept_gauges import KeptGauges
from service.http.limits import HitCounter, RateGuard
from service.http.metrics import Metering, Meters
from service.http.middleware import BodyLimit, Boundary, Methods
from service.http.policy import check_scope
from service.http.pool import AnswerPool
from service.http.problems import handle
from service.http.state import ServiceState
from service.http.tracing import Tracing
from service.store.keeper import Keeper
from service.traces import Traces
from service.turns import MemoryConversations
from service.web import pages

if TYPE_CHECKING:
    from service.http.mcp_door import McpDoor  # needs the extra `mcp`
    from service.slack.door import SlackDoor  # needs the extra `slack`


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """How much the door takes at once and at most.

    A rate is a text like `10/second;600/minute`, empty: none. `rate_store` is Redis, empty: the memory of this process.
    """

    max_concurrent_answers: int = 2
    max_queued_answers: int = 8
    answer_timeout_s: float = 30.0
    max_question_chars: int = 4000
    max_body_bytes: int = 65_536
    body_timeout_s: float = 30.0
    conversation_keep_s: float = 3600.0
    max_conversations: int = 1000
    heartbeat_s: float = 10.0
    rate_per_address: str = ""
    rate_per_key: str = ""
    rate_store: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What an application may have beside its engine.

    Without `managed` the index can be read and not changed; without `keeper` nothing is kept. Where there
    are `gates`, or a key is set, every route that is not public wants a token that one of them knows. `parts` say for /readyz
    what is wrong with them; an empty text means nothing. `public_url` is what links to passages begin with; empty: they
    are relative. `mcp` serves the Model Context Protocol, `slack` the bot there. `traces`: where the spans of requests go.
    """

    managed: Managed | None = None
    keeper: Keeper | None = None
    gates: Sequence[Gate] = ()
    parts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    public_url: str = ""
    mcp: McpDoor | None = None
    slack: SlackDoor | None = None
    traces: Traces | None = None


def create_app(
    state: ServiceState,
    *,
    limits: HttpLimits | None = None,
    api_key: str | None = None,
    equipment: Equipment | None = None,
    registry: CollectorRegistry | None = None,
) -> FastAPI:
    """The application over a state that loads itself when the application starts.

    Metrics go into `registry`, by default one of its own.
    """
    bounds = limits or HttpLimits()
    beside = equipment or Equipment()
    meters = Meters(registry or CollectorRegistry())
    counter = HitCounter(bounds.rate_store)
    gates = (*([SettingKey(api_key)] if api_key is not None else []), *beside.gates)

    app = FastAPI(
        title="Rigwise",
        summary="Cited, checked answers to hardware questions for machine learning.",
        version=_version(),
        openapi_url=None,  # routes.py serves it from a worker thread: making it takes a while
        docs_url=None,  # the pages would load scripts from elsewhere; Rigwise works offline
        redoc_url=None,
        redirect_slashes=False,  # a redirect would repeat the Host header of the caller
        lifespan=_lifespan(state, beside, counter),
        middleware=_layers(bounds, meters, gates=gates, counter=counter, traces=beside.traces),
        dependencies=[Depends(check_scope)],
    )
    _furnish(app, state, bounds, beside)
    _meter(app, meters, state, beside)
    for kind in (ServiceError, IndexerError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, handle)
    app.include_router(routes.probes)
    app.include_router(routes.v1)
    for part in (asking, chat, advice, documents, keeping, mcp, slack, pages):
        app.include_router(part.router)
    _complete_openapi(app)
    return app


def _furnish(app: FastAPI, state: ServiceState, bounds: HttpLimits, beside: Equipment) -> None:
    """What the routes find at the application: engine, places for answers, conversations, limits."""
    app.state.service = state
    app.state.max_question_chars = bounds.max_question_chars
    app.state.pool = AnswerPool(
        running=bounds.max_concurrent_answers,
        waiting=bounds.max_queued_answers,
        timeout_s=bounds.answer_timeout_s,
    )
    app.state.heartbeat_s = bounds.heartbeat_s
    app.state.body_timeout_s = bounds.body_timeout_s
    app.state.parts = dict(beside.parts)
    app.state.public_url = beside.public_url.rstrip("/")
    app.state.managed = beside.managed
    app.state.keeper = beside.keeper
    app.state.mcp = beside.mcp
    app.state.slack = beside.slack
    app.state.traces = beside.traces
    app.state.conversations = (
        beside.keeper.conversations
        if beside.keeper is not None
        else MemoryConversations(
            keep_s=bounds.conversation_keep_s, conversations=bounds.max_conversations
        )
    )


def _layers(
    bounds: HttpLimits,
    meters: Meters,
    *,
    gates: Sequence[Gate],
    counter: HitCounter,
    traces: Traces | None,
) -> list[Middleware]:
    """What stands before the routes, outermost first."""
    counting: dict[str, Any] = {"counter": counter, "refused": meters.rate_limited}
    tracing = [Middleware(Tracing, traces=traces)] if traces is not None else []
    return [
        Middleware(ChatErrors),
        Middleware(Boundary),
        *tracing,
        Middleware(Metering, meters=meters),
        Middleware(RateGuard, by="address", rate=bounds.rate_per_address, **counting),
        Middleware(KeyGuard, gates=gates),
        Middleware(RateGuard, by="key", rate=bounds.rate_per_key, **counting),
        Middleware(Methods),
        Middleware(
            BodyLimit,
            max_bytes=bounds.max_body_bytes,
            timeout_s=bounds.body_timeout_s,
            streamed=_counts_itself,
        ),
    ]


def _meter(app: FastAPI, meters: Meters, state: ServiceState, beside: Equipment) -> None:
    """What the routes count with, and what a scrape reads."""
    app.state.meters = meters
    rebuilder = beside.managed.rebuilder if beside.managed is not None else None
    meters.registry.register(Gauges(state, app.state.pool, rebuilder))
    meters.registry.register(KeptGauges(beside.keeper))


def _counts_itself(method: str, path: str) -> bool:
    """Whether the route counts the body by itself as it comes in."""
    upload = method == "PUT" and path.startswith("/v1/documents/")
    return upload or path == slack.EVENTS_PATH


def _lifespan(
    state: ServiceState, beside: Equipment, counter: HitCounter
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    keeper = beside.keeper

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if keeper is not None:
            keeper.start()
        state.start()
        async with _running(beside.mcp, app), _running(beside.slack, app):
            yield
        state.stop()
        app.state.pool.close()
        await counter.close()
        if keeper is not None:
            keeper.close()
        if beside.traces is not None:
            beside.traces.close()

    return lifespan


def _running(door: McpDoor | SlackDoor | None, app: FastAPI) -> AbstractAsyncContextManager[None]:
    return door.running(app) if door is not None else nullcontext()


def _complete_openapi(app: FastAPI) -> None:
    """Add the one shape of errors, which no route returns by its type, and the examples with their nulls."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            parts = made()["components"]["schemas"]
            parts["ProblemBody"] = schemas.ProblemBody.model_json_schema()
            parts["ProblemBody"]["examples"] = [PROBLEM]
            parts["AskResponse"]["examples"] = [ANSWER]
        return made()

    app.openapi = openapi  # type: ignore[method-assign]


def _version() -> str:
    try:
        return version("rigwise")
    except PackageNotFoundError:
        return "0"
