"""OpenAI's protocol: the model `rigwise` behind POST /v1/chat/completions, so that chat front ends can ask."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from service.errors import BadQuestion
from service.http import chat_bodies as bodies
from service.http import chat_replies as replies
from service.http.asking import Talk
from service.http.chat_content import Content, content_of
from service.http.chat_errors import error_member
from service.http.errors import ModelNotFound
from service.http.routes import Engine, Pool, check_length, problems
from service.http.schemas import AskRequest
from service.http.stream import EventStream, described
from service.types import Analysis, Answer, Step

router = APIRouter(prefix="/v1", tags=["openai"])
_EARLIER: Final = 20
_MADE: Final = (
    1_796_083_200  # 1 December 2026: clients want a date, the model has always been the same
)
_DONE: Final = b"data: [DONE]\n\n"
_COMPLETION = problems(
    "bad_question", "no_such_model", "overloaded", "answer_timeout", "uncited_claim"
) | {
    200: {
        "description": "The answer; with `stream` chunks of it, ended by `data: [DONE]`.",
        "content": described("message"),  # as an event without a name is called
    }
}


@router.post("/chat/completions", response_model=replies.ChatCompletion, responses=_COMPLETION)
async def complete(
    body: bodies.ChatRequest, request: Request, engine: Engine, pool: Pool
) -> Response:
    """Answer the last message of the user; the ones before are the conversation."""
    _check_model(body.model)
    asked = _question(body.messages, longest=request.app.state.max_question_chars)
    check_length(request.app.state, asked.question)
    talk = Talk.of(request, asked)
    reply = _Reply(request, body)
    if body.stream:
        return EventStream(
            lambda: talk.steps(engine),
            pool,
            request_id=request.state.request_id,
            heartbeat_s=request.app.state.heartbeat_s,
            wire=reply,
        )
    return JSONResponse(await pool.run(lambda: reply.whole(talk.answer(engine))))


@router.get("/models", response_model=replies.ModelList, responses=problems())
async def models() -> JSONResponse:
    """The models: `rigwise`."""
    return JSONResponse(replies.ModelList(data=[replies.ModelCard(created=_MADE)]).model_dump())


@router.get(
    "/models/{model}", response_model=replies.ModelCard, responses=problems("no_such_model")
)
async def model(model: str) -> JSONResponse:
    """The one model."""
    _check_model(model)
    return JSONResponse(replies.ModelCard(created=_MADE).model_dump())


class _Reply:
    """One completion, whole or as the chunks of a stream, under the id of its request."""

    def __init__(self, request: Request, body: bodies.ChatRequest) -> None:
        self._id = f"chatcmpl-{request.state.request_id}"
        self._created = int(datetime.now(UTC).timestamp())
        self._public_url: str = request.app.state.public_url
        self._messages = body.messages
        self._tells_usage = bool(body.stream_options and body.stream_options.include_usage)

    def whole(self, answer: Answer) -> dict[str, Any]:
        """The answer as one object."""
        content = content_of(answer, public_url=self._public_url)
        message = replies.AssistantMessage(
            content=content.text, annotations=list(content.annotations)
        )
        return replies.ChatCompletion(
            id=self._id,
            created=self._created,
            system_fingerprint=answer.generation,
            choices=[replies.Choice(message=message)],
            usage=replies.usage_of(self._messages, content.text),
        ).model_dump()

    def of_step(self, step: Step) -> Iterator[bytes]:
        """The chunks of a step: the role at once, the text when it has been checked."""
        if isinstance(step, Analysis):
            yield self._chunk({"role": "assistant", "content": ""})
        elif isinstance(step, Answer):
            content = content_of(step, public_url=self._public_url)
            yield from self._chunks(content, step.generation)
            yield _DONE

    def failed(self, problem: Mapping[str, Any]) -> bytes:
        """An error in the middle of a stream, in the form that OpenAI's clients raise."""
        return _encoded({"error": error_member(problem)})

    def _chunks(self, content: Content, generation: str) -> Iterator[bytes]:
        more = {"system_fingerprint": generation}
        for piece in content.pieces:
            yield self._chunk({"content": piece}, more)
        if content.annotations:
            found = [each.model_dump() for each in content.annotations]
            yield self._chunk({"annotations": found}, more)
        yield self._chunk({}, more, finish="stop")
        if self._tells_usage:
            usage = replies.usage_of(self._messages, content.text).model_dump()
            yield self._encoded_chunk({**more, "choices": [], "usage": usage})

    def _chunk(
        self,
        delta: dict[str, Any],
        more: Mapping[str, Any] | None = None,
        *,
        finish: str | None = None,
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return self._encoded_chunk({**(more or {}), "choices": [choice]})

    def _encoded_chunk(self, fields: Mapping[str, Any]) -> bytes:
        head = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": bodies.MODEL,
        }
        return _encoded({**head, **fields})


def _encoded(data: Mapping[str, Any]) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"data: {text}\n\n".encode()


def _check_model(name: str) -> None:
    if name != bodies.MODEL:
        raise ModelNotFound(name)


def _question(messages: list[bodies.ChatMessage], *, longest: int) -> AskRequest:
    """The last message of the user with its earlier questions; what was too long to be answered is none of them."""
    mine = [message for message in messages if message.role == "user"]
    if not mine or not mine[-1].words.strip():
        raise BadQuestion("no message of the role `user` holds a text; send the question as one")
    if isinstance(mine[-1].content, list) and any(part.type != "text" for part in mine[-1].content):
        raise BadQuestion("only parts of the type `text` are read; leave out pictures and files")
    longest_earlier = min(longest, 4000)
    earlier = [
        one.words for one in mine[:-1] if one.words.strip() and len(one.words) <= longest_earlier
    ]
    return AskRequest(question=mine[-1].words, conversation=earlier[-_EARLIER:])
