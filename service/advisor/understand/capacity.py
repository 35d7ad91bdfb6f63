"""Bare sizes of memory in a question: "a 24 GB card", "in 8 GB", "a CPU server with 256 GB of RAM"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.advisor.understand.devices import OWN
from service.advisor.understand.words import amount_of, amount_pattern, compiled, cue
from service.lexicon import Mention

_N = amount_pattern()
_UNIT = r"\s?-?(?P<unit>gb|gib|gigs?|go|g)\b"
_THING = r"(?P<thing>v-?ram|vrm|gpus?|cards?|accelerators?|video memory|graphics memory|karten?|grafikkarten?|tarjetas?|cartes?|显卡|显存|卡|graphics)"
_CAPACITY = rf"{_N}{_UNIT}[\s-]*(?:of\s+|de\s+)?(?:\w+\s+){{0,2}}?{_THING}"
_CAPACITY_AFTER = rf"(?P<thing>gpus?|cards?|accelerators?|karten?|grafikkarten?|tarjetas?|cartes?|显卡)\s+(?:\w+\s+){{0,3}}?(?:with|mit|con|avec|has|of|that has|de)\s+(?:\w+\s+)?{_N}\s?-?(?P<unit>gb|gib|go)\b"
# No noun behind it, and no other thing that has a size.
_ALONE = r"(?!\s*(?:of\s+|de\s+|an\s+)?(?:\w+\s+)?(?:ram\b|memory|system|ddr|data|csv|tables?|text|images?|files?|disk|ssd|nvme|storage|logs?|model|checkpoint|each|/|per\b|a\s+(?:day|month)))"
_BARE = (
    rf"\b(?:in|into|on|with|within|under|below|mit|con|avec|auf|en|sur|dans|unter)\s+(?:only\s+|just\s+|a\s+|my\s+|nur\s+|solo\s+|seulement\s+)?{_N}{_UNIT}{_ALONE}",
    rf"\b(?:is|are|does|do|will|would|can|reich(?:t|en)|basta(?:n)?|suffi(?:t|sent))\s+{_N}{_UNIT}(?=\s*(?:enough|do\b|suffic\w+|work\b|ok\b|hold\b|aus\b|für\b|for\b|para\b|pour\b|to (?:run|train|serve|fine)))",
    rf"{_N}{_UNIT}\s*(?:enough|reich(?:t|en)\b|够|足够|suffi(?:t|sent)\b|es suficiente)",
)
_NO_ACCELERATOR = r"\bcpus?\b|\b(?:no|without (?:an? )?|ohne|sin|sans|keine?) ?gpus?\b|\bxeon|\bepyc|\bryzen|\bthreadripper|没有显卡|无显卡"
_RAM = rf"{_N}\s?-?(?P<unit>gb|gib|go|tb|tib|gigs?)\b\s*(?:of\s+|de\s+)?(?:system\s+|main\s+|ddr[345]\s+|ecc\s+)*(?:ram\b|memory\b|ddr[345]\b|arbeitsspeicher|memoria|mémoire|内存)"
_HOLDER = re.compile(
    r"(?:cpus?|server|workstation|desktop|pc|computer|machine|box|laptop|xeon|epyc|ryzen|threadripper|gpu|rechner|servidor|serveur|服务器)\b[^.?!]{0,40}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """A bare memory size that the asker speaks of as a card: "a 24 GB card". `count` cards of it."""

    value: float
    unit: str
    words: str
    count: int = 1
    owned: bool = False


def capacities(text: str, mentions: Sequence[Mention] = ()) -> tuple[Capacity, ...]:
    """Bare sizes of cards, in the order of the text; where there are none, the memory of a machine without a card."""
    found = [
        _capacity(text, each)
        for pattern in (_CAPACITY, _CAPACITY_AFTER)
        for each in compiled(pattern).finditer(text)
    ]
    if not found and not mentions:
        found = [_capacity(text, each) for each in _bare(text)] or list(_system(text))
    unique = {(each.value, each.unit): each for each in reversed(found)}
    return tuple(reversed(unique.values()))


def _bare(text: str) -> Iterator[re.Match[str]]:
    for pattern in _BARE:
        yield from compiled(pattern).finditer(text)


def _capacity(text: str, found: re.Match[str]) -> Capacity:
    before = text[: found.start()]
    count = compiled(rf"{_N}\s*(?:x\s*)?$").search(before)
    return Capacity(
        value=amount_of(found),
        unit="GiB" if found["unit"].lower() == "gib" else "GB",
        words=" ".join(found.group().split()),
        count=max(1, int(amount_of(count))) if count and amount_of(count) <= 64 else 1,
        owned=OWN.search(before) is not None,
    )


def _system(text: str) -> Iterator[Capacity]:
    """A server or computer that has no accelerator, with its memory."""
    if cue(_NO_ACCELERATOR, text) is None and compiled(_NO_ACCELERATOR).search(text) is None:
        return
    for found in compiled(_RAM).finditer(text):
        if _HOLDER.search(text[: found.start()]) is None:
            continue
        unit = found["unit"].lower()
        yield Capacity(
            value=amount_of(found) * (1024 if unit.startswith("t") else 1),
            unit="GiB" if unit.endswith("ib") else "GB",
            words=" ".join(found.group().split()),
            owned=OWN.search(text[: found.start()]) is not None,
        )
