"""Traces of OpenTelemetry: a span for each request, one for each stage of its answer. They tell no texts unless allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.errors import ServiceError
from service.types import Answer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

_TIMEOUT_S: Final = 3
_SERVER_FAULT: Final = 500


class OtelMissing(ServiceError):
    """Traces are to be sent, and the extra is not installed."""

    code = "otel_missing"

    def __init__(self) -> None:
        super().__init__("RIGWISE_OTEL_ENDPOINT needs its client: pip install 'rigwise[otel]'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Makes spans. Faults of the code are marked and not described, since a message may hold what was asked."""

    tracer: Tracer
    provider: TracerProvider
    texts: bool = False

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[Span]:
        """The span of a request, below the caller's own where its headers name one."""
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        with self.tracer.start_as_current_span(
            method,
            context=extract(headers),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield span

    def ended(self, span: Span, *, route: str, method: str, status: int) -> None:
        """Complete the span of a request: its name is the template of its route, never its address."""
        from opentelemetry.trace import StatusCode

        span.update_name(f"{method} {route}")
        span.set_attributes({"http.route": route, "http.response.status_code": status})
        if status >= _SERVER_FAULT:
            span.set_status(StatusCode.ERROR)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """The span of a stage of an answer."""
        with self.tracer.start_as_current_span(
            name, record_exception=False, set_status_on_exception=True
        ):
            yield

    def answered(self, answer: Answer) -> None:
        """What came out, on the span of the request."""
        from opentelemetry.trace import get_current_span

        span = get_current_span()
        code = answer.abstention.code if answer.abstention is not None else ""
        span.set_attributes(
            {
                "rigwise.kind": answer.kind,
                "rigwise.intent": answer.intent,
                "rigwise.abstention": code,
                "rigwise.generation": answer.generation,
            }
        )
        if self.texts:
            span.set_attribute("rigwise.question", answer.question)

    def close(self) -> None:
        """Send what is left."""
        self.provider.shutdown()


def traces_to(endpoint: str, *, texts: bool) -> Traces:
    """Traces that are sent to a collector over OTLP and HTTP, in batches, on a thread of its own.

    What else OpenTelemetry lets one set (sampling, headers, resource) comes from its own `OTEL_` variables.

    Raises:
        OtelMissing: the extra `otel` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise OtelMissing from error
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=_TIMEOUT_S)
    provider = TracerProvider(resource=Resource.create({"service.name": "rigwise"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Traces(tracer=provider.get_tracer("rigwise"), provider=provider, texts=texts)
