"""File layers that die at a chosen step, and the work that they die in.

As a module it serves forks: a line of JSON (kind, docs, root, at) on standard input forks a child that is killed
there; the child's status is answered on a line. The server is single-threaded and loads everything before.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import structlog

from indexer.files import Files
from indexer.generation import GenerationStore
from indexer.pipeline import BuildOptions
from indexer.text import lexical_tokens, sentence_spans
from tests.indexer.lifecycle.worlds import build

# Loads what is loaded once, so that each forked child starts warm.
sentence_spans("One. Two.")
lexical_tokens("words")


class CountingFiles(Files):
    """Numbers the boundaries: before each operation, and inside each one that is not a single step."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def boundary(self, name: str) -> None:
        self.steps.append(name)

    def make_folder(self, path: Path) -> None:
        self.boundary(f"before make {path.name}")
        super().make_folder(path)

    def write(self, path: Path, content: bytes) -> None:
        self.boundary(f"before write {path.name}")
        super().write(path, content[: len(content) // 2])
        self.boundary(f"inside write {path.name}")
        super().write(path, content)

    def flush(self, path: Path) -> None:
        self.boundary(f"before flush {path.name}")
        super().flush(path)

    def rename(self, old: Path, new: Path) -> None:
        self.boundary(f"before rename {new.name}")
        super().rename(old, new)
        self.boundary(f"after rename {new.name}")

    def remove(self, path: Path) -> None:
        if not path.exists():
            return
        self.boundary(f"before remove {path.name}")
        for inner in sorted(path.rglob("*.jsonl")):
            inner.unlink()
        self.boundary(f"inside remove {path.name}")
        super().remove(path)


class DyingFiles(CountingFiles):
    """Kills its own process, without any cleaning up, at boundary `at`."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at

    def boundary(self, name: str) -> None:
        super().boundary(name)
        if len(self.steps) == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


def work(kind: str, docs: Path, store: GenerationStore) -> str:
    """One piece of writing; returns the generation that is current after it."""
    if kind == "roll back":
        with store.writing():
            return store.roll_back()
    keep = 1 if kind == "prune" else 5
    return build(docs, store, BuildOptions(keep=keep)).generation


def die(kind: str, docs: str, root: str, at: int) -> None:
    """In a child: begin the work and be killed at a boundary."""
    work(kind, Path(docs), GenerationStore(Path(root), files=DyingFiles(at)))


def serve() -> None:
    """Fork a child for each line, and say how it ended."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            die(*json.loads(line))
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
