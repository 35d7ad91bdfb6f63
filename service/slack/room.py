"""How much of a message is left, and what had to stay outside: nothing is left out without being counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from service.slack.limits import CONTEXT_ELEMENTS, CONTEXT_TEXT, SECTION, units
from service.slack.mrkdwn import pack

Block = dict[str, Any]
_GAP: Final = "\n\n"
_PLURALS: Final = {
    "statement": "statements",
    "row": "rows",
    "source": "sources",
    "warning": "warnings",
}


@dataclass(slots=True)
class Room:
    """The characters and blocks that a message may still take. Once a kind does not fit, no later one of it is taken."""

    chars: int
    blocks: int
    left_out: Counter[str] = field(default_factory=Counter)

    def take(self, kind: str, *, chars: int, blocks: int = 1) -> bool:
        """Whether something of this kind fits; it is counted as taken or as left out."""
        if self.left_out[kind] or chars > self.chars or blocks > self.blocks:
            self.left_out[kind] += 1
            return False
        self.chars -= chars
        self.blocks -= blocks
        return True

    def leave(self, kind: str, number: int = 1) -> None:
        """Count what was left out for another reason."""
        self.left_out[kind] += number

    def told(self) -> str:
        """What was left out, in words; empty: nothing."""
        return ", ".join(
            f"{number} more {_PLURALS[kind] if number > 1 else kind}"
            for kind, number in self.left_out.items()
            if number
        )


def sections(paragraphs: Sequence[Sequence[str]], room: Room, *, kind: str) -> list[Block]:
    """Sections of paragraphs, each given as pieces that must not be cut."""
    texts: list[str] = []
    for paragraph in paragraphs:
        parts = pack(paragraph, SECTION)
        if parts is None:
            room.leave(kind)
        elif parts and room.take(kind, chars=sum(map(units, parts)) + 2, blocks=len(parts)):
            room.blocks += _append(texts, parts)
    return [section(text) for text in texts]


def contexts(lines: Sequence[Sequence[str]], room: Room, *, kind: str) -> list[Block]:
    """Small print, as many lines a block as Slack takes."""
    elements: list[Block] = []
    for line in lines:
        parts = pack(line, CONTEXT_TEXT)
        blocks = 0 if len(elements) % CONTEXT_ELEMENTS else 1
        if parts is None or len(parts) > 1:
            room.leave(kind)
        elif parts and room.take(kind, chars=units(parts[0]), blocks=blocks):
            elements.append(mrkdwn(parts[0]))
    return [
        {"type": "context", "elements": elements[start : start + CONTEXT_ELEMENTS]}
        for start in range(0, len(elements), CONTEXT_ELEMENTS)
    ]


def section(text: str) -> Block:
    """A section that is shown whole."""
    return {"type": "section", "text": mrkdwn(text), "expand": True}


def mrkdwn(text: str) -> Block:
    """A text in Slack's markup, in which only what is marked as a link becomes one."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def plain(text: str) -> Block:
    """A text without markup."""
    return {"type": "plain_text", "text": text, "emoji": False}


def _append(texts: list[str], parts: Sequence[str]) -> int:
    """Add the parts, the first to the last section when it fits there; returns the blocks saved."""
    if texts and units(texts[-1]) + units(_GAP) + units(parts[0]) <= SECTION:
        texts[-1] += _GAP + parts[0]
        texts.extend(parts[1:])
        return 1
    texts.extend(parts)
    return 0
