"""Generations: an index is written aside, verified, and published by one rename; it is never changed after.

Layout under the index root (docs/index-format.md describes it to the byte):

    CURRENT                     what is published (indexer.pointer)
    .lock                       held by the one writer
    .staging-*, .pruned-*       what a writer that died left behind; the next one clears it away
    generations/<id>/           manifest.json and the files that it names (indexer.contents)
    quarantine/<id>/            generations that failed to open, set aside
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import structlog
from filelock import FileLock, Timeout

from indexer.checks import check_index
from indexer.contents import Contents as Contents
from indexer.contents import OpenIndex as OpenIndex
from indexer.contents import encode_contents, read_contents
from indexer.errors import GenerationCorrupt, GenerationNotFound, IndexLocked
from indexer.files import Files, make_folders
from indexer.leases import Lease, removal
from indexer.manifest import (
    MANIFEST,
    Manifest,
    encode_manifest,
    file_digests,
    generation_id,
    is_foreign,
    read_manifest,
)
from indexer.pointer import Pointer, published, read_pointer, rolled_back
from indexer.types import GenerationId

_LOCK_WAIT_S = 30.0
_log = structlog.get_logger()
_LEFTOVERS = (".staging-*", ".pruned-*", ".current-*")


class GenerationStore:
    """The generations under one root. Whoever changes something does so inside `writing()`."""

    def __init__(
        self, root: Path, *, files: Files | None = None, lock_wait_s: float = _LOCK_WAIT_S
    ) -> None:
        self._root = root
        self._generations = root / "generations"
        self._files = files or Files()
        self._lock_wait_s = lock_wait_s

    @property
    def root(self) -> Path:
        """The index root."""
        return self._root

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock; the system frees it when the process dies. Leftovers of the dead are cleared.

        Raises:
            IndexLocked: another build holds it.
        """
        make_folders(self._files, self._generations)
        lock = FileLock(self._root / ".lock", timeout=self._lock_wait_s)
        try:
            with lock:
                for pattern in _LEFTOVERS:
                    for path in sorted(self._root.glob(pattern)):
                        self._files.remove(path)
                yield
        except Timeout as error:
            raise IndexLocked(self._root / ".lock", self._lock_wait_s) from error

    def commit(self, contents: Contents, manifest: Manifest) -> GenerationId:
        """Write a generation aside, flush it, verify it, and move it to its place.

        The same contents give the same id; a sound generation that is there already is left as it is.

        Raises:
            GenerationCorrupt, EmbedderMismatch: what was written does not pass `indexer.checks`.
        """
        staging = self._root / f".staging-{os.getpid()}"
        self._files.make_folder(staging)
        try:
            generation = self._stage(staging, contents, manifest)
            self._checked(staging, generation)
            if not self._is_sound(generation):
                self._set_aside(generation)
                self._files.rename(staging, self._generations / generation)
                self._files.flush(self._generations)
        finally:
            self._files.remove(staging)
        return generation

    def publish(self, generation: GenerationId) -> None:
        """Make a committed generation the current one: one rename, after flushing."""
        self._point(published(self.pointer(), generation))

    def roll_back(self, generation: GenerationId | None = None) -> GenerationId:
        """Publish an earlier generation, the one before if none is named; the one that it replaces is held.

        Raises:
            GenerationNotFound: there is no earlier one.
            GenerationCorrupt: it does not verify; nothing is changed.
        """
        pointer = self.pointer()
        if pointer is None:
            raise GenerationNotFound("no index is published", self._root)
        kept = [name for name in pointer.before if (self._generations / name).is_dir()]
        target = generation or (kept[0] if kept else None)
        if target is None:
            raise GenerationNotFound(f"no generation before {pointer.current}", self._root)
        self.open(target)
        if target != pointer.current:
            self._point(rolled_back(pointer, target))
        return target

    def pointer(self) -> Pointer | None:
        """What CURRENT says; None before the first publication, or when the file is damaged."""
        try:
            return read_pointer((self._root / "CURRENT").read_bytes())
        except FileNotFoundError:
            return None

    def current(self) -> GenerationId | None:
        """The published generation's id, or None before the first."""
        pointer = self.pointer()
        return None if pointer is None else pointer.current

    def listed(self) -> list[GenerationId]:
        """All committed generations, newest first."""
        if not self._generations.is_dir():
            return []
        dated = []
        for path in self._generations.iterdir():
            with suppress(FileNotFoundError):  # pruned meanwhile
                dated.append((-(path / MANIFEST).stat().st_mtime_ns, path.name))
        return [GenerationId(name) for _, name in sorted(dated)]

    def manifest(self, generation: GenerationId) -> Manifest:
        """A generation's manifest, its other files unread.

        Raises:
            GenerationNotFound, GenerationCorrupt: as in `verify`.
        """
        folder = self._folder(generation)
        return read_manifest(folder / MANIFEST, generation)

    def version(self, generation: GenerationId) -> int:
        """Another number when the folder was put there anew; 0 when it is not there."""
        try:
            return (self._generations / generation).stat().st_ctime_ns
        except FileNotFoundError:
            return 0

    def verify(self, generation: GenerationId) -> Manifest:
        """Check every file's hash against the manifest.

        Raises:
            GenerationNotFound: no such generation.
            GenerationCorrupt: a file is missing, torn or altered, or one is too many.
        """
        manifest = self.manifest(generation)
        _check_files(self._folder(generation), manifest)
        return manifest

    def open(self, generation: GenerationId) -> OpenIndex:
        """Verify and open a generation; it is not removed while it is open.

        Raises:
            GenerationNotFound, GenerationCorrupt: as in `verify`.
        """
        folder = self._folder(generation)
        lease = _lease(folder)
        return read_contents(folder, generation, self.verify(generation), lease)

    def open_current(self) -> OpenIndex:
        """Open the published generation; if it is damaged, the newest one that opens.

        Raises:
            GenerationNotFound: there is none.
            GenerationCorrupt: no generation opens; names the published one's fault.
        """
        current = self.current()
        names = ([current] if current else []) + [n for n in self.listed() if n != current]
        fault: GenerationCorrupt | GenerationNotFound | None = None
        for name in names:
            try:
                return self.open(name)
            except (GenerationCorrupt, GenerationNotFound) as error:
                fault = fault or error
        raise fault or GenerationNotFound("no index is published", self._root)

    def prune(self, *, keep: int) -> list[GenerationId]:
        """Remove all but the newest `keep` generations, never the current one nor one that is open anywhere."""
        current = self.current()
        removed = []
        for name in self.listed()[keep:]:
            with removal(self._generations / name / MANIFEST) as free:
                if free and name != current:
                    gone = self._root / f".pruned-{name}"
                    self._files.rename(self._generations / name, gone)
                    self._files.remove(gone)
                    removed.append(name)
        return removed

    def open_sound(self) -> OpenIndex | None:
        """As `open_current`, for the writer: what is damaged is set aside on the way. None when nothing opens."""
        current = self.current()
        for name in [*([current] if current else []), *(n for n in self.listed() if n != current)]:
            try:
                return self.open(name)
            except GenerationCorrupt as error:
                if not is_foreign(self._generations / name / MANIFEST):
                    _log.warning("generation.set_aside", generation=name, reason=str(error))
                    self._set_aside(name)
            except GenerationNotFound:
                continue
        return None

    def _stage(self, staging: Path, contents: Contents, manifest: Manifest) -> GenerationId:
        digests: dict[str, str] = {}
        for name, content in encode_contents(contents):
            self._files.make_folder((staging / name).parent)
            self._files.write(staging / name, content)
            self._files.flush(staging / name)
            digests[name] = hashlib.sha256(content).hexdigest()
        finished = msgspec.structs.replace(
            manifest, dense=contents.dense.choice, files=dict(sorted(digests.items()))
        )
        encoded = encode_manifest(finished)
        self._files.write(staging / MANIFEST, encoded)
        self._files.flush(staging / MANIFEST)
        for folder in sorted({(staging / name).parent for name in digests}, reverse=True):
            self._files.flush(folder)
        return generation_id(encoded)

    def _checked(self, folder: Path, generation: GenerationId) -> None:
        """Read back what was written, through the way that readers go."""
        manifest = read_manifest(folder / MANIFEST, generation)
        _check_files(folder, manifest)
        check_index(read_contents(folder, generation, manifest, _lease(folder)), folder)

    def _point(self, pointer: Pointer) -> None:
        temporary = self._root / f".current-{os.getpid()}"
        self._files.write(temporary, pointer.encode())
        self._files.flush(temporary)
        self._files.rename(temporary, self._root / "CURRENT")
        self._files.flush(self._root)

    def _is_sound(self, generation: GenerationId) -> bool:
        try:
            self.verify(generation)
        except (GenerationCorrupt, GenerationNotFound):
            return False
        return True

    def _set_aside(self, generation: GenerationId) -> None:
        folder = self._generations / generation
        if folder.exists():
            place = self._root / "quarantine"
            make_folders(self._files, place)
            self._files.remove(place / generation)
            self._files.rename(folder, place / generation)
            self._files.flush(self._generations)

    def _folder(self, generation: GenerationId) -> Path:
        folder = self._generations / generation
        if not folder.is_dir():
            raise GenerationNotFound(f"no generation {generation}", self._root)
        return folder


def _lease(folder: Path) -> Lease:
    try:
        return Lease(folder / MANIFEST)
    except OSError as error:
        raise GenerationCorrupt(folder / MANIFEST, f"cannot be read: {error}") from error


def _check_files(folder: Path, manifest: Manifest) -> None:
    try:
        found = file_digests(folder)
    except OSError as error:
        raise GenerationCorrupt(folder, f"cannot be read: {error}") from error
    for name, digest in manifest.files.items():
        if found.pop(name, None) != digest:
            raise GenerationCorrupt(folder / name, "does not have the hash that the manifest names")
    if found:
        raise GenerationCorrupt(folder / min(found), "is not in the manifest")
