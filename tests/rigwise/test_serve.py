from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from tests.rigwise.waiting_for_tests import until

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def service(corpus, tmp_path):
    """A real process that serves the small corpus on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "RIGWISE_CORPUS": str(corpus),
        "RIGWISE_INDEX_ROOT": str(tmp_path / "index"),
        "RIGWISE_EMBEDDER": "hashing",
        "RIGWISE_REFRESH_S": "0.1",
    }
    process = subprocess.Popen(  # noqa: S603 - the interpreter that runs this test
        [sys.executable, "-m", "rigwise", "serve", "--port", str(port)],
        env={
            **os.environ,  # noqa: TID251 - handed on to the process
            **settings,
        },
        cwd=ROOT,
        stderr=subprocess.PIPE,
    )
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.communicate(timeout=20)


def fetch(url: str, body: dict[str, object] | None = None) -> tuple[int, dict[str, object]]:
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - loopback
    try:
        with urlopen(request, timeout=10) as reply:  # noqa: S310
            return reply.status, json.load(reply)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)
    except URLError:
        return 0, {}


def test_a_served_question_is_answered_after_the_index_was_built(service):
    until(lambda: fetch(f"{service}/readyz")[0] == 200)

    status, answer = fetch(
        f"{service}/v1/ask", {"question": "How much memory does the Acme One have?"}
    )

    assert status == 200
    assert "80 GB" in str(answer["text"])
