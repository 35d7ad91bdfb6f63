"""Apply the checker to all that a draft would send: statements, table rows, and what the recommendation says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.advisor.types import Option, Recommendation
from service.types import Draft, Statement, Table
from service.verify import Checker


@dataclass(slots=True)
class _Tally:
    """Checks statements and counts what fails, by reason. Each statement counts once."""

    checker: Checker
    verdicts: dict[Statement, bool] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)

    def is_sound(self, statement: Statement) -> bool:
        if statement not in self.verdicts:
            verdict = self.checker.check(statement)
            self.verdicts[statement] = not verdict.faults
            self.reasons.update(f"dropped_{reason}" for reason in verdict.reasons)
        return self.verdicts[statement]

    def sound(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(each for each in statements if self.is_sound(each))

    def checks(self, before: int, after: int) -> Mapping[str, int]:
        failed = sum(not sound for sound in self.verdicts.values())
        return {
            "statements": before,
            "dropped": before - after,
            "checked": len(self.verdicts),
            "failed": failed,
            **dict(sorted(self.reasons.items())),
        }


def vet(draft: Draft, checker: Checker) -> Draft:
    """The draft without what fails a check.

    `checks` counts: `statements` and `dropped` of the answer itself, `checked` and `failed` over table, recommendation
    and answer, and for each reason of a failure `dropped_<reason>`.
    """
    tally = _Tally(checker)
    statements = tally.sound(draft.statements)
    return replace(
        draft,
        statements=statements,
        table=_table(draft.table, tally) if draft.table else None,
        recommendation=_recommendation(draft.recommendation, tally)
        if draft.recommendation
        else None,
        checks=tally.checks(len(draft.statements), len(statements)),
    )


def _table(table: Table, tally: _Tally) -> Table | None:
    kept = [
        (row, cells)
        for row, cells in zip(table.rows, table.cells, strict=True)
        if tally.is_sound(row)
    ]
    if not kept:
        return None
    return replace(
        table, rows=tuple(row for row, _ in kept), cells=tuple(cells for _, cells in kept)
    )


def _recommendation(found: Recommendation, tally: _Tally) -> Recommendation:
    """Reasons, rejections, changes and warnings that hold. Assumptions are marked as such and need no support."""
    return replace(
        found,
        options=tuple(_option(option, tally) for option in found.options),
        rejected=tuple(each for each in found.rejected if tally.is_sound(each.statement)),
        sensitivity=tuple(each for each in found.sensitivity if tally.is_sound(each.statement)),
        warnings=tally.sound(found.warnings),
    )


def _option(option: Option, tally: _Tally) -> Option:
    return replace(option, reasons=tally.sound(option.reasons))
