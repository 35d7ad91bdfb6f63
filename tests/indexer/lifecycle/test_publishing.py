from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from indexer.errors import GenerationCorrupt, GenerationNotFound, IndexLocked
from indexer.generation import GenerationStore
from indexer.pipeline import BuildOptions
from indexer.pointer import Pointer, read_pointer
from indexer.types import GenerationId
from tests.indexer.lifecycle.worlds import build, texts, write_article, write_articles

_ROOT = Path(__file__).parents[3]


@pytest.fixture
def docs(tmp_path):
    return write_articles(tmp_path / "docs")


@pytest.fixture
def store(tmp_path):
    return GenerationStore(tmp_path / "index", lock_wait_s=0.2)


@pytest.fixture
def three(docs, store) -> list[GenerationId]:
    """Three generations, the last one published."""
    made = [build(docs, store).generation]
    for number in (1, 2):
        write_article(docs, f"guidance/memory/article-{number}.md", f"Edit {number}.")
        made.append(build(docs, store).generation)
    return made


def roll_back(store, generation=None):
    with store.writing():
        return store.roll_back(generation)


def test_going_back_goes_one_publication_at_a_time(store, three):
    assert [roll_back(store), roll_back(store)] == [three[1], three[0]]
    assert store.current() == three[0]
    with pytest.raises(GenerationNotFound, match="no generation before"):
        roll_back(store)


def test_going_to_a_named_generation_works_both_ways(store, three):
    roll_back(store, three[0])

    assert roll_back(store, three[2]) == store.current() == three[2]


def test_a_damaged_generation_is_not_gone_back_to(store, three):
    (store.root / "generations" / three[1] / "passages.jsonl").write_bytes(b"")

    with pytest.raises(GenerationCorrupt, match="hash"):
        roll_back(store)

    assert store.current() == three[2]


def test_an_automatic_build_does_not_undo_a_rollback_but_a_change_or_an_order_does(
    docs, store, three
):
    roll_back(store)
    automatic = BuildOptions(release=False)

    spared = build(docs, store, automatic)
    assert (spared.held, spared.published, store.current()) == (True, False, three[1])

    write_article(docs, "guidance/memory/article-0.md", "A new edit.")
    assert build(docs, store, automatic).published

    roll_back(store)
    ordered = build(docs, store)
    assert (ordered.published, ordered.held) == (True, False)


def test_pruning_keeps_the_published_generation_however_old_it_is(store, three):
    roll_back(store, three[0])

    with store.writing():
        removed = store.prune(keep=1)

    assert removed == [three[1]]
    assert set(store.listed()) == {three[0], three[2]}


def test_pruning_spares_what_is_open_and_takes_it_once_it_is_closed(store, three):
    opened = store.open(three[0])
    with store.writing():
        assert store.prune(keep=1) == [three[1]]

    del opened

    with store.writing():
        assert store.prune(keep=1) == [three[0]]


def test_a_build_keeps_as_many_generations_as_it_is_told(docs, store, three):
    write_article(docs, "guidance/memory/article-0.md", "A new edit.")

    build(docs, store, BuildOptions(keep=2))

    assert len(store.listed()) == 2


def test_one_process_writes_at_a_time(docs, store):
    with (
        store.writing(),
        pytest.raises(IndexLocked, match="held by another build"),
        GenerationStore(store.root, lock_wait_s=0.1).writing(),
    ):
        pass


def test_the_lock_of_a_process_that_died_is_free(docs, store):
    with store.writing():
        pass
    program = (
        "import os, sys; from filelock import FileLock\n"
        "FileLock(sys.argv[1]).acquire(); os.kill(os.getpid(), 9)"
    )
    subprocess.run(  # noqa: S603 - the interpreter that runs this test
        [sys.executable, "-c", program, str(store.root / ".lock")], check=False
    )

    assert (store.root / ".lock").exists()
    assert build(docs, store).published


def test_a_reader_needs_no_lock(docs, store, three):
    with FileLock(store.root / ".lock"):
        assert store.open_current().id == three[2]


_WRITER = """
import sys
from pathlib import Path
from indexer.generation import GenerationStore
from tests.indexer.lifecycle.worlds import build, write_article
docs, root, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
for number in range(5):
    write_article(docs, f"notes/{name}-{number}.md", f"Writer {name} wrote note {number}.")
    build(docs, GenerationStore(root))
"""


@pytest.mark.slow
def test_four_writers_lose_nothing(docs, store):
    command = [sys.executable, "-c", _WRITER, str(docs), str(store.root)]
    writers = [
        subprocess.Popen([*command, f"w{number}"], cwd=_ROOT)  # noqa: S603
        for number in range(4)
    ]

    assert [writer.wait(100) for writer in writers] == [0] * 4

    said = texts(store.open_current())
    assert all(f"Writer w{w} wrote note {n}." in said for w in range(4) for n in range(5))
    assert not build(docs, store).published


@pytest.mark.parametrize(
    "content", [b"", b"0123", b"../../../../x\n", b"\xff\xfe", b"g123456789abcdef\n"]
)
def test_a_damaged_pointer_points_nowhere(content):
    assert read_pointer(content) is None


def test_a_pointer_comes_back_as_it_was_written():
    a, b, c, d = (GenerationId(letter * 16) for letter in "abcd")
    pointer = Pointer(current=a, before=(b, c), held=d)

    assert read_pointer(pointer.encode()) == pointer
    assert pointer.encode().startswith(b"a" * 16 + b"\n")
