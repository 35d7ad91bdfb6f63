"""Collections: documents that only some may see.

A document at `collections/NAME/…` is in the collection NAME; every other one is in none, and for everybody.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import PurePosixPath
from typing import Final

FOLDER: Final = "collections"
_DEPTH: Final = 3


def collection_of(path: str) -> str:
    """The collection of a document by its path; empty: none."""
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) >= _DEPTH and parts[0] == FOLDER else ""


def is_open(path: str, collections: Set[str]) -> bool:
    """Whether who has these collections may see what lies at a path."""
    return collection_of(path) in {"", *collections}
