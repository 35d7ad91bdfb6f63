"""The history of jobs as a file beside the index: a JSON array of jobs, newest first, replaced whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from indexer.files import Files
from service.http.jobs import Job


def read_journal(path: Path) -> list[Job]:
    """The jobs; none when the file is missing or damaged, since history is no reason not to start."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Job])
    except (OSError, msgspec.DecodeError):
        return []


def write_journal(path: Path, jobs: Sequence[Job]) -> None:
    """Replace the file; a disk that is full costs the history and nothing else."""
    files = Files()
    aside = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(aside, msgspec.json.encode(list(jobs)))
        files.flush(aside)
        files.rename(aside, path)
    except OSError:
        aside.unlink(missing_ok=True)
