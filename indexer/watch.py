"""Folders watched: bursts of changes become one batch, and nothing stays unseen for long.

Two ways to notice: events of the system (`watchfiles`), or looking at sizes and times of all
files every second, which works on network file systems too. Both are only a hint to look: a build compares hashes.
So that a lost event loses nothing, an empty batch comes every `sweep_s`, and asks for a look at all hashes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from watchfiles import Change

Batch = frozenset[Path]
_Marks = dict[Path, tuple[int, int, int]]
_log = structlog.get_logger()
_TICK_MS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """`debounce_ms`: how long it must be quiet before a batch is given out; `poll`: never use events."""

    debounce_ms: int = 400
    poll: bool = False
    poll_ms: int = 1000
    sweep_s: float = 60.0


def watch(
    roots: Sequence[Path],
    stop: Event,
    options: WatchOptions | None = None,
    *,
    clock: Callable[[], float] = monotonic,
) -> Iterator[Batch]:
    """Batches of paths that changed, until `stop` is set. An empty batch asks for a look at everything.

    Files that are saved by a rename, moved folders, and roots that vanish and come back are followed.
    """
    chosen = options or WatchOptions()
    notice = _polled if chosen.poll else _told
    yield from notice(roots, stop, chosen, clock)


def _polled(
    roots: Sequence[Path], stop: Event, options: WatchOptions, clock: Callable[[], float]
) -> Iterator[Batch]:
    given = seen = _marks(roots)
    changed_at = swept_at = clock()
    while not stop.wait(options.poll_ms / 1000):
        now, marks = clock(), _marks(roots)
        if marks != seen:
            seen, changed_at = marks, now
        elif seen != given and now - changed_at >= options.debounce_ms / 1000:
            yield _difference(given, seen)
            given, swept_at = seen, now
        elif now - swept_at >= options.sweep_s:
            yield frozenset()
            swept_at = clock()


def _told(
    roots: Sequence[Path], stop: Event, options: WatchOptions, clock: Callable[[], float]
) -> Iterator[Batch]:
    """Events, told anew whenever a root was replaced by another folder of its name."""
    swept_at = clock()
    while not stop.is_set():
        present = _identities(roots)
        if not present:
            stop.wait(_TICK_MS / 1000)
        for changes in _events(list(present), stop, options):
            if changes:
                yield frozenset(Path(path) for _, path in changes)
            elif clock() - swept_at >= options.sweep_s:
                yield frozenset()
                swept_at = clock()
            if _identities(roots) != present:
                yield frozenset(roots)
                break


def _events(
    present: Sequence[Path], stop: Event, options: WatchOptions
) -> Iterator[set[tuple[Change, str]]]:
    """Changes below the folders; an empty set each second without any. Ends when a folder is gone."""
    if not present:
        yield set()
        return
    from watchfiles import watch as notified

    try:
        yield from notified(
            *present,
            watch_filter=None,
            debounce=options.debounce_ms * 4,
            step=options.debounce_ms,
            stop_event=stop,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        )
    except OSError as error:
        _log.warning("watch.lost", reason=str(error))
        yield set()


def _identities(roots: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """The roots that are there, and which folders they are."""
    found = {}
    for root in roots:
        if root.is_dir():
            status = root.stat()
            found[root] = (status.st_dev, status.st_ino)
    return found


def _marks(roots: Sequence[Path]) -> _Marks:
    """Size, time and number of every file; a file that is saved by a rename gets another number."""
    marks: _Marks = {}
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                path = Path(folder, name)
                try:
                    status = path.lstat()
                except FileNotFoundError:
                    continue
                marks[path] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return marks


def _difference(old: _Marks, new: _Marks) -> Batch:
    return frozenset(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
