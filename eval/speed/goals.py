"""The product's own speed goals, as ratios within one run, and whether they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval.speed.backends import PRODUCT, REFERENCE
from eval.speed.embedding import Timed
from eval.speed.inference import InferenceResult
from eval.speed.load import LIVEZ_ROW
from eval.speed.rows import Goal, Row
from eval.speed.stats import percentile, ratio_of_medians, summarize

_OVER_REFERENCE: Final = 1.45
_OVER_FASTEMBED: Final = 1.2
_LOWER_OVER_REFERENCE: Final = 1.8
_NDCG_DROP: Final = 0.005
_CEILING_SHARE: Final = 0.65
_QUERY_FASTER: Final = 3.0
_ANSWER_MEDIAN: Final = 2.0
_ANSWER_TAIL: Final = 4.0
_RESIDENT_MB: Final = 350.0
_LIVEZ_MS: Final = 50.0
_SAME_COSINE: Final = 0.9999


def judge(
    timed: Sequence[Timed],
    rows: Sequence[Row],
    inference: InferenceResult,
    query_laps: dict[str, list[float]],
) -> tuple[Goal, ...]:
    """All goals; a goal whose other side could not run is open, not missed.

    Where the clock's laps are noisy, a throughput goal is held or missed only if clock and processor seconds agree
    on it: neighbors on the same cores take clock time, and threads that wait busily take processor time.
    """
    return (
        _throughput(timed, REFERENCE, _OVER_REFERENCE),
        _throughput(timed, "fastembed", _OVER_FASTEMBED),
        _lower_precision(timed, rows),
        _cosine(rows),
        _ceiling(rows),
        _query(query_laps),
        _answer(inference, 0.5, _ANSWER_MEDIAN),
        _answer(inference, 0.99, _ANSWER_TAIL),
        _at_most(rows, "resident memory", _RESIDENT_MB),
        _at_most(rows, LIVEZ_ROW, _LIVEZ_MS),
    )


def _throughput(timed: Sequence[Timed], other: str, wanted: float) -> Goal:
    name = f"embedding throughput, times {other} in fp32"
    own = _of(timed, PRODUCT)
    against = _of(timed, other)
    if own is None or against is None:
        return _open(name, f"at least {wanted}", f"{other} did not run")
    by_clock = ratio_of_medians(own.rates(), against.rates())
    by_work = ratio_of_medians(own.busy_rates(), against.busy_rates())
    noisy = summarize(own.rates()).noisy or summarize(against.rates()).noisy
    note = f"{by_clock:.2f} by the clock, {by_work:.2f} by processor seconds"
    return _both(name, f"at least {wanted}", wanted, (by_clock, by_work), noisy=noisy, note=note)


def _lower_precision(timed: Sequence[Timed], rows: Sequence[Row]) -> Goal:
    """The fastest precision on the CPU whose nDCG@10 on a labeled set drops by less than the bound."""
    name = f"embedding throughput in any precision that keeps nDCG@10, times {REFERENCE} in fp32"
    told = f"at least {_LOWER_OVER_REFERENCE}"
    against = _of(timed, REFERENCE)
    kept = {
        row.setting["precision"]
        for row in rows
        if row.name.endswith("dense nDCG@10")
        and row.device == "cpu"
        and float(row.note.split()[0]) > -_NDCG_DROP
    }
    fits = [
        item for item in timed if item.backend.device == "cpu" and item.backend.precision in kept
    ]
    if against is None or not fits:
        return _open(name, told, "a labeled set is needed (--sets)")
    best = max(fits, key=lambda item: summarize(item.rates()).median)
    found = (
        ratio_of_medians(best.rates(), against.rates()),
        ratio_of_medians(best.busy_rates(), against.busy_rates()),
    )
    noisy = summarize(best.rates()).noisy or summarize(against.rates()).noisy
    note = f"{best.backend.name} in {best.backend.precision}: {found[0]:.2f} by the clock, "
    note += f"{found[1]:.2f} by processor seconds"
    return _both(name, told, _LOWER_OVER_REFERENCE, found, noisy=noisy, note=note)


def _both(
    name: str, told: str, wanted: float, found: tuple[float, float], *, noisy: bool, note: str
) -> Goal:
    """A goal that has to be reached by the clock, and by processor seconds too where the clock is noisy."""
    reached = [value >= wanted for value in found]
    if not noisy:
        return Goal(name=name, wanted=told, found=found[0], held=reached[0], note=note)
    held = reached[0] if reached[0] == reached[1] else None
    said = (
        "the clock is noisy" if held is not None else "open: the clock is noisy and they disagree"
    )
    return Goal(name=name, wanted=told, found=found[0], held=held, note=f"{note}; {said}")


def _cosine(rows: Sequence[Row]) -> Goal:
    name = f"lowest cosine with {REFERENCE}"
    wanted = f"at least {_SAME_COSINE}"
    for row in rows:
        if (
            row.name == f"{REFERENCE}, lowest cosine"
            and row.median is not None
            and row.device == "cpu"
        ):
            return Goal(name=name, wanted=wanted, found=row.median, held=row.median >= _SAME_COSINE)
    return _open(name, wanted, f"{REFERENCE} did not run")


def _ceiling(rows: Sequence[Row]) -> Goal:
    name = "share of the fp32 matrix-product ceiling at 200 tokens"
    wanted = f"at least {_CEILING_SHARE:.0%}"
    by_clock = _first(rows, PRODUCT)
    by_work = _first(rows, f"{PRODUCT}, for a processor second")
    if by_clock is None or by_work is None or by_clock.share is None or by_work.share is None:
        return _open(name, wanted, "the model's shape is not known")
    note = f"{by_clock.share:.0%} by the clock, {by_work.share:.0%} by processor seconds"
    found = (by_clock.share, by_work.share)
    return _both(name, wanted, _CEILING_SHARE, found, noisy=by_clock.noisy, note=note)


def _query(laps: dict[str, list[float]]) -> Goal:
    name = f"a single short query, times faster than {REFERENCE}"
    wanted = f"at least {_QUERY_FASTER:g}"
    if PRODUCT not in laps or REFERENCE not in laps:
        return _open(name, wanted, f"{REFERENCE} did not run")
    found = ratio_of_medians(laps[REFERENCE], laps[PRODUCT])
    return Goal(name=name, wanted=wanted, found=found, held=found >= _QUERY_FASTER)


def _answer(inference: InferenceResult, share: float, wanted: float) -> Goal:
    bare = percentile(inference.queries_s, 0.5)
    found = percentile(inference.answers_s, share) / bare
    return Goal(
        name=f"an answer at p{share * 100:.0f}, times one bare query embedding at the median",
        wanted=f"at most {wanted:g}",
        found=found,
        held=found <= wanted,
        note="in this process, without HTTP",
    )


def _at_most(rows: Sequence[Row], name: str, most: float) -> Goal:
    """A goal on one measured row, in that row's unit."""
    row = next((row for row in rows if row.name == name), None)
    wanted = f"at most {most:g}{f' {row.unit}' if row else ''}"
    if row is None or row.median is None:
        return _open(name, wanted, row.skipped if row else "not measured")
    return Goal(name=name, wanted=wanted, found=row.median, unit=row.unit, held=row.median <= most)


def _of(timed: Sequence[Timed], name: str) -> Timed | None:
    wanted = (name, "cpu", "fp32")
    found = (
        item
        for item in timed
        if (item.backend.name, item.backend.device, item.backend.precision) == wanted
    )
    return next(found, None)


def _first(rows: Sequence[Row], name: str) -> Row | None:
    return next((row for row in rows if row.name == name and not row.skipped), None)


def _open(name: str, wanted: str, why: str) -> Goal:
    return Goal(name=name, wanted=wanted, found=None, note=f"open: {why}")
