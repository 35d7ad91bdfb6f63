"""The question's own routes: one reply or a stream of events, within a conversation or without; and forgetting one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import State
from starlette.responses import Response

from service.access import Caller
from service.http import schemas
from service.http.metrics import Meters
from service.http.ports import Answerer
from service.http.routes import Engine, Pool, check_length, problems
from service.http.stream import EVENTS, EventStream, described, wants_events
from service.render import answer_object
from service.store.keeper import Keeper
from service.traces import Traces
from service.turns import Conversations, turn_of
from service.types import Answer, Question, Step

router = APIRouter(prefix="/v1", tags=["answers"])


class Talk:
    """A question within its conversation: what came before is added, what comes out is kept."""

    def __init__(
        self, held: State, body: schemas.AskRequest, *, caller: Caller, request_id: str
    ) -> None:
        self._meters: Meters = held.meters
        self._kept: Conversations = held.conversations
        self._keeper: Keeper | None = held.keeper
        self._traces: Traces | None = held.traces
        self._caller = caller
        self._id = _kept_id(caller, body.conversation_id) if body.conversation_id else ""
        self._body = body
        self._request_id = request_id

    @classmethod
    def of(cls, request: Request, body: schemas.AskRequest) -> Talk:
        """The talk of an HTTP request."""
        known = request.state
        return cls(request.app.state, body, caller=known.caller, request_id=known.request_id)

    def answer(self, engine: Answerer) -> Answer:
        """The answer, kept as a turn."""
        return self._noted(engine.answer(self._question()))

    def steps(self, engine: Answerer) -> Iterator[Step]:
        """The answer step by step; its end is kept as a turn."""
        for step in engine.steps(self._question()):
            yield self._noted(step) if isinstance(step, Answer) else step

    def _question(self) -> Question:
        """Made on the thread that answers, since the conversation may lie in a database."""
        earlier = tuple(turn.asked for turn in self._kept.turns(self._id)) if self._id else ()
        return Question(
            text=self._body.question,
            id=self._request_id,
            conversation=(*earlier, *self._body.conversation),
        )

    def _noted(self, answer: Answer) -> Answer:
        self._meters.answered(answer)
        if self._traces is not None:
            self._traces.answered(answer)
        if self._keeper is not None:
            self._keeper.record(answer, asker=self._caller.name, conversation=self._id)
        if self._id:
            self._kept.add(self._id, turn_of(answer))
        return answer


_ASK = problems("bad_question", "overloaded", "answer_timeout", "uncited_claim") | {
    200: {
        "description": "The answer; with `Accept: text/event-stream` the events `analysis`, `evidence`, `statement`, "
        "`recommendation`, `done`, or `error`.",
        "content": described(*EVENTS),
    }
}


@router.post("/ask", response_model=schemas.AskResponse, responses=_ASK)
async def ask(body: schemas.AskRequest, request: Request, engine: Engine, pool: Pool) -> Response:
    """Answer a question from the corpus, with citations, or say why there is no answer."""
    check_length(request.app.state, body.question, *body.conversation)
    talk = Talk.of(request, body)
    if wants_events(request):
        return EventStream(
            lambda: talk.steps(engine),
            pool,
            request_id=request.state.request_id,
            heartbeat_s=request.app.state.heartbeat_s,
        )
    return await pool.run(lambda: JSONResponse(answer_object(talk.answer(engine))))


@router.delete(
    "/conversations/{conversation_id}",
    response_model=schemas.ForgottenBody,
    responses=problems("store_unavailable"),
)
def forget(
    conversation_id: Annotated[str, Path(pattern=schemas.CONVERSATION_ID)], request: Request
) -> JSONResponse:
    """Forget a conversation. Doing it again does no harm."""
    kept: Conversations = request.app.state.conversations
    return JSONResponse({"deleted": kept.delete(_kept_id(request.state.caller, conversation_id))})


def _kept_id(caller: Caller, conversation: str) -> str:
    """A conversation of one caller is none of another's, whatever id they choose."""
    return f"{caller.name}/{conversation}"
