"""What is loaded and what is not: the port opens first, model and index come after, in a thread of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event, Lock, Thread
from types import MappingProxyType
from typing import Final, Literal

import structlog

from indexer.errors import IndexerError
from service.access import Caller
from service.errors import NotReady, ServiceError
from service.http.ports import Answerer

StageName = Literal["model", "index"]
StageState = Literal["waiting", "loading", "ready", "stale", "failed"]
_SERVING: Final = frozenset({"ready", "stale"})
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How far a stage is. `code` and `detail` say what went wrong when it failed or is stale."""

    state: StageState = "waiting"
    code: str = ""
    detail: str = ""


class ServiceState:
    """The stages of loading, and the engine once they are done. Safe to use from several threads.

    `load` runs once in a thread; it marks the stages and returns the engine. `refresh` runs every `refresh_s` after
    that and looks for a newer generation; when it fails, the old one stays in use and the index is marked stale.
    """

    def __init__(
        self,
        load: Callable[[ServiceState], Answerer],
        *,
        refresh: Callable[[], object] | None = None,
        refresh_s: float = 2.0,
    ) -> None:
        self._load = load
        self._refresh = refresh
        self._refresh_s = refresh_s
        self._lock = Lock()
        self._stages: dict[StageName, Stage] = {"model": Stage(), "index": Stage()}
        self._answerer: Answerer | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin to load; returns at once."""
        self._stop.clear()
        self._thread = Thread(target=self._run, name="rigwise-loader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End looking for newer generations; what is loaded stays."""
        self._stop.set()

    def mark(self, stage: StageName, state: StageState, error: Exception | None = None) -> None:
        """Note a stage's state, and what went wrong."""
        code = getattr(error, "code", "internal_error") if error is not None else ""
        noted = Stage(state=state, code=code, detail=str(error or ""))
        with self._lock:
            changed = self._stages[stage] != noted
            self._stages[stage] = noted
        if changed:
            _log.info("stage.changed", stage=stage, state=state, code=code, detail=noted.detail)

    def stages(self) -> Mapping[StageName, Stage]:
        """The stages as they are now."""
        with self._lock:
            return MappingProxyType(dict(self._stages))

    def ready(self) -> bool:
        """Whether questions are answered; a stale index answers too."""
        return self._answerer is not None and all(
            stage.state in _SERVING for stage in self.stages().values()
        )

    def answerer(self, caller: Caller) -> Answerer:
        """The engine, as this caller may see its documents.

        Raises:
            NotReady: a stage is not done; says which, and why when it failed.
        """
        answerer = self._answerer
        if answerer is not None and self.ready():
            seen = caller.visible
            return answerer if seen is None else answerer.within(seen)
        told = ", ".join(_told(name, stage) for name, stage in self.stages().items())
        raise NotReady(f"not ready: {told}")

    def _run(self) -> None:
        try:
            self._answerer = self._load(self)
        except (IndexerError, ServiceError, OSError) as error:
            self._fail(error)
            return
        except Exception as error:
            self._fail(error)
            raise
        while self._refresh is not None and not self._stop.wait(self._refresh_s):
            self._look(self._refresh)

    def _fail(self, error: Exception) -> None:
        """Blame the stage that was loading."""
        for name, stage in self.stages().items():
            if stage.state == "loading":
                self.mark(name, "failed", error)
                return
        self.mark("index", "failed", error)

    def _look(self, refresh: Callable[[], object]) -> None:
        try:
            refresh()
        except (IndexerError, OSError) as error:
            self.mark("index", "stale", error)
        else:
            self.mark("index", "ready")


def _told(name: str, stage: Stage) -> str:
    return f"{name} {stage.state}" + (f" ({stage.detail})" if stage.detail else "")
