"""A labeled set as an index of the product: parsed, chunked, embedded and opened as any corpus is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from eval.labeled import LabeledSet
from indexer.chunking import CHUNKER_VERSION, chunk_document
from indexer.dense import build_dense
from indexer.derive import sentences_of
from indexer.embedders import Embedder, Matrix
from indexer.generation import Contents, GenerationStore, OpenIndex
from indexer.manifest import Manifest
from indexer.parsing import SourceFile, parse_document
from indexer.types import Catalog, Document, Passage, Sentence


class VectorCache:
    """Vectors by the hash of their text, in one file a set and embedder, so that they are made once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[bytes, Matrix] = {}
        if path.is_file():
            with np.load(path, allow_pickle=False) as stored:
                keys = stored["keys"]
                self._known = dict(
                    zip((bytes(key) for key in keys), stored["vectors"], strict=True)
                )

    def passages(self, texts: Sequence[str], embedder: Embedder) -> Matrix:
        """float32 [texts, dimensions]; only what is not known is embedded."""
        fresh = sorted({text for text in texts if _key("p", text) not in self._known})
        for start in range(0, len(fresh), _BLOCK):
            self._add(
                "p",
                fresh[start : start + _BLOCK],
                embedder.embed_passages(fresh[start : start + _BLOCK]),
            )
        found = [self._known[_key("p", text)] for text in texts]
        return np.stack(found) if found else np.empty((0, embedder.spec.dimensions), np.float32)

    def queries(self, texts: Sequence[str], embedder: Embedder) -> Matrix:
        """float32 [texts, dimensions] of the texts as queries."""
        fresh = sorted({text for text in texts if _key("q", text) not in self._known})
        if fresh:
            self._add("q", fresh, embedder.embed_queries(fresh))
        return np.stack([self._known[_key("q", text)] for text in texts])

    def _add(self, role: str, texts: Sequence[str], vectors: Matrix) -> None:
        self._known.update(zip((_key(role, text) for text in texts), vectors, strict=True))
        keys = np.array([np.frombuffer(key, np.uint8) for key in self._known])
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".tmp.npz")
        np.savez(temporary, keys=keys, vectors=np.stack(list(self._known.values())))
        temporary.replace(self._path)


_BLOCK = 2000


def _key(role: str, text: str) -> bytes:
    return hashlib.sha256(f"{role}\0{text}".encode()).digest()


def open_set(labeled: LabeledSet, embedder: Embedder, cache: Path) -> tuple[OpenIndex, VectorCache]:
    """The set's index, built with the product's own code of now, and the cache of its vectors."""
    vectors = VectorCache(
        cache / f"{labeled.name}-{labeled.digest}-{embedder.spec.fingerprint()}.npz"
    )
    documents = tuple(_document(item.slug, item.head + item.text) for item in labeled.documents)
    passages: list[Passage] = []
    sentences: list[Sentence] = []
    texts: list[str] = []
    for document in documents:
        own = chunk_document(document, embedder.count_tokens, max_tokens=embedder.spec.max_tokens)
        for item in sentences_of(document, own):
            sentences.append(replace(item, passage=len(passages) + item.passage))
            texts.append(document.text[item.start : item.end])
        passages.extend(own)
    contents = Contents(
        documents=documents,
        passages=tuple(passages),
        sentences=tuple(sentences),
        catalog=Catalog(),
        dense=build_dense(vectors.passages([passage.embedded for passage in passages], embedder)),
        sentence_vectors=vectors.passages(texts, embedder),
    )
    store = GenerationStore(cache / f"{labeled.name}-index")
    with store.writing():
        generation = store.commit(contents, _manifest(embedder, documents, passages))
        store.publish(generation)
        store.prune(keep=1)
    return store.open(generation), vectors


def _document(slug: str, text: str) -> Document:
    return parse_document(SourceFile(path=f"{slug}.md", content=text.encode()))


def _manifest(
    embedder: Embedder, documents: Sequence[Document], passages: Sequence[Passage]
) -> Manifest:
    return Manifest(
        embedder=embedder.spec,
        fingerprint=embedder.spec.fingerprint(),
        chunker_version=CHUNKER_VERSION,
        max_tokens=embedder.spec.max_tokens,
        counts={"documents": len(documents), "passages": len(passages)},
    )
