"""The bodies of the routes that change the index."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.http.jobs import JobState, Trigger


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RebuildRequest(_Taken):
    """How to build."""

    full: bool = Field(
        default=False, description="Read every file anew; unchanged text keeps its vectors."
    )


class RollbackRequest(_Taken):
    """Where to go back to."""

    generation: str | None = Field(
        default=None,
        pattern=r"^[0-9a-f]{16}$",
        description="A generation's id; the one before the current one if left out.",
    )


class JobBody(_Sent):
    """A job. Times are UTC in ISO 8601, empty until they come."""

    id: str
    trigger: Trigger
    state: JobState
    created_at: str
    started_at: str
    finished_at: str
    stage: str = Field(description="What a running job is at: `parse` or `embed`.")
    steps_done: int
    steps: int
    code: str = Field(description="Code of the error of a failed job.")
    detail: str
    report: dict[str, Any] = Field(
        description="What the build did: generation, published, held, added, changed, removed, reused, embedded, "
        "passages, rejected, stale, seconds by stage."
    )


class JobList(_Sent):
    """The last jobs, newest first."""

    items: list[JobBody]


class StoredBody(_Sent):
    """A document was stored or removed; the job brings the index up to date."""

    path: str
    job: JobBody


class GenerationBody(_Sent):
    """A generation on the disk."""

    id: str
    current: bool = Field(description="Whether it answers now.")
    built_at: str
    documents: int
    passages: int
    rejected: int
    error: str = Field(description="Code of why it cannot be read; empty: it can.")


class GenerationList(_Sent):
    """The generations on the disk, newest first."""

    items: list[GenerationBody]


class RolledBackBody(_Sent):
    """Which generation was in use, and which one is now."""

    before: str
    generation: str


class DocumentState(_Sent):
    """A file. `reason` and `line` say why it, or its newest version, was refused."""

    path: str
    id: str | None
    state: Literal["indexed", "stale", "rejected"]
    passages: int
    reason: str
    line: int | None
    own: bool = Field(
        description="Whether it lies in your own folder, from which it can be removed."
    )


class DocumentStates(_Sent):
    """Every file by path."""

    items: list[DocumentState]
    generation: str
