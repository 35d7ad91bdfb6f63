"""All that follows from one file alone: its document, passages, sentences and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from indexer.chunking import chunk_document
from indexer.embedders import Embedder
from indexer.extract import extract_devices
from indexer.facts import read_device, read_models, read_offers
from indexer.manifest import DocumentEntry
from indexer.parsing import SourceFile
from indexer.parsing.sandbox import parse_safely
from indexer.text import sentence_spans
from indexer.types import Device, Document, ModelRow, Offer, Passage, Sentence

_ROW: Final = re.compile(r"^[^|\n].*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A document with what was derived from it. The sentences' `passage` counts within `passages`."""

    entry: DocumentEntry
    document: Document
    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    devices: tuple[Device, ...] = ()
    offers: tuple[Offer, ...] = ()
    models: tuple[ModelRow, ...] = ()

    def sentence_texts(self) -> Iterator[str]:
        """What is embedded of the sentences, in order."""
        return (self.document.text[item.start : item.end] for item in self.sentences)


def derive(source: SourceFile, sha256: str, embedder: Embedder) -> Parsed:
    """Parse a file, in a child process unless it is harmless, and cut it into passages.

    Raises:
        CorpusError: it cannot be used; with path, line and reason.
    """
    document = replace(parse_safely(source), sha256=sha256)
    passages = chunk_document(document, embedder.count_tokens, max_tokens=embedder.spec.max_tokens)
    return Parsed(
        entry=DocumentEntry(
            id=document.id, path=document.path, sha256=sha256, passages=len(passages)
        ),
        document=document,
        passages=tuple(passages),
        sentences=tuple(sentences_of(document, passages)),
        devices=_devices(document),
        offers=read_offers(document) if document.kind == "offers" else (),
        models=read_models(document) if document.kind == "models" else (),
    )


def _devices(document: Document) -> tuple[Device, ...]:
    if document.kind == "hardware":
        return (read_device(document),)
    return extract_devices(document) if document.kind == "user" else ()


def sentences_of(document: Document, passages: Sequence[Passage]) -> Iterator[Sentence]:
    """The sentences of a document's passages: those of prose; of the tables that users add the rows too, since nothing else states what they say."""
    for position, passage in enumerate(passages):
        if passage.kind == "prose":
            for start, end in sentence_spans(passage.text):
                yield Sentence(
                    passage=position, start=passage.start + start, end=passage.start + end
                )
        elif passage.kind == "table" and document.kind == "user":
            for row in _ROW.finditer(passage.text):
                start, end = passage.start + row.start(), passage.start + row.end()
                yield Sentence(passage=position, start=start, end=end)
