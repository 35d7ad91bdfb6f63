"""Follow-ups: a question that leans on an earlier one is written out in full, in words that the answer shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from service.lexicon import Lexicon, Mention, find_devices

_LONGEST_WORDS = 14
_SHORT = 6
_OPENING = re.compile(
    r"^(?:(?:and|or|but|so|then|ok(?:ay)?|also|now|same|thanks|sure|hm+|und|y|et)\b[\s,:]*)+"
    r"|^(?:what|how) about\b\s*|^what if (?:i|we)? ?(?:use|take|had|have)?\b\s*|^was ist mit\b\s*|^et pour\b\s*|^y con\b\s*",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:what|which|how|when|where|why|who|is|are|does|do|did|can|could|will|would|should|has|have|was|were)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:its|it|this (?:card|gpu|one|device|machine)|that (?:card|gpu|one|device|machine)|the (?:card|gpu|device|machine)|"
    r"they|them|their|these|those|both|the (?:former|latter)|that|this)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:the|a|an) ([\w-]+(?: [\w-]+)?) (?:one|version|variant|card|model)\b", re.IGNORECASE
)
_VENDOR = re.compile(r"\b(?:amd|nvidia|intel|google|apple|aws|tpus?|radeon|gaudi)\b", re.IGNORECASE)
_MODEL = re.compile(
    r"\b(?:llama|mistral|mixtral|qwen|gemma|phi|deepseek|gpt-?2|gpt-oss|bert|resnet|yolo|whisper|flux|sdxl|falcon|t5|vit)"
    r"[-\w.]*(?:[ -]\d+(?:\.\d+)?(?![\dx]))?(?:[ -](?:\d+x)?\d+(?:\.\d+)?b)?\b",
    re.IGNORECASE,
)
# What a follow-up can change, each in the words that it takes in the earlier question.
_SLOTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:(?:nv|mx)?fp4|fp8|fp16|bf16|fp32|tf32|fp64|int8|int4|q\d_\w+|nf4|(?:\d+|four|eight|sixteen)[- ]?bits?|half precision|full precision)\b",
        r"(?<![\w.-])\d+(?:\.\d+)?\s?(?:b|bn|billion)\b(?: parameters)?(?: model)?",
        r"\bbatch(?: size)?(?: of)? \d+\b",
        r"\b\d[\d,.]*k? ?(?:tokens?|context|ctx)\b(?: of context)?|\bcontext(?: length)? (?:of )?\d[\d,.]*k?\b",
        r"\bq?lora\b|\bfull fine-?tun\w+|\bpre-?train\w*",
        r"\$ ?\d[\d,.]*k?\b|\b\d[\d,.]*k? ?(?:usd|dollars|euros?|eur)\b",
        r"\b(?:aws|azure|gcp|google cloud|lambda|runpod|nebius|verda)\b",
        r"\b(?:in the cloud|on[- ]prem(?:ises)?|locally|at home|on a laptop)\b",
        r"\b(?:us|eu|ap)-[a-z]+-\d\b|\bin europe\b",
        r"\bon[- ]demand\b|\bspot\b",
        r"\b(?:dense|sparse)\b",
        r"\b(?:training|inference|serving|fine-?tuning|embedding)\b",
    )
)

Find = Callable[[str], Sequence[Mention]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Last:
    """The earlier question that a follow-up leans on, and the devices that it names."""

    text: str
    mentions: tuple[Mention, ...]


def resolve(text: str, earlier: Sequence[str], lexicon: Lexicon) -> str:
    """The question written out with what earlier ones (oldest first) said; empty where it stands alone."""
    plain = " ".join(text.split())
    if not earlier or not plain or len(plain.split()) > _LONGEST_WORDS:
        return ""

    def find(words: str) -> Sequence[Mention]:
        return find_devices(words, lexicon)

    return _written_out(plain, _last(earlier, find), find, lexicon)


def _written_out(plain: str, last: _Last, find: Find, lexicon: Lexicon) -> str:
    """The first reading that fits: another variant, other devices, "it", or another setting."""
    rest = _OPENING.sub("", plain).strip(" ,?.!")
    opened = len(rest) < len(plain.strip(" ,?.!"))
    one, named = _ONE.search(plain), find(rest)
    if one and last.mentions and not find(plain):
        return _other_variant(one.group(1), last, find, lexicon)
    if named:
        return _with_devices(rest, named, last, opened=opened)
    if _stands_alone(rest, opened=opened):
        return ""
    asks = _ASKING.search(rest) is not None
    if last.mentions and (asks or _POINTING.search(rest)):
        return _pointed(rest if asks else f"what is {rest}", last)
    return _changed(rest, last) if opened or not asks else ""


def _last(earlier: Sequence[str], find: Find) -> _Last:
    """The newest earlier question; the devices come from the newest one that names some."""
    mentions = next((found for text in reversed(earlier) if (found := tuple(find(text)))), ())
    return _Last(text=earlier[-1], mentions=mentions)


def _stands_alone(rest: str, *, opened: bool) -> bool:
    """A whole question that points at nothing needs no earlier one."""
    asks = _ASKING.match(rest) is not None
    if _WHICH.match(rest) and len(rest.split()) < _SHORT:
        return False
    return asks and not opened and _POINTING.search(rest) is None and len(rest.split()) > 3


def _with_devices(rest: str, named: Sequence[Mention], last: _Last, *, opened: bool) -> str:
    """Other devices in the place of the earlier ones, where the follow-up asks nothing of its own."""
    asks = _ASKING.search(rest) is not None
    if not opened or asks or not _names_them(last.text, last.mentions):
        return ""
    words = rest[named[0].start : named[-1].end]
    return _replaced(last, words, rest[named[-1].end :])


def _replaced(last: _Last, words: str, tail: str) -> str:
    """The earlier question with its devices, all of them, replaced by others."""
    first, end = last.mentions[0].start, last.mentions[-1].end
    return _sentence(f"{last.text[:first]}{words}{tail}{last.text[end:]}")


def _names_them(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether the devices stand in this text, and not in one before it."""
    return bool(mentions) and text[mentions[0].start : mentions[0].end] == mentions[0].words


def _other_variant(form: str, last: _Last, find: Find, lexicon: Lexicon) -> str:
    """The family of the device spoken of in another form: what "the PCIe one" means."""
    mention = last.mentions[-1]
    family = lexicon.devices[mention.devices[0]].family or mention.words
    words = f"{family} {form}"
    if not find(words) or not _names_them(last.text, last.mentions):
        return ""
    before, after = last.text[: mention.start], last.text[mention.end :]
    for other in sorted({form, *_FORMS}, key=len, reverse=True):
        after = re.sub(rf"^ {re.escape(other)}\b", "", after, flags=re.IGNORECASE)
    return _sentence(f"{before}{words}{after}")


_FORMS = ("SXM", "PCIe", "NVL", "SXM5", "SXM4", "laptop")


_WHICH = re.compile(r"which (?:one|of (?:them|these|those|the two)|is|has)\b", re.IGNORECASE)


def _pointed(rest: str, last: _Last) -> str:
    """A question about "it": the devices spoken of are named."""
    names = " and the ".join(dict.fromkeys(mention.words for mention in last.mentions))
    if _WHICH.match(rest) and len(last.mentions) > 1:
        return _sentence(f"{rest}, the {names.replace(' and ', ' or ')}")
    pointer = _POINTING.search(rest)
    if pointer is None:
        return _sentence(f"{rest} for the {names}")
    owning = pointer.group().casefold() in {"its", "their"}
    named = f"the {names}'s" if owning else f"the {names}"
    return _sentence(f"{rest[: pointer.start()]}{named}{rest[pointer.end() :]}")


def _changed(rest: str, last: _Last) -> str:
    """A setting in the place of the earlier one, or added to the earlier question."""
    if not rest:
        return ""
    text = last.text.rstrip(" ?.!")
    added = rest
    for slot in (_MODEL, *_SLOTS):
        new, old = slot.search(rest), slot.search(text)
        if new and old and not (slot is _SLOTS[1] and _MODEL.search(rest)):
            text = f"{text[: old.start()]}{new.group()}{text[old.end() :]}"
            added = added.replace(new.group(), "", 1)
    added = _filler(added)
    vendor = _VENDOR.fullmatch(added)
    if vendor:
        return _sentence(_of_vendor(text, added))
    return _sentence(f"{text} {added}".strip())


_FILLER = re.compile(
    r"^(?:with|in|at|on|for|using|use|a|an|the|of|to|mit|auf|für|con|avec|en|instead|mode|precision|quantization|quantized|weights|only)*$"
)


def _filler(added: str) -> str:
    """What is left of a follow-up once its settings are in place; nothing where only small words are."""
    words = [word for word in re.split(r"[\s,]+", added) if word]
    if all(_FILLER.fullmatch(word.casefold()) for word in words):
        return ""
    # "70B" says which model, "AMD" which maker: they need a word that joins them.
    bare = re.fullmatch(r"\S+", " ".join(words))
    return (
        f"with {' '.join(words)}"
        if bare and not _VENDOR.fullmatch(bare.group())
        else " ".join(words)
    )


def _of_vendor(text: str, vendor: str) -> str:
    """The question for another maker; a maker that it names already is replaced."""
    old = _VENDOR.search(text)
    if old:
        return f"{text[: old.start()]}{vendor}{text[old.end() :]}"
    return f"{text} from {vendor}"


def _sentence(text: str) -> str:
    plain = " ".join(text.split()).strip(" ,")
    plain = re.sub(r"\s+([?.!,])", r"\1", plain).rstrip("?.!")
    return f"{plain[:1].upper()}{plain[1:]}?"
