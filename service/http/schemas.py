"""The bodies of the HTTP API: what comes in is strict, what goes out is the answer contract."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.store.types import Reason, Verdict
from service.types import AbstentionCode, Intent, Kind, Origin

Earlier = Annotated[str, Field(min_length=1, max_length=4000)]

CONVERSATION_ID = ANSWER_ID = r"^[A-Za-z0-9._-]{1,64}$"
ConversationId = Annotated[str, Field(pattern=CONVERSATION_ID)]


class AskRequest(BaseModel):
    """A question."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_extra={"examples": [{"question": "How much memory does an H200 have?"}]},
    )

    question: str = Field(min_length=1, description="The question, in one or more sentences.")
    conversation: Annotated[list[Earlier], Field(max_length=20)] = Field(
        default_factory=list,
        description="Earlier questions of the same conversation, oldest first.",
    )
    conversation_id: ConversationId | None = Field(
        default=None,
        description="Keeps the conversation here under an id of your choice; then `conversation` may be left out.",
    )


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NumberBody(_Sent):
    """A number with its unit, and where it is from."""

    value: float
    unit: str
    qualifiers: dict[str, str]
    origin: Origin
    citation: int | None = Field(description="Number of the citation whose quote states it.")
    computation: dict[str, Any] | None = Field(
        description="Formula and inputs, when it was computed."
    )


class StatementBody(_Sent):
    """A sentence of the answer, with the numbers of the citations that support it."""

    text: str
    citations: list[int]
    numbers: list[NumberBody]


class RowBody(StatementBody):
    """A row of a table."""

    cells: list[str]


class TableBody(_Sent):
    """A table of the answer."""

    caption: str
    header: list[str]
    rows: list[RowBody]


class DocumentHead(_Sent):
    """Which document it is."""

    id: str
    title: str
    path: str
    url: str
    kind: str
    as_of: str


class CitationBody(_Sent):
    """A quote: exactly the characters from `start` to before `end` of the document's text."""

    n: int
    passage_id: str
    document: DocumentHead
    heading_path: list[str]
    page: int | None
    quote: str
    start: int
    end: int


class AbstentionBody(_Sent):
    """Why there is no answer, and the one detail that would help."""

    code: AbstentionCode
    why: str
    nearest: list[str]
    ask: str
    choices: list[str]


class RetrievedBody(_Sent):
    """A passage that was found, whether or not the answer stands on it."""

    passage_id: str
    score: float
    similarity: float
    legs: dict[str, int]


class AskResponse(_Sent):
    """An answer. The same question on the same generation gives the same bytes, `id` and `timings_ms` aside."""

    id: str
    question: str
    rewritten: str = Field(
        description="A follow-up written out in full; empty for other questions."
    )
    parts: list[str] = Field(description="The questions of a text that holds several.")
    kind: Kind
    intent: Intent
    text: str = Field(description="Markdown with marks such as [1].")
    statements: list[StatementBody]
    table: TableBody | None
    citations: list[CitationBody] = Field(description="What the answer stands on.")
    recommendation: dict[str, Any] | None = Field(
        description="What was understood, what it needs, what fits in which order, what does not and why."
    )
    abstention: AbstentionBody | None
    devices: list[str]
    retrieved: list[RetrievedBody] = Field(description="All that was found.")
    generation: str
    checks: dict[str, int]
    timings_ms: dict[str, float]


class ForgottenBody(_Sent):
    """Whether there was such a conversation."""

    deleted: bool


class FeedbackRequest(BaseModel):
    """What somebody thinks of an answer."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_extra={"examples": [{"answer_id": "5f0c2b7e", "verdict": "up"}]},
    )

    answer_id: str = Field(pattern=ANSWER_ID, description="The `id` of the answer.")
    verdict: Verdict
    reason: Reason = Field(default="", description="What is wrong with it, if one of these.")
    comment: str = Field(default="", max_length=2000, description="In your own words.")


class FeedbackBody(_Sent):
    """The feedback was taken and will be stored."""

    id: str


class FoundPassage(RetrievedBody):
    """A found passage with its text."""

    document_id: str
    heading_path: list[str]
    text: str


class SearchResponse(_Sent):
    """Passages, best first."""

    query: str
    hits: list[FoundPassage]
    generation: str


class PassageBody(_Sent):
    """A passage and the document that it is a span of."""

    id: str
    kind: str
    document: DocumentHead
    heading_path: list[str]
    page: int | None
    start: int
    end: int
    text: str
    generation: str


class DocumentSummary(DocumentHead):
    """A document without its text. `stale`: its newest file was refused, this is the last good version."""

    media_type: str
    passages: int
    stale: bool


class DocumentBody(DocumentSummary):
    """A document with its text."""

    sha256: str
    sources: list[dict[str, Any]]
    passage_ids: list[str]
    text: str
    generation: str


class _Page(_Sent):
    total: int
    limit: int
    offset: int
    next_offset: int | None
    generation: str


class DocumentPage(_Page):
    """A page of documents, by id."""

    items: list[DocumentSummary]


class DevicePage(_Page):
    """A page of devices, by id, without their facts."""

    items: list[dict[str, Any]]


class OfferPage(_Page):
    """A page of machines for rent, cheapest first."""

    items: list[dict[str, Any]]


class IndexBody(_Sent):
    """The generation in use."""

    generation: str
    counts: dict[str, int]
    embedder: dict[str, Any]
    fingerprint: str
    chunker_version: int
    rejected: list[dict[str, Any]]
    stale: list[str]


class LiveBody(_Sent):
    """The process runs."""

    status: Literal["ok"] = "ok"


class StageBody(_Sent):
    """How far a stage of loading is."""

    state: Literal["waiting", "loading", "ready", "stale", "failed"]
    code: str
    detail: str


class ReadyBody(_Sent):
    """Whether questions are answered; `stale` answers from the previous generation, `degraded` lacks a part.

    `parts` says of each part beside the stages what is wrong with it; empty: nothing.
    """

    status: Literal["ready", "stale", "degraded", "not_ready"]
    stages: dict[str, StageBody]
    parts: dict[str, str]


class ProblemBody(_Sent):
    """An error (RFC 9457). `code` is stable, `detail` says what would help."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    errors: list[dict[str, str]] | None = None
    error: dict[str, Any] | None = Field(
        default=None,
        description="The same for OpenAI's clients; only from the routes of their protocol.",
    )
