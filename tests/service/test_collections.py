"""What a caller does not see is not there: answers are those of an index that never held the hidden documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexer.belonging import collection_of
from indexer.collection import restricted
from indexer.embedders.hashing import HashingEmbedder
from indexer.generation import GenerationStore, OpenIndex
from indexer.pipeline import build_generation
from indexer.types import GenerationId
from service.engine import Engine
from service.render import answer_object
from service.snapshot import SnapshotHolder
from service.types import Question
from tests.service.sheets_for_tests import write_sheets
from tests.service.test_engine import ODD, QUESTIONS

EMBEDDER = HashingEmbedder(dimensions=256)
HIDDEN = {
    "collections/finance/zebra.md": "# The zebra rack\n\nThe zebra rack holds 12 machines of 9 kW each. ECC memory is off in it.\n",
    "collections/finance/parts.csv": "Name,Memory (GB),Memory bandwidth (TB/s),TDP (W)\n"
    "NVIDIA H100 SXM,80,3.35,750\nNVIDIA Z900,999,9.9,100\n",
    "collections/law/contract.md": "# A contract\n\nThe penguin contract ends in 2031.\n",
}
ASKED = (
    *QUESTIONS,
    "How much memory does the Z900 have?",
    "What does the zebra rack hold?",
    "When does the penguin contract end?",
    "TDP of the H100 SXM?",
    "Which GPU has the most memory?",
    *ODD,
)


def engine_over(root: Path, *folders: Path) -> Engine:
    store = GenerationStore(root)
    build_generation(list(folders), store, EMBEDDER)
    return Engine(
        holder=SnapshotHolder(store, fingerprint=EMBEDDER.spec.fingerprint()), embedder=EMBEDDER
    )


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("sheets")
    own = root / "own"
    for name, text in HIDDEN.items():
        place = own / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (own / "collections/finance/broken.pdf").write_bytes(b"no pdf")
    return write_sheets(root / "corpus"), own


@pytest.fixture(scope="module")
def whole(folders, tmp_path_factory) -> Engine:
    """Over all documents, those of the collections as well."""
    return engine_over(tmp_path_factory.mktemp("whole"), *folders)


@pytest.fixture(scope="module")
def without(folders, tmp_path_factory) -> Engine:
    """Over an index that never held the documents of collections."""
    return engine_over(tmp_path_factory.mktemp("without"), folders[0])


def told(engine: Engine, text: str) -> dict[str, object]:
    answer = engine.answer(Question(text=text, id="a"))
    return answer_object(replace(answer, generation=GenerationId(""), timings_ms={}))


@pytest.mark.parametrize(
    ("path", "collection"),
    [
        ("collections/finance/a.md", "finance"),
        ("collections//finance/b/a.md", "finance"),
        ("./collections/finance/a.md", "finance"),
        ("collections/a.md", ""),
        ("hardware/collections/finance/a.md", ""),
        ("a.md", ""),
    ],
)
def test_the_collection_of_a_document_is_its_folder(path, collection):
    assert collection_of(path) == collection


@pytest.mark.parametrize("text", ASKED)
def test_who_has_no_collection_gets_the_answers_of_an_index_without_them(whole, without, text):
    assert told(whole.within(frozenset()), text) == told(without, text)


def test_hidden_facts_are_really_there_for_those_who_see_them(whole):
    finance = whole.within(frozenset({"finance"}))

    assert "750 W" in str(told(finance, "TDP of the H100 SXM?")["text"])
    assert "999 GB" in str(told(finance, "How much memory does the Z900 have?")["text"])
    assert "12 machines" in str(told(finance, "What does the zebra rack hold?")["text"])
    assert "2031" not in str(told(finance, "When does the penguin contract end?"))
    assert "2031" in str(told(whole, "When does the penguin contract end?")["text"])


def contents(index: OpenIndex) -> str:
    kept = (index.documents, index.passages, index.catalog, index.manifest.rejected, index.by_document)  # fmt: skip
    return f"{kept} {index.manifest.documents}"


def test_nothing_of_a_hidden_document_is_in_the_index(whole):
    full, index = whole.index(), whole.within(frozenset()).index()

    for word in ("zebra", "Z900", "penguin", "collections/", "broken.pdf"):
        assert word in contents(full)
        assert word not in contents(index)
    assert len(index.dense) == len(index.passages) == index.manifest.counts["passages"]
    assert len(index.sentence_vectors) == len(index.sentences)
    assert index.lease is None


def test_sentences_keep_their_passages_and_vectors(whole):
    full, index = whole.index(), whole.within(frozenset({"law"})).index()

    def by_place(of: OpenIndex) -> dict[tuple[str, int], bytes]:
        return {
            (of.passages[each.passage].id, each.start): of.sentence_vectors[row].tobytes()
            for row, each in enumerate(of.sentences)
        }

    assert by_place(index).items() <= by_place(full).items()


def test_where_nothing_is_hidden_the_index_is_the_same(whole, without):
    every = frozenset({"finance", "law"})

    assert without.within(frozenset()).index() is without.index()
    assert restricted(whole.index(), every) is whole.index()


def test_a_view_is_made_once_and_follows_the_generation(folders, tmp_path):
    engine = engine_over(tmp_path, *folders)
    view = engine.within(frozenset({"law"}))
    first = view.index()

    assert view.index() is engine.within(frozenset({"law"})).index() is first
    new = folders[1].parent / "new"
    (new / "collections/law").mkdir(parents=True)
    (new / "collections/law/b.md").write_text("# B\n\nThe walrus clause is void.\n")
    build_generation([folders[0], new], GenerationStore(tmp_path), EMBEDDER)
    engine.holder.refresh()
    assert "walrus" in str(view.index().passages)
    assert "penguin" not in str(view.index().passages)
