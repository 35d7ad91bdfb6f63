"""The file CURRENT: which generation is published, which were before it, and which one was rolled back from.

UTF-8 lines, each ended by a newline: the published id; then `before <id>` for each id that was published earlier,
the latest first; then perhaps `held <id>`. One file, so that one rename changes all of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.types import GenerationId

_ID = re.compile(r"[0-9a-f]{16}")
_REMEMBERED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What is published. `held`: rolled back from, so that automatic builds do not publish it again."""

    current: GenerationId
    before: tuple[GenerationId, ...] = ()
    held: GenerationId | None = None

    def encode(self) -> bytes:
        """The bytes of the file."""
        lines = [self.current, *(f"before {name}" for name in self.before)]
        if self.held is not None:
            lines.append(f"held {self.held}")
        return "".join(f"{line}\n" for line in lines).encode()


def read_pointer(content: bytes) -> Pointer | None:
    """The pointer that the bytes say; None when they are damaged."""
    first, *rest = content.decode("utf-8", "replace").split("\n")
    if not _ID.fullmatch(first):
        return None
    marked = [line.partition(" ") for line in rest if line]
    known = [(word, GenerationId(name)) for word, _, name in marked if _ID.fullmatch(name)]
    return Pointer(
        current=GenerationId(first),
        before=tuple(name for word, name in known if word == "before"),
        held=next((name for word, name in known if word == "held"), None),
    )


def published(old: Pointer | None, generation: GenerationId) -> Pointer:
    """The pointer after a publication; nothing is held any more."""
    earlier = [] if old is None else [old.current, *old.before]
    before = [name for name in dict.fromkeys(earlier) if name != generation]
    return Pointer(current=generation, before=tuple(before[:_REMEMBERED]))


def rolled_back(old: Pointer, target: GenerationId) -> Pointer:
    """The pointer after going back; the ids before the target stay reachable."""
    position = old.before.index(target) + 1 if target in old.before else 0
    return Pointer(current=target, before=old.before[position:], held=old.current)
