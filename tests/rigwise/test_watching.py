from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from indexer.generation import GenerationStore
from tests.conftest import write_corpus

_ROOT = Path(__file__).parents[2]


def test_watching_builds_again_when_a_document_changes(tmp_path):
    corpus = write_corpus(tmp_path / "corpus")
    environment = {
        **os.environ,  # noqa: TID251 - handed on to the process
        "RIGWISE_CORPUS": str(corpus),
        "RIGWISE_INDEX_ROOT": str(tmp_path / "index"),
        "RIGWISE_EMBEDDER": "hashing",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "rigwise", "index", "watch", "--poll"],
        cwd=_ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stderr.readline()
        (corpus / "guidance/memory/ecc-memory.md").unlink()
        second = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        status = process.wait(20)

    assert "4 added" in first
    assert "1 removed, 0 embedded" in second
    assert status == 0
    assert GenerationStore(tmp_path / "index").current() == second[:16]
