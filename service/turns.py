"""Conversations kept between questions: a protocol, and a store in memory with expiry and deletion."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Protocol

from indexer.types import DeviceId, PassageId
from service.types import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question with what later ones may lean on. `asked` is the question written out in full."""

    question: str
    asked: str
    devices: tuple[DeviceId, ...] = ()
    passages: tuple[PassageId, ...] = ()


def turn_of(answer: Answer) -> Turn:
    """What an answer leaves in its conversation."""
    return Turn(
        question=answer.question,
        asked=answer.rewritten or answer.question,
        devices=answer.devices,
        passages=tuple(dict.fromkeys(citation.passage_id for citation in answer.citations)),
    )


class Conversations(Protocol):
    """Keeps the turns of conversations by id. Calls come from several threads at once."""

    def turns(self, conversation: str) -> tuple[Turn, ...]:
        """The turns, oldest first; none for an id that is unknown or has expired."""
        ...

    def add(self, conversation: str, turn: Turn) -> None:
        """Append a turn; the conversation lives anew from now on."""
        ...

    def delete(self, conversation: str) -> bool:
        """Forget a conversation; False when there was none."""
        ...


@dataclass(slots=True)
class _Kept:
    turns: tuple[Turn, ...]
    expires: float


class MemoryConversations:
    """Conversations of this process. The one that was silent longest goes first when there are too many."""

    def __init__(
        self,
        *,
        keep_s: float,
        conversations: int = 1000,
        turns: int = 20,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._keep_s = keep_s
        self._most = conversations
        self._turns = turns
        self._clock = clock
        self._lock = Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def turns(self, conversation: str) -> tuple[Turn, ...]:
        """The turns, oldest first; none for an id that is unknown or has expired."""
        with self._lock:
            self._expire()
            kept = self._kept.get(conversation)
            return kept.turns if kept else ()

    def add(self, conversation: str, turn: Turn) -> None:
        """Append a turn; only the newest ones are kept."""
        with self._lock:
            self._expire()
            kept = self._kept.pop(conversation, _Kept(turns=(), expires=0.0))
            self._kept[conversation] = _Kept(
                turns=(*kept.turns, turn)[-self._turns :], expires=self._clock() + self._keep_s
            )
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def delete(self, conversation: str) -> bool:
        """Forget a conversation; False when there was none."""
        with self._lock:
            self._expire()
            return self._kept.pop(conversation, None) is not None

    def _expire(self) -> None:
        """Drop what is too old; the order of the entries is that of their expiry."""
        now = self._clock()
        while self._kept and next(iter(self._kept.values())).expires <= now:
            self._kept.popitem(last=False)
