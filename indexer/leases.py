"""Leases: a generation that is open is not removed, by whichever process, and a crash frees it.

A reader holds a shared lock on the open manifest; who wants to remove the folder needs that lock for itself.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class Lease:
    """Held by an open generation; ends with the last reference to it."""

    def __init__(self, manifest: Path) -> None:
        """Take the lease.

        Raises:
            OSError: the file is gone, or is being removed right now.
        """
        handle = os.open(manifest, os.O_RDONLY)
        weakref.finalize(self, os.close, handle)
        _lock(handle, exclusive=False)


@contextmanager
def removal(manifest: Path) -> Iterator[bool]:
    """Whether nobody holds a lease; while this is open, nobody gets one."""
    try:
        handle = os.open(manifest, os.O_RDONLY)
    except FileNotFoundError:
        yield True
        return
    try:
        yield _free(handle)
    finally:
        os.close(handle)


def _free(handle: int) -> bool:
    try:
        _lock(handle, exclusive=True)
    except BlockingIOError:
        return False
    return True


def _lock(handle: int, *, exclusive: bool) -> None:
    """Windows refuses to remove an open file by itself, so nothing is needed there."""
    if sys.platform != "win32":
        fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
