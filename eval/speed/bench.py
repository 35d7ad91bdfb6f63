"""What every measurement of a run shares: clocks, repetitions, threads, the ceiling, the texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.speed.ceiling import Ceiling
from eval.speed.flops import SHAPES, EncoderShape
from indexer.embedders import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The fixed side of a run. `work` is a folder that goes away with the run."""

    embedder: Embedder
    model: str
    threads: int
    quick: bool
    repetitions: int
    work: Path
    ceiling: Ceiling
    clock: Callable[[], float]
    cpu_clock: Callable[[], float]
    told: Callable[[str], object]

    @property
    def shape(self) -> EncoderShape | None:
        """The encoder's shape where it is known."""
        return SHAPES.get(self.embedder.spec.model)


def texts_of(
    source: Sequence[str], *, tokens: int, count: int, count_tokens: Callable[[str], int]
) -> list[str]:
    """Texts of about that many tokens (never more), made of the words of the source from different places on."""
    words = " ".join(source).split() or ["memory"]
    step = max(1, len(words) // count)
    made = []
    for at in range(count):
        start = at * step % len(words)
        own = [words[(start + offset) % len(words)] for offset in range(tokens)]
        made.append(_fitted(own, tokens, count_tokens))
    return made


def _fitted(words: list[str], tokens: int, count_tokens: Callable[[str], int]) -> str:
    """The longest beginning with at most that many tokens, at least one word."""
    low, high = 1, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(" ".join(words[:middle])) <= tokens:
            low = middle
        else:
            high = middle - 1
    return " ".join(words[:low])
