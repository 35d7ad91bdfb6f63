"""Time: until when it has to be done, how long it runs, how many epochs."""

from __future__ import annotations

import re
from typing import Any

from service.advisor.types import Stated
from service.advisor.understand.words import (
    amount_of,
    amount_pattern,
    assumed,
    compiled,
    cue,
    stated,
)

_N = amount_pattern()
_AMOUNT = rf"(?:{_N}|(?P<single>an?|una?|une|einer|einem|eine|一))"
_UNITS = (
    (r"hours?|hrs?|h|stunden?|horas?|heures?|个?小时", 1.0),
    (r"days?|tag(?:en?)?|días?|dias?|jours?|天|日", 24.0),
    (r"weeks?|wochen?|semanas?|semaines?|个?(?:周|星期)", 168.0),
    (r"months?|monat(?:en?)?|mes(?:es)?|mois|个月", 730.0),
    (r"minutes?|mins?|minuten?|minutos?|分钟", 1 / 60),
)
_UNIT = r"(?P<unit>" + "|".join(pattern for pattern, _ in _UNITS) + r")(?![a-zäöüéí])"
_WITHIN = (
    r"(?:within|inside(?: of)?|in (?:under|less than|at most|no more than|max(?:imum)?)|deadline (?:of|is|in)|no (?:more|longer) than|at most|"
    r"(?:over|in|during) the next|finish(?:ed)? (?:it )?(?:in|under)|done in|ready in|takes? (?:less than|at most|under)|"
    r"innerhalb (?:von |der nächsten )?|binnen|in weniger als|höchstens|en menos de|dentro de|en (?:un )?máximo(?: de)?|en moins de|d'ici|sous|"
    r"不超过|少于)"
)
_WORK = r"(?:pre-?train|train|fine-?\s?tun|finish|complete|trainier|entren|entraîn|affin)\w*"
_DEADLINES = (
    rf"{_WITHIN}\s*(?:about |only |the next )?{_AMOUNT}\s*-?{_UNIT}",
    rf"{_WORK}\b[^.?!;]{{0,60}}?\b(?:in|en)\s+(?:about |only )?{_AMOUNT}\s*{_UNIT}(?!\s*(?:of|de|von)\b)",
    rf"{_AMOUNT}\s*{_UNIT}\s*(?:之?内|以内|deadline|limit\b|at most|max(?:imum)?\b|or less|or faster)",
)
# Words that name an end without a number, and the hours that they leave, which are assumed.
_ENDS = (
    (
        r"\b(?:finished |done |ready )?(?:tonight|overnight|by tomorrow(?: morning)?|by the morning|until tomorrow)\b|heute nacht|über nacht|bis morgen|"
        r"\besta noche\b|\bpara mañana\b|\bcette nuit\b|\bce soir\b|今晚|明天之?前|一夜",
        12.0,
    ),
    (
        r"\b(?:this|over the|over a|in a|in one|by the end of the|during the|for the|on the) week-?end\b|\b(?:dieses|am|übers|über das) wochenende\b|"
        r"\b(?:este|el) fin de semana\b|\bce week-?end\b|(?:这个?|本)?周末",
        48.0,
    ),
    (
        r"\b(?:by|before) the end of (?:the|this) week\b|\bthis week\b|\bdiese woche\b|\besta semana\b|\bcette semaine\b|本周|这周",
        168.0,
    ),
    (
        r"\b(?:by|before) the end of (?:the|this) month\b|\bthis month\b|\bdiesen monat\b|\beste mes\b|\bce mois(?:-ci)?\b|本月|这个月",
        730.0,
    ),
)
_PER = r"\s*(?:/|per|an|a|each|pro|por|par|every)\s*"
_LASTING = (
    rf"(?:for|busy for|takes?|runs?(?: for)?|lasts?|about)\s+(?:about\s+|around\s+)?{_N}\s*(?P<unit>hours?|hrs|h\b|days?|stunden)|"
    rf"{amount_pattern('m')}[\s-](?P<long>hours?|hrs|days?)[\s-](?:\w+[\s-]){{0,3}}?(?:run|job|training|session|fine-?tun\w+)\b"
)


def time_fields(text: str) -> dict[str, Any]:
    """The fields of a workload that say until when and how long."""
    fields: dict[str, Any] = {}
    if (deadline := _deadline(text)) is not None:
        fields["deadline_hours"] = deadline
    monthly = cue(rf"{_N}\s*(?:hours|hrs|h){_PER}month", text)
    daily = cue(rf"{_N}\s*(?:hours|hrs|h){_PER}day", text)
    if monthly is not None:
        fields["hours_per_month"] = stated(amount_of(monthly), monthly)
    elif daily is not None:
        fields["hours_per_month"] = stated(amount_of(daily) * 30, daily)
    elif (lasting := cue(_LASTING, text)) is not None and not cue(r"how (?:long|many)", text):
        name, unit = ("n", lasting["unit"]) if lasting["unit"] else ("m", lasting["long"])
        fields["hours"] = stated(amount_of(lasting, name) * _hours(unit), lasting)
    epochs = cue(rf"{_N}\s*(?:epochs?|epochen|épocas|époques|轮)", text)
    if epochs is not None:
        fields["epochs"] = stated(amount_of(epochs), epochs)
    return fields


def _deadline(text: str) -> Stated[float] | None:
    """Hours until it has to be done: as a number of units, or as a word such as "tonight"."""
    for pattern in _DEADLINES:
        for found in compiled(pattern).finditer(text):
            if _is_rate(text, found):
                continue
            amount = 1.0 if found["single"] else amount_of(found)
            return stated(amount * _hours(found["unit"]), found)
    for pattern, hours in _ENDS:
        word = cue(pattern, text)
        if word is not None:
            return assumed(hours, word.group())
    return None


def _is_rate(text: str, found: re.Match[str]) -> bool:
    """Whether the span is part of "20 hours a day" or of a price."""
    return (
        compiled(rf"{_PER}(?:day|week|month|year|tag|monat|día|mes|jour|mois)\b").match(
            text[found.end() :]
        )
        is not None
    )


def _hours(unit: str) -> float:
    return next((size for pattern, size in _UNITS if compiled(pattern).fullmatch(unit)), 1.0)
