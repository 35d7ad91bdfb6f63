"""Answers that were kept, and what people think of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from service.http import schemas
from service.http.errors import NothingKept
from service.http.routes import problems
from service.store.keeper import Keeper
from service.store.types import Reason, Verdict

_ID = r"^[A-Za-z0-9._-]{1,64}$"
router = APIRouter(prefix="/v1", tags=["answers"])


class FeedbackRequest(BaseModel):
    """What somebody thinks of an answer."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_extra={"examples": [{"answer_id": "5f0c2b7e", "verdict": "up"}]},
    )

    answer_id: str = Field(pattern=_ID, description="The `id` of the answer.")
    verdict: Verdict
    reason: Reason = Field(default="", description="What is wrong with it, if one of these.")
    comment: str = Field(default="", max_length=2000, description="In your own words.")


class FeedbackBody(BaseModel):
    """The feedback was taken and will be stored."""

    model_config = ConfigDict(extra="forbid")

    id: str


@router.get(
    "/answers/{answer_id}",
    response_model=schemas.AskResponse,
    responses=problems("answer_not_found", "store_unavailable", "nothing_kept"),
)
def answer(answer_id: Annotated[str, Path(pattern=_ID)], request: Request) -> JSONResponse:
    """An answer exactly as it was given, whatever the index holds now."""
    return JSONResponse(_keeper(request).find(answer_id, caller=request.state.caller).answer)


@router.post(
    "/feedback",
    status_code=202,
    response_model=FeedbackBody,
    responses=problems("answer_not_found", "store_unavailable", "nothing_kept"),
)
def feedback(body: FeedbackRequest, request: Request) -> JSONResponse:
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
