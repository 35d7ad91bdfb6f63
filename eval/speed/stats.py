"""Medians with intervals. A run whose repetitions lie far apart is called noisy, never averaged away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

# A spread (interquartile range over median) above this is called noisy.
NOISY_SPREAD: Final = 0.10
# Fewer laps have no interval to speak of.
_FEWEST: Final = 3
_SEED: Final = 20261201
_ROUNDS: Final = 2000
_TAILS: Final = (2.5, 97.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Repetitions of one measurement: median, 95 % bootstrap interval of the median, relative spread."""

    median: float
    low: float
    high: float
    spread: float
    repetitions: int

    @property
    def noisy(self) -> bool:
        """Whether the repetitions lie so far apart that the median says little."""
        return self.spread > NOISY_SPREAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """What one repetition took: seconds by the clock, and seconds that this process computed."""

    wall_s: float
    cpu_s: float


def summarize(values: Sequence[float]) -> Summary:
    """The summary of at least one value; the same values give the same interval."""
    array = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(_SEED).integers(0, len(array), size=(_ROUNDS, len(array)))
    low, high = np.percentile(np.median(array[draws], axis=1), _TAILS)
    quarter, three_quarters = np.percentile(array, (25, 75))
    median = float(np.median(array))
    return Summary(
        median=median,
        low=float(low),
        high=float(high),
        spread=float((three_quarters - quarter) / abs(median)) if median else 0.0,
        repetitions=len(array),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share (0 to 1) of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, int(np.ceil(share * len(ordered))) - 1)]


def ratio_of_medians(above: Sequence[float], below: Sequence[float]) -> float:
    """How many times the one median is of the other; zero when there is nothing to divide by."""
    divisor = float(np.median(np.asarray(below)))
    return float(np.median(np.asarray(above))) / divisor if divisor else 0.0


def interleaved(
    actions: Sequence[Callable[[], object]],
    *,
    repetitions: int,
    clock: Callable[[], float],
    cpu_clock: Callable[[], float],
    patience_s: float = inf,
) -> list[list[Lap]]:
    """Laps for each action, all actions in turn in each round, so that a busy neighbor slows all of them alike.

    Each action runs once before the first round and is not counted then. After `patience_s` no round begins, once three
    are done.
    """
    for action in actions:
        action()
    laps: list[list[Lap]] = [[] for _ in actions]
    begun = clock()
    for done in range(repetitions):
        if done >= _FEWEST and clock() - begun > patience_s:
            break
        for own, action in zip(laps, actions, strict=True):
            start, cpu_start = clock(), cpu_clock()
            action()
            own.append(Lap(wall_s=clock() - start, cpu_s=cpu_clock() - cpu_start))
    return laps
