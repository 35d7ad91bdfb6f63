"""MLPerf LoadGen as the harness, so that Offline, SingleStream and Server mean what they mean in the field.

These runs are short and not submissions: MLPerf wants minutes where a run here takes seconds, and early stopping is
reported as LoadGen prints it.
"""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal

from eval.errors import MissingExtra

Scenario = Literal["Offline", "SingleStream", "Server"]
Work = Callable[[Sequence[int]], object]

_SERVER_PERCENTILE: Final = 0.99
_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What LoadGen asks for. The bound and the rate count for Server alone."""

    scenario: Scenario
    samples: int
    queries: int
    seconds: float
    server_qps: float = 1.0
    latency_bound_s: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What LoadGen and the system under test saw. `valid` is LoadGen's own word on the run."""

    scenario: Scenario
    per_second: float
    latencies_s: tuple[float, ...]
    valid: bool
    bound_kept: bool


def run_load(load: Load, work: Work, *, clock: Callable[[], float]) -> LoadResult:
    """Let LoadGen send queries to `work`, which gets the positions of samples and returns when they are done.

    Raises:
        MissingExtra: mlcommons-loadgen is not installed.
    """
    loadgen = _loadgen()
    system = _System(loadgen, work, clock)
    with tempfile.TemporaryDirectory(prefix="loadgen-") as folder:
        under_test = loadgen.ConstructSUT(system.issue, system.flush)
        library = loadgen.ConstructQSL(load.samples, load.samples, _nothing, _nothing)
        try:
            loadgen.StartTestWithLogSettings(
                under_test, library, _settings(loadgen, load), _logs(loadgen, folder)
            )
        finally:
            system.stop()
            loadgen.DestroyQSL(library)
            loadgen.DestroySUT(under_test)
        summary = (Path(folder) / "mlperf_log_summary.txt").read_text(encoding="utf-8")
    return LoadResult(
        scenario=load.scenario,
        per_second=system.per_second(),
        latencies_s=tuple(system.latencies),
        valid="Result is : VALID" in summary,
        bound_kept="Performance constraints satisfied : Yes" in summary
        or load.scenario != "Server",
    )


class _System:
    """Takes queries into a line and works them off one by one on a thread of its own."""

    def __init__(self, loadgen: Any, work: Work, clock: Callable[[], float]) -> None:
        self._loadgen = loadgen
        self._work = work
        self._clock = clock
        self._waiting: queue.SimpleQueue[tuple[list[int], list[int], float] | None] = (
            queue.SimpleQueue()
        )
        self.latencies: list[float] = []
        self._first = 0.0
        self._last = 0.0
        self._done = 0
        self._thread = threading.Thread(target=self._serve, name="loadgen-system", daemon=True)
        self._thread.start()

    def issue(self, samples: Any) -> None:
        """Called by LoadGen with the samples of one query."""
        now = self._clock()
        if not self._first:
            self._first = now
        self._waiting.put(([item.id for item in samples], [item.index for item in samples], now))

    def flush(self) -> None:
        """Called by LoadGen when no more queries come."""

    def stop(self) -> None:
        """End the thread."""
        self._waiting.put(None)
        self._thread.join()

    def per_second(self) -> float:
        """Samples a second from the first query to the last answer."""
        return self._done / (self._last - self._first) if self._last > self._first else 0.0

    def _serve(self) -> None:
        while (item := self._waiting.get()) is not None:
            ids, positions, start = item
            self._work(positions)
            self._last = self._clock()
            self.latencies.append(self._last - start)
            self._done += len(ids)
            responses = [self._loadgen.QuerySampleResponse(name, 0, 0) for name in ids]
            self._loadgen.QuerySamplesComplete(responses)


def _loadgen() -> Any:
    try:
        return import_module("mlperf_loadgen")
    except ImportError as error:
        raise MissingExtra("mlcommons-loadgen", "eval") from error


def _settings(loadgen: Any, load: Load) -> Any:
    settings = loadgen.TestSettings()
    settings.scenario = getattr(loadgen.TestScenario, load.scenario)
    settings.mode = loadgen.TestMode.PerformanceOnly
    settings.min_duration_ms = int(load.seconds * 1000)
    settings.max_duration_ms = int(load.seconds * 4000)
    settings.min_query_count = 1 if load.scenario == "Offline" else load.queries
    settings.max_query_count = 1 if load.scenario == "Offline" else load.queries
    settings.offline_expected_qps = load.queries / max(load.seconds, 1e-3)
    if load.scenario == "Server":
        settings.server_target_qps = load.server_qps
        settings.server_target_latency_ns = int(load.latency_bound_s * _NS)
        settings.server_target_latency_percentile = _SERVER_PERCENTILE
    return settings


def _logs(loadgen: Any, folder: str) -> Any:
    output = loadgen.LogOutputSettings()
    output.outdir = folder
    output.copy_summary_to_stdout = False
    logs = loadgen.LogSettings()
    logs.log_output = output
    logs.enable_trace = False
    return logs


def _nothing(_: object) -> None:
    """Samples are in memory already."""
