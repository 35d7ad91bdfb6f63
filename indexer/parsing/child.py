"""The process that parses files of strangers: reads requests from its input until that closes.

A request is one line of JSON (`Request`); the answer is one JSON file (`Reply`) and a newline on the output.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from indexer.errors import CorpusError
from indexer.parsing import SourceFile, parse_document
from indexer.types import Document

_MOST_OUTPUT: Final = 256 * 2**20
_MOST_FILES: Final = 256
_MOST_TEXT: Final = 30_000_000


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A file to parse: its name in the corpus, where its bytes lie, where the answer goes, and seconds of CPU."""

    path: str
    content: str
    answer: str
    cpu_s: int


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A document, or the line and reason why there is none."""

    document: Document | None = None
    line: int = 1
    reason: str = ""


def main(memory_bytes: int) -> None:
    """Answer requests; what libraries print never reaches the parent."""
    output = os.dup(1)
    os.dup2(2, 1)
    _limit_once(memory_bytes)
    for line in sys.stdin.buffer:
        request = msgspec.json.decode(line, type=Request)
        _limit_cpu(request.cpu_s)
        Path(request.answer).write_bytes(msgspec.json.encode(_answer(request)))
        os.write(output, b"\n")


def _answer(request: Request) -> Reply:
    try:
        document = parse_document(
            SourceFile(path=request.path, content=Path(request.content).read_bytes())
        )
        if len(document.text) > _MOST_TEXT:
            return Reply(
                reason=f"holds {len(document.text)} characters of text; at most {_MOST_TEXT} are read: split the file"
            )
    except CorpusError as error:
        return Reply(line=error.line, reason=error.reason)
    except MemoryError:
        return Reply(reason="needs more memory to parse than it may")
    except RecursionError:
        return Reply(reason="nested too deeply")
    except Exception as error:  # noqa: BLE001 - whatever a library raises for a bad file is a reason, not a crash
        return Reply(reason=f"the parser failed: {type(error).__name__}: {str(error)[:200]}")
    return Reply(document=document)


def _limit_once(memory_bytes: int) -> None:
    try:
        import resource
    except (
        ImportError
    ):  # pragma: no cover - Windows has no such limits; the parent's clock still holds
        return
    for kind, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _MOST_OUTPUT),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
    ):
        _, hard = resource.getrlimit(kind)
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (least, hard))


def _limit_cpu(seconds: int) -> None:
    """Some seconds from now on."""
    try:
        import resource
    except ImportError:  # pragma: no cover - see above
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard)
    )
