"""What a generation holds, as values and as files (docs/index-format.md describes them to the byte)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from indexer.dense import DenseIndex, load_dense
from indexer.embedders import Matrix
from indexer.errors import GenerationCorrupt
from indexer.joining import make_catalog
from indexer.leases import Lease
from indexer.lexical import LexicalIndex, build_lexical, load_lexical, npy_bytes
from indexer.manifest import Manifest
from indexer.sentences import SentenceLeg
from indexer.types import (
    Catalog,
    Device,
    Document,
    GenerationId,
    ModelRow,
    Offer,
    Passage,
    PassageId,
    Sentence,
)

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that goes into a generation.

    `dense` has the vectors of `passages` in their order, `sentence_vectors` [sentences, dimensions] those of `sentences`.
    `lexical` is built from the passages when it is left out.
    """

    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    catalog: Catalog
    dense: DenseIndex
    sentence_vectors: Matrix
    lexical: LexicalIndex | None = None


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
    lease: Lease | None = None
    sentence_leg: SentenceLeg = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence_leg", SentenceLeg(self.sentences, self.sentence_vectors))

    def sentences_of(self, passage_id: PassageId) -> range:
        """The rows of `sentences` that stand in a passage."""
        return self.by_passage.get(passage_id, range(0))


def encode_contents(contents: Contents) -> Iterator[tuple[str, bytes]]:
    """The files of a generation but the manifest, by name; the same contents give the same bytes."""
    encoder = msgspec.json.Encoder(order="sorted")
    for name, rows in (
        ("documents", [replace(document, blocks=()) for document in contents.documents]),
        ("passages", contents.passages),
        ("sentences", contents.sentences),
        ("devices", contents.catalog.raw or contents.catalog.devices),
        ("offers", contents.catalog.offers),
        ("models", contents.catalog.models),
    ):
        yield f"{name}.jsonl", encoder.encode_lines(rows)
    yield "sentences.npy", npy_bytes(np.ascontiguousarray(contents.sentence_vectors, np.float32))
    yield from contents.dense.encode().items()
    lexical = contents.lexical or build_lexical([item.embedded for item in contents.passages])
    for name, content in lexical.encode().items():
        yield f"lexical/{name}", content


def read_contents(
    folder: Path, generation: GenerationId, manifest: Manifest, lease: Lease
) -> OpenIndex:
    """Open the files of a generation, whose hashes must have been checked before.

    Raises:
        GenerationCorrupt: a file cannot be read.
    """
    devices = tuple(_rows(folder / "devices.jsonl", Device))
    passages = tuple(_rows(folder / "passages.jsonl", Passage))
    sentences = tuple(_rows(folder / "sentences.jsonl", Sentence))
    documents = _rows(folder / "documents.jsonl", Document)
    # A plain view: slices of a memmap cost ten times as much.
    vectors = np.asarray(np.load(folder / "sentences.npy", mmap_mode="r", allow_pickle=False))
    return OpenIndex(
        id=generation,
        manifest=manifest,
        documents={document.id: document for document in documents},
        passages=passages,
        catalog=make_catalog(
            devices,
            _rows(folder / "offers.jsonl", Offer),
            _rows(folder / "models.jsonl", ModelRow),
        ),
        dense=load_dense(folder, manifest.dense),
        lexical=load_lexical(folder / "lexical", len(passages)),
        sentences=sentences,
        sentence_vectors=vectors,
        by_document=by_document(passages),
        by_passage=by_passage(passages, sentences),
        lease=lease,
    )


def by_document(passages: Sequence[Passage]) -> dict[str, list[int]]:
    """The rows of the passages of each document."""
    positions: dict[str, list[int]] = {}
    for position, passage in enumerate(passages):
        positions.setdefault(passage.document_id, []).append(position)
    return positions


def by_passage(
    passages: Sequence[Passage], sentences: Sequence[Sentence]
) -> dict[PassageId, range]:
    """The rows of the sentences of each passage."""
    rows: dict[PassageId, range] = {}
    for row, sentence in enumerate(sentences):
        key = passages[sentence.passage].id
        rows[key] = range(rows[key].start if key in rows else row, row + 1)
    return rows


def _rows(path: Path, kind: type[_Row]) -> Sequence[_Row]:
    decoder: Any = msgspec.json.Decoder(kind)
    try:
        rows: Sequence[_Row] = decoder.decode_lines(path.read_bytes())
    except (msgspec.DecodeError, OSError) as error:
        raise GenerationCorrupt(path, f"cannot be read: {error}") from error
    return rows
