"""Two speed reports, made here or elsewhere, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eval.speed.rows import Report, Row
from eval.speed.verdict import machine_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measurement in both reports. `ratio` is B over A; `clear` where the intervals do not meet."""

    before: Row
    after: Row
    ratio: float
    clear: bool

    @property
    def better(self) -> bool:
        """Whether B is the better one."""
        return (self.ratio > 1) == self.before.higher_is_better


def compare_speed(before: Report, after: Report) -> tuple[Difference, ...]:
    """What both reports measured with the same setting, in the first one's order."""
    others = {row.key: row for row in after.rows if row.median is not None}
    return tuple(
        _difference(row, others[row.key]) for row in before.rows if row.median and row.key in others
    )


def difference_table(
    before: Report, after: Report, differences: Sequence[Difference]
) -> Iterator[str]:
    """Markdown lines: both machines, then one line a measurement."""
    yield f"A: {machine_name(before.machine)}, {before.made_at}, commit {before.commit or 'unknown'}"
    yield ""
    yield f"B: {machine_name(after.machine)}, {after.made_at}, commit {after.commit or 'unknown'}"
    yield ""
    yield "| what | A | B | unit | B over A | |"
    yield "|---|---|---|---|---|---|"
    for item in differences:
        yield (
            f"| {item.before.key} | {item.before.median:.4g} | {item.after.median:.4g} | "
            f"{item.before.unit} | {item.ratio:.2f} | {_word(item)} |"
        )
    for name, mine, others in (("A", before, after), ("B", after, before)):
        own = {row.key for row in others.rows if not row.skipped}
        only = [row.key for row in mine.rows if not row.skipped and row.key not in own]
        if only:
            yield ""
            yield f"Only in {name}: {', '.join(only)}"


def _difference(before: Row, after: Row) -> Difference:
    lows = (before.low or 0.0, after.low or 0.0)
    highs = (before.high or 0.0, after.high or 0.0)
    apart = lows[0] > highs[1] or lows[1] > highs[0]
    return Difference(
        before=before,
        after=after,
        ratio=(after.median or 0.0) / (before.median or 1.0),
        clear=apart and not before.noisy and not after.noisy and before.repetitions > 1,
    )


def _word(item: Difference) -> str:
    if item.before.noisy or item.after.noisy:
        return "noisy"
    if not item.clear:
        return "not told apart"
    return "better" if item.better else "worse"
