"""Generations: an index is written aside, verified, and published by one rename; it is never changed after.

Layout under the index root (all JSON is UTF-8):

    CURRENT                     the id of the published generation and a newline
    .lock                       held by the one writer
    generations/<id>/
        manifest.json           see indexer.manifest
        documents.jsonl         one Document without blocks a line
        passages.jsonl          one Passage a line, in the order of the vectors
        devices.jsonl, offers.jsonl, models.jsonl
        dense.faiss             FAISS, float32 unit vectors of the passages
        sentences.jsonl         one Sentence a line: position of its passage, span
        sentences.npy           numpy, float32 unit vectors of the sentences
        lexical/                bm25s arrays (.npy) and vocabulary (.json)
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from filelock import FileLock, Timeout

from indexer.dense import DenseIndex, build_dense, load_dense
from indexer.embedders import Matrix
from indexer.errors import GenerationCorrupt, GenerationNotFound, IndexLocked
from indexer.lexical import LexicalIndex, build_lexical, load_lexical
from indexer.manifest import Manifest, file_digests, generation_id, read_manifest, write_manifest
from indexer.types import Catalog, Device, Document, GenerationId, ModelRow, Offer, Passage, PassageId, Sentence

_Row = TypeVar("_Row")
_LOCK_WAIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that goes into a generation.

    `vectors` [passages, dimensions] in the order of `passages`, `sentence_vectors` [sentences, dimensions] likewise.
    """

    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    catalog: Catalog
    vectors: Matrix
    sentence_vectors: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIndex:
    """A generation opened for reading; it stays valid while it is held, whatever is published after."""

    id: GenerationId
    manifest: Manifest
    documents: dict[str, Document]
    passages: tuple[Passage, ...]
    catalog: Catalog
    dense: DenseIndex
    lexical: LexicalIndex
    sentences: tuple[Sentence, ...]
    sentence_vectors: Matrix
    by_document: dict[str, list[int]]
    by_passage: dict[PassageId, range]

    def sentences_of(self, passage_id: PassageId) -> range:
        """The rows of `sentences` that stand in a passage."""
        return self.by_passage.get(passage_id, range(0))


class GenerationStore:
    """The generations under one root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._generations = root / "generations"

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock; the system frees it when the process dies.

        Raises:
            IndexLocked: another build holds it.
        """
        self._generations.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._root / ".lock", timeout=_LOCK_WAIT_S)
        try:
            with lock:
                yield
        except Timeout as error:
            raise IndexLocked(self._root / ".lock", _LOCK_WAIT_S) from error

    def commit(self, contents: Contents, manifest: Manifest) -> GenerationId:
        """Write a generation aside, flush it, and move it to its place; the same contents give the same id."""
        staging = self._root / f".staging-{os.getpid()}"
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        try:
            _write_contents(staging, contents)
            finished = msgspec.structs.replace(manifest, files=file_digests(staging))
            generation = generation_id(finished)
            write_manifest(staging / "manifest.json", finished)
            _flush_tree(staging)
            final = self._generations / generation
            if final.exists():
                shutil.rmtree(final)
            staging.rename(final)
            _flush(self._generations)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        return generation

    def publish(self, generation: GenerationId) -> None:
        """Make a committed generation the current one: one rename, after flushing."""
        temporary = self._root / f".current-{os.getpid()}"
        with temporary.open("w", encoding="utf-8") as file:
            file.write(f"{generation}\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._root / "CURRENT")
        _flush(self._root)

    def current(self) -> GenerationId | None:
        """The published generation's id, or None before the first."""
        try:
            name = (self._root / "CURRENT").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        return GenerationId(name) if name else None

    def listed(self) -> list[GenerationId]:
        """All committed generations, newest first."""
        if not self._generations.is_dir():
            return []
        folders = sorted(self._generations.iterdir(), key=lambda path: (-path.stat().st_mtime_ns, path.name))
        return [GenerationId(path.name) for path in folders if (path / "manifest.json").is_file()]

    def verify(self, generation: GenerationId) -> Manifest:
        """Check every file's size and hash against the manifest.

        Raises:
            GenerationNotFound: no such generation.
            GenerationCorrupt: a file is missing, torn or altered, or one is too many.
        """
        folder = self._generations / generation
        if not folder.is_dir():
            raise GenerationNotFound(f"no generation {generation}", self._root)
        manifest = read_manifest(folder / "manifest.json")
        found = file_digests(folder)
        for name, digest in manifest.files.items():
            if found.pop(name, None) != digest:
                raise GenerationCorrupt(folder / name, "does not have the hash that the manifest names")
        if found:
            raise GenerationCorrupt(folder / min(found), "is not in the manifest")
        if generation_id(manifest) != generation:
            raise GenerationCorrupt(folder / "manifest.json", "does not belong to this generation")
        return manifest

    def open(self, generation: GenerationId) -> OpenIndex:
        """Verify and open a generation.

        Raises:
            GenerationNotFound, GenerationCorrupt: as in `verify`.
        """
        manifest = self.verify(generation)
        folder = self._generations / generation
        devices = tuple(_rows(folder / "devices.jsonl", Device))
        passages = tuple(_rows(folder / "passages.jsonl", Passage))
        sentences = tuple(_rows(folder / "sentences.jsonl", Sentence))
        return OpenIndex(
            id=generation,
            manifest=manifest,
            documents={document.id: document for document in _rows(folder / "documents.jsonl", Document)},
            passages=passages,
            catalog=Catalog(
                devices=devices,
                offers=tuple(_rows(folder / "offers.jsonl", Offer)),
                models=tuple(_rows(folder / "models.jsonl", ModelRow)),
                by_id={device.id: device for device in devices},
            ),
            dense=load_dense(folder / "dense.faiss"),
            lexical=load_lexical(folder / "lexical", len(passages)),
            sentences=sentences,
            by_document=_by_document(passages),
            by_passage=_by_passage(passages, sentences),
            sentence_vectors=np.load(folder / "sentences.npy", mmap_mode="r", allow_pickle=False),
        )

    def open_current(self) -> OpenIndex:
        """Open the published generation; if it is damaged, the newest one that opens.

        Raises:
            GenerationNotFound: nothing is published.
            GenerationCorrupt: no generation opens; names the published one's fault.
        """
        current = self.current()
        if current is None:
            raise GenerationNotFound("no index is published", self._root)
        try:
            return self.open(current)
        except (GenerationCorrupt, GenerationNotFound) as error:
            for other in self.listed():
                if other == current:
                    continue
                try:
                    return self.open(other)
                except GenerationCorrupt:
                    continue
            raise error

    def prune(self, *, keep: int) -> list[GenerationId]:
        """Remove all but the newest `keep` generations, never the current one."""
        current = self.current()
        removed = [name for name in self.listed()[keep:] if name != current]
        for name in removed:
            shutil.rmtree(self._generations / name)
        return removed


def _write_contents(folder: Path, contents: Contents) -> None:
    for name, rows in (
        ("documents", [_without_blocks(document) for document in contents.documents]),
        ("passages", contents.passages),
        ("sentences", contents.sentences),
        ("devices", contents.catalog.devices),
        ("offers", contents.catalog.offers),
        ("models", contents.catalog.models),
    ):
        encoder = msgspec.json.Encoder(order="sorted")
        with (folder / f"{name}.jsonl").open("wb") as file:
            file.write(encoder.encode_lines(rows))
    np.save(folder / "sentences.npy", contents.sentence_vectors, allow_pickle=False)
    build_dense(contents.vectors).save(folder / "dense.faiss")
    build_lexical([passage.embedded for passage in contents.passages]).save(folder / "lexical")


def _by_document(passages: Sequence[Passage]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for position, passage in enumerate(passages):
        positions.setdefault(passage.document_id, []).append(position)
    return positions


def _by_passage(passages: Sequence[Passage], sentences: Sequence[Sentence]) -> dict[PassageId, range]:
    rows: dict[PassageId, range] = {}
    for row, sentence in enumerate(sentences):
        key = passages[sentence.passage].id
        rows[key] = range(rows[key].start if key in rows else row, row + 1)
    return rows


def _without_blocks(document: Document) -> Document:
    return replace(document, blocks=())


def _rows(path: Path, kind: type[_Row]) -> Sequence[_Row]:
    decoder: Any = msgspec.json.Decoder(kind)
    try:
        rows: Sequence[_Row] = decoder.decode_lines(path.read_bytes())
    except (msgspec.DecodeError, OSError) as error:
        raise GenerationCorrupt(path, f"cannot be read: {error}") from error
    return rows


def _flush_tree(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        _flush(path)
    _flush(folder)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
