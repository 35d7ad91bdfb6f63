"""The manifest of a generation: what is in it, what it was built with, and the hash of each of its files.

`manifest.json` is one JSON object with sorted keys; its fields are those of `Manifest`. A generation's id is the
first 16 hex digits of the SHA-256 of that object, so the id follows from the contents.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from indexer.embedders import EmbedderSpec
from indexer.errors import GenerationCorrupt
from indexer.types import GenerationId

FORMAT = 1


class DocumentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a generation. `stale`: its newest file was refused, this is the last good version."""

    id: str
    path: str
    sha256: str
    passages: int
    stale: bool = False


class Rejection(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be used: where and why."""

    path: str
    line: int
    reason: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a generation is made of."""

    format: int = FORMAT
    embedder: EmbedderSpec
    fingerprint: str
    chunker_version: int
    max_tokens: int
    documents: tuple[DocumentEntry, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    counts: dict[str, int] = {}
    files: dict[str, str] = {}


def generation_id(manifest: Manifest) -> GenerationId:
    """The id that follows from a finished manifest."""
    return GenerationId(hashlib.sha256(_encode(manifest)).hexdigest()[:16])


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write the manifest as one JSON object with sorted keys."""
    path.write_bytes(_encode(manifest))


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        GenerationCorrupt: it is missing, not JSON, or of another format.
    """
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise GenerationCorrupt(path, f"cannot be read: {error}") from error
    if manifest.format != FORMAT:
        raise GenerationCorrupt(path, f"has format {manifest.format}, this version reads {FORMAT}")
    return manifest


def file_digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a generation's folder but the manifest, by its path there."""
    digests = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / "manifest.json":
            with path.open("rb") as file:
                digests[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _encode(manifest: Manifest) -> bytes:
    return msgspec.json.encode(manifest, order="sorted")
