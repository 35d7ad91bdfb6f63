"""The user's folder of documents as it can be written over HTTP: no path leads out of it, no link is followed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

from service.http.errors import BadPath, NoDocumentFolder, UploadTooLarge

_LONGEST: Final = 200
# No control characters, and nothing that means something else on another system.
_PART: Final = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|]{1,120}")


class DocumentFolder:
    """A folder that takes uploads. `accepts` says of a path whether files of that kind are read at all."""

    def __init__(
        self,
        root: Path | None,
        *,
        shipped: Path | None,
        accepts: Callable[[str], bool],
        max_bytes: int,
    ) -> None:
        self._root = root
        self._shipped = shipped
        self._accepts = accepts
        self.max_bytes = max_bytes

    def upload(self, path: str) -> Upload:
        """Begin to receive a file.

        Raises:
            NoDocumentFolder: no folder is set.
            BadPath: the path leads out of the folder, over a link, or to no document.
        """
        target = self._target(path)
        if not self._accepts(path):
            raise BadPath(
                path, "files of this kind are not read; see docs/corpus.md for the formats"
            )
        if self._shipped is not None and (self._shipped / path).exists():
            raise BadPath(path, "the shipped corpus has a document of this path; choose another")
        return Upload(self._top(), target, self.max_bytes)

    def clear(self) -> None:
        """Remove what uploads left behind that were cut off with their process."""
        if self._root is not None:
            for path in self._root.glob(".upload-*"):
                path.unlink()

    def holds(self, path: str) -> bool:
        """Whether a file of the folder has that path."""
        try:
            return self._target(path).is_file()
        except (BadPath, NoDocumentFolder):
            return False

    def delete(self, path: str) -> bool:
        """Remove a file; False when there is none.

        Raises:
            NoDocumentFolder, BadPath: as in `upload`.
        """
        target = self._target(path)
        if not target.is_file():
            return False
        target.unlink()
        _flush(target.parent)
        return True

    def _top(self) -> Path:
        if self._root is None:
            raise NoDocumentFolder
        return self._root.resolve()

    def _target(self, path: str) -> Path:
        """Where a path leads, once every step on the way has been looked at."""
        top = self._top()
        parts = path.split("/")
        if len(path) > _LONGEST or not all(_is_name(part) for part in parts):
            raise BadPath(path, "use names with forward slashes, none of them hidden, `.` or `..`")
        place = top
        for part in parts:
            place = place / part
            if place.is_symlink():
                raise BadPath(path, f"{part} is a link")
        if any(parent.is_file() for parent in place.parents if parent != top) or place.is_dir():
            raise BadPath(path, "a file and a folder cannot have the same name")
        if not place.resolve().is_relative_to(top):
            raise BadPath(path, "it leads out of the folder of documents")
        return place


class Upload:
    """A file on its way in: hidden until it is whole, so that no build sees half of it."""

    def __init__(self, top: Path, target: Path, max_bytes: int) -> None:
        self._top = top
        self._target = target
        self._max_bytes = max_bytes
        self._aside = top / f".upload-{uuid4().hex}"
        self._file: BinaryIO = self._aside.open("xb")
        self._received = 0

    def write(self, content: bytes) -> None:
        """Take a piece, counting what really arrives.

        Raises:
            UploadTooLarge: the pieces together are larger than allowed.
        """
        self._received += len(content)
        if self._received > self._max_bytes:
            raise UploadTooLarge(self._max_bytes)
        self._file.write(content)

    def finish(self) -> bool:
        """Put the file in its place, flushed; whether there was none before."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        new = not self._target.exists()
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._aside.replace(self._target)
        _flush(self._target.parent)
        return new

    def abandon(self) -> None:
        """Forget what came; does nothing after `finish`."""
        self._file.close()
        self._aside.unlink(missing_ok=True)


def _is_name(part: str) -> bool:
    return bool(_PART.fullmatch(part)) and not part.startswith(".") and part == part.strip(" .")


def _flush(folder: Path) -> None:
    if os.name == "nt":
        return  # Windows has no handle for a folder and writes names through
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
