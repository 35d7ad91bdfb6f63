"""Builds in the background: one thread, one job at a time, a history that outlives the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Final
from uuid import uuid4

import structlog

from indexer.errors import BuildCancelled, IndexerError
from indexer.generation import GenerationStore
from indexer.report import BuildOptions, BuildReport, Progress
from indexer.types import GenerationId
from rigwise.journal import read_journal, write_journal
from service.http.jobs import Job, KeptGeneration, RolledBack, Trigger

Build = Callable[[BuildOptions, Progress], BuildReport]
_KEPT: Final = 50
_ENDED: Final = frozenset({"done", "failed", "cancelled"})
# Nobody asked for these, so what they give may not undo a rollback.
_BY_ITSELF: Final = frozenset({"watch", "start", "repair"})
_log = structlog.get_logger()


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class BackgroundRebuilder:
    """Runs `build` for each job, then `adopt`, which brings the generation into use, and only then calls it done.

    The history stands in `journal`. Jobs that a former process left unfinished are told as failed there, and asked
    for anew.
    """

    def __init__(
        self,
        store: GenerationStore,
        build: Build,
        adopt: Callable[[], object],
        *,
        journal: Path,
        clock: Callable[[], str] = now,
    ) -> None:
        self._store = store
        self._build = build
        self._adopt = adopt
        self._journal = journal
        self._clock = clock
        self._changed = Condition()
        self._jobs = [self._interrupted(job) for job in read_journal(journal)]
        self._cancelled: dict[str, Event] = {}
        self._full: set[str] = set()
        self._thread: Thread | None = None
        self._closed = False

    def start(self) -> None:
        """Begin to work; jobs that were cut off are asked for anew. Until then jobs wait."""
        cut_off = any(job.code == "interrupted" for job in self._jobs[:1])
        self._thread = Thread(target=self._run, name="rigwise-builder", daemon=True)
        self._thread.start()
        if cut_off:
            self.request("start")

    def close(self) -> None:
        """Stop the running job between two steps, and wait for that for a while."""
        with self._changed:
            self._closed = True
            for cancelled in self._cancelled.values():
                cancelled.set()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(10)

    def request(self, trigger: Trigger, *, full: bool = False) -> Job:
        """Ask for a build. A job that has not begun yet serves every request made until it begins."""
        with self._changed:
            waiting = next((job for job in self._jobs if job.state == "queued"), None)
            job = waiting or Job(
                id=uuid4().hex[:12], trigger=trigger, state="queued", created_at=self._clock()
            )
            if waiting is None:
                self._cancelled[job.id] = Event()
                self._jobs.insert(0, job)
            elif trigger not in _BY_ITSELF:
                job = self._put(replace(job, trigger=trigger))
            if full:
                self._full.add(job.id)
            self._changed.notify_all()
            return job

    def jobs(self) -> Sequence[Job]:
        """The last jobs, newest first."""
        with self._changed:
            return tuple(self._jobs)

    def cancel(self, job_id: str) -> Job | None:
        """Tell a job to stop; None if there is none of that id."""
        with self._changed:
            job = next((item for item in self._jobs if item.id == job_id), None)
            if job is None or job.state in _ENDED:
                return job
            self._cancelled[job_id].set()
            if job.state == "queued":
                job = self._put(replace(job, state="cancelled", finished_at=self._clock()))
            return job

    def generations(self) -> Sequence[KeptGeneration]:
        """The generations on the disk, newest first."""
        current = self._store.current()
        return tuple(
            self._kept(generation, current=generation == current)
            for generation in self._store.listed()
        )

    def roll_back(self, generation: GenerationId | None) -> RolledBack:
        """Serve an earlier generation; one that cannot be used here leaves everything as it was.

        Raises:
            GenerationNotFound, GenerationCorrupt, IndexLocked: as the store does.
            EmbedderMismatch: it was built with another model.
        """
        with self._store.writing():
            before = self._store.current()
            target = self._store.roll_back(generation)
        try:
            self._adopt()
        except IndexerError:
            with self._store.writing():
                self._store.roll_back(before)
            raise
        _log.info("index.rolled_back", before=before, generation=target)
        return RolledBack(before=before or target, generation=target)

    def _kept(self, generation: GenerationId, *, current: bool) -> KeptGeneration:
        put_there_s = self._store.version(generation) / 1e9
        built_at = datetime.fromtimestamp(put_there_s, UTC).isoformat(timespec="seconds")
        try:
            manifest = self._store.manifest(generation)
        except IndexerError as error:
            return KeptGeneration(
                id=generation, current=current, built_at=built_at, error=error.code
            )
        return KeptGeneration(
            id=generation,
            current=current,
            built_at=built_at,
            documents=manifest.counts.get("documents", 0),
            passages=manifest.counts.get("passages", 0),
            rejected=len(manifest.rejected),
        )

    def wait_idle(self, timeout_s: float) -> bool:
        """Whether every job ended within the time."""
        with self._changed:
            return self._changed.wait_for(
                lambda: all(job.state in _ENDED for job in self._jobs), timeout_s
            )

    def _run(self) -> None:
        while (job := self._next()) is not None:
            ended = self._ended(job)
            with self._changed:
                self._put(ended)
                spared = ended.state == "done" and not ended.report["published"]
                if spared and ended.trigger in _BY_ITSELF:
                    self._jobs = [item for item in self._jobs if item.id != job.id]
                self._jobs = self._jobs[:_KEPT]
                del self._cancelled[job.id]
                self._full.discard(job.id)
                write_journal(self._journal, self._jobs)
                self._changed.notify_all()

    def _next(self) -> Job | None:
        """The job that has waited longest, begun; None once closed."""
        with self._changed:
            while not self._closed:
                waiting = [job for job in self._jobs if job.state == "queued"]
                if waiting:
                    job = self._put(replace(waiting[-1], state="running", started_at=self._clock()))
                    write_journal(self._journal, self._jobs)
                    return job
                self._changed.wait()
            return None

    def _ended(self, job: Job) -> Job:
        """The job as it ended. Whatever goes wrong is told by it, and the next job gets its turn."""
        try:
            report = self._build(
                BuildOptions(
                    full=job.id in self._full,
                    release=job.trigger not in _BY_ITSELF,
                    cancelled=self._cancelled[job.id].is_set,
                ),
                _Shown(self, job.id),
            )
            self._adopt()
        except BuildCancelled:
            return self._finished(job.id, state="cancelled")
        except (IndexerError, OSError) as error:
            code = getattr(error, "code", "os_error")
            _log.warning("job.failed", job=job.id, code=code, detail=str(error))
            return self._finished(job.id, state="failed", code=code, detail=str(error))
        except Exception:  # noqa: BLE001 - the thread must live on; the job tells and the log has it
            _log.exception("job.failed", job=job.id)
            detail = "the build failed; the log holds the reason"
            return self._finished(job.id, state="failed", code="internal_error", detail=detail)
        _log.info("job.done", job=job.id, generation=report.generation, published=report.published)
        return replace(self._finished(job.id, state="done"), report=_plain(report))

    def _finished(self, job_id: str, **fields: str) -> Job:
        with self._changed:
            job = next(item for item in self._jobs if item.id == job_id)
            return replace(job, finished_at=self._clock(), stage="", **fields)  # type: ignore[arg-type]

    def show(self, job_id: str, stage: str, steps: int, *, done: int) -> None:
        """Note how far a job is."""
        with self._changed:
            job = next(item for item in self._jobs if item.id == job_id)
            self._put(replace(job, stage=stage, steps=steps, steps_done=done))

    def _put(self, job: Job) -> Job:
        self._jobs = [job if item.id == job.id else item for item in self._jobs]
        return job

    def _interrupted(self, job: Job) -> Job:
        if job.state in _ENDED:
            return job
        detail = "the process ended during this job; it is asked for anew at the next start"
        return replace(job, state="failed", code="interrupted", detail=detail)


class _Shown:
    """Progress of a build, shown by its job."""

    def __init__(self, rebuilder: BackgroundRebuilder, job_id: str) -> None:
        self._rebuilder = rebuilder
        self._job_id = job_id
        self._stage, self._steps, self._done = "", 0, 0

    def start(self, stage: str, total: int) -> None:
        """A stage begins."""
        self._stage, self._steps, self._done = stage, total, 0
        self._rebuilder.show(self._job_id, stage, total, done=0)

    def advance(self, steps: int) -> None:
        """Some steps of the running stage are done."""
        self._done += steps
        self._rebuilder.show(self._job_id, self._stage, self._steps, done=self._done)


def _plain(report: BuildReport) -> dict[str, object]:
    shown = asdict(report)
    shown["rejected"] = [
        {"path": item.path, "line": item.line, "reason": item.reason} for item in report.rejected
    ]
    shown["seconds"] = {name: round(value, 3) for name, value in report.seconds.items()}
    for name in ("added", "changed", "removed", "stale"):
        shown[name] = list(shown[name])
    return shown
