"""What a calculation works from, and what a question asks it for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from service.advisor.catalog import Machine, Shelf
from service.advisor.types import MemoryPart, Need, Recommendation, Workload
from service.advisor.understand.words import cue
from service.types import Statement

ASKS_CACHE = r"kv[- ]?cache|key[- ]value cache"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a calculation works from."""

    text: str
    workload: Workload
    need: Need
    shelf: Shelf
    named: tuple[Machine, ...]
    count: int


Calculation = Callable[[Case], Iterator[Statement]]


def cache_part(need: Need) -> MemoryPart | None:
    """The cache of a need, if it has one."""
    return next((part for part in need.parts if part.kind == "kv_cache"), None)


def asks_for_cache(text: str) -> bool:
    """Whether the size of the cache alone is asked for."""
    return (
        re.search(
            rf"how (?:big|large|much)[^.?!]*(?:{ASKS_CACHE})|(?:{ASKS_CACHE})[^.?!]*\b(?:size|big|large|how much)",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def asks_for_states(text: str) -> bool:
    """Whether states alone are asked for, spread over devices or not."""
    return cue(r"model states?|states? (?:remain|per gpu)|optimi[sz]er states?", text) is not None


def narrowed(result: Recommendation, text: str) -> Recommendation:
    """The need of what was asked for alone: the cache, or the states on each device."""
    need = result.need
    kept: tuple[MemoryPart, ...] = ()
    if asks_for_cache(text) and (part := cache_part(need)) is not None:
        kept = (part,)
    elif asks_for_states(text) and result.workload.plan is not None:
        kept = tuple(
            part for part in need.parts if part.kind in {"weights", "gradients", "optimizer"}
        )
    if not kept:
        return result
    total, low, high = (
        sum(getattr(part, size) for part in kept) for size in ("gib", "low_gib", "high_gib")
    )
    need = replace(need, parts=kept, total_gib=total, low_gib=low, high_gib=high, context_gib=0.0)
    return replace(result, need=need, options=())
