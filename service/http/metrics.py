"""What the service counts, for Prometheus. No label ever holds a path, a question or anything else a caller made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.types import Answer

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REQUEST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_STAGE_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_FAILED: Final = 500


class Meters:
    """The counters and histograms of one application, in the registry that is given."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "rigwise_requests",
            "Requests by route template, method and status.",
            ("route", "method", "status"),
            registry=registry,
        )
        self._request_s = Histogram(
            "rigwise_request_seconds",
            "Seconds until the last byte of the reply.",
            ("route",),
            buckets=_REQUEST_S,
            registry=registry,
        )
        self._answers = Counter(
            "rigwise_answers",
            "Answers given, by kind: answer, clarify, abstain.",
            ("kind",),
            registry=registry,
        )
        self._abstentions = Counter(
            "rigwise_abstentions",
            "Answers that abstain or ask back, by code.",
            ("code",),
            registry=registry,
        )
        self._stage_s = Histogram(
            "rigwise_stage_seconds",
            "Seconds of a stage of an answer.",
            ("stage",),
            buckets=_STAGE_S,
            registry=registry,
        )

        self._rate_limited = Counter(
            "rigwise_rate_limited",
            "Requests refused with 429 since an address or a key had sent too many.",
            ("by",),
            registry=registry,
        )

    def rate_limited(self, by: str) -> None:
        """Count a request that was one too many."""
        self._rate_limited.labels(by).inc()

    def requested(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that has ended."""
        known = method if method in _METHODS else "other"
        self._requests.labels(route, known, str(status)).inc()
        self._request_s.labels(route).observe(seconds)

    def answered(self, answer: Answer) -> None:
        """Count an answer with its stages."""
        self._answers.labels(answer.kind).inc()
        if answer.abstention is not None:
            self._abstentions.labels(answer.abstention.code).inc()
        for stage, milliseconds in answer.timings_ms.items():
            self._stage_s.labels(stage).observe(milliseconds / 1000)


class Metering:
    """Counts each request under the template of its route; what no route took is `unmatched`."""

    def __init__(
        self, app: ASGIApp, *, meters: Meters, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._app = app
        self._meters = meters
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; anything but HTTP passes through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._clock()
        status = _FAILED

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            self._meters.requested(route, scope["method"], status, self._clock() - began)


def metric_names(registry: CollectorRegistry) -> Iterator[str]:
    """The names of all series that a scrape may hold."""
    for family in registry.collect():
        if family.type == "counter":
            yield f"{family.name}_total"
        elif family.type == "histogram":
            yield from (f"{family.name}_{part}" for part in ("bucket", "sum", "count"))
        else:
            yield family.name
