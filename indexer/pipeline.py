"""The one write path: a folder of files becomes a published generation. The command line, watching and tests call it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np

from indexer.chunking import CHUNKER_VERSION, chunk_document
from indexer.embedders import Embedder, Matrix
from indexer.errors import CorpusError, EmptyCorpus, GenerationCorrupt, GenerationNotFound
from indexer.facts import read_device, read_models, read_offers
from indexer.generation import Contents, GenerationStore, OpenIndex
from indexer.manifest import DocumentEntry, Manifest, Rejection
from indexer.parsing import SourceFile, is_document, parse_document
from indexer.text import sentence_spans
from indexer.types import Catalog, Device, Document, GenerationId, ModelRow, Offer, Passage, Sentence


class Progress(Protocol):
    """Told of a stage's start with its number of steps, and of steps done."""

    def start(self, stage: str, total: int) -> None:
        """A stage begins."""

    def advance(self, steps: int) -> None:
        """Some steps of the running stage are done."""


class Silent:
    """A progress that shows nothing."""

    def start(self, stage: str, total: int) -> None:
        """Nothing."""

    def advance(self, steps: int) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build did: documents by path, vectors reused and embedded (passages and sentences), seconds by stage."""

    generation: GenerationId
    published: bool
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reused: int = 0
    embedded: int = 0
    passages: int = 0
    rejected: tuple[Rejection, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """A document with all that is derived from it alone."""

    entry: DocumentEntry
    document: Document
    passages: tuple[Passage, ...]
    devices: tuple[Device, ...] = ()
    offers: tuple[Offer, ...] = ()
    models: tuple[ModelRow, ...] = ()


def build_generation(
    corpora: Sequence[Path], store: GenerationStore, embedder: Embedder, *, progress: Progress | None = None, clock: Callable[[], float] = perf_counter
) -> BuildReport:
    """Index all documents under the folders and publish the result; nothing is published when nothing changed.

    Unchanged documents are taken from the current generation, unchanged passages keep their vectors. A file that
    cannot be used is reported; its last good version stays, marked stale.

    Raises:
        EmptyCorpus: no document under any folder.
        IndexLocked: another build is running.
    """
    shown = progress or Silent()
    with store.writing():
        watch = _Stopwatch(clock)
        old = _current(store)
        old = old if old and old.manifest.fingerprint == embedder.spec.fingerprint() and old.manifest.chunker_version == CHUNKER_VERSION else None
        sources = list(_scan(corpora))
        if not sources:
            raise EmptyCorpus(corpora[0])
        watch.lap("scan")
        parsed, rejected = _parse_all(sources, old, embedder, shown)
        watch.lap("parse")
        passages = tuple(passage for item in parsed for passage in item.passages)
        documents = {item.document.id: item.document for item in parsed}
        sentences = tuple(_sentences(passages))
        texts = [passage.embedded for passage in passages] + [_text(documents, passages, item) for item in sentences]
        vectors, embedded = _vectors(texts, _known(old), embedder, shown)
        watch.lap("embed")
        contents = Contents(
            documents=tuple(documents.values()),
            passages=passages,
            sentences=sentences,
            catalog=_catalog(parsed),
            vectors=vectors[: len(passages)],
            sentence_vectors=vectors[len(passages) :],
        )
        generation = store.commit(contents, _manifest(parsed, rejected, contents, embedder))
        published = generation != store.current()
        if published:
            store.publish(generation)
        watch.lap("publish")
        return _report(generation, published, parsed, rejected, old, (embedded, len(texts) - embedded), watch.seconds)


class _Stopwatch:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = clock()
        self.seconds: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = self._clock()
        self.seconds[stage] = now - self._last
        self._last = now


def _current(store: GenerationStore) -> OpenIndex | None:
    try:
        return store.open_current()
    except (GenerationNotFound, GenerationCorrupt):
        return None


def _scan(corpora: Sequence[Path]) -> Iterable[SourceFile]:
    """All documents in the order of their paths; the first folder wins where two hold the same path."""
    files: dict[str, Path] = {}
    for root in corpora:
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
            if path.is_file() and not path.is_symlink() and not hidden and is_document(name):
                files.setdefault(name, path)
    for name in sorted(files):
        yield SourceFile(path=name, content=files[name].read_bytes())


def _parse_all(
    sources: Sequence[SourceFile], old: OpenIndex | None, embedder: Embedder, progress: Progress
) -> tuple[list[_Parsed], list[Rejection]]:
    before = _records(old) if old else {}
    parsed: list[_Parsed] = []
    rejected: list[Rejection] = []
    progress.start("parse", len(sources))
    for source in sources:
        sha256 = hashlib.sha256(source.content).hexdigest()
        known = before.get(source.path)
        if known and known.entry.sha256 == sha256 and not known.entry.stale:
            parsed.append(known)
        else:
            try:
                parsed.append(_parse(source, sha256, embedder))
            except CorpusError as error:
                rejected.append(Rejection(path=error.path, line=error.line, reason=error.reason))
                if known:
                    parsed.append(replace(known, entry=_stale(known.entry)))
        progress.advance(1)
    return parsed, rejected


def _stale(entry: DocumentEntry) -> DocumentEntry:
    return DocumentEntry(id=entry.id, path=entry.path, sha256=entry.sha256, passages=entry.passages, stale=True)


def _parse(source: SourceFile, sha256: str, embedder: Embedder) -> _Parsed:
    document = replace(parse_document(source), sha256=sha256)
    passages = chunk_document(document, embedder.count_tokens, max_tokens=embedder.spec.max_tokens)
    return _Parsed(
        entry=DocumentEntry(id=document.id, path=document.path, sha256=sha256, passages=len(passages)),
        document=document,
        passages=tuple(passages),
        devices=(read_device(document),) if document.kind == "hardware" else (),
        offers=read_offers(document) if document.kind == "offers" else (),
        models=read_models(document) if document.kind == "models" else (),
    )


def _records(old: OpenIndex) -> dict[str, _Parsed]:
    """The old generation's documents by path, with what was derived from each."""
    passages: dict[str, list[Passage]] = {}
    for passage in old.passages:
        passages.setdefault(passage.document_id, []).append(passage)
    return {
        entry.path: _Parsed(
            entry=entry,
            document=old.documents[entry.id],
            passages=tuple(passages.get(entry.id, ())),
            devices=tuple(device for device in old.catalog.devices if device.document_id == entry.id),
            offers=tuple(offer for offer in old.catalog.offers if offer.document_id == entry.id),
            models=tuple(model for model in old.catalog.models if model.document_id == entry.id),
        )
        for entry in old.manifest.documents
    }


def _sentences(passages: Sequence[Passage]) -> Iterator[Sentence]:
    for position, passage in enumerate(passages):
        if passage.kind == "prose":
            for start, end in sentence_spans(passage.text):
                yield Sentence(passage=position, start=passage.start + start, end=passage.start + end)


def _text(documents: Mapping[str, Document], passages: Sequence[Passage], sentence: Sentence) -> str:
    return documents[passages[sentence.passage].document_id].text[sentence.start : sentence.end]


def _known(old: OpenIndex | None) -> dict[str, Matrix]:
    """The vectors of the old generation by the text that was embedded."""
    if old is None:
        return {}
    texts = [_text(old.documents, old.passages, sentence) for sentence in old.sentences]
    known = dict(zip(texts, old.sentence_vectors, strict=True))
    known.update(zip((passage.embedded for passage in old.passages), old.dense.vectors(), strict=True))
    return known


def _vectors(
    texts: Sequence[str], known: dict[str, Matrix], embedder: Embedder, progress: Progress
) -> tuple[Matrix, int]:
    """[texts, dimensions], and how many were embedded anew; a text that stands twice is embedded once."""
    fresh = sorted(set(texts) - known.keys())
    progress.start("embed", len(fresh))
    known.update(zip(fresh, embedder.embed_passages(fresh, progress=progress.advance), strict=True))
    rows = [known[text] for text in texts]
    return np.stack(rows) if rows else np.empty((0, embedder.spec.dimensions), np.float32), len(fresh)


def _catalog(parsed: Sequence[_Parsed]) -> Catalog:
    devices = tuple(sorted((device for item in parsed for device in item.devices), key=lambda device: device.id))
    return Catalog(
        devices=devices,
        offers=tuple(offer for item in parsed for offer in item.offers),
        models=tuple(model for item in parsed for model in item.models),
        by_id={device.id: device for device in devices},
    )


def _manifest(
    parsed: Sequence[_Parsed], rejected: Sequence[Rejection], contents: Contents, embedder: Embedder
) -> Manifest:
    return Manifest(
        embedder=embedder.spec,
        fingerprint=embedder.spec.fingerprint(),
        chunker_version=CHUNKER_VERSION,
        max_tokens=embedder.spec.max_tokens,
        documents=tuple(item.entry for item in parsed),
        rejected=tuple(rejected),
        counts={
            "documents": len(contents.documents),
            "passages": len(contents.passages),
            "devices": len(contents.catalog.devices),
            "offers": len(contents.catalog.offers),
            "models": len(contents.catalog.models),
        },
    )


def _report(
    generation: GenerationId,
    published: bool,
    parsed: Sequence[_Parsed],
    rejected: Sequence[Rejection],
    old: OpenIndex | None,
    counts: tuple[int, int],
    seconds: dict[str, float],
) -> BuildReport:
    before = {entry.path: entry.sha256 for entry in old.manifest.documents} if old else {}
    after = {item.entry.path: item.entry.sha256 for item in parsed}
    passages = sum(len(item.passages) for item in parsed)
    return BuildReport(
        generation=generation,
        published=published,
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(path for path in after.keys() & before.keys() if after[path] != before[path])),
        removed=tuple(sorted(before.keys() - after.keys())),
        reused=counts[1],
        embedded=counts[0],
        passages=passages,
        rejected=tuple(rejected),
        seconds=seconds,
    )
