"""The values that flow through an answer: question, query, evidence, statements, citations, answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from indexer.types import DeviceId, DocumentId, GenerationId, Passage, PassageId

if TYPE_CHECKING:
    from service.advisor.types import Recommendation

Intent = Literal["lookup", "compare", "size", "recommend", "guidance", "out_of_scope"]
Kind = Literal["answer", "clarify", "abstain"]
AbstentionCode = Literal[
    "no_evidence",
    "out_of_scope",
    "unknown_entity",
    "conflicting_sources",
    "needs_detail",
    "impossible",
]
Origin = Literal["cited", "computed", "question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A span of a document that supports a statement: `document.text[start:end]`."""

    document_id: DocumentId
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input of a computation. `basis` says where it is from: "cited", "question", "assumed" or "computed"."""

    name: str
    value: float
    unit: str
    basis: Literal["cited", "question", "assumed", "computed"]
    quote: Quote | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """How a number came about. `formula` is written with the names of the inputs; `source` names paper and section."""

    formula: str
    inputs: tuple[Input, ...]
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number with its unit as it stands in a statement's text.

    origin "cited": it equals, after unit conversion, a number inside one of the statement's quotes;
    "computed": `computation` shows how; "question": the asker stated it.
    """

    value: float
    unit: str
    origin: Origin
    qualifiers: tuple[tuple[str, str], ...] = ()
    computation: Computation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence (or table row) of an answer, with what supports it."""

    text: str
    quotes: tuple[Quote, ...]
    numbers: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked. `conversation` holds earlier questions of the same conversation, oldest first."""

    text: str
    id: str = ""
    conversation: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with its fused score, and its rank in each leg that found it (1 is best)."""

    passage: Passage
    score: float
    legs: Mapping[str, int] = field(default_factory=dict)
    similarity: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A numbered quote with the document that it comes from."""

    n: int
    passage_id: PassageId
    document_id: DocumentId
    title: str
    path: str
    url: str
    kind: str
    as_of: str
    heading_path: tuple[str, ...]
    page: int | None
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """Why there is no answer, the nearest passages, the one detail that would help, and what it may be."""

    code: AbstentionCode
    why: str
    nearest: tuple[PassageId, ...] = ()
    ask: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of an answer. Each row's quotes support its cells."""

    header: tuple[str, ...]
    rows: tuple[Statement, ...]
    cells: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What composing made, before quotes become numbered citations."""

    kind: Kind
    statements: tuple[Statement, ...] = ()
    table: Table | None = None
    abstention: Abstention | None = None
    recommendation: Recommendation | None = None
    checks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The one object that HTTP, CLI, Slack and the page render.

    `rewritten` is a follow-up written out in full, `parts` are the questions of a text that holds several.
    """

    id: str
    question: str
    kind: Kind
    intent: Intent
    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]
    retrieved: tuple[Hit, ...]
    generation: GenerationId
    timings_ms: Mapping[str, float]
    marks: tuple[tuple[int, ...], ...] = ()
    table: Table | None = None
    recommendation: Recommendation | None = None
    abstention: Abstention | None = None
    devices: tuple[DeviceId, ...] = ()
    checks: Mapping[str, int] = field(default_factory=dict)
    rewritten: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What was understood, before anything is looked up."""

    question: str
    rewritten: str
    intent: Intent
    devices: tuple[DeviceId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found, before anything is said."""

    retrieved: tuple[Hit, ...]


Step = Analysis | Found | Answer
