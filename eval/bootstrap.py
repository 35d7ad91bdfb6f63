"""Confidence intervals by bootstrap over cases, with a fixed seed, so that a report is the same each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_SEED = 20261201
_ROUNDS = 1000
_TAILS = (2.5, 97.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


def share(right: Sequence[float], total: Sequence[float]) -> Interval:
    """Sum of `right` over sum of `total`, the cases drawn anew. Without anything to count all is zero."""
    rights, totals = np.asarray(right, float), np.asarray(total, float)
    if not totals.sum():
        return Interval(value=0.0, low=0.0, high=0.0)
    draws = _draws(len(totals))
    drawn = _ratio(rights[draws].sum(axis=1), totals[draws].sum(axis=1))
    low, high = np.percentile(drawn, _TAILS)
    return Interval(value=float(rights.sum() / totals.sum()), low=float(low), high=float(high))


def change(
    before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]
) -> Interval:
    """After less before, as shares over the cases that both have, the pairs drawn anew."""
    names = sorted(before.keys() & after.keys())
    old, new = (
        np.array([side[name] for name in names], float).reshape(-1, 2) for side in (before, after)
    )
    if not old[:, 1].sum() or not new[:, 1].sum():
        return Interval(value=0.0, low=0.0, high=0.0)
    draws = _draws(len(names))
    drawn = _ratio(*_sums(new, draws)) - _ratio(*_sums(old, draws))
    low, high = np.percentile(drawn, _TAILS)
    value = new[:, 0].sum() / new[:, 1].sum() - old[:, 0].sum() / old[:, 1].sum()
    return Interval(value=float(value), low=float(low), high=float(high))


def _draws(count: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(_SEED).integers(0, count, size=(_ROUNDS, count))


def _sums(
    pairs: npt.NDArray[np.float64], draws: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return pairs[:, 0][draws].sum(axis=1), pairs[:, 1][draws].sum(axis=1)


def _ratio(
    above: npt.NDArray[np.float64], below: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """A draw without anything to count says nothing: it counts as the mean of the others."""
    known = below > 0
    ratios = np.divide(above, below, out=np.zeros_like(above), where=known)
    ratios[~known] = ratios[known].mean() if known.any() else 0.0
    return ratios
