"""Rules of a page, whole: a line is often drawn piece by piece, and twice."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.parsing.geometry import Rule


def merged(rules: Sequence[Rule]) -> list[Rule]:
    """Pieces of one line made one: a rule is often drawn cell by cell."""
    heights: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if heights and rule.at - heights[-1][0].at < 1.6:
            heights[-1].append(rule)
        else:
            heights.append([rule])
    merged: list[Rule] = []
    for level in heights:
        merged += _joined(level)
    kept: list[Rule] = []
    for rule in sorted(merged, key=lambda rule: rule.at):
        twin = next(
            (
                k
                for k in kept[-12:]
                if abs(k.at - rule.at) < 2.5
                and abs(k.start - rule.start) < 3
                and abs(k.end - rule.end) < 3
            ),
            None,
        )
        if twin is None:
            kept.append(rule)
    return kept


def _joined(level: Sequence[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for rule in sorted(level, key=lambda rule: rule.start):
        if joined and rule.start - joined[-1].end < 12:
            last = joined[-1]
            joined[-1] = Rule(at=last.at, start=last.start, end=max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined
