"""The first sentences of a recommendation: which limits were kept, and what to take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.advisor.rank import order_of
from service.advisor.say import Line
from service.advisor.types import Option, Recommendation, Workload
from service.types import Statement

_PLACES = {
    "onprem": "machines on your own premises",
    "local": "machines of your own",
    "buy": "machines to buy",
    "cloud": "rented machines",
}
_LONGEST = 70
# Words of the question that would read as a claim about a figure, and numbers, are not repeated.
_UNQUOTED = re.compile(
    r"\d|\bspot\b|on[- ]demand|\bused\b|\busable\b|laptop|\bdense\b", re.IGNORECASE
)


def lead(workload: Workload, result: Recommendation, text: str) -> Iterator[Statement]:
    """The limits that were kept and the option to take, in one statement; nothing where the asker's own machine does it."""
    best = result.options[0] if result.options else None
    if best is None or best.where == "own" or len(best.reasons) < 2:
        return
    line = Line()
    line.quote(*best.reasons[1].quotes)
    kept = _kept(workload, text, line)
    left = line.size(best.fit.headroom_gib, best.fit.computation)
    line.gb_in(best.device)
    verb = "Rent" if best.where == "rent" else "Buy"
    each = " on each" if best.count > 1 else ""
    taken = f"{verb} {best.count} x {best.device}, {_why(workload, result)}: {left} stay free{each}"
    yield line.say(f"{kept}{taken}.")


def _kept(workload: Workload, text: str, line: Line) -> str:
    limits = list(_limits(workload, line))
    place = workload.placement
    if place is not None and place.value in _PLACES:
        private = workload.privacy is not None and place.value != "cloud"
        words = max(
            (field.words for field in (place, workload.privacy) if field is not None), key=len
        )
        words = _clause(text, words) or words
        because = f', because of "{words}"' if _is_told(words) else ""
        kind = _PLACES["onprem" if private else place.value]
        more = f"; kept limits: {_joined(limits)}" if limits else ""
        return f"Only {kind} are offered{because}{more}. "
    return f"Kept limits: {_joined(limits)}. " if limits else ""


def _clause(text: str, words: str) -> str:
    """The clause of the question that holds the words, if it is short."""
    if len(words.split()) < 2:
        return ""
    parts = (part.strip() for part in re.split(r"[.,;:?!]", text))
    held = next((part for part in parts if words.casefold() in part.casefold()), "")
    return held if len(held) <= _LONGEST and _is_told(held) else ""


def _is_told(words: str) -> bool:
    """Whether the question's words give a reason, and none that would read as a figure."""
    return len(words.split()) > 1 and _UNQUOTED.search(words) is None


def _limits(workload: Workload, line: Line) -> Iterator[str]:
    """The limits of the question that machines were measured by, in words."""
    money = (
        (workload.budget_usd, "USD", "in all"),
        (workload.usd_per_hour_max, "USD/h", "at most"),
        (workload.usd_per_month_max, "USD", "a month"),
        (workload.deadline_hours, "hours", "of time"),
        (workload.watts_max, "W", "of power"),
    )
    for field, unit, span in money:
        if field is not None:
            yield f"{line.asked(field.value, unit)} {span}"
    if workload.vendors_wanted is not None:
        yield f"devices of {_joined(list(workload.vendors_wanted.value))} only"
    if workload.vendors_excluded is not None:
        yield f"makers other than {_joined(list(workload.vendors_excluded.value))}"
    if workload.residency is not None:
        yield f"regions in {workload.residency.value}"
    if workload.region is not None and not _UNQUOTED.search(workload.region.value):
        yield f"the region {workload.region.value}"


def _joined(parts: list[str]) -> str:
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else "".join(parts)


def _why(workload: Workload, result: Recommendation) -> str:
    """Why the first option is the first, as far as the options show it."""
    best = result.options[0]
    wanted = workload.devices_wanted.value if workload.devices_wanted is not None else ()
    if best.device_id in wanted:
        return f"a {best.fit.verdict} fit and the first of what you name"
    if order_of(workload) == "fastest":
        return f"a {best.fit.verdict} fit and the fastest by its memory bandwidth"
    if order_of(workload) == "least_power":
        return f"a {best.fit.verdict} fit and the one with the lowest power limit"
    price, maker = _price(best), best.device.split()[0]
    rivals = [
        _price(each)
        for each in result.options
        if each.where == best.where
        and each.device.startswith(maker)
        and each.fit.verdict == best.fit.verdict
        and (each.count == 1) == (best.count == 1)
    ]
    if price is None:
        return f"a {best.fit.verdict} fit, though no price is known here"
    if any(each is not None and each < price for each in rivals):
        return f"a {best.fit.verdict} fit"
    single = "single device" if best.count == 1 else f"machine of {maker}'s"
    how = "comfortably" if best.fit.verdict == "comfortable" else "at all, if tightly"
    return f"the cheapest {single} known here that fits {how}"


def _price(option: Option) -> float | None:
    if option.cost is None:
        return None
    hourly = option.cost.usd_per_hour
    total = option.cost.total_usd
    return total if option.where == "buy" or total is not None else hourly
