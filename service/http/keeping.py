"""Answers that were kept, and what people think of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse

from service.http import schemas
from service.http.errors import NothingKept
from service.http.routes import problems
from service.store.keeper import Keeper

router = APIRouter(prefix="/v1", tags=["answers"])


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
