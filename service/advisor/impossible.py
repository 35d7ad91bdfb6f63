"""When nothing passes: the nearest thing that holds the workload, and which limits it breaks."""

from __future__ import annotations

from dataclasses import replace

from service.advisor.catalog import Shelf
from service.advisor.recommend import recommend
from service.advisor.say import Line
from service.advisor.types import Workload
from service.types import Statement

_LIMITS = (
    "budget_usd",
    "usd_per_hour_max",
    "usd_per_month_max",
    "device_count",
    "device_count_max",
    "placement",
    "privacy",
    "providers",
    "region",
    "residency",
    "deadline_hours",
    "watts_max",
    "form",
    "devices_owned",
    "vendors_wanted",
    "vendors_excluded",
)


def nearest(workload: Workload, shelf: Shelf, *, today: str) -> list[Statement]:
    """The first option without limits of money, place, number and maker, if there is one."""
    free = replace(workload, **dict.fromkeys(_LIMITS))  # type: ignore[arg-type]
    result = recommend(free, shelf, today=today)
    if not result.options:
        return []
    option = result.options[0]
    line = Line()
    line.quote(*(quote for reason in option.reasons[1:2] for quote in reason.quotes))
    text = f"The nearest that holds it: {option.count} x {option.device}, each with {line.size(option.fit.available_gib, option.fit.computation)} usable"
    return [line.say(f"{text}."), *option.reasons[:1]]
