"""The recipe: a hash of the code that turns a file into passages and facts.

When that code changes, documents are read anew although their bytes did not change; vectors of texts that come out
the same are reused all the same.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

# What only stores, finds or watches, and so cannot change a passage or a fact.
_NOT_PART: Final = frozenset(
    {
        "checks.py",
        "contents.py",
        "corpus_check.py",
        "dense.py",
        "errors.py",
        "files.py",
        "gather.py",
        "generation.py",
        "leases.py",
        "manifest.py",
        "pipeline.py",
        "pointer.py",
        "recipe.py",
        "report.py",
        "reuse.py",
        "scan.py",
        "watch.py",
    }
)
_FOLDERS_NOT_PART: Final = frozenset({"checking", "embedders"})


@cache
def recipe() -> str:
    """16 hex digits."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.as_posix() not in _NOT_PART and name.parts[0] not in _FOLDERS_NOT_PART:
            digest.update(f"{name.as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
