"""What a language model is to Rigwise: something that puts numbered evidence into sentences, and may fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.errors import ServiceError


class WriterFailed(ServiceError):
    """The language model gave nothing that can be used; the answer is sent without it."""

    code = "writer_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A checked statement that may be rephrased, under its number."""

    n: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of the model, and the numbers of the evidence that it says it stands on."""

    text: str
    evidence: tuple[int, ...]


class Writer(Protocol):
    """Writes sentences. Calls come from several threads at once."""

    def write(self, question: str, evidence: Sequence[Evidence]) -> Sequence[Sentence]:
        """The evidence in other words and perhaps another order.

        Raises:
            WriterFailed: there is no usable reply.
        """
        ...
