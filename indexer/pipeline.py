"""The one write path: folders of files become a published generation. The command line, watching and tests call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from indexer.chunking import CHUNKER_VERSION
from indexer.contents import Contents, OpenIndex
from indexer.dense import build_dense
from indexer.derive import Parsed
from indexer.embedders import Embedder
from indexer.errors import EmptyCorpus, GenerationCorrupt, GenerationNotFound
from indexer.gather import Gathered, before_of, compared, gather
from indexer.generation import GenerationStore
from indexer.joining import make_catalog
from indexer.manifest import Manifest
from indexer.recipe import recipe
from indexer.report import BuildOptions as BuildOptions
from indexer.report import BuildReport as BuildReport
from indexer.report import Cancellable
from indexer.report import Progress as Progress
from indexer.report import Silent as Silent
from indexer.reuse import embed, known_vectors, lexical_leg, same_recipe
from indexer.scan import Found, is_accounted, scan
from indexer.types import Catalog, GenerationId, Sentence


def build_generation(
    corpora: Sequence[Path],
    store: GenerationStore,
    embedder: Embedder,
    *,
    progress: Progress | None = None,
    clock: Callable[[], float] = perf_counter,
    options: BuildOptions | None = None,
) -> BuildReport:
    """Index all documents under the folders and publish the result.

    Nothing is parsed, embedded, written or published when the published generation was made of these very files.
    Unchanged documents are taken over, unchanged texts keep their vectors. A file that cannot be used is reported;
    its last good version stays, marked stale.

    Raises:
        EmptyCorpus: no document under any folder.
        CorpusMissing: one of the folders is not there.
        IndexLocked: another build is running.
        BuildCancelled: `options.cancelled` said so; nothing was published.
    """
    chosen = options or BuildOptions()
    shown = Cancellable(progress or Silent(), chosen.cancelled)
    with store.writing():
        watch = _Stopwatch(clock)
        found = scan(corpora, check=shown.check)
        if not any(item.sha256 for item in found):
            raise EmptyCorpus(corpora[0])
        watch.lap("scan")
        build = _Build(store=store, embedder=embedder, progress=shown, watch=watch, options=chosen)
        return build.spared(found) or build.run(found)


class _Stopwatch:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = clock()
        self.seconds: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = self._clock()
        self.seconds[stage] = now - self._last
        self._last = now


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """One build, inside the writer's lock."""

    store: GenerationStore
    embedder: Embedder
    progress: Cancellable
    watch: _Stopwatch
    options: BuildOptions

    def spared(self, found: Sequence[Found]) -> BuildReport | None:
        """The report when there is nothing to do, decided by hashes alone; else None."""
        pointer = self.store.pointer()
        published = None if pointer is None else self._sound(pointer.current)
        if self.options.full or pointer is None or published is None:
            return None
        self.watch.lap("verify")
        held = self._sound(pointer.held) if pointer.held and not self.options.release else None
        if held is not None and self._made_of(found, held):
            return self._unchanged(pointer.current, published, held=True)
        if self._made_of(found, published):
            return self._unchanged(pointer.current, published, held=False)
        return None

    def run(self, found: Sequence[Found]) -> BuildReport:
        """Make a generation of the files, and publish it unless it is held."""
        old = self.store.open_sound()
        self.watch.lap("open")
        gathered = gather(
            found,
            before_of(old, self.embedder, full=self.options.full),
            self.embedder,
            self.progress,
        )
        self.watch.lap("parse")
        contents, embedded = self._contents(gathered, old)
        self.watch.lap("embed")
        self.progress.check()
        generation = self.store.commit(contents, self._manifest(gathered, contents))
        self.watch.lap("commit")
        self.progress.check()
        pointer = self.store.pointer()
        held = not self.options.release and pointer is not None and pointer.held == generation
        # Published anew, too, when it was damaged and is whole again.
        same = old is not None and pointer is not None and old.id == pointer.current == generation
        published = not held and not same
        if published:
            self.store.publish(generation)
        self.store.prune(keep=self.options.keep)
        self.watch.lap("publish")
        return replace(
            compared(old, gathered),
            generation=pointer.current if held and pointer else generation,
            published=published,
            held=held,
            passages=len(contents.passages),
            embedded=embedded,
            reused=len(contents.passages) + len(contents.sentences) - embedded,
            seconds=self.watch.seconds,
        )

    def _sound(self, generation: GenerationId) -> Manifest | None:
        """The manifest of a generation whose files are as it names them; None when they are not."""
        try:
            return self.store.verify(generation)
        except (GenerationNotFound, GenerationCorrupt):
            return None

    def _made_of(self, found: Sequence[Found], manifest: Manifest) -> bool:
        return same_recipe(manifest, self.embedder.spec) and is_accounted(found, manifest)

    def _unchanged(
        self, generation: GenerationId, manifest: Manifest, *, held: bool
    ) -> BuildReport:
        counts = manifest.counts
        return BuildReport(
            generation=generation,
            published=False,
            held=held,
            reused=counts.get("passages", 0) + counts.get("sentences", 0),
            passages=counts.get("passages", 0),
            rejected=manifest.rejected,
            stale=tuple(entry.path for entry in manifest.documents if entry.stale),
            seconds=self.watch.seconds,
        )

    def _contents(self, gathered: Gathered, old: OpenIndex | None) -> tuple[Contents, int]:
        """With how many texts were embedded."""
        passages = tuple(passage for item in gathered.parsed for passage in item.passages)
        texts = [passage.embedded for passage in passages]
        texts += [text for item in gathered.parsed for text in item.sentence_texts()]
        known = known_vectors(old, self.embedder.spec) if old else {}
        vectors, embedded = embed(texts, known, self.embedder, self.progress)
        contents = Contents(
            documents=tuple(item.document for item in gathered.parsed),
            passages=passages,
            sentences=tuple(_numbered(gathered.parsed)),
            catalog=_catalog(gathered.parsed),
            dense=build_dense(vectors[: len(passages)], vectors[len(passages) :]),
            sentence_vectors=vectors[len(passages) :],
            lexical=lexical_leg(texts[: len(passages)], old),
        )
        return contents, embedded

    def _manifest(self, gathered: Gathered, contents: Contents) -> Manifest:
        spec = self.embedder.spec
        return Manifest(
            embedder=spec,
            fingerprint=spec.fingerprint(),
            chunker_version=CHUNKER_VERSION,
            max_tokens=spec.max_tokens,
            recipe=recipe(),
            documents=tuple(item.entry for item in gathered.parsed),
            rejected=gathered.rejected,
            counts={
                "documents": len(contents.documents),
                "passages": len(contents.passages),
                "sentences": len(contents.sentences),
                "devices": len(contents.catalog.devices),
                "offers": len(contents.catalog.offers),
                "models": len(contents.catalog.models),
            },
        )


def _numbered(parsed: Sequence[Parsed]) -> Iterator[Sentence]:
    """The sentences, with the positions of their passages in the whole generation."""
    first = 0
    for item in parsed:
        for sentence in item.sentences:
            yield replace(sentence, passage=first + sentence.passage)
        first += len(item.passages)


def _catalog(parsed: Sequence[Parsed]) -> Catalog:
    return make_catalog(
        (device for item in parsed for device in item.devices),
        tuple(offer for item in parsed for offer in item.offers),
        tuple(model for item in parsed for model in item.models),
    )
