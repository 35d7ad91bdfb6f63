"""The advisor's routes: a workload in, a recommendation or the need alone out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from indexer.generation import OpenIndex
from service.advisor.answers import Desk, open_desk, workload_in_words
from service.advisor.estimate import estimate
from service.advisor.recommend import recommend
from service.advisor.types import Recommendation, Workload
from service.cite import cite
from service.http import advice_bodies as bodies
from service.http.routes import Engine, Pool, problems
from service.lexicon import build_lexicon
from service.render import plain
from service.types import Statement

router = APIRouter(prefix="/v1", tags=["advice"])
_FAULTS = ("bad_question", "overloaded", "answer_timeout")


@router.post("/recommend", response_model=bodies.RecommendResponse, responses=problems(*_FAULTS))
async def recommend_route(body: bodies.AdviceRequest, engine: Engine, pool: Pool) -> JSONResponse:
    """Machines that fit a workload, best first, with what is ruled out and what would change it."""
    return JSONResponse(await pool.run(lambda: recommendation_object(body, engine.index())))


@router.post("/estimate", response_model=bodies.EstimateResponse, responses=problems(*_FAULTS))
async def estimate_route(body: bodies.AdviceRequest, engine: Engine, pool: Pool) -> JSONResponse:
    """What a workload needs: memory with its parts and formulas, operations, hours, storage."""
    return JSONResponse(await pool.run(lambda: need_object(body, engine.index())))


def recommendation_object(body: bodies.AdviceRequest, index: OpenIndex) -> dict[str, Any]:
    """The response of POST /v1/recommend."""
    desk = desk_of(index)
    workload, ask = workload_of(body, desk)
    found = recommend(workload, desk.shelf, today=desk.today) if workload is not None else None
    citations, _ = cite(list(_statements(found)) if found is not None else [], index)
    return {
        "recommendation": plain(found),
        "ask": ask,
        "citations": plain(citations),
        "generation": index.id,
    }


def need_object(body: bodies.AdviceRequest, index: OpenIndex) -> dict[str, Any]:
    """The response of POST /v1/estimate."""
    desk = desk_of(index)
    workload, ask = workload_of(body, desk)
    need = estimate(workload, models=desk.shelf.models) if workload is not None else None
    return {"need": plain(need), "ask": ask, "generation": index.id}


def workload_of(body: bodies.AdviceRequest, desk: Desk) -> tuple[Workload | None, str]:
    """The workload of a request, or the question that has to be asked back."""
    if body.workload is not None:
        return bodies.to_workload(body.workload, desk.shelf), ""
    text = " ".join(unicodedata.normalize("NFKC", body.question or "").split())
    return workload_in_words(text, desk)


@lru_cache(maxsize=2)
def _desk(index: _ById) -> Desk:
    return open_desk(index.opened.catalog, build_lexicon(index.opened.catalog), today=index.today)


class _ById:
    """A generation that is known again by its id."""

    def __init__(self, opened: OpenIndex) -> None:
        self.opened = opened
        dates = (document.as_of for document in opened.documents.values())
        self.today = max((date for date in dates if len(date) == len("2026-12-01")), default="")

    def __hash__(self) -> int:
        return hash(self.opened.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.opened.id == self.opened.id


def desk_of(index: OpenIndex) -> Desk:
    """What the advisor works with, made once a generation."""
    return _desk(_ById(index))


def _statements(found: Recommendation) -> Iterator[Statement]:
    groups = (
        *(option.reasons for option in found.options),
        tuple(each.statement for each in found.rejected),
        tuple(each.statement for each in found.sensitivity),
        found.warnings,
    )
    for group in groups:
        yield from (each for each in group if each.quotes)
