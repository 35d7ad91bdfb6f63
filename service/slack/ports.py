"""What the bot needs of the rest of Rigwise."""

from __future__ import annotations

from typing import Protocol

from service.access import Caller, Scope
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

    def find(self, answer_id: str, *, caller: Caller) -> StoredAnswer:
        """An answer as it was given to this caller. Raises a `ServiceError` when it is not kept, or not his."""
        ...

    def judge(
        self, answer_id: str, verdict: Verdict, *, caller: Caller, reason: Reason = "", comment: str = ""
    ) -> str:  # fmt: skip
        """Keep what somebody thinks of an answer that he sees."""
        ...


def asker(team: str, user: str, *, reader: bool = False) -> Caller:
    """A member of a workspace. A `reader` sees what the workspace was shown, whoever asked; others their own alone."""
    scopes: frozenset[Scope] = frozenset({"admin"} if reader else {"ask", "read"})
    return Caller(name=f"{team}/{user}", scopes=scopes)
