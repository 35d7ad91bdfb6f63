"""The events of a streamed answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import httpx2
from pydantic import BaseModel

from rigwise.client.calls import reading
from rigwise.client.errors import BadReply, problem_from
from service.http.schemas import AskResponse, CitationBody, RetrievedBody, StatementBody
from service.types import Intent


class Understood(BaseModel):
    """What was understood; once for each question of a text."""

    question: str
    rewritten: str
    intent: Intent
    devices: list[str]


class Retrieved(BaseModel):
    """What was found."""

    retrieved: list[RetrievedBody]


class Said(StatementBody):
    """A checked statement; `sources` are the citations that it is the first to use."""

    sources: list[CitationBody]


class Recommended(BaseModel):
    """The recommendation."""

    recommendation: dict[str, Any]


class Done(BaseModel):
    """The whole answer; the last event."""

    answer: AskResponse


Event = Understood | Retrieved | Said | Recommended | Done
_MODELS: Final[Mapping[str, type[Understood | Retrieved | Said]]] = {
    "analysis": Understood,
    "evidence": Retrieved,
    "statement": Said,
}


def event_of(sent: httpx2.ServerSentEvent) -> Event | None:
    """An event of the wire; None: a newer service sends one that this client does not know.

    Raises:
        ClientError: the service says that it failed, or the data is not what is documented.
    """
    if sent.event == "error":
        raise problem_from(_json(sent))
    if sent.event == "done":
        return Done(answer=reading(AskResponse)(sent.data))
    if sent.event == "recommendation":
        return Recommended(recommendation=_json(sent))
    model = _MODELS.get(sent.event)
    return None if model is None else reading(model)(sent.data)


def check_end(last: Event | None) -> None:
    """Raise when a stream ended before the answer was whole."""
    if not isinstance(last, Done):
        raise BadReply("the stream ended before the answer was whole")


def _json(sent: httpx2.ServerSentEvent) -> Any:
    try:
        return sent.json()
    except ValueError as error:
        raise BadReply(f"the event {sent.event} holds no JSON") from error
