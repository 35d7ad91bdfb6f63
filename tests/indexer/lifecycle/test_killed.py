"""A writer is killed (SIGKILL) at every write, flush and rename boundary of every kind of writing."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from indexer.errors import GenerationNotFound
from indexer.generation import GenerationStore
from tests.indexer.lifecycle import breaking
from tests.indexer.lifecycle.worlds import build, write_article, write_articles

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class World:
    """A store before the work, and the folder that the work reads."""

    docs: Path
    root: Path

    @property
    def store(self) -> GenerationStore:
        return GenerationStore(self.root)

    def change(self) -> None:
        write_article(self.docs, "guidance/memory/article-1.md", "Card 1 has other memory.")


def _nothing(world: World) -> None:
    write_articles(world.docs)


def _changed(world: World) -> None:
    write_articles(world.docs)
    build(world.docs, world.store)
    world.change()


def _deleted(world: World) -> None:
    write_articles(world.docs)
    build(world.docs, world.store)
    (world.docs / "guidance/memory/article-0.md").unlink()


def _pruned(world: World) -> None:
    write_articles(world.docs, 2)
    build(world.docs, world.store)
    _changed(world)


def _rolled_back(world: World) -> None:
    _changed(world)
    build(world.docs, world.store)


def _after_a_death(world: World) -> None:
    _changed(world)
    for name in (".staging-1", ".pruned-0123456789abcdef"):
        write_article(world.root / name, "passages.jsonl", "half")
    (world.root / ".current-1").write_text("0123")


def _damaged(world: World) -> None:
    _rolled_back(world)
    current = world.root / "generations" / (world.store.current() or "")
    (current / "passages.jsonl").write_bytes(b"")


_WORLDS: dict[str, Callable[[World], None]] = {
    "first build": _nothing,
    "change": _changed,
    "deletion": _deleted,
    "prune": _pruned,
    "roll back": _rolled_back,
    "after a death": _after_a_death,
    "damaged": _damaged,
}


def _opened(root: Path) -> str | None:
    try:
        return GenerationStore(root).open_current().id
    except GenerationNotFound:
        return None


class Server:
    """A process that forks and reports; it has no threads, so that forking it is safe."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.into, self.out = process.stdin, process.stdout

    def kill(self, kind: str, world: World, at: int) -> int:
        """The status of a child that did the work until that boundary."""
        self.into.write(json.dumps([kind, str(world.docs), str(world.root), at]) + "\n")
        self.into.flush()
        return int(self.out.readline())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    command = [sys.executable, "-m", breaking.__name__]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT
    ) as process:
        served = Server(process)
        yield served
        served.into.close()


@pytest.mark.parametrize("kind", _WORLDS)
def test_a_writer_killed_anywhere_leaves_an_index_that_opens(kind, server, tmp_path, capsys):
    world = World(tmp_path / "docs", tmp_path / "index")
    _WORLDS[kind](world)
    before = _opened(world.root) if world.root.exists() else None
    rehearsal = World(world.docs, tmp_path / "rehearsal")
    _copy(world.root, rehearsal.root)
    files = breaking.CountingFiles()
    after = breaking.work(kind, world.docs, GenerationStore(rehearsal.root, files=files))

    for at in range(1, len(files.steps) + 1):
        tried = World(world.docs, tmp_path / "tried")
        _copy(world.root, tried.root)
        assert server.kill(kind, tried, at) == -signal.SIGKILL, files.steps[at - 1]
        found = _opened(tried.root)
        assert found in {before, after}, files.steps[at - 1]
        if found != after or kind != "roll back":
            assert breaking.work(kind, tried.docs, tried.store) == after, files.steps[at - 1]
        assert _opened(tried.root) == after
        with tried.store.writing():
            assert not list(tried.root.glob(".[spc]*-*"))
    with capsys.disabled():
        sys.stdout.write(f"\n{kind}: killed at {len(files.steps)} points, 0 bad\n")


def test_the_points_are_at_least_two_hundred(tmp_path):
    points = 0
    for kind, prepare in _WORLDS.items():
        world = World(tmp_path / kind / "docs", tmp_path / kind / "index")
        prepare(world)
        files = breaking.CountingFiles()
        breaking.work(kind, world.docs, GenerationStore(world.root, files=files))
        points += len(files.steps)

    assert points >= 200


def _copy(old: Path, new: Path) -> None:
    shutil.rmtree(new, ignore_errors=True)
    if old.exists():
        shutil.copytree(old, new)
