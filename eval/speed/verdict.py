"""What a run means, in sentences that can each be quoted alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from eval.speed.backends import PRODUCT, REFERENCE
from eval.speed.cost import items_a_day
from eval.speed.rows import Goal, Row

_MUCH: Final = 0.005
# Backends were timed in turn at this batch; other batches ran at other moments and are not compared with these.
_SAME_ROUNDS: Final = (32, "own")


def machine_name(machine: Mapping[str, Any]) -> str:
    """A machine in a few words: its processor, cores, memory, GPUs."""
    cores = machine["cores"]
    words = f"{machine['processor']} with {cores} core{'s' if cores != 1 else ''}"
    if machine.get("memory_gib"):
        words += f" and {machine['memory_gib']:.0f} GiB of memory"
    if machine.get("gpus"):
        words += " and " + ", ".join(machine["gpus"])
    return words


def verdict(
    rows: Sequence[Row], goals: Sequence[Goal], machine: Mapping[str, Any], *, day: str
) -> tuple[str, ...]:
    """The sentences, most useful first; each names the machine's class and the day, so that it stands alone."""
    where = f"On the {machine_name(machine)}, measured on {day},"
    return (
        *_worth(rows, machine, where),
        *_fastest(rows, where),
        *_goals(goals, where),
        *_quality(rows, where),
        *_noise(rows, machine, where),
    )


def _worth(rows: Sequence[Row], machine: Mapping[str, Any], where: str) -> Iterator[str]:
    rate = _median(rows, "embedding", PRODUCT, tokens=200)
    if rate is None:
        return
    volume = items_a_day(rate)
    if not machine.get("gpus"):
        yield (
            f"{where} a GPU is not needed for embedding up to about {_rounded(volume)} passages of 200 tokens "
            f"a day, since the CPU works that many off in 24 hours at {rate:.1f} passages a second."
        )
        yield f"{where} no GPU was measured, since there is no CUDA device."
    for row in rows:
        if row.group == "cost" and row.name == "break-even against a GPU" and row.median:
            yield (
                f"{where} the CPU is cheaper for embedding up to {_rounded(row.median)} passages in one go, and the "
                f"GPU beyond ({row.note})."
            )
        elif row.group == "cost" and row.name.startswith("speed-up that a GPU needs"):
            yield (
                f"{where} a GPU has to embed {row.median:.1f} times as fast as this CPU to cost the same a passage, "
                f"at {row.note}."
            )


def _fastest(rows: Sequence[Row], where: str) -> Iterator[str]:
    rates = [
        row
        for row in rows
        if row.group == "embedding"
        and row.median
        and row.unit == "passages/s"
        and "processor second" not in row.name
    ]
    longest = max((int(row.setting.get("tokens", 0)) for row in rates), default=0)
    threads = max((int(row.setting.get("threads", 0)) for row in rates), default=0)
    full = [
        row
        for row in rates
        if row.setting.get("precision") == "fp32"
        and row.setting.get("tokens") == longest
        and row.setting.get("batch") in _SAME_ROUNDS
        and int(row.setting.get("threads", 0)) == threads
    ]
    if len(full) > 1:
        best = max(full, key=lambda row: row.median or 0.0)
        yield (
            f"{where} the fastest way to embed in fp32 was {best.name} on {best.device} with "
            f"{best.median:.1f} passages a second of {best.setting.get('tokens')} tokens."
        )
    reference = _median(rows, "embedding", REFERENCE, tokens=200)
    own = _median(rows, "embedding", PRODUCT, tokens=200)
    if reference and own:
        yield (
            f"{where} Rigwise's embedder on onnxruntime did {own:.1f} passages of 200 tokens a second and "
            f"sentence-transformers on torch {reference:.1f}, both in fp32 on the CPU."
        )
    answers = next((row for row in rows if row.name == "whole answer, in this process"), None)
    if answers is not None and answers.median is not None:
        yield f"{where} the median of a whole answer of Rigwise was {answers.median:.0f} ms ({answers.note})."


def _goals(goals: Sequence[Goal], where: str) -> Iterator[str]:
    held = [goal for goal in goals if goal.held]
    missed = [goal.name for goal in goals if goal.held is False]
    still = [goal.name for goal in goals if goal.held is None]
    yield f"{where} {len(held)} of {len(goals)} speed goals of Rigwise held."
    if missed:
        yield f"{where} these speed goals of Rigwise were missed: {'; '.join(missed)}."
    if still:
        yield f"{where} these speed goals of Rigwise were left open: {'; '.join(still)}."


def _quality(rows: Sequence[Row], where: str) -> Iterator[str]:
    for row in rows:
        if row.name.endswith("dense nDCG@10") and row.note.startswith("-"):
            change = float(row.note.split()[0])
            if change <= -_MUCH:
                yield (
                    f"{where} {row.name.split(',')[0]} in {row.setting['precision']} changed the dense nDCG@10 by "
                    f"{change:+.4f}, which is a speed-up that changes answers."
                )


def _noise(rows: Sequence[Row], machine: Mapping[str, Any], where: str) -> Iterator[str]:
    repeated = [row for row in rows if row.repetitions > 1]
    noisy = [row for row in repeated if row.noisy]
    if noisy:
        yield (
            f"{where} {len(noisy)} of {len(repeated)} repeated measurements were noisy, so that ratios within the "
            f"run say more than rates{_busy(machine)}."
        )


def _busy(machine: Mapping[str, Any]) -> str:
    """Words on a machine that had more to do than this run when it began."""
    load, cores = machine.get("load_average"), machine["cores"]
    if load is None or load <= cores / 2:
        return ""
    return f"; other work ran beside it, with a load average of {load:.1f} on {cores} cores at the start"


def _median(rows: Sequence[Row], group: str, name: str, *, tokens: int) -> float | None:
    """The default batch of a backend on the CPU, nearest to that many tokens and at the most threads."""
    found = [
        row
        for row in rows
        if row.group == group
        and row.name == name
        and row.device == "cpu"
        and row.median
        and row.setting.get("precision") == "fp32"
    ]
    found.sort(
        key=lambda row: (
            abs(int(row.setting.get("tokens", 0)) - tokens),
            -int(row.setting.get("threads", 0)),
        )
    )
    return found[0].median if found else None


def _rounded(volume: float) -> str:
    """Two significant digits: more would promise what a busy machine cannot keep."""
    digits = len(str(int(volume))) - 2
    return f"{round(volume, -max(0, digits)):,.0f}"
