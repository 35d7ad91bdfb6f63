"""Wait for what another thread or process brings about."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event


def until(condition: Callable[[], bool], *, at_most_s: float = 30.0) -> bool:
    """True as soon as the condition holds; raises when the time is over."""
    for _ in range(round(at_most_s / 0.02)):
        if condition():
            return True
        Event().wait(0.02)
    raise AssertionError(f"it did not happen in {at_most_s:g} s")
