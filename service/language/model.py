"""A writer over any chat model: prompt, breaker, reading of the reply. Which model it is, `complete` knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from service.language.breaker import Breaker
from service.language.prompt import Message, messages, sentences_of
from service.language.writer import Evidence, Sentence, WriterFailed

# Sends messages and returns the reply's text; raises WriterFailed when there is none in time.
Complete = Callable[[Sequence[Message]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWriter:
    """Asks a chat model, unless it failed too often lately."""

    complete: Complete
    breaker: Breaker = field(default_factory=Breaker)

    def write(self, question: str, evidence: Sequence[Evidence]) -> Sequence[Sentence]:
        """The model's sentences.

        Raises:
            WriterFailed: the model does not answer, answers in another form, or is given a rest.
        """
        if not self.breaker.allows():
            raise WriterFailed("the model failed too often lately and is given a rest")
        try:
            found = sentences_of(self.complete(messages(question, evidence)))
        except WriterFailed:
            self.breaker.failed()
            raise
        self.breaker.succeeded()
        return found
