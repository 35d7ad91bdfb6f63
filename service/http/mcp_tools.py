"""What a host of the Model Context Protocol may call: tools that do what the routes do, and return what they return."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final, NamedTuple
from uuid import uuid4

import structlog
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError
from starlette.datastructures import State

from indexer.errors import IndexerError
from service.access import ANYBODY, Caller, Scope
from service.errors import BadQuestion, ServiceError
from service.http import advice, browse, schemas
from service.http.advice_bodies import (
    AdviceRequest,
    EstimateResponse,
    RecommendResponse,
    WorkloadBody,
)
from service.http.asking import Talk
from service.http.chat_content import content_of
from service.http.errors import Forbidden
from service.http.mcp_texts import need_text, recommendation_text
from service.http.ports import Answerer
from service.http.problems import problem_of
from service.http.routes import check_length, found_object
from service.http.state import ServiceState
from service.render import answer_object
from service.types import Answer

INSTRUCTIONS: Final = (
    "Rigwise answers questions about hardware for machine learning: what fits, how much memory, how fast, at which "
    "price. Every statement carries citations that were checked against the passage they quote; keep the marks such "
    "as [1] and the sources when you pass an answer on. When it abstains, say so, and ask for the detail it names."
)
_LOOK_S: Final = 0.05
_READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_log = structlog.get_logger()

Asked = Annotated[
    str, Field(min_length=1, description="The question, in one or more sentences of English.")
]
Before = Annotated[
    list[schemas.Earlier] | None,
    Field(max_length=20, description="Earlier questions of the conversation, oldest first."),
]
InFields = Annotated[
    WorkloadBody | None, Field(description="The workload as fields; or leave it out for words.")
]
InWords = Annotated[
    str | None, Field(min_length=1, description="The workload in words, instead of fields.")
]


def server_of(held: State, *, version: str, patience_s: float = 0.0) -> MCPServer:
    """A server of the tools over what an application holds.

    A call waits `patience_s` seconds at most while model and index are being loaded.
    """
    with _logging_kept():
        server = MCPServer(
            "rigwise",
            title="Rigwise",
            instructions=INSTRUCTIONS,
            version=version,
            subscriptions=False,
        )
    tools = Tools(held, patience_s=patience_s)
    every: tuple[Callable[..., Awaitable[Any]], ...] = (
        tools.ask,
        tools.recommend,
        tools.estimate,
        tools.search,
        tools.passage,
    )
    for tool in every:
        server.add_tool(tool, annotations=_READS)
    return server


class Tools:
    """The tools. A known error becomes the text `code: detail` of a failed call."""

    def __init__(self, held: State, *, patience_s: float) -> None:
        self._held = held
        self._patience_s = patience_s

    async def ask(
        self, question: Asked, context: Context, conversation: Before = None
    ) -> Annotated[CallToolResult, schemas.AskResponse]:
        """Answer a question about hardware for machine learning, each statement with citations, or say why there is no answer."""
        with _told(context, "ask") as call:
            body = schemas.AskRequest(question=question, conversation=conversation or [])
            check_length(self._held, body.question, *body.conversation)
            talk = Talk(self._held, body, caller=call.caller, request_id=call.request_id)
            engine = await self._answerer(call.caller)
            return await self._held.pool.run(lambda: self._answer(talk.answer(engine)))  # type: ignore[no-any-return]

    async def recommend(
        self, context: Context, workload: InFields = None, question: InWords = None
    ) -> Annotated[CallToolResult, RecommendResponse]:
        """Recommend machines for a workload, best first, with what is ruled out and what would change it. Give fields or words."""
        with _told(context, "ask") as call:
            found = await self._work(
                advice.recommendation_object, _advice(workload, question), call.caller
            )
            return _shown(recommendation_text(found), found)

    async def estimate(
        self, context: Context, workload: InFields = None, question: InWords = None
    ) -> Annotated[CallToolResult, EstimateResponse]:
        """Estimate what a workload needs: memory with its parts and formulas, operations, hours, storage. Give fields or words."""
        with _told(context, "ask") as call:
            found = await self._work(advice.need_object, _advice(workload, question), call.caller)
            return _shown(need_text(found), found)

    async def search(
        self,
        query: Annotated[str, Field(min_length=1, description="Words or a question.")],
        context: Context,
        limit: Annotated[int, Field(ge=1, le=100, description="Passages at most.")] = 10,
    ) -> schemas.SearchResponse:
        """Find the best passages for a text, without an answer."""
        with _told(context, "read") as call:
            check_length(self._held, query)
            engine = await self._answerer(call.caller)
            found = await self._held.pool.run(lambda: found_object(engine, query, limit=limit))
            return schemas.SearchResponse(**found)

    async def passage(
        self,
        passage_id: Annotated[str, Field(min_length=1, description="As a citation names it.")],
        context: Context,
    ) -> schemas.PassageBody:
        """Read one passage with its document, as citations name it."""
        with _told(context, "read") as call:
            index = (await self._answerer(call.caller)).index()
            return schemas.PassageBody(**browse.passage_object(index, passage_id))

    async def _work(
        self,
        work: Callable[[AdviceRequest, Any], dict[str, Any]],
        body: AdviceRequest,
        caller: Caller,
    ) -> dict[str, Any]:
        engine = await self._answerer(caller)
        return await self._held.pool.run(lambda: work(body, engine.index()))  # type: ignore[no-any-return]

    def _answer(self, answer: Answer) -> CallToolResult:
        content = content_of(answer, public_url=self._held.public_url)
        return _shown(content.text, answer_object(answer))

    async def _answerer(self, caller: Caller) -> Answerer:
        service: ServiceState = self._held.service
        for _ in range(math.ceil(self._patience_s / _LOOK_S)):
            states = {stage.state for stage in service.stages().values()}
            if service.ready() or "failed" in states:
                break
            await asyncio.sleep(_LOOK_S)
        return service.answerer(caller)


def _advice(workload: WorkloadBody | None, question: str | None) -> AdviceRequest:
    try:
        return AdviceRequest(workload=workload, question=question)
    except ValidationError as error:
        raise BadQuestion("give either a workload or a question") from error


def _shown(text: str, found: dict[str, Any]) -> CallToolResult:
    """Markdown for people and language models, the object of the route for programs."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=found)


class _Call(NamedTuple):
    """Who calls, and the id of the request; on standard input it is whoever started this process."""

    caller: Caller
    request_id: str


def _call_of(context: Context) -> _Call:
    request = context.request_context.request
    if request is None:
        return _Call(ANYBODY, uuid4().hex)
    return _Call(request.state.caller, request.state.request_id)


def _check(caller: Caller, scope: Scope) -> None:
    if not caller.may(scope):
        raise Forbidden(scope)


@contextmanager
def _told(context: Context, scope: Scope) -> Iterator[_Call]:
    """Wants the scope of the caller. What goes wrong is told like a problem of HTTP, and hides as much."""
    call = _call_of(context)
    try:
        _check(call.caller, scope)
        yield call
    except Exception as error:
        if not isinstance(error, ServiceError | IndexerError):
            _log.exception("tool.failed", request_id=call.request_id)
        problem = problem_of(error)
        told = f"{problem.code}: {problem.detail} (request {call.request_id})"
        raise ToolError(told) from error


@contextmanager
def _logging_kept() -> Iterator[None]:
    """The library sets up the logging of the whole process; here that is nobody's but ours."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
