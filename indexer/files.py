"""The file operations that a publication stands on, in one place, so that tests can break each of them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


class Files:
    """Writes, flushes, moves and removes. Only `flush` makes anything safe from a loss of power."""

    def make_folder(self, path: Path) -> None:
        """Make a folder whose parent is there; one that exists is left as it is."""
        path.mkdir(exist_ok=True)

    def write(self, path: Path, content: bytes) -> None:
        """Write a file whole; one that exists is replaced in place."""
        with path.open("wb") as file:
            file.write(content)

    def flush(self, path: Path) -> None:
        """Bring a file's bytes, or a folder's list of names, to the disk."""
        if path.is_dir() and sys.platform == "win32":
            return  # Windows has no handle for a folder and writes names through
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rename(self, old: Path, new: Path) -> None:
        """Move within a file system; a file in the way is replaced in one step."""
        old.replace(new)

    def remove(self, path: Path) -> None:
        """Remove a file or a folder with all in it; nothing there is no error."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def make_folders(files: Files, path: Path) -> None:
    """Make a folder with its parents, each name flushed in the folder that holds it."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        files.make_folder(folder)
        files.flush(folder.parent)
