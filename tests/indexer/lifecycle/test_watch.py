from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

from indexer.watch import WatchOptions, watch
from tests.indexer.lifecycle.worlds import write_article, write_articles

_POLLED = WatchOptions(poll=True, poll_ms=20, debounce_ms=60, sweep_s=600)
_TOLD = WatchOptions(debounce_ms=60, sweep_s=600)


@pytest.fixture(params=["polled", "told"])
def options(request) -> WatchOptions:
    return _POLLED if request.param == "polled" else _TOLD


@contextmanager
def watched(*roots, options):
    """A queue of the batches that come while the block runs."""
    stop = Event()
    batches: Queue[frozenset[Path]] = Queue()
    ready = Event()

    def follow():
        ready.set()
        for batch in watch(roots, stop, options):
            batches.put(batch)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    ready.wait(5)
    Event().wait(0.3)
    try:
        yield batches
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive()


def names(batches) -> set[str]:
    """The names in the next batch."""
    return {path.name for path in batches.get(timeout=10)}


def test_an_edit_is_noticed(tmp_path, options):
    docs = write_articles(tmp_path / "docs")
    with watched(docs, options=options) as batches:
        write_article(docs, "guidance/memory/article-1.md", "Other text, which is longer.")

        assert "article-1.md" in names(batches)


def test_a_burst_becomes_few_batches(tmp_path, options):
    docs = write_articles(tmp_path / "docs")
    wanted = {f"note-{number}.md" for number in range(200)}
    seen: set[str] = set()
    count = 0
    with watched(docs, options=options) as batches:
        for name in wanted:
            write_article(docs, name, "Text.")
        while not wanted <= seen:
            seen |= names(batches)
            count += 1

    assert count <= 10


def test_a_save_by_rename_is_noticed(tmp_path, options):
    docs = write_articles(tmp_path / "docs")
    target = docs / "guidance/memory/article-1.md"
    before = target.stat()
    with watched(docs, options=options) as batches:
        aside = target.with_suffix(".tmp")
        aside.write_bytes(target.read_bytes().replace(b"1", b"7"))
        os.utime(aside, ns=(before.st_atime_ns, before.st_mtime_ns))
        aside.replace(target)

        assert "article-1.md" in names(batches)


def test_a_moved_folder_is_noticed_and_followed(tmp_path, options):
    docs = write_articles(tmp_path / "docs")
    write_articles(tmp_path / "elsewhere")
    with watched(docs, options=options) as batches:
        shutil.move(tmp_path / "elsewhere", docs / "moved")
        assert names(batches)
        write_article(docs, "moved/guidance/memory/article-2.md", "Text that is new here.")

        assert "article-2.md" in names(batches)


def test_a_root_that_is_replaced_is_followed(tmp_path, options):
    docs = write_articles(tmp_path / "docs")
    with watched(docs, options=options) as batches:
        shutil.move(docs, tmp_path / "old")
        write_articles(docs, 1)
        assert names(batches)
        while not batches.empty():
            batches.get()
        Event().wait(1.5)
        write_article(docs, "guidance/memory/article-0.md", "Text that is new here.")

        assert names(batches)


def test_a_sweep_asks_for_a_look_at_everything(tmp_path):
    docs = write_articles(tmp_path / "docs")
    options = WatchOptions(poll=True, poll_ms=10, debounce_ms=10, sweep_s=0.05)
    with watched(docs, options=options) as batches:
        assert batches.get(timeout=10) == frozenset()
