"""What is read at the moment of a scrape: places for answers, stages, generation, builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from time import monotonic
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.access import ANYBODY
from service.errors import NotReady
from service.http.jobs import JobState, Rebuilder
from service.http.pool import AnswerPool
from service.http.state import ServiceState

_JOB_STATES: Final[tuple[JobState, ...]] = ("queued", "running", "done", "failed", "cancelled")


class Gauges(Collector):
    """Reads the parts of an application whenever Prometheus asks."""

    def __init__(
        self,
        state: ServiceState,
        pool: AnswerPool,
        rebuilder: Rebuilder | None,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._state = state
        self._pool = pool
        self._rebuilder = rebuilder
        self._clock = clock
        self._lock = Lock()
        self._seen = ("", clock())

    def collect(self) -> Iterable[Metric]:
        """All families as they are now."""
        yield from self._places()
        yield from self._stages()
        yield from self._generation()
        yield self._builds()

    def _places(self) -> Iterator[Metric]:
        running, waiting, refused = self._pool.load()
        yield _gauge("rigwise_answers_running", "Pieces of work that are being computed.", running)
        yield _gauge("rigwise_answers_waiting", "Pieces of work that wait for a place.", waiting)
        yield CounterMetricFamily(
            "rigwise_answers_refused", "Pieces of work refused for want of a place.", value=refused
        )

    def _stages(self) -> Iterator[Metric]:
        yield _gauge("rigwise_ready", "1 while questions are answered.", float(self._state.ready()))
        states = GaugeMetricFamily(
            "rigwise_stage_state", "1 for the state that a stage is in.", labels=("stage", "state")
        )
        for name, stage in self._state.stages().items():
            states.add_metric((name, stage.state), 1)
        yield states

    def _generation(self) -> Iterator[Metric]:
        info = GaugeMetricFamily(
            "rigwise_generation_info", "1 for the generation in use.", labels=("generation",)
        )
        documents = GaugeMetricFamily(
            "rigwise_generation_documents", "Documents by state in it.", labels=("state",)
        )
        age = GaugeMetricFamily(
            "rigwise_generation_seen_seconds", "Seconds since a scrape first saw it in use."
        )
        try:
            index = self._state.answerer(ANYBODY).index()
        except NotReady:
            yield from (info, documents, age)
            return
        info.add_metric((index.id,), 1)
        stale = sum(entry.stale for entry in index.manifest.documents)
        documents.add_metric(("indexed",), len(index.manifest.documents) - stale)
        documents.add_metric(("stale",), stale)
        documents.add_metric(("rejected",), len(index.manifest.rejected))
        age.add_metric((), self._seen_s(index.id))
        yield from (info, documents, age)

    def _seen_s(self, generation: str) -> float:
        with self._lock:
            if self._seen[0] != generation:
                self._seen = (generation, self._clock())
            return self._clock() - self._seen[1]

    def _builds(self) -> Metric:
        family = GaugeMetricFamily(
            "rigwise_index_jobs", "Remembered builds of the index by state.", labels=("state",)
        )
        if self._rebuilder is not None:
            count = Counter(job.state for job in self._rebuilder.jobs())
            for state in _JOB_STATES:
                family.add_metric((state,), count[state])
        return family


def _gauge(name: str, told: str, value: float) -> Metric:
    return GaugeMetricFamily(name, told, value=value)
