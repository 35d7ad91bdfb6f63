"""How a build is followed, told to stop, and reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from indexer.errors import BuildCancelled
from indexer.manifest import Rejection
from indexer.types import GenerationId


class Progress(Protocol):
    """Told of a stage's start with its number of steps, and of steps done."""

    def start(self, stage: str, total: int) -> None:
        """A stage begins."""

    def advance(self, steps: int) -> None:
        """Some steps of the running stage are done."""


class Silent:
    """A progress that shows nothing."""

    def start(self, stage: str, total: int) -> None:
        """Nothing."""

    def advance(self, steps: int) -> None:
        """Nothing."""


class Cancellable:
    """Passes progress on, and stops the build between two steps once it is told to."""

    def __init__(self, inner: Progress, cancelled: Callable[[], bool]) -> None:
        self._inner = inner
        self._cancelled = cancelled

    def check(self) -> None:
        """Stop here if the build is cancelled.

        Raises:
            BuildCancelled: it is.
        """
        if self._cancelled():
            raise BuildCancelled

    def start(self, stage: str, total: int) -> None:
        """A stage begins."""
        self.check()
        self._inner.start(stage, total)

    def advance(self, steps: int) -> None:
        """Some steps of the running stage are done."""
        self.check()
        self._inner.advance(steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How a build may differ from the usual one.

    `keep`: generations that stay on the disk. `full`: read every document anew; vectors of unchanged texts are
    reused all the same. `release`: publish even what was rolled back from. `cancelled` is asked between steps.
    """

    keep: int = 5
    full: bool = False
    release: bool = True
    cancelled: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build did: documents by path, vectors reused and embedded (passages and sentences), seconds by stage.

    `held`: the files give a generation that was rolled back from, so the build left the published one in place.
    """

    generation: GenerationId
    published: bool
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reused: int = 0
    embedded: int = 0
    passages: int = 0
    rejected: tuple[Rejection, ...] = ()
    stale: tuple[str, ...] = ()
    held: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
