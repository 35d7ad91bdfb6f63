"""What the bot needs of the rest of Rigwise."""

from __future__ import annotations

from typing import Protocol

from service.store.types import Reason, StoredAnswer, Verdict
from service.turns import Conversations
from service.types import Answer, Question


class Answers(Protocol):
    """Answers questions, as many at once as there are places."""

    async def answer(self, question: Question) -> Answer:
        """Answer a question, or abstain. Raises a `ServiceError` when there is no place or no index."""
        ...


class Records(Protocol):
    """Keeps answers, conversations and feedback; calls come from several threads at once."""

    @property
    def conversations(self) -> Conversations:
        """The turns of conversations."""
        ...

    def record(self, answer: Answer, *, asker: str = "", conversation: str = "") -> None:
        """Keep an answer."""
        ...

    def find(self, answer_id: str, *, asker: str | None = None) -> StoredAnswer:
        """An answer as it was given. Raises a `ServiceError` when it is not kept."""
        ...

    def judge(
        self, answer_id: str, verdict: Verdict, *, reason: Reason = "", comment: str = "", asker: str = ""
    ) -> str:  # fmt: skip
        """Keep what somebody thinks of an answer."""
        ...
