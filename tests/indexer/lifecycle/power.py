"""A disk that loses power: what was flushed stays, what was not may be gone.

`RecordingFiles` notes each operation. `Disk` replays a part of them and says what would be left. A file keeps the
bytes of its last flush, and is empty if it never had one; a folder keeps the names of its last flush.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from indexer.files import Files


@dataclass(frozen=True)
class Step:
    """One operation; `other` is the new path of a rename."""

    kind: str
    path: Path
    content: bytes = b""
    other: Path | None = None


class RecordingFiles(Files):
    """Does everything, and notes it."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def make_folder(self, path: Path) -> None:
        super().make_folder(path)
        self.steps.append(Step("make", path))

    def write(self, path: Path, content: bytes) -> None:
        super().write(path, content)
        self.steps.append(Step("write", path, content))

    def flush(self, path: Path) -> None:
        super().flush(path)
        self.steps.append(Step("flush folder" if path.is_dir() else "flush file", path))

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        self.steps.append(Step("rename", old, other=new))

    def remove(self, path: Path) -> None:
        super().remove(path)
        self.steps.append(Step("remove", path))


@dataclass
class Node:
    """A file or a folder, as programs see it and as the disk has it."""

    folder: bool
    content: bytes = b""
    safe_content: bytes = b""
    names: dict[str, Node] = field(default_factory=dict)
    safe_names: dict[str, Node] = field(default_factory=dict)


class Disk:
    """Starts as a folder that is safe, and follows steps."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._root = _safe_node(top)

    def apply(self, step: Step) -> None:
        """Follow one step."""
        node = self._find(step.path.parent) if step.path != self._top else self._root
        name = step.path.name
        if step.kind == "make":
            node.names.setdefault(name, Node(folder=True))
        elif step.kind == "write":
            node.names.setdefault(name, Node(folder=False)).content = step.content
            node.names[name].safe_content = b""
        elif step.kind == "flush file":
            node.names[name].safe_content = node.names[name].content
        elif step.kind == "flush folder":
            self._flush_folder(step.path)
        elif step.kind == "rename" and step.other is not None:
            self._find(step.other.parent).names[step.other.name] = node.names.pop(name)
        else:
            node.names.pop(name, None)

    def survive(self, target: Path, choice: random.Random | None, *, eager: bool = False) -> None:
        """Write what is left after a loss of power.

        With `eager` all names are on the disk already; with `choice` some names and some bytes are; else only what
        was flushed is.
        """
        _write(self._root, target, choice, eager=eager)

    def _flush_folder(self, path: Path) -> None:
        if path == self._top or self._top in path.parents:
            node = self._find(path)
            node.safe_names = dict(node.names)

    def _find(self, path: Path) -> Node:
        node = self._root
        for part in path.relative_to(self._top).parts:
            node = node.names[part]
        return node


def _safe_node(path: Path) -> Node:
    if path.is_file():
        content = path.read_bytes()
        return Node(folder=False, content=content, safe_content=content)
    names = {inner.name: _safe_node(inner) for inner in path.iterdir()}
    return Node(folder=True, names=names, safe_names=dict(names))


def _write(node: Node, target: Path, choice: random.Random | None, *, eager: bool) -> None:
    if not node.folder:
        kept = choice.random() < 0.5 if choice else False
        target.write_bytes(node.content if kept else node.safe_content)
        return
    target.mkdir(exist_ok=True)
    seen = eager or (choice is not None and choice.random() < 0.5)
    for name, inner in (node.names if seen else node.safe_names).items():
        _write(inner, target / name, choice, eager=eager)
