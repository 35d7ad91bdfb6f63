"""What the routes need of the engine, so that they can be tested with any object that has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from indexer.generation import OpenIndex
from service.types import Answer, Hit, Question, Step


class Answerer(Protocol):
    """Answers, searches, and shows the generation in use. Calls come from several threads at once."""

    def answer(self, question: Question) -> Answer:
        """Answer a question, or abstain."""
        ...

    def steps(self, question: Question) -> Iterator[Step]:
        """The same step by step; the last one is the answer."""
        ...

    def search(self, text: str, *, limit: int) -> tuple[Hit, ...]:
        """The best passages for a text, best first."""
        ...

    def within(self, collections: frozenset[str]) -> Answerer:
        """The same for those who see these collections, and documents that are in none."""
        ...

    def index(self) -> OpenIndex:
        """The generation in use; it stays valid while it is held. Raises `NotReady` before there is one."""
        ...
