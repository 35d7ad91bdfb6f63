"""What the routes of OpenAI's protocol reply."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from service.http.chat_bodies import MODEL, ChatMessage


class UrlCitation(BaseModel):
    """The source behind the mark that stands at `content[start_index:end_index]`."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(BaseModel):
    """A citation of the content."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class AssistantMessage(BaseModel):
    """The answer in Markdown with marks such as [1], its table and its sources."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[Annotation]


class Choice(BaseModel):
    """The one answer."""

    index: Literal[0] = 0
    message: AssistantMessage
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class Usage(BaseModel):
    """Words (runs of characters between blanks), since there need be no language model whose tokens could be counted."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    unit: Literal["words"] = "words"


class ChatCompletion(BaseModel):
    """An answer. `system_fingerprint` is the generation of the index that it was answered from."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str = MODEL
    system_fingerprint: str
    choices: list[Choice]
    usage: Usage


class ModelCard(BaseModel):
    """The one model."""

    id: str = MODEL
    object: Literal["model"] = "model"
    created: int
    owned_by: str = MODEL


class ModelList(BaseModel):
    """All models: one."""

    object: Literal["list"] = "list"
    data: list[ModelCard]


def usage_of(asked: list[ChatMessage], content: str) -> Usage:
    """What a completion took and made, in words."""
    prompt = sum(len(message.words.split()) for message in asked)
    completion = len(content.split())
    return Usage(
        prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion
    )
