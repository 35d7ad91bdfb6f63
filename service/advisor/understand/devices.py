"""Devices in a question: owned, wanted, excluded, how many; makers wanted or excluded; a bare capacity."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from indexer.types import Device, DeviceId
from service.advisor.types import Stated
from service.advisor.understand.words import (
    amount_of,
    amount_pattern,
    compiled,
    cue,
    cues,
    is_negated,
    stated,
)
from service.lexicon import Mention

_N = amount_pattern()
OWN = re.compile(
    r"(?:\b(?:i|we|he|she)\s+(?:already\s+)?(?:have|own|got|possess|use)\b|\b(?:i|we)'ve (?:got)?|\bi hav\b|\bmy\b|\bour\b|\ball (?:i|we) have\b|\bgave me\b|\bexisting\b|\bich habe\b|\bwir haben\b|"
    r"\bmeine?n?r?\b|\btengo\b|\btenemos\b|\bmi\b|\bj'ai\b|\bnous avons\b|\bmon\b|我有|我的|我们有|turned out to be|in my\b|on my\b|with my\b|a box with\b)[^.?!;]{0,70}$",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:want|would like|should i (?:buy|get)|plan(?:ning)? to (?:buy|get)|buy|rent|instead of|look(?:ing)? at|considering|wish)\b[^.?!;,]{0,40}$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:would have|used to|in 20[012]\d (?:we|i)|back then|formerly)\b[^.?!;]{0,40}$",
    re.IGNORECASE,
)
_ONE = (
    r"\b(?:exactly |only |just )?(?:one|a single|1) (?:\w+[ -]){0,3}?(?:gpu|card|accelerator|graphics card|device|chip)\b|single[- ](?:gpu|card|accelerator)\b|"
    r"\beine (?:einzelne |einzige )?(?:\w+)?karte\b|\buna sola (?:tarjeta|gpu)\b|\bune seule (?:carte|gpu)\b|一张(?:卡|显卡)|单卡|\bis a single\b|\bone physical card\b"
)
_SOME = rf"{_N}(?![\s-]*(?:more|[gmt]i?b\b|gigs?\b|g\b|k\b|w\b|watts?|px|bits?|v\b|pcie))[\s-]*(?:x\s*)?(?:\d+\s?-?g[bo][\s-]+)?(?:[a-z]+[\s-]+){{0,2}}?(?:gpus|cards|accelerators|devices|chips|karten|tarjetas|cartes|张)\b"
# Of a number of devices up to here each is named on its own where a question compares "two of these" with "one of those".
_APART = 16
_MAKERS = {
    "NVIDIA": r"\bnvidia\b|\bgeforce\b|\bcuda\b",
    "AMD": r"\bamd\b|\bradeon\b|\brocm\b|\binstinct\b",
    "Apple": r"\bapple\b|\bmac(?:book|s)?\b(?: (?:studio|mini|pro))?|\bm-series\b",
    "Google": r"\btpus?\b",
    "Intel": r"\bintel (?:arc|gpu|gaudi)\b|\bgaudi\b",
    "AWS": r"\btrainium\b|\binferentia\b",
}


def device_fields(
    text: str, mentions: Sequence[Mention], devices: Mapping[DeviceId, Device]
) -> dict[str, Any]:
    """The fields of a workload that name devices, their number and their makers."""
    owned: list[DeviceId] = []
    excluded: list[DeviceId] = []
    words: dict[str, list[str]] = {"owned": [], "excluded": [], "named": []}
    counts: dict[Mention, int] = {}
    for mention in mentions:
        count = _count_before(text, mention)
        if _is_other_size(mention, devices):
            continue
        if _PAST.search(text[: mention.start]):
            continue
        if _is_excluded(text, mention):
            excluded.extend(mention.devices)
            words["excluded"].append(mention.words)
        elif _is_owned(text, mention):
            owned.extend([_modest(mention, devices)] * (count or 1))
            words["owned"].append(mention.words)
        else:
            counts[mention] = count
            words["named"].append(mention.words)
    named = _named(text, counts, devices)
    return {
        "devices_owned": _told(owned, words["owned"]),
        "devices_wanted": _told(named, words["named"]),
        "devices_excluded": _told(list(dict.fromkeys(excluded)), words["excluded"]),
        **_makers(text),
        **_counts(text, list(counts.values()), several=len(named) > len(set(named))),
    }


def _named(
    text: str, counts: Mapping[Mention, int], devices: Mapping[DeviceId, Device]
) -> list[DeviceId]:
    """The devices that are named; each as often as it is counted, where the counts of several differ.

    "2x 4090 or 3090" counts both, since the second stands right behind the first; a computer of its own is counted alone.
    """
    told: list[tuple[Mention, int]] = []
    for mention, count in counts.items():
        before = told[-1] if told else None
        carried = (
            before is not None
            and not count
            and compiled(r"\s*(?:,|/|or|and|oder|und|o|y|ou|et|或|和)\s*").fullmatch(
                text[before[0].end : mention.start]
            )
            and all(devices[name].kind == "gpu" for name in mention.devices)
        )
        told.append((mention, before[1] if carried and before is not None else count))
    numbers = {max(1, count) for _, count in told}
    apart = len(numbers) > 1 and max(numbers) <= _APART
    found = [
        name
        for mention, count in told
        for name in mention.devices
        for _ in range(max(1, count) if apart else 1)
    ]
    return found if apart else list(dict.fromkeys(found))


def _told(ids: list[DeviceId], words: list[str]) -> Stated[tuple[DeviceId, ...]] | None:
    return stated(tuple(ids), ", ".join(words)) if ids else None


def _is_excluded(text: str, mention: Mention) -> bool:
    return is_negated(text, mention.start)


def _is_owned(text: str, mention: Mention) -> bool:
    before = text[: mention.start]
    return OWN.search(before) is not None and _WISH.search(before) is None


def _is_other_size(mention: Mention, devices: Mapping[DeviceId, Device]) -> bool:
    """Whether the mention is a bare size that none of its devices has: the memory of something else."""
    size = re.fullmatch(r"(\d+)\s?-?GB", mention.words, re.IGNORECASE)
    return size is not None and not any(
        round(_memory_of(devices[name])) == int(size[1]) for name in mention.devices
    )


def _modest(mention: Mention, devices: Mapping[DeviceId, Device]) -> DeviceId:
    """Of the variants that a name can mean, the one with the least memory: what fits it fits all."""
    return min(mention.devices, key=lambda name: (_memory_of(devices[name]), name))


def _memory_of(device: Device) -> float:
    fact = device.find("memory")
    return fact.value or 0.0 if fact else 0.0


def _count_before(text: str, mention: Mention) -> int:
    """How many of the device: "two 3090s", "64 H100 SXM", "8x A100"; 0 where nothing says it."""
    before = text[max(0, mention.start - 28) : mention.start]
    found = compiled(
        rf"{_N}\s*(?:x|×|\*|张|块|units? of|pieces of)?\s*(?:nvidia |geforce |amd |rented |used |new |more |old |rtx |of (?:the|my|our) )*$"
    ).search(before)
    if found is None:
        return 0
    count = amount_of(found)
    return int(count) if 1 <= count <= 100000 else 0


def _makers(text: str) -> dict[str, Any]:
    wanted = {
        name: found
        for name, pattern in _MAKERS.items()
        if (found := next(cues(pattern, text), None))
    }
    refused = {
        name: found
        for name, pattern in _MAKERS.items()
        for found in compiled(pattern).finditer(text)
        if is_negated(text, found.start())
    }
    wanted = {
        name: found
        for name, found in wanted.items()
        if name not in refused and _is_wish(name, text)
    }
    fields: dict[str, Any] = {}
    if wanted:
        fields["vendors_wanted"] = stated(
            tuple(sorted(wanted)), ", ".join(each.group() for each in wanted.values())
        )
    if refused:
        fields["vendors_excluded"] = stated(
            tuple(sorted(refused)), ", ".join(each.group() for each in refused.values())
        )
    return fields


def _is_wish(name: str, text: str) -> bool:
    """A maker is wanted where the question asks for its products, not where it is only mentioned."""
    pattern = _MAKERS[name]
    asked = rf"(?:which|what|only|need|with|use|prefer|on an?|for) (?:\w+ ){{0,2}}?(?:{pattern})"
    return cue(asked, text) is not None or (
        name == "NVIDIA"
        and cue(
            r"\b(?:with|in|needs?|require\w*|our|custom) cuda\b|cuda (?:code|kernels|and|only)",
            text,
        )
        is not None
    )


def _counts(text: str, named: list[int], *, several: bool) -> dict[str, Any]:
    one = cue(_ONE, text)
    some = next((each for each in cues(_SOME, text) if amount_of(each) > 1), None)
    if several:
        return {}
    if named and max(named) > 1:
        return {"device_count": stated(max(named), str(max(named)))}
    if any(named) and one is None and some is None:
        return {"device_count_max": stated(1, "one")}
    if some is not None and one is None:
        count = int(amount_of(some))
        return {"device_count": stated(count, some)} if 1 < count <= 100000 else {}
    return {"device_count_max": stated(1, one)} if one is not None else {}
