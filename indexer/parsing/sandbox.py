"""Parse files of strangers in a child process with limits of memory and time, so that no file stops a build.

What may be parsed in this process: Markdown and CSV of at most `_SMALL` bytes, whose parsers are linear in the
file's size and call no foreign code that has been seen to crash. Everything else goes to the child.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

import msgspec

from indexer.errors import CorpusError
from indexer.parsing import SourceFile, parse_document
from indexer.parsing.child import Reply, Request
from indexer.parsing.media import media_type_of
from indexer.types import Document

_SMALL: Final = 2 * 2**20
_TRUSTED: Final = frozenset({"text/markdown", "text/csv"})
_ROOT: Final = Path(__file__).parents[2]
# A child is replaced after so many files, so that what a library leaks does not pile up.
_FILES_A_CHILD: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one file may cost. Reading pictures of text is slow: PDFs and pictures get `slow_factor` of the seconds."""

    file_bytes: int = 200 * 2**20
    memory_bytes: int = 4 * 2**30
    cpu_s: int = 120
    wall_s: float = 240.0
    slow_factor: int = 8


LIMITS: Final = Limits()


def read_source(file: Path, path: str, *, limits: Limits = LIMITS) -> SourceFile:
    """Read a file, unless it is too large: its size is looked at before a byte is read.

    Raises:
        CorpusError: too large.
    """
    size = file.stat().st_size
    if size > limits.file_bytes:
        raise CorpusError(
            path, 1, f"{size} bytes; at most {limits.file_bytes} are read: split the file"
        )
    return SourceFile(path=path, content=file.read_bytes())


def parse_safely(source: SourceFile, *, limits: Limits = LIMITS) -> Document:
    """Parse a file here if it is harmless, else in the child.

    Raises:
        CorpusError: it cannot be used, or its parser was stopped.
    """
    media = media_type_of(source.path, source.content)
    if media.name in _TRUSTED and len(source.content) <= _SMALL:
        return parse_document(source)
    slow = media.name in {"application/pdf", "image"}
    return _shared(limits).parse(source, factor=limits.slow_factor if slow else 1)


@cache
def _shared(limits: Limits) -> Sandbox:
    sandbox = Sandbox(limits)
    atexit.register(sandbox.close)
    return sandbox


class Sandbox:
    """One child, started when it is needed and again after it was stopped; one file at a time."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._child: subprocess.Popen[bytes] | None = None
        self._answered = 0
        self._lock = Lock()

    def parse(self, source: SourceFile, *, factor: int = 1) -> Document:
        """Parse a file in the child.

        Raises:
            CorpusError: it cannot be used, or the child died or was stopped over it.
        """
        with self._lock, tempfile.TemporaryDirectory(prefix="rigwise-parse-") as folder:
            content, answer = Path(folder, "content"), Path(folder, "answer")
            content.write_bytes(source.content)
            request = Request(
                path=source.path,
                content=str(content),
                answer=str(answer),
                cpu_s=self._limits.cpu_s * factor,
            )
            reason = self._ask(request, self._limits.wall_s * factor)
            if reason:
                raise CorpusError(source.path, 1, reason)
            reply = msgspec.json.decode(answer.read_bytes(), type=Reply)
        if reply.document is None:
            raise CorpusError(source.path, reply.line, reply.reason)
        return reply.document

    def close(self) -> None:
        """Stop the child."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()

    def _ask(self, request: Request, wall_s: float) -> str:
        """Empty when the answer is written, else why the child was lost."""
        child = self._running()
        if child.stdin is None or child.stdout is None:  # pragma: no cover - both are pipes
            return "the parser's process has no pipes"
        deadline = monotonic() + wall_s
        try:
            os.write(child.stdin.fileno(), msgspec.json.encode(request) + b"\n")
        except BrokenPipeError:
            return self._lost(child)
        ready, _, _ = select.select([child.stdout], [], [], max(0.0, deadline - monotonic()))
        if not ready:
            self.close()
            return f"its parser took more than {wall_s:g} s and was stopped"
        if os.read(child.stdout.fileno(), 1) != b"\n":
            return self._lost(child)
        self._answered += 1
        if self._answered >= _FILES_A_CHILD:
            self.close()
        return ""

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            start = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from indexer.parsing.child import main; main({self._limits.memory_bytes})"
            self._child = subprocess.Popen(  # noqa: S603 - the interpreter itself, no input in the command
                [sys.executable, "-I", "-c", start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._answered = 0
        return self._child

    def _lost(self, child: subprocess.Popen[bytes]) -> str:
        code = child.wait()
        self.close()
        if code == -getattr(signal, "SIGXCPU", 0):
            return f"its parser used more than the {self._limits.cpu_s} s of processor time that a file may cost"
        if code < 0:
            return f"its parser was killed ({signal.Signals(-code).name}), most likely for memory"
        return f"its parser ended by itself with status {code}"
