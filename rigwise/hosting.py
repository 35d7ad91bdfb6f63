"""The HTTP application of the settings: a state that loads itself, limits, key."""

from __future__ import annotations

from fastapi import FastAPI

from rigwise.wiring import embedder_of, wire
from service.http.app import HttpLimits, create_app
from service.http.ports import Answerer
from service.http.state import ServiceState
from service.settings import ServiceSettings
from service.snapshot import SnapshotHolder


def state_of(settings: ServiceSettings) -> ServiceState:
    """A state that loads model and index when it is started, and then follows new generations."""
    holders: list[SnapshotHolder] = []

    def load(state: ServiceState) -> Answerer:
        state.mark("model", "loading")
        embedder = embedder_of(settings)
        state.mark("model", "ready")
        state.mark("index", "loading")
        wired = wire(settings, embedder)
        holders.append(wired.holder)
        state.mark("index", "ready")
        return wired.engine

    def refresh() -> object:
        return holders[-1].refresh()

    return ServiceState(load, refresh=refresh, refresh_s=settings.refresh_s)


def application(settings: ServiceSettings, state: ServiceState) -> FastAPI:
    """The HTTP application with the limits and the key of the settings.

    Raises:
        UnsafeBinding: the host is not loopback and no key is set.
    """
    settings.check_binding()
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None
    limits = HttpLimits(
        max_concurrent_answers=settings.max_concurrent_answers,
        max_queued_answers=settings.max_queued_answers,
        answer_timeout_s=settings.answer_timeout_s,
        max_question_chars=settings.max_question_chars,
        max_body_bytes=settings.max_body_bytes,
    )
    return create_app(state, limits=limits, api_key=key)
