"""When not to answer: nothing asked, unknown parts, the future, harm, another field, a detail missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexer.types import Device, PassageId
from service.lexicon import short_name
from service.query import Query
from service.snapshot import Snapshot
from service.types import Abstention, AbstentionCode, Hit, Kind

# The best passage's cosine for questions of this field is 0.43 or more for 95 in 100 of the dev questions; for those
# of other fields (samples of SQuAD, SciFact, WikiTableQuestions) it is 0.38 or less. Between the two bounds a question
# must use words of the field.
_FAR = 0.33
_NEAR = 0.42
_FIELD_WORDS = 2
_SHOWN = 4
_FIELD = re.compile(
    r"gpus?\b|vram|\b[a-z]{1,3}\d[a-z]{0,3}(?:-\w+)?\.\d*\w*(?:large|metal)\b|standard_n\w+|-(?:highgpu|ultragpu|megagpu)-|tpus?\b|cuda|rocm|nvlink|infiniband|llama|mistral|mixtral|qwen|deepseek|bert\b|resnet|yolo|whisper|diffusion|"
    r"q?lora\b|pytorch|tensorflow|scikit|xgboost|lightgbm|colab|fine-?tun|inference|transformer|quanti[sz]|\bllms?\b|"
    r"\b\d+(?:\.\d+)?\s?b\b|bf16|fp16|fp8|int8|batch|checkpoint|training|train\b|nvidia|radeon|gaudi|trainium|nvme|raid\b|"
    r"machine learning|deep learning|neural|grafikkarte|speicher|tarjeta gráfica|carte graphique|显存|显卡|训练|微调|モデル|학습",
    re.IGNORECASE,
)
_HARM = re.compile(
    r"\b(?:crack|brute[- ]?force|hack|steal|phish|ddos|spy on|stalk)\w*\b|\bpassword\b|(?:rotate|multiple|ten|fake) accounts|"
    r"mine all night|\bcrypto ?min\w+|\bweapon",
    re.IGNORECASE,
)
_OTHER_TASK = re.compile(
    r"\b(?:write|compose|sing|tell)\b[^.?!]{0,20}\b(?:poem|song|story|essay|joke|haiku|limerick)\b|\btranslate\b|\brecipe for\b",
    re.IGNORECASE,
)
_HEALTH = re.compile(
    r"\b(?:chest pain|heart attack|suicid\w+|overdos\w+|symptoms?|bleeding|diagnos(?:e|is) (?:me|my)|i (?:feel|am) (?:ill|sick|unwell))\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|going to|by|in|until)\b[^.?!]{0,90}\b(20[3-9]\d|202[7-9])\b|\bnext year\b|\bwill (?:launch|cost|be released)\b",
    re.IGNORECASE,
)
_PREDICTED = re.compile(
    r"\bprices?\b|\bcosts?\b|\bperformance\b|\bthroughput\b|\bbenchmark|\bspecs?\b|\bmeasured\b|\brelease",
    re.IGNORECASE,
)
_LIVE = re.compile(
    r"\bin stock\b|\baround the corner\b|\bavailable (?:right )?now\b|\bat this moment\b|\bdelivery (?:date|time)\b",
    re.IGNORECASE,
)
_OPEN_PURCHASE = re.compile(
    r"(?:which|what)(?:'s| is| are)?(?: the)?(?: best| right)? (?:gpu|graphics card|card|hardware|machine|instance|accelerator)s?"
    r"(?: (?:is|are)(?: the)? best| (?:should|shall|do|must|can) (?:i|we) (?:buy|get|rent|use|need))?\W*",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:it|this|that|they|them|those|these)\b", re.IGNORECASE)
_REFERS_BACK = re.compile(
    r"^(?:and|what about|how about|und|y|et)\b|\b(?:it|that|this one|them)\b\s*\??$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """No answer: ask back or abstain, and why."""

    kind: Kind
    abstention: Abstention


def refuse(query: Query, hits: Sequence[Hit], snapshot: Snapshot) -> Refusal | None:
    """The reason not to answer, or None: the first check that finds one decides."""
    nearest = tuple(hit.passage.id for hit in hits[:3])
    if query.unknown and not query.mentions:
        return _unknown(query, nearest, snapshot)
    for applies, code, why, ask in _CHECKS:
        if applies(query):
            kind: Kind = "clarify" if code == "needs_detail" else "abstain"
            return Refusal(
                kind=kind, abstention=Abstention(code=code, why=why, nearest=nearest, ask=ask)
            )
    if _is_foreign(query, hits):
        why = "No document here is about this: only hardware for machine learning is covered."
        return Refusal(
            kind="abstain", abstention=Abstention(code="out_of_scope", why=why, nearest=nearest)
        )
    return None


def _asks_nothing(query: Query) -> bool:
    return len(_words(query)) < 2 and not query.mentions


def _would_harm(query: Query) -> bool:
    return _HARM.search(query.text) is not None


def _is_other_task(query: Query) -> bool:
    return _OTHER_TASK.search(query.text) is not None


def _is_medical(query: Query) -> bool:
    return _HEALTH.search(query.text) is not None


def _lies_ahead(query: Query) -> bool:
    return bool(_FUTURE.search(query.text) and _PREDICTED.search(query.text))


def _is_live(query: Query) -> bool:
    return _LIVE.search(query.text) is not None


def _hangs(query: Query) -> bool:
    """Whether the question refers to something said before and names nothing itself."""
    if query.mentions or len(_words(query)) > 8:
        return False
    nothing_named = not _FIELD.search(query.text) and not query.asked.properties
    return bool(_REFERS_BACK.search(query.text) or (nothing_named and _POINTS.search(query.text)))


def _says_no_use(query: Query) -> bool:
    """Whether a machine is asked for and nothing of what it is to do."""
    return _OPEN_PURCHASE.fullmatch(query.text) is not None


def _words(query: Query) -> list[str]:
    return [word for word in re.findall(r"\w+", query.text) if len(word) > 1]


_CHECKS: tuple[tuple[Callable[[Query], bool], AbstentionCode, str, str], ...] = (
    (
        _asks_nothing,
        "needs_detail",
        "There is no question here to answer.",
        "What would you like to know: a device, a price, a workload?",
    ),
    (
        _would_harm,
        "out_of_scope",
        "Sorry, Rigwise cannot help with this: it lies outside hardware for machine learning, or would harm somebody.",
        "",
    ),
    (
        _is_other_task,
        "out_of_scope",
        "Only questions about hardware for machine learning are answered here.",
        "",
    ),
    (
        _is_medical,
        "out_of_scope",
        "This is a question for a doctor or the emergency service, not for a hardware guide; call them now if it is "
        "urgent (112 in Europe, 911 in the US).",
        "",
    ),
    (
        _lies_ahead,
        "no_evidence",
        "The future cannot be known: no document here states prices or results that lie ahead.",
        "Ask for the newest dated figure instead.",
    ),
    (
        _is_live,
        "no_evidence",
        "Live prices and stock cannot be known here: the documents hold dated prices only.",
        "Ask for the newest dated price instead.",
    ),
    (
        _hangs,
        "needs_detail",
        "This refers to something that was said before, which is not known here.",
        "Which model, device and setting do you mean?",
    ),
    (
        _says_no_use,
        "needs_detail",
        "What fits depends on what it is to do.",
        "Which model do you want to train or run, and within which budget?",
    ),
)


def _is_foreign(query: Query, hits: Sequence[Hit]) -> bool:
    """Whether a question that names no known device is about another field."""
    if query.mentions:
        return False
    best = max((hit.similarity for hit in hits), default=0.0)
    if best >= _NEAR:
        return False
    words = len({match.casefold() for match in _FIELD.findall(query.text)})
    return words < (_FIELD_WORDS if best < _FAR else 1)


def _likeness(wanted: str, device: Device) -> float:
    """How near a name comes to any name of a device, 0 to 100."""
    from rapidfuzz import fuzz

    names = (device.name, device.family, *device.aliases)
    return max(fuzz.ratio(wanted, short_name(name)) for name in names)


def _unknown(query: Query, nearest: tuple[PassageId, ...], snapshot: Snapshot) -> Refusal:
    wanted = short_name(query.unknown[0])
    near = sorted(
        snapshot.index.catalog.devices, key=lambda device: (-_likeness(wanted, device), device.name)
    )[:_SHOWN]
    why = (
        f"No part named {', '.join(query.unknown)} is known here, so nothing can be said about it."
    )
    ask = f"Known parts with a similar name: {', '.join(device.name for device in near)}. Which one do you mean?"
    return Refusal(
        kind="abstain",
        abstention=Abstention(
            code="unknown_entity",
            why=why,
            nearest=nearest,
            ask=ask,
            choices=tuple(device.name for device in near),
        ),
    )
