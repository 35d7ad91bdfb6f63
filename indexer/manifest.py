"""The manifest of a generation: what is in it, what it was built with, and the hash of each of its files.

`manifest.json` is one JSON object with sorted keys; its fields are those of `Manifest`. A generation's id is the
first 16 hex digits of the SHA-256 of that object, so the id follows from the contents. Nothing in it names a time,
a machine or an earlier generation: what was published when stands in CURRENT (indexer.pointer).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import msgspec

from indexer.dense import DenseChoice
from indexer.embedders import EmbedderSpec
from indexer.errors import GenerationCorrupt
from indexer.types import GenerationId

FORMAT: Final = 3
MANIFEST: Final = "manifest.json"


class DocumentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a generation. `stale`: its newest file was refused, this is the last good version."""

    id: str
    path: str
    sha256: str
    passages: int
    stale: bool = False


class Rejection(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be used: where and why. `sha256` is empty where the file could not even be read."""

    path: str
    line: int
    reason: str
    sha256: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a generation is made of. `recipe` is a hash of the code that made passages and facts of files."""

    format: int = FORMAT
    embedder: EmbedderSpec
    fingerprint: str
    chunker_version: int
    max_tokens: int
    recipe: str = ""
    documents: tuple[DocumentEntry, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    counts: dict[str, int] = {}
    dense: DenseChoice = DenseChoice()
    files: dict[str, str] = {}


class _Format(msgspec.Struct):
    format: int


def generation_id(content: bytes) -> GenerationId:
    """The id that follows from the bytes of a finished manifest."""
    return GenerationId(hashlib.sha256(content).hexdigest()[:16])


def encode_manifest(manifest: Manifest) -> bytes:
    """The manifest as one JSON object with sorted keys."""
    return msgspec.json.encode(manifest, order="sorted")


def read_manifest(path: Path, generation: GenerationId) -> Manifest:
    """Read the manifest of a generation.

    Raises:
        GenerationCorrupt: it is missing, not JSON, of another format, or not this generation's to the byte.
    """
    try:
        content = path.read_bytes()
        form = msgspec.json.decode(content, type=_Format).format
        if form != FORMAT:
            raise GenerationCorrupt(path, f"has format {form}, this version reads {FORMAT}")
        if generation_id(content) != generation:
            raise GenerationCorrupt(path, "does not belong to this generation")
        return msgspec.json.decode(content, type=Manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise GenerationCorrupt(path, f"cannot be read: {error}") from error


def is_foreign(path: Path) -> bool:
    """Whether a manifest is sound but of another format: made by another version, so not damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Format).format != FORMAT
    except (OSError, msgspec.DecodeError):
        return False


def file_digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a generation's folder but the manifest, by its path there."""
    digests = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / MANIFEST:
            with path.open("rb") as file:
                digests[path.relative_to(folder).as_posix()] = hashlib.file_digest(
                    file, "sha256"
                ).hexdigest()
    return digests
