"""Budgets: in total, an hour, a month; other currencies at an assumed rate."""

from __future__ import annotations

import re
from typing import Any

from service.advisor.types import Stated
from service.advisor.understand.words import amount_of, amount_pattern, compiled, stated

# Assumed rates to the US dollar for comparing budgets with dollar prices; each answer says so with this date.
RATES = {"USD": 1.0, "EUR": 1.1, "GBP": 1.3, "CNY": 0.14}
RATES_AS_OF = "2026-12-01"
_N = amount_pattern()
_SIGNS = {
    "$": "USD",
    "us$": "USD",
    "usd": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "bucks": "USD",
    "dólares": "USD",
    "美元": "USD",
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "欧元": "EUR",
    "元": "CNY",
    "块": "CNY",
    "人民币": "CNY",
    "元人民币": "CNY",
    "rmb": "CNY",
    "cny": "CNY",
    "yuan": "CNY",
    "£": "GBP",
    "gbp": "GBP",
    "pounds": "GBP",
}
_MONEY = re.compile(
    rf"(?:(?P<before>us\$|\$|€|£|\busd\b|\beur\b|\bgbp\b)\s?{_N}|{amount_pattern('a')}\s?(?P<after>us\$|\$|€|£|usd|eur|gbp|us dollars|dollars?|bucks|euros?|pounds|dólares|美元|欧元|rmb|cny|yuan|元人民币|人民币|元)(?!\w))"
    r"(?P<per>\s*(?:/|per|an|a|each|pro|por|par|每)\s*(?:gpu[- ])?(?P<unit>hour|hr|h\b|month|mo\b|stunde|monat|hora|mes|heure|mois|小时|月))?",
    re.IGNORECASE,
)
_LIMIT_BEFORE = re.compile(
    r"(?:budget|at most|no more than|ceiling|under|below|less than|up to|max(?:imum|\.)?|limit(?:ed)?|cheaper than|within|spend|afford|cap(?:ped)?|have|need|"
    r"höchstens|maximal|unter|bis zu|máximo|menos de|presupuesto|orçamento|bilancio|hasta|moins de|maximum|jusqu'à|预算|最多)[^.?!]{0,35}$",
    re.IGNORECASE,
)
_WITH_BEFORE = re.compile(
    r"\b(?:with|for|con|por|mit|für|avec|pour)\s+(?:about |only |just )?$", re.IGNORECASE
)
_LIMIT_AFTER = re.compile(
    r"^[^.?!]{0,12}(?:budget|in total|total|for everything|at most|max(?:imum)?|or less|ceiling|limit|to spend|for the (?:gpu|card|machine)|available|insgesamt)",
    re.IGNORECASE,
)


def money_fields(text: str) -> dict[str, Any]:
    """Budgets that a text sets. Prices that it only mentions are none."""
    fields: dict[str, Any] = {}
    for found in _MONEY.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        plain = found["unit"] is None and _WITH_BEFORE.search(before) is not None
        if not (plain or _LIMIT_BEFORE.search(before) or _LIMIT_AFTER.search(after)):
            continue
        currency = _SIGNS.get(
            (found["before"] or found["after"]).lower().removeprefix("us "), "USD"
        )
        value = amount_of(found, "n" if found["before"] else "a") * RATES[currency]
        fields.setdefault(_field(found["unit"]), stated(value, found))
        if currency != "USD":
            fields["currency"] = stated(currency, found)
    return fields


def _field(unit: str | None) -> str:
    if unit is None:
        return "budget_usd"
    return (
        "usd_per_month_max" if unit.lower().startswith(("mo", "mes", "月")) else "usd_per_hour_max"
    )


def spot_field(text: str) -> Stated[bool] | None:
    """Whether machines that may be taken away are wanted."""
    refused = compiled(
        r"on[- ]demand(?:,)? (?:rather than|not|instead of) spot|\bno(?:t)? spot|without spot|on[- ]demand"
    ).search(text)
    if refused is not None:
        return stated(value=False, match=refused)
    wanted = compiled(r"\bspot\b|\bpre-?emptible\b").search(text)
    return stated(value=True, match=wanted) if wanted else None
