"""Jobs that bring the index up to date, as the routes see them. Who builds is given from outside: `Rebuilder`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from indexer.types import GenerationId

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
Trigger = Literal["request", "upload", "delete", "watch", "start", "repair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One build. Times are UTC in ISO 8601, empty until they come; `code` and `detail` say what went wrong.

    A job is done when its generation answers questions here, not when it is written.
    """

    id: str
    trigger: Trigger
    state: JobState
    created_at: str
    started_at: str = ""
    finished_at: str = ""
    stage: str = ""
    steps_done: int = 0
    steps: int = 0
    code: str = ""
    detail: str = ""
    report: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGeneration:
    """A generation on the disk. `built_at` is UTC in ISO 8601; `error` is the code of why it cannot be read."""

    id: GenerationId
    current: bool
    built_at: str
    documents: int = 0
    passages: int = 0
    rejected: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """Which generation was in use, and which one is now."""

    before: GenerationId
    generation: GenerationId


class Rebuilder(Protocol):
    """Builds in the background, one job at a time. Calls come from several threads at once."""

    def request(self, trigger: Trigger, *, full: bool = False) -> Job:
        """Ask for a build. A job that has not begun yet serves every request made until it begins."""
        ...

    def jobs(self) -> Sequence[Job]:
        """The last jobs, newest first."""
        ...

    def cancel(self, job_id: str) -> Job | None:
        """Tell a job to stop; None if there is none of that id. One that has ended stays as it ended."""
        ...

    def generations(self) -> Sequence[KeptGeneration]:
        """The generations on the disk, newest first."""
        ...

    def roll_back(self, generation: GenerationId | None) -> RolledBack:
        """Serve an earlier generation, the one before if none is named.

        Raises:
            GenerationNotFound: there is no such generation.
            GenerationCorrupt: it does not open.
        """
        ...
