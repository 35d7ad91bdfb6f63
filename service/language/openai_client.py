"""The official OpenAI client, for any endpoint that speaks its protocol: Ollama, llama.cpp, vLLM, a hosted one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.language.model import Complete
from service.language.prompt import Message
from service.language.writer import WriterFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is. Failed attempts are repeated by the client itself, with pauses that grow."""

    url: str
    model: str
    key: str = ""
    timeout_s: float = 15.0
    retries: int = 1
    max_tokens: int = 800


def complete_with(endpoint: Endpoint) -> Complete:
    """A function that asks this endpoint.

    Raises:
        WriterFailed: the extra `llm` is not installed.
    """
    try:
        from openai import OpenAI, OpenAIError
    except ImportError as error:
        raise WriterFailed("install the extra: pip install 'rigwise[llm]'") from error
    client = OpenAI(
        base_url=endpoint.url,
        api_key=endpoint.key or "none",  # local servers want none, the client wants one
        timeout=endpoint.timeout_s,
        max_retries=endpoint.retries,
    )

    def complete(messages: Sequence[Message]) -> str:
        chat: Any = list(messages)
        try:
            reply = client.chat.completions.create(
                model=endpoint.model,
                messages=chat,
                temperature=0,
                seed=0,
                max_tokens=endpoint.max_tokens,
            )
            return str(reply.choices[0].message.content or "")
        except OpenAIError as error:
            raise WriterFailed(
                f"the model {endpoint.model} failed: {type(error).__name__}"
            ) from error
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise WriterFailed(f"the model {endpoint.model} sent no chat completion") from error

    return complete
