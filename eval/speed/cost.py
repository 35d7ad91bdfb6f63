"""What work costs: dollars and joules from rates, and the volume from which a faster machine is the cheaper one."""

from __future__ import annotations

from typing import Final

_SECONDS_AN_HOUR: Final = 3600.0
_HOURS_A_DAY: Final = 24.0


def usd_for(items: float, *, per_second: float, usd_per_hour: float) -> float:
    """Dollars for that many items at that rate, the machine paid only while it works."""
    return items / per_second / _SECONDS_AN_HOUR * usd_per_hour


def kwh_for(items: float, *, per_second: float, watts: float) -> float:
    """Kilowatt hours for that many items at that rate and draw."""
    return items / per_second * watts / _SECONDS_AN_HOUR / 1000.0


def items_a_day(per_second: float) -> float:
    """How many items one machine works off in a day without a pause."""
    return per_second * _SECONDS_AN_HOUR * _HOURS_A_DAY


def break_even_items(
    *,
    slow_per_second: float,
    slow_usd_per_hour: float,
    fast_per_second: float,
    fast_usd_per_hour: float,
    fast_start_s: float,
) -> float | None:
    """The batch from which the fast machine costs less than the slow one, both paid only while they work.

    The fast machine is paid for `fast_start_s` before its first item. None: it never costs less.
    """
    slow_each = slow_usd_per_hour / slow_per_second
    fast_each = fast_usd_per_hour / fast_per_second
    if fast_each >= slow_each:
        return None
    return fast_usd_per_hour * fast_start_s / (slow_each - fast_each)


def break_even_speedup(*, slow_usd_per_hour: float, fast_usd_per_hour: float) -> float:
    """How many times faster the dearer machine has to be so that an item costs the same."""
    return fast_usd_per_hour / slow_usd_per_hour
