"""Which files there are, by content and never by time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import CorpusMissing
from indexer.manifest import Manifest
from indexer.parsing import is_document


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that looks like a document. `refusal` says why it cannot even be read; then `sha256` is empty."""

    path: str
    file: Path
    sha256: str
    refusal: str = ""


def scan(corpora: Sequence[Path], *, check: Callable[[], None] = lambda: None) -> list[Found]:
    """All documents in the order of their paths. `check` is called before each file and may raise.

    Where two folders hold the same path the first wins, and the other file is listed with a refusal.

    Raises:
        CorpusMissing: one of the folders is not there.
    """
    files: dict[str, Path] = {}
    shadowed: list[Found] = []
    for root in corpora:
        for name, file in _documents(root):
            if name in files:
                reason = f"another folder of documents holds a file of this path: {files[name].parent.name}/{file.name}"
                shadowed.append(Found(path=name, file=file, sha256="", refusal=reason))
            else:
                files[name] = file
    found = shadowed
    for name, file in files.items():
        check()
        found.extend(_hashed(name, file))
    return sorted(found, key=lambda item: (item.path, item.refusal))


def is_accounted(found: Sequence[Found], manifest: Manifest) -> bool:
    """Whether a generation was made of exactly these files, refused ones included."""
    wanted = {(item.path, item.sha256, item.refusal) for item in found}
    entries = {(item.path, item.sha256, "") for item in manifest.documents if not item.stale}
    refused = {
        (item.path, item.sha256, "" if item.sha256 else item.reason) for item in manifest.rejected
    }
    stale = {item.path for item in manifest.documents if item.stale}
    return wanted == entries | refused and stale <= {item.path for item in manifest.rejected}


def _documents(root: Path) -> Iterator[tuple[str, Path]]:
    """Neither links nor what is hidden; links would lead out of the folder."""
    if not root.is_dir():
        raise CorpusMissing(root)
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        hidden = any(part.startswith(".") for part in relative.parts)
        if not hidden and is_document(relative.as_posix()) and _is_plain(path):
            yield relative.as_posix(), path


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _hashed(name: str, file: Path) -> Iterator[Found]:
    """The file with its hash; nothing when it has gone since."""
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        yield Found(path=name, file=file, sha256=digest)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        yield Found(path=name, file=file, sha256="", refusal=reason)
