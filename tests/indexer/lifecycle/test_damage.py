"""Every file of the store is truncated, altered or removed in turn: nothing damaged is ever opened."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import GenerationCorrupt, GenerationNotFound
from indexer.files import Files
from indexer.generation import GenerationStore
from tests.indexer.lifecycle.worlds import (
    build,
    current_of,
    files_of,
    write_article,
    write_articles,
)


@pytest.fixture
def docs(tmp_path):
    return write_articles(tmp_path / "docs")


@pytest.fixture
def root(docs, tmp_path) -> Path:
    """A store with two generations."""
    store = GenerationStore(tmp_path / "index")
    build(docs, store)
    write_article(docs, "guidance/memory/article-1.md", "Card 1 has other memory.")
    build(docs, store)
    return store.root


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


_DAMAGES: dict[str, Callable[[Path], None]] = {
    "truncated": _truncate,
    "flipped": _flip,
    "removed": Path.unlink,
}


@pytest.mark.parametrize("damage", _DAMAGES)
def test_with_any_file_damaged_the_generation_before_opens_and_a_build_repairs(
    damage, docs, root, tmp_path
):
    store = GenerationStore(root)
    current = current_of(store)
    before = [name for name in store.listed() if name != current]
    names = list(files_of(root / "generations" / current))
    for name in names:
        tried = shutil.copytree(root, tmp_path / "tried" / name.replace("/", "-"))
        path = tried / "generations" / current / name
        if path.stat().st_size == 0:
            path.write_bytes(b"xx")
        _DAMAGES[damage](path)

        assert GenerationStore(tried).open_current().id == before[0], name
        repaired = build(docs, GenerationStore(tried))
        assert (repaired.generation, GenerationStore(tried).open_current().id) == (
            current,
            current,
        ), name
    assert len(names) == 13


@pytest.mark.parametrize("damage", _DAMAGES)
def test_with_current_damaged_a_sound_generation_opens(damage, docs, root):
    store = GenerationStore(root)
    latest = current_of(store)
    path = root / "CURRENT"
    path.write_text(f"{latest}\n"[:10] if damage == "truncated" else f"{latest}\n")
    if damage == "flipped":
        path.write_text(f"g{latest[1:]}\n")
    elif damage == "removed":
        path.unlink()

    assert store.open_current().id == latest
    assert build(docs, store).generation == store.current() == latest


def test_no_altered_bit_goes_unnoticed(root):
    store = GenerationStore(root)
    current = current_of(store)
    paths = [p for p in (root / "generations" / current).rglob("*") if p.is_file()]
    choice = random.Random(0)  # noqa: S311
    weights = [path.stat().st_size for path in paths]

    for _ in range(300):
        path = choice.choices(paths, weights)[0]
        sound = path.read_bytes()
        altered = bytearray(sound)
        altered[choice.randrange(len(altered))] ^= 1 << choice.randrange(8)
        path.write_bytes(altered)
        with pytest.raises(GenerationCorrupt, match="rigwise index build"):
            store.verify(current)
        path.write_bytes(sound)
    store.verify(current)


def test_a_file_too_many_is_damage(root):
    store = GenerationStore(root)
    (root / "generations" / current_of(store) / "extra.bin").write_bytes(b"x")

    with pytest.raises(GenerationCorrupt, match="not in the manifest"):
        store.verify(current_of(store))


def test_a_damaged_generation_is_set_aside_by_the_next_build(docs, root):
    store = GenerationStore(root)
    current = current_of(store)
    _truncate(root / "generations" / current / "dense.faiss")

    build(docs, store)

    assert [path.name for path in (root / "quarantine").iterdir()] == [current]


def test_a_generation_of_another_version_is_not_set_aside(docs, root):
    store = GenerationStore(root)
    current = current_of(store)
    (root / "generations" / current / "manifest.json").write_text('{"format":1}')
    write_article(docs, "guidance/memory/article-2.md", "Card 2 has other memory.")

    build(docs, store)

    assert not (root / "quarantine").exists()
    with pytest.raises(GenerationCorrupt, match="has format 1"):
        store.open(current)


class Rotten(Files):
    """Writes the dense leg with one byte altered, as a bad disk would."""

    def write(self, path, content):
        if path.name == "dense.faiss":
            content = content[:-1] + bytes([content[-1] ^ 1])
        super().write(path, content)


def test_what_was_not_written_as_meant_is_not_published(docs, tmp_path):
    store = GenerationStore(tmp_path / "rotten", files=Rotten())

    with pytest.raises(GenerationCorrupt, match=r"dense\.faiss"):
        build(docs, store)

    assert (store.current(), store.listed()) == (None, [])
    with pytest.raises(GenerationNotFound, match="rigwise index build"):
        store.open_current()


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_index_and_a_rerun_finishes(docs, root, tmp_path, capsys):
    small = _tmpfs(tmp_path / "small")
    refused = finished = 0
    try:
        for spare_kib in range(0, 152, 8):
            _remount(small, kib=2048)
            shutil.rmtree(small / "index", ignore_errors=True)
            shutil.copytree(root, small / "index")
            store = GenerationStore(small / "index")
            before = current_of(store)
            write_article(docs, "guidance/memory/article-1.md", f"Memory {spare_kib}.")
            assert _remount(small, kib=_used_kib(small) + spare_kib)
            try:
                after = build(docs, store).generation
                finished += 1
            except OSError:
                refused += 1
                assert store.open_current().id == before
                _remount(small, kib=2048)
                after = build(docs, store).generation
            assert store.open_current().id == after != before
    finally:
        _run("umount", "-l", str(small))
    assert refused > 3 < finished
    with capsys.disabled():
        sys.stdout.write(f"\nfull disk: {refused} sizes refused, {finished} large enough, 0 bad\n")


def _tmpfs(place: Path) -> Path:
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root")
    if not _run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)):
        pytest.skip("mounting a tmpfs is not allowed here")
    return place


def _used_kib(place: Path) -> int:
    found = os.statvfs(place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize // 1024


def _remount(place: Path, *, kib: int) -> bool:
    return _run("mount", "-o", f"remount,size={kib}k", str(place))


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603
