"""When not to answer: nothing asked, unknown parts, the future, harm, another field, a detail missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.text import lexical_tokens
from indexer.types import PassageId
from service.query import Query
from service.snapshot import Snapshot
from service.types import Abstention, Hit, Kind

# Below this cosine of the best passage a question is about another field; between the two it needs words in common.
_FAR = 0.28
_NEAR = 0.42
_COVERED = 0.5
_HARM = re.compile(
    r"\b(?:crack|brute[- ]?force|hack|steal|phish|ddos|spy on|stalk)\w*\b|\bpassword\b|(?:rotate|multiple|ten|fake) accounts|"
    r"mine all night|\bcrypto ?min\w+|\bweapon",
    re.IGNORECASE,
)
_HEALTH = re.compile(
    r"\b(?:chest pain|heart attack|suicid\w+|overdos\w+|symptoms?|bleeding|diagnos(?:e|is) (?:me|my)|i (?:feel|am) (?:ill|sick|unwell))\b", re.IGNORECASE
)
_FUTURE = re.compile(
    r"\b(?:will|going to|by|in|until)\b[^.?!]*\b(20[3-9]\d|202[7-9])\b|\bnext year\b|\bwill (?:launch|cost|be released)\b", re.IGNORECASE
)
_PREDICTED = re.compile(r"\bprices?\b|\bcosts?\b|\bperformance\b|\bthroughput\b|\bbenchmark|\bspecs?\b|\bmeasured\b|\brelease", re.IGNORECASE)
_LIVE = re.compile(r"\bright now\b|\bin stock\b|\btoday'?s? price|\bcurrently (?:in stock|available at)|around the corner|\bat this moment\b", re.IGNORECASE)
_REFERS_BACK = re.compile(r"^(?:and|what about|how about|und|y|et)\b|\b(?:it|that|this one|them)\b\s*\??$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """No answer: ask back or abstain, and why."""

    kind: Kind
    abstention: Abstention


def refuse(query: Query, hits: Sequence[Hit], snapshot: Snapshot) -> Refusal | None:
    """The reason not to answer, or None."""
    nearest = tuple(hit.passage.id for hit in hits[:3])
    words = [word for word in re.findall(r"\w+", query.text) if len(word) > 1]
    if len(words) < 2 and not query.mentions:
        return _ask(nearest, "There is no question here to answer.", "What would you like to know: a device, a price, a workload?")
    if _HARM.search(query.text):
        return _no(nearest, "out_of_scope", "This cannot be helped with here: it is outside hardware for machine learning, or would harm somebody.")
    if _HEALTH.search(query.text):
        why = "This is a question for a doctor or the emergency service, not for a hardware guide; call them now if it is urgent (112 in Europe, 911 in the US)."
        return _no(nearest, "out_of_scope", why)
    if query.unknown and not query.mentions:
        return _unknown(query, nearest, snapshot)
    if _FUTURE.search(query.text) and _PREDICTED.search(query.text):
        why = "The future cannot be known: no document here states prices or results that lie ahead."
        return _no(nearest, "no_evidence", why)
    if _LIVE.search(query.text):
        why = "Live prices and stock cannot be known here: the documents hold dated prices only."
        return _no(nearest, "no_evidence", why)
    if _REFERS_BACK.search(query.text) and not query.mentions and len(words) < 9:
        return _ask(nearest, "This refers to something that was said before, which is not known here.", "Which model, device and setting do you mean?")
    if _is_foreign(query, hits):
        return _no(nearest, "out_of_scope", "No document here is about this: only hardware for machine learning is covered.")
    return None


def _is_foreign(query: Query, hits: Sequence[Hit]) -> bool:
    """Whether a question without a known device is about another field: no passage near in meaning and words."""
    if query.mentions or query.asked.properties:
        return not hits
    best = max((hit.similarity for hit in hits), default=0.0)
    if best >= _NEAR:
        return False
    words = set(lexical_tokens(query.search))
    covered = max((len(words & set(lexical_tokens(hit.passage.embedded))) for hit in hits), default=0)
    return best < _FAR or covered / max(1, len(words)) < _COVERED


def _unknown(query: Query, nearest: tuple[PassageId, ...], snapshot: Snapshot) -> Refusal:
    from rapidfuzz import process

    names = sorted({device.name for device in snapshot.index.catalog.devices})
    near = [name for name, _, _ in process.extract(query.unknown[0], names, limit=4)]
    why = f"No part named {', '.join(query.unknown)} is known here, so nothing can be said about it."
    ask = f"Known parts with a similar name: {', '.join(near)}. Which one do you mean?"
    return Refusal(kind="abstain", abstention=Abstention(code="unknown_entity", why=why, nearest=nearest, ask=ask))


def _ask(nearest: tuple[PassageId, ...], why: str, ask: str) -> Refusal:
    return Refusal(kind="clarify", abstention=Abstention(code="needs_detail", why=why, nearest=nearest, ask=ask))


def _no(nearest: tuple[PassageId, ...], code: str, why: str) -> Refusal:
    from typing import cast

    from service.types import AbstentionCode

    return Refusal(kind="abstain", abstention=Abstention(code=cast("AbstentionCode", code), why=why, nearest=nearest))
