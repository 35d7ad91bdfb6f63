"""Where records wait on the disk while the database is away: lines of JSON in numbered files, flushed to the disk.

Several processes may share the folder; a lock lets one of them at it at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock

from service.store.ledger import Record
from service.store.types import Feedback, StoredAnswer

_SEGMENT_BYTES: Final = 4 * 2**20
_REFUSED: Final = "refused.jsonl"


class _Line(msgspec.Struct, omit_defaults=True):
    answer: StoredAnswer | None = None
    feedback: Feedback | None = None


class Spool:
    """A folder of records that have yet to be stored."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / ".lock", timeout=60, mode=0o600)

    def append(self, records: Sequence[Record]) -> None:
        """Add records; they are on the disk when this returns.

        Raises:
            OSError: the disk does not take them.
        """
        self._prepare()
        with self._lock:
            files = self._files()
            if files and files[-1].stat().st_size < _SEGMENT_BYTES:
                _append(files[-1], records)
                return
            number = int(files[-1].stem) + 1 if files else 1
            _append(self._folder / f"{number:08d}.jsonl", records)
            _flush_folder(self._folder)

    @contextmanager
    def oldest(self) -> Iterator[list[Record]]:
        """The records of the oldest file, none when there is no file; it is removed when the block ends well."""
        if not self._folder.is_dir():
            yield []
            return
        with self._lock:
            files = self._files()
            if not files:
                yield []
                return
            records, torn = _read(files[0])
            yield records
            if torn:
                _append_lines(self._folder / _REFUSED, torn)
            files[0].unlink()

    def refuse(self, records: Sequence[Record]) -> None:
        """Put records aside that the database does not take, for a person to look at.

        Raises:
            OSError: the disk does not take them.
        """
        self._prepare()
        with self._lock:
            _append(self._folder / _REFUSED, records)

    def count(self) -> int:
        """How many records wait."""
        return sum(path.read_bytes().count(b"\n") for path in self._files())

    def of_asker(self, asker: str) -> list[Record]:
        """The waiting records of somebody."""
        found = [record for path in self._files() for record in _read(path)[0]]
        return [record for record in found if record.asker == asker]

    def forget(self, asker: str) -> int:
        """Remove the waiting records of somebody, and those put aside; how many."""
        if not self._folder.is_dir():
            return 0
        gone = 0
        with self._lock:
            for path in (*self._files(), *self._folder.glob(_REFUSED)):
                records, torn = _read(path)
                others = [record for record in records if record.asker != asker]
                gone += len(records) - len(others)
                aside = path.with_suffix(".tmp")
                _append_lines(aside, [*map(_encoded, others), *torn])
                aside.replace(path)
        return gone

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("[0-9]*.jsonl"))

    def _prepare(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _encoded(record: Record) -> bytes:
    if isinstance(record, StoredAnswer):
        return msgspec.json.encode(_Line(answer=record))
    return msgspec.json.encode(_Line(feedback=record))


def _append(path: Path, records: Sequence[Record]) -> None:
    _append_lines(path, [_encoded(record) for record in records])


def _append_lines(path: Path, lines: Sequence[bytes]) -> None:
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "rb+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")  # a line that a loss of power tore does not spoil the next one
        file.writelines(line + b"\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> tuple[list[Record], list[bytes]]:
    """The records of a file, and the lines that are none."""
    records: list[Record] = []
    torn: list[bytes] = []
    for line in path.read_bytes().splitlines():
        try:
            found = msgspec.json.decode(line, type=_Line)
        except msgspec.MsgspecError:
            torn.append(line)
            continue
        records += [record for record in (found.answer, found.feedback) if record is not None]
    return records, torn


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
