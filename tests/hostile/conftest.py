"""An application that takes uploads, with a key, and whatever it logs."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import structlog
from starlette.testclient import TestClient

from indexer.parsing import is_document
from service.http.app import Equipment, HttpLimits, create_app
from service.http.documents import Managed
from service.http.jobs import Job
from service.http.uploads import DocumentFolder
from tests.service.http.conftest import FakeEngine, ready_state, wait_until_ready

KEY = "a-long-random-key-for-tests"


@dataclass
class NoBuilds:
    """Takes requests for builds and does none."""

    asked: list[str] = field(default_factory=list)

    def request(self, trigger, *, full=False):
        self.asked.append(trigger)
        return Job(id="job-1", trigger=trigger, state="queued", created_at="2026-12-01T00:00:00Z")

    def jobs(self):
        return []

    def cancel(self, job_id):
        return None

    def generations(self):
        return []

    def roll_back(self, generation):
        raise AssertionError("nobody asks for this")


@pytest.fixture
def engine(index) -> FakeEngine:
    return FakeEngine(index)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "disk" / "own"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def app(engine, folder, corpus):
    managed = Managed(
        rebuilder=NoBuilds(),
        folder=DocumentFolder(folder, shipped=corpus, accepts=is_document, max_bytes=10_000),
    )
    limits = HttpLimits(max_body_bytes=20_000, max_question_chars=500)
    return create_app(
        ready_state(engine), limits=limits, api_key=KEY, equipment=Equipment(managed=managed)
    )


@pytest.fixture
def stranger(app):
    """A client without a key."""
    with TestClient(app, raise_server_exceptions=False) as client:
        wait_until_ready(client)
        yield client


@pytest.fixture
def client(stranger):
    """The same with the key."""
    stranger.headers["Authorization"] = f"Bearer {KEY}"
    return stranger


@pytest.fixture
def logged():
    """Every event that is logged, rendered with its exception."""
    lines: list[str] = []

    def keep(_logger, _name, event):
        lines.append(repr(event))
        return ""

    before = structlog.get_config()
    structlog.configure(processors=[structlog.processors.format_exc_info, keep])
    yield lines
    structlog.configure(**before)
