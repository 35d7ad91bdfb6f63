"""The calls that ask and advise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rigwise.client.calls import Call, Stream, reading, segment
from service.http.advice_bodies import EstimateResponse, RecommendResponse, WorkloadBody
from service.http.schemas import AskResponse, FeedbackBody, ForgottenBody
from service.store.types import Reason, Verdict


def ask(
    question: str, *, conversation: Sequence[str] = (), conversation_id: str | None = None
) -> Call[AskResponse]:
    """Answer a question, with citations, or say why there is no answer.

    `conversation` holds earlier questions, oldest first; with `conversation_id` the service keeps them.
    """
    body: dict[str, Any] = {"question": question, "conversation": list(conversation)}
    if conversation_id is not None:
        body["conversation_id"] = conversation_id
    return Call(method="POST", path="/v1/ask", json=body, read=reading(AskResponse))


def stream(
    question: str, *, conversation: Sequence[str] = (), conversation_id: str | None = None
) -> Stream:
    """Answer a question step by step; what comes has been checked, and `Done` is the whole answer."""
    asked = ask(question, conversation=conversation, conversation_id=conversation_id)
    return Stream(call=replace(asked, accept="text/event-stream"))


def recommend(
    question: str | None = None, *, workload: WorkloadBody | None = None
) -> Call[RecommendResponse]:
    """Machines that fit a workload, in words or as fields, best first."""
    body = _workload(question, workload)
    return Call(method="POST", path="/v1/recommend", json=body, read=reading(RecommendResponse))


def estimate(
    question: str | None = None, *, workload: WorkloadBody | None = None
) -> Call[EstimateResponse]:
    """What a workload, in words or as fields, needs: memory with its parts, hours, storage."""
    body = _workload(question, workload)
    return Call(method="POST", path="/v1/estimate", json=body, read=reading(EstimateResponse))


def answer(answer_id: str) -> Call[AskResponse]:
    """An answer as it was given."""
    path = f"/v1/answers/{segment(answer_id)}"
    return Call(method="GET", path=path, read=reading(AskResponse))


def feedback(
    answer_id: str, verdict: Verdict, *, reason: Reason = "", comment: str = ""
) -> Call[FeedbackBody]:
    """Say what you think of an answer."""
    body = {"answer_id": answer_id, "verdict": verdict, "reason": reason, "comment": comment}
    return Call(method="POST", path="/v1/feedback", json=body, read=reading(FeedbackBody))


def forget(conversation_id: str) -> Call[ForgottenBody]:
    """Forget a conversation that the service keeps."""
    path = f"/v1/conversations/{segment(conversation_id)}"
    return Call(method="DELETE", path=path, read=reading(ForgottenBody))


def _workload(question: str | None, workload: WorkloadBody | None) -> dict[str, Any]:
    fields = None if workload is None else workload.model_dump(exclude_none=True)
    given = {"question": question, "workload": fields}
    return {name: value for name, value in given.items() if value is not None}
