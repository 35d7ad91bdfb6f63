"""Answers that were kept, and what people think of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from service.http import schemas
from service.http.errors import NothingKept
from service.http.queries import UnansweredQuery
from service.http.routes import problems
from service.render import plain
from service.store.keeper import Keeper

router = APIRouter(prefix="/v1", tags=["answers"])


class UnansweredBody(BaseModel):
    """A question that no document answers."""

    model_config = ConfigDict(extra="forbid")

    question: str
    code: str = Field(description="`no_evidence`, `unknown_entity` or `conflicting_sources`.")
    times: int
    last_at: str


class UnansweredList(BaseModel):
    """Questions that no document answers, those that were asked most often first."""

    model_config = ConfigDict(extra="forbid")

    items: list[UnansweredBody]


@router.get(
    "/questions/unanswered",
    response_model=UnansweredList,
    responses=problems("store_unavailable", "nothing_kept"),
)
def unanswered(query: Annotated[UnansweredQuery, Query()], request: Request) -> JSONResponse:
    """What people asked and no document says, those that were asked most often first."""
    found = _keeper(request).store.ledger.unanswered(limit=query.limit)
    rows = [
        {**plain(each), "last_at": each.last_at.isoformat(timespec="seconds")} for each in found
    ]
    return JSONResponse({"items": rows})


@router.get(
    "/answers/{answer_id}",
    response_model=schemas.AskResponse,
    responses=problems("answer_not_found", "store_unavailable", "nothing_kept"),
)
def answer(
    answer_id: Annotated[str, Path(pattern=schemas.ANSWER_ID)], request: Request
) -> JSONResponse:
    """An answer exactly as it was given, whatever the index holds now."""
    return JSONResponse(_keeper(request).find(answer_id, caller=request.state.caller).answer)


@router.post(
    "/feedback",
    status_code=202,
    response_model=schemas.FeedbackBody,
    responses=problems("answer_not_found", "store_unavailable", "nothing_kept"),
)
def feedback(body: schemas.FeedbackRequest, request: Request) -> JSONResponse:
    """Say what you think of an answer. Of several opinions of one asker the newest counts."""
    given = _keeper(request).judge(
        body.answer_id,
        body.verdict,
        caller=request.state.caller,
        reason=body.reason,
        comment=body.comment,
    )
    return JSONResponse({"id": given}, 202)


def _keeper(request: Request) -> Keeper:
    keeper: Keeper | None = request.app.state.keeper
    if keeper is None:
        raise NothingKept
    return keeper
