"""The routes: convert, call, convert back. Work on the engine has its own pool; browsing runs on worker threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.datastructures import State as AppState
from starlette.responses import Response

from indexer.generation import OpenIndex
from service.errors import BadQuestion
from service.http import browse, schemas
from service.http.pool import AnswerPool
from service.http.ports import Answerer
from service.http.problems import MEDIA_TYPE, PROBLEMS
from service.http.queries import DeviceQuery, OfferQuery, Paging, SearchQuery
from service.http.state import ServiceState
from service.render import hit_object, plain


def _state(request: Request) -> ServiceState:
    state: ServiceState = request.app.state.service
    return state


def _pool(request: Request) -> AnswerPool:
    pool: AnswerPool = request.app.state.pool
    return pool


def _answerer(request: Request, state: Annotated[ServiceState, Depends(_state)]) -> Answerer:
    return state.answerer(request.state.caller)


def _index(answerer: Annotated[Answerer, Depends(_answerer)]) -> OpenIndex:
    return answerer.index()


State = Annotated[ServiceState, Depends(_state)]
Pool = Annotated[AnswerPool, Depends(_pool)]
Engine = Annotated[Answerer, Depends(_answerer)]
Index = Annotated[OpenIndex, Depends(_index)]


_ANYWHERE = (
    "unauthorized",
    "forbidden",
    "invalid_request",
    "http_error",
    "payload_too_large",
    "body_timeout",
    "internal_error",
    "not_ready",
    "oidc_unavailable",
    "rate_limited",
    "store_unavailable",
)


def problems(*codes: str) -> dict[int | str, dict[str, Any]]:
    """The errors of a route for its OpenAPI entry; each route may also be unready, unauthorized or at fault, or get a body that cannot be read."""
    told: dict[int, list[str]] = {}
    for code in dict.fromkeys((*codes, *_ANYWHERE)):
        told.setdefault(PROBLEMS[code][0], []).append(f"`{code}`: {PROBLEMS[code][1]}")
    schema = {"$ref": "#/components/schemas/ProblemBody"}
    return {
        status: {"description": ". ".join(lines), "content": {MEDIA_TYPE: {"schema": schema}}}
        for status, lines in told.items()
    }


v1 = APIRouter(prefix="/v1")
probes = APIRouter(tags=["probes"])


@v1.get(
    "/search",
    tags=["answers"],
    response_model=schemas.SearchResponse,
    responses=problems("bad_question", "overloaded", "answer_timeout"),
)
async def search(
    query: Annotated[SearchQuery, Query()], request: Request, engine: Engine, pool: Pool
) -> JSONResponse:
    """The best passages for a text, without an answer."""
    check_length(request.app.state, query.q)
    return await pool.run(lambda: JSONResponse(found_object(engine, query.q, limit=query.limit)))


@v1.get(
    "/passages/{passage_id}",
    tags=["documents"],
    response_model=schemas.PassageBody,
    responses=problems("not_found"),
)
def passage(passage_id: str, index: Index) -> JSONResponse:
    """One passage, as citations name it."""
    return JSONResponse(browse.passage_object(index, passage_id))


@v1.get("/documents", tags=["documents"], response_model=schemas.DocumentPage, responses=problems())
def documents(paging: Annotated[Paging, Query()], index: Index) -> JSONResponse:
    """All documents, by id."""
    rows = browse.documents(index)
    return JSONResponse(browse.page_of(rows, paging, index, browse.document_summary(index)))


@v1.get(
    "/documents/{document_id:path}",
    tags=["documents"],
    response_model=schemas.DocumentBody,
    responses=problems("not_found"),
)
def document(document_id: str, index: Index) -> JSONResponse:
    """One document with its text, which the spans of citations count."""
    return JSONResponse(browse.document_object(index, document_id))


@v1.get("/devices", tags=["catalog"], response_model=schemas.DevicePage, responses=problems())
def devices(query: Annotated[DeviceQuery, Query()], index: Index) -> JSONResponse:
    """Devices that pass all filters, by id."""
    return JSONResponse(
        browse.page_of(browse.devices(index, query), query, index, browse.device_summary)
    )


@v1.get(
    "/devices/{device_id}",
    tags=["catalog"],
    response_model=dict[str, Any],
    responses=problems("not_found"),
)
def device(device_id: str, index: Index) -> JSONResponse:
    """One device with all its facts, each with source, date and level."""
    return JSONResponse(browse.device_object(index, device_id))


@v1.get("/offers", tags=["catalog"], response_model=schemas.OfferPage, responses=problems())
def offers(query: Annotated[OfferQuery, Query()], index: Index) -> JSONResponse:
    """Machines for rent that pass all filters, cheapest on demand first."""
    return JSONResponse(browse.page_of(browse.offers(index, query), query, index, plain))


@v1.get("/index", tags=["index"], response_model=schemas.IndexBody, responses=problems())
def index_status(index: Index) -> JSONResponse:
    """The generation in use: counts, embedder, refused files."""
    return JSONResponse(browse.index_object(index))


@probes.get("/livez", response_model=schemas.LiveBody)
async def livez() -> JSONResponse:
    """The process runs and its event loop turns."""
    return JSONResponse({"status": "ok"})


@probes.get(
    "/readyz",
    response_model=schemas.ReadyBody,
    responses={503: {"model": schemas.ReadyBody, "description": "A stage is not done."}},
)
async def readyz(request: Request, state: State) -> JSONResponse:
    """Whether questions are answered, stage by stage, and what is wrong with the parts beside."""
    stages = state.stages()
    ready = state.ready()
    parts = {name: check() for name, check in request.app.state.parts.items()}
    status = _status(ready, [stage.state for stage in stages.values()], parts)
    headers = {} if ready else {"Retry-After": "2"}
    return JSONResponse(
        {"status": status, "stages": plain(stages), "parts": parts},
        200 if ready else 503,
        headers=headers,
    )


@probes.get(
    "/metrics",
    response_class=Response,
    responses=problems()
    | {
        200: {
            "description": "Prometheus text.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
    },
)
def metrics(request: Request) -> Response:
    """What the service counts, for Prometheus. Wants the key like any route, where one is set."""
    return Response(
        generate_latest(request.app.state.meters.registry), media_type=CONTENT_TYPE_LATEST
    )


@probes.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> JSONResponse:
    """The description of this API."""
    return JSONResponse(request.app.openapi())


def _status(ready: bool, states: Sequence[str], parts: Mapping[str, str]) -> str:  # noqa: FBT001
    if not ready:
        return "not_ready"
    if "stale" in states:
        return "stale"
    return "degraded" if any(parts.values()) else "ready"


def found_object(engine: Answerer, text: str, *, limit: int) -> dict[str, Any]:
    """The response of GET /v1/search, all of one generation."""
    while True:
        generation = engine.index().id
        hits = engine.search(text, limit=limit)
        if engine.index().id == generation:  # else another one was swapped in meanwhile
            objects = [hit_object(hit) for hit in hits]
            return {"query": text, "hits": objects, "generation": generation}


def check_length(held: AppState, *texts: str) -> None:
    """Refuse what is longer than the engine takes, before it takes a place."""
    longest: int = held.max_question_chars
    for text in texts:
        if len(text) > longest:
            raise BadQuestion(f"the question has {len(text)} characters, {longest} are allowed")
