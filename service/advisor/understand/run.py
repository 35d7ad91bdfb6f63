"""How it is run: batch, length, users at once, checkpointing, parallelism, throughput, time."""

from __future__ import annotations

from typing import Any

from service.advisor.types import Plan, Stated
from service.advisor.understand.when import time_fields
from service.advisor.understand.words import (
    amount_of,
    amount_pattern,
    compiled,
    cue,
    denied,
    stated,
)

_N = amount_pattern()
_BATCH = rf"(?P<kind>micro[- ]?|global |effective |total )?(?:batch(?:es|größe|e?size)?|batch[- _]size|\bbs\b|tamaño de lote|lotes? de|taille de (?:lot|batch)|批量(?:大小)?|批次(?:大小)?)(?: size)?(?:\s*(?:of|=|:|is|per gpu))?\s*{_N}(?!\s*(?:tokens|gb))"
_SEQUENCE = (
    rf"{_N}[- ]?(?:tokens?|tok)\b(?!\s*(?:/|per|a)\s*s)",
    rf"{_N}(?:[\s-]+(?:fp16|bf16|fp8|int8|token|long))?[\s-]*(?:de )?(?:context\b|ctx\b|kontext|contexte|contexto|上下文|seq(?:uence)?\b(?!\s*(?:at|in)\b)|seq[\s_-]?len\w*|length\b|序列)",
    rf"(?:context|ctx|sequences?|seq(?:uence)?[_ -]?len(?:gth)?s?|\bseqs?\b|block[- ]size|max(?:imum)?[_ -]?(?:seq|len)\w*(?:[_ -]len\w*)?|cutoff[_ -]len|sequence lengths?|"
    r"上下文(?:长度)?|序列长度|sequenzlänge|kontext(?:länge)?|longueur(?: de (?:la )?séquence| de contexte)?|longitud(?: de (?:la )?secuencia| de contexto)?|length)"
    rf"(?:\s*(?:window|length|size))?\s*(?:of|=|:|is|up to)?\s*{_N}(?!\s*(?:gb|users|gpus))",
    rf"{_N}\s*(?:个)?(?:词元|词)",
    rf"(?:\bat|@)\s*{amount_pattern()}(?<=k)\b",
)
_TOTAL_TOKENS = 5e6
_PEOPLE = (
    r"(?:users?|clinicians?|people|persons?|customers?|requests?|sessions?|streams?|doctors?|lawyers?|colleagues?|employees?|students?|analysts?|"
    r"developers?|clients?|sequences?|prompts?|conversations?|agents?|seats?|engineers?|benutzer|nutzer|usuarios|utilisateurs|个?用户|chats?|calls?)"
)
_AT_ONCE = r"(?:at once|at the same time|simultaneous(?:ly)?|concurrent(?:ly)?|in parallel|at a time|gleichzeitig|a la vez|simultáne\w+|simultané\w*|en même temps|同时)"
_CONCURRENCY = (
    rf"{_N}\s+(?:\w+\s+){{0,2}}?{_PEOPLE}\s+(?:\w+\s+){{0,3}}?{_AT_ONCE}",
    rf"{_N}[\s-]+{_AT_ONCE}(?:\s+{_PEOPLE})?",
    rf"{_AT_ONCE}\s+(?:for\s+)?{_N}\s+(?:\w+\s+)?{_PEOPLE}",
    rf"{_N}\s+(?:\w+\s+)?(?:users|clinicians|doctors|concurrent requests|requests|用户|benutzer|nutzer|usuarios|utilisateurs)\b",
    rf"concurrency\s*(?:of|=|:)?\s*{_N}",
    r"(?P<one>\b(?:a single|one|only one|for one|ein|un solo|un seul) (?:user|person|nutzer|benutzer|usuario|utilisateur)\b)",
)
_CHECKPOINTING = r"(?:activation|gradient|grad)[\s-]*(?:check-?pointing|recomput\w+)|check-?pointing|recomputation|梯度检查点"
_SWITCHED_OFF = r"check-?pointing\s+(?:is\s+)?(?:switched\s+|turned\s+)?(?:off|disabled|=\s*false)|keine? check-?pointing"
_RATE = rf"{_N}\s*(?P<what>images?|img|samples?|rows|records|tokens?|tok|frames|bilder|imágenes|imagens|pictures|photos|examples)\s*(?:/|per|a|each|pro|por)\s*(?:s\b|sec\b|second|sekunde|segundo|seconde)"


def run_fields(text: str, *, trains: bool) -> dict[str, Any]:
    """The fields of a workload that say how it is run."""
    fields: dict[str, Any] = {
        **_batch(text, trains=trains),
        **_length(text, trains=trains),
        "checkpointing": _checkpointing(text) if trains else None,
        "plan": _plan(text),
        "utilization": _utilization(text),
        "lora_rank": _integer(r"\brank\s*(?:of|=|:)?\s*(\d+)|\br\s*=\s*(\d+)", text),
        "attention": _attention(text),
        "fused_loss": _flag(
            r"\bliger\b|\bunsloth\b|fused (?:cross[- ]entropy|loss)|chunked (?:cross[- ]entropy|loss)",
            text,
        ),
        **_throughput(text),
        **time_fields(text),
    }
    if not trains:
        fields["concurrency"] = _concurrency(text)
    return fields


def _batch(text: str, *, trains: bool) -> dict[str, Any]:
    found = cue(_BATCH, text)
    if found is None:
        word = cue(rf"{_N}\s+(?:pictures?|images?|samples?|prompts?) at a time", text)
        return (
            {"batch" if trains else "concurrency": stated(int(amount_of(word)), word)}
            if word
            else {}
        )
    size = int(amount_of(found))
    accumulation = cue(
        rf"(?:gradient[- ]accumulation|accumulat\w+)(?: steps)?\s*(?:of|=|:|over)?\s*{_N}", text
    )
    fields: dict[str, Any] = {"batch": stated(max(size, 1), found)}
    if accumulation is not None:
        fields["gradient_accumulation"] = stated(int(amount_of(accumulation)), accumulation)
    return fields


def _length(text: str, *, trains: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for pattern in _SEQUENCE:
        for found in compiled(pattern).finditer(text):
            value = amount_of(found, binary=True)
            if value >= _TOTAL_TOKENS:
                fields.setdefault("tokens", stated(amount_of(found), found))
            elif value >= 16:
                fields.setdefault("seq_len", stated(int(value), found))
    if "seq_len" not in fields:
        few = cue(
            r"(?:a )?few thousand tokens|several thousand tokens|ein paar tausend tokens", text
        )
        if few is not None:
            fields["seq_len"] = stated(4096, few)
    if (
        not trains
        and "seq_len" not in fields
        and (short := cue(r"short (?:prompts?|chats?|questions?|texts?)", text))
    ):
        fields["seq_len"] = stated(512, short)
    return fields


def _concurrency(text: str) -> Stated[int] | None:
    for pattern in _CONCURRENCY:
        found = cue(pattern, text)
        if found is not None:
            one = found.groupdict().get("one")
            return stated(1 if one else int(amount_of(found)), found)
    return None


def _checkpointing(text: str) -> Stated[bool] | None:
    off = compiled(_SWITCHED_OFF).search(text) or denied(_CHECKPOINTING, text)
    if off is not None:
        return stated(value=False, match=off)
    on = cue(_CHECKPOINTING, text)
    return stated(value=True, match=on) if on is not None else None


def _plan(text: str) -> Stated[Plan] | None:
    """ZeRO's stage or FSDP, and offload; the number of devices is set by the choice of a machine."""
    stage = cue(r"\bzero[\s-]*(?:stage[\s-]*)?(?P<stage>[123])\b", text) or cue(
        r"\bstage[\s-]*(?P<stage>[123])\b", text
    )
    sharded = stage or cue(r"\bfsdp2?\b|fully sharded", text)
    offload = cue(r"\boff-?load\w*", text)
    tensor = cue(r"tensor[- ]parallel\w*", text)
    if sharded is None and offload is None:
        return None
    number = int(stage["stage"]) if stage is not None else 3 if sharded else 0
    kept = (
        "all"
        if offload
        and (
            number == 3
            or cue(
                r"parameter|param|weights", text[max(0, offload.start() - 60) : offload.end() + 40]
            )
        )
        else "optimizer"
    )
    words = sharded or offload or tensor
    plan = Plan(
        zero_stage=number,
        offload="none" if offload is None else "all" if kept == "all" else "optimizer",
    )
    return stated(plan, words) if words else None


def _utilization(text: str) -> Stated[float] | None:
    found = cue(
        rf"{_N}\s?(?:%|percent|per cent)\s*(?:\w+\s+)?(?:utili[sz]ation|mfu|of (?:the )?peak|auslastung)",
        text,
    )
    found = found or cue(
        rf"(?:utili[sz]ation|mfu)\s*(?:of|at|=|:|is)?\s*{_N}\s?(?:%|percent)", text
    )
    if found is not None:
        return stated(amount_of(found) / 100, found)
    half = cue(r"half (?:of )?(?:the )?peak", text)
    return stated(0.5, half) if half else None


def _integer(pattern: str, text: str) -> Stated[int] | None:
    found = cue(pattern, text)
    return stated(int(next(each for each in found.groups() if each)), found) if found else None


def _flag(pattern: str, text: str) -> Stated[bool] | None:
    found = cue(pattern, text)
    return stated(value=True, match=found) if found else None


def _attention(text: str) -> Stated[str] | None:
    eager = cue(r"\beager attention\b|without flash[- ]?attention|no flash[- ]?attention", text)
    if eager:
        return stated("eager", eager)
    fused = cue(r"flash[- ]?attention(?:[- ]?[234])?|\bsdpa\b", text)
    return stated("sdpa", fused) if fused else None


def _throughput(text: str) -> dict[str, Any]:
    found = cue(_RATE, text)
    if found is None:
        return {}
    name = "tokens_per_second" if found["what"].lower().startswith("tok") else "samples_per_second"
    return {name: stated(amount_of(found), found)}
