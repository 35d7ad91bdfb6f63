"""The index changes under eight clients that ask without a pause."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import perf_counter

import pytest

from indexer.embedders.hashing import HashingEmbedder
from indexer.errors import EmbedderMismatch, GenerationCorrupt, GenerationNotFound
from indexer.generation import GenerationStore, OpenIndex
from indexer.pipeline import BuildOptions, build_generation
from service.engine import Engine
from service.snapshot import SnapshotHolder
from service.types import Answer, Question
from tests.conftest import write_corpus
from tests.indexer.lifecycle.worlds import current_of, write_article

EMBEDDER = HashingEmbedder()
_CLIENTS = 8
_REBUILDS = 50
_QUESTIONS = (
    "Does training need ECC memory?",
    "How is the zebra rack cooled?",
    "What does note 3 say of the zebra rack?",
    "How much memory does the Acme One 80 GB have?",
)


@dataclass
class Live:
    """A folder, its store, and an engine on it."""

    docs: Path
    store: GenerationStore
    engine: Engine
    published: dict[str, tuple[int, OpenIndex]] = field(default_factory=dict)
    latest: int = 0

    def rebuild(self) -> None:
        """Publish what the folder holds, and note it once it serves."""
        report = build_generation([self.docs], self.store, EMBEDDER, options=BuildOptions(keep=2))
        opened = self.store.open(report.generation)
        self.published[report.generation] = (self.latest + 1, opened)
        self.engine.holder.refresh()
        self.latest += 1


@dataclass(frozen=True)
class Asked:
    """An answer, and the number of the newest publication when it was asked for."""

    began: int
    answer: Answer


@pytest.fixture
def live(tmp_path) -> Live:
    docs = write_corpus(tmp_path / "docs")
    store = GenerationStore(tmp_path / "index")
    build_generation([docs], store, EMBEDDER)
    holder = SnapshotHolder(store, fingerprint=EMBEDDER.spec.fingerprint())
    made = Live(docs, store, Engine(holder=holder, embedder=EMBEDDER))
    made.published[current_of(store)] = (0, store.open(current_of(store)))
    return made


@contextmanager
def clients(live: Live) -> Iterator[tuple[list[Asked], list[Exception]]]:
    """Ask until the block ends."""
    stop, asked, faults = Event(), [], []

    def ask(number: int) -> None:
        while not stop.is_set():
            for text in _QUESTIONS[number % 4 :] + _QUESTIONS[: number % 4]:
                began = live.latest
                try:
                    asked.append(Asked(began, live.engine.answer(Question(text=text))))
                except Exception as error:  # noqa: BLE001 - counted, whatever it is
                    faults.append(error)

    threads = [Thread(target=ask, args=(number,)) for number in range(_CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield asked, faults
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def _change(live: Live, step: int) -> None:
    """In turn: a new note, an edit of it, the deletion of the note before."""
    number = step // 3
    if step % 3 == 2 and number > 0:
        (live.docs / f"guidance/system/note-{number - 1}.md").unlink()
    else:
        write_article(
            live.docs,
            f"guidance/system/note-{number}.md",
            f"Note {number} says that the zebra rack is cooled by water at {step} degrees.",
        )


def _faults_of(asked: Asked, live: Live) -> Iterator[str]:
    number, index = live.published[asked.answer.generation]
    if number < asked.began:
        yield f"asked after publication {asked.began}, answered from {number}"
    known = {passage.id for passage in index.passages}
    for citation in asked.answer.citations:
        document = index.documents.get(citation.document_id)
        if document is None:
            yield f"{citation.document_id} is cited and not in the generation"
        elif document.text[citation.start : citation.end] != citation.quote:
            yield f"{citation.document_id} is quoted from another generation"
    if not {hit.passage.id for hit in asked.answer.retrieved} <= known:
        yield "a passage of another generation was found"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_fifty_rebuilds_under_eight_clients_mix_and_lose_nothing(live, capsys):
    began = perf_counter()
    with clients(live) as (asked, faults):
        for step in range(_REBUILDS):
            _change(live, step)
            live.rebuild()

    assert faults == []
    assert live.latest == _REBUILDS == len(live.published) - 1
    assert [fault for item in asked for fault in _faults_of(item, live)] == []
    assert len({item.answer.generation for item in asked}) > _REBUILDS // 2
    cited = {c.document_id for item in asked for c in item.answer.citations}
    assert any(name.startswith("guidance/system/note-") for name in cited)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{_REBUILDS} rebuilds, {len(asked)} answers, 0 failed, 0 mixed, "
            f"{perf_counter() - began:.0f} s\n"
        )


def test_a_generation_in_use_is_not_pruned_and_stays_valid(live):
    holder = live.engine.holder
    held = holder.current()
    for step in (0, 1, 2, 3, 4):
        _change(live, step)
        live.rebuild()
    live.published.clear()

    with live.store.writing():
        live.store.prune(keep=1)

    assert held.index.id in live.store.listed()
    assert held.index.dense.similar(EMBEDDER.embed_queries(["ECC memory"])[0]).cosines.max() > 0
    name = held.index.id
    del held
    with live.store.writing():
        assert name in live.store.prune(keep=1)


def test_vectors_stay_valid_when_their_files_are_gone(live):
    index = live.store.open_current()
    shutil.rmtree(live.store.root / "generations")

    assert index.dense.similar(EMBEDDER.embed_queries(["ECC memory"])[0]).cosines.max() > 0
    assert index.lexical.scores("ECC memory").max() > 0
    assert float(index.sentence_vectors[0] @ index.sentence_vectors[0]) == pytest.approx(1)


def test_a_damaged_publication_leaves_the_old_one_in_use_and_is_told_each_time(live):
    holder = live.engine.holder
    before = holder.current().index.id
    write_article(live.docs, "guidance/system/note-9.md", "Note 9 is new.")
    after = build_generation([live.docs], live.store, EMBEDDER).generation
    (live.store.root / "generations" / after / "dense.faiss").write_bytes(b"torn")

    for _ in range(3):
        with pytest.raises(GenerationCorrupt, match=r"dense\.faiss"):
            holder.refresh()

    assert holder.current().index.id == before


def test_a_fresh_start_on_a_damaged_publication_serves_the_last_good_one(live):
    before = live.store.current()
    write_article(live.docs, "guidance/system/note-9.md", "Note 9 is new.")
    after = build_generation([live.docs], live.store, EMBEDDER).generation
    (live.store.root / "generations" / after / "dense.faiss").unlink()
    holder = SnapshotHolder(live.store, fingerprint=EMBEDDER.spec.fingerprint())

    assert holder.current().index.id == before
    with pytest.raises(GenerationCorrupt, match="hash"):
        holder.refresh()


def test_an_index_of_another_model_is_never_searched(live):
    other = HashingEmbedder(dimensions=32)
    build_generation([live.docs], live.store, other)

    holder = SnapshotHolder(live.store, fingerprint=EMBEDDER.spec.fingerprint())

    with pytest.raises(EmbedderMismatch, match="rigwise index build"):
        holder.current()
    with pytest.raises(EmbedderMismatch, match="dimensions"):
        live.store.open_current().dense.similar(EMBEDDER.embed_queries(["x"])[0])


def test_before_the_first_build_there_is_nothing(tmp_path):
    holder = SnapshotHolder(GenerationStore(tmp_path), fingerprint="")

    with pytest.raises(GenerationNotFound, match="rigwise index build"):
        holder.current()
