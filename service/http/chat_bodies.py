"""What the routes of OpenAI's protocol take: lenient as there, and strict where a reply could not keep its promise."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MODEL: Final = "rigwise"
# What would promise something that an answer of Rigwise is not, and the values that promise nothing.
_PROMISES: Final[dict[str, tuple[object, ...]]] = {
    "n": (None, 1),
    "tools": (None, []),
    "functions": (None, []),
    "logprobs": (None, False),
    "response_format": (None, {"type": "text"}),
    "modalities": (None, ["text"]),
    "audio": (None,),
}


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class ContentPart(_Lenient):
    """A piece of a message; only pieces of the type `text` are read."""

    type: str
    text: str | None = None


class ChatMessage(_Lenient):
    """A message. Only those of the user are read: an answer stands on documents, not on what was said."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None

    @property
    def words(self) -> str:
        """The text of the message."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.text)


class StreamOptions(_Lenient):
    """What a stream holds beside the answer."""

    include_usage: bool | None = None


class ChatRequest(_Lenient):
    """A conversation whose last message of the user is the question.

    Parameters that steer a language model (`temperature`, `max_tokens`, `seed` and so on) change nothing and are
    ignored; what an answer cannot keep (`tools`, `n` above 1, `response_format` of JSON, `logprobs`, `audio`) is refused.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": MODEL,
                    "messages": [{"role": "user", "content": "How much memory does an H200 have?"}],
                }
            ]
        }
    )

    model: str = Field(description="Always `rigwise`.")
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1000)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None

    @model_validator(mode="after")
    def _keeps_its_promises(self) -> ChatRequest:
        for name, harmless in _PROMISES.items():
            if (self.model_extra or {}).get(name) not in harmless:
                raise ValueError(
                    f"{name}: an answer of Rigwise is one checked text; leave {name} out"
                )
        return self
