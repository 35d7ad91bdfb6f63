"""A process that is told to end finishes what runs, and loses nothing of what it has answered."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from service.store.store import Store
from tests.rigwise.waiting_for_tests import until

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = b"# A note\n\nThe Acme One is fast.\n"


@pytest.fixture
def served(corpus, tmp_path):
    """A real process with a folder for documents, and its port."""
    (tmp_path / "documents").mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "RIGWISE_CORPUS": str(corpus),
        "RIGWISE_DOCUMENTS": str(tmp_path / "documents"),
        "RIGWISE_INDEX_ROOT": str(tmp_path / "index"),
        "RIGWISE_EMBEDDER": "hashing",
    }
    process = subprocess.Popen(  # noqa: S603 - the interpreter that runs this test
        [sys.executable, "-m", "rigwise", "serve", "--port", str(port)],
        env={
            **os.environ,  # noqa: TID251 - handed on to the process
            **settings,
        },
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: answers(port, "GET", "/readyz") == 200)
    yield process, port
    process.kill()
    process.wait(10)


def answers(port: int, method: str, path: str, body: dict[str, str] | None = None) -> int:
    """The status of a request; 0: nobody listens."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        data = json.dumps(body) if body else None
        connection.request(method, path, data, {"Content-Type": "application/json"})
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def test_what_runs_is_finished_and_what_was_answered_is_stored(served, tmp_path):
    process, port = served
    upload = HTTPConnection("127.0.0.1", port, timeout=10)
    upload.putrequest("PUT", "/v1/documents/note.md")
    upload.putheader("Content-Length", str(len(DOCUMENT)))
    upload.endheaders(DOCUMENT[:10])
    question = {"question": "How much memory does the Acme One have?"}
    assert [answers(port, "POST", "/v1/ask", question) for _ in range(20)] == [200] * 20

    process.send_signal(signal.SIGTERM)
    until(lambda: answers(port, "GET", "/livez") == 0)
    upload.send(DOCUMENT[10:])
    reply = upload.getresponse()

    assert reply.status == 201
    reply.read()
    upload.close()
    assert process.wait(20) in (0, -signal.SIGTERM)
    assert (tmp_path / "documents/note.md").read_bytes() == DOCUMENT
    store = Store(f"sqlite:///{tmp_path / 'index-store.sqlite3'}")
    assert store.ledger.counts()["answers"] == 20
    store.close()
