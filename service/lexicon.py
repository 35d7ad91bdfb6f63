"""Devices by the names that people use: exact boundaries, variants kept apart, look-alikes refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from indexer.types import Catalog, Device, DeviceId
from service.parts import Part, parts_of
from service.variants import after_joint, alternatives, narrow, said_near

_MAKERS = frozenset(
    (
        "nvidia amd intel google aws amazon apple geforce tesla instinct radeon arc habana cloud "
        "quadro titan gpu xt"
    ).split()
)
_DROPPED = frozenset(
    (
        "nvidia amd intel google aws amazon apple geforce tesla instinct radeon gpu cloud habana "
        "arc"
    ).split()
)
# Families of part numbers: a prefix and how many digits follow it. A word of that form that is in no spec sheet is
# an unknown part, never the nearest known one.
_SUFFIX = r"(?:[\s-]?(?:ti|super|xtx?|gre|d(?!['’])|laptop|mobile|notebook)\b)"
_PART_NUMBERS = re.compile(
    rf"(?:(?:nvidia|tesla)\s+[a-z]{{1,2}}\d{{2,3}}[a-z]?|(?:rtx|gtx|rx)[\s-]?\d{{3,4}}[a-z]{{0,3}}{_SUFFIX}*|[2-9]0[5-9]0{_SUFFIX}+|(?:mi|quadro)[\s-]?\d{{2,4}}[a-z]{{0,3}}|"
    r"g[bh]\d{2,3}[a-z]?|(?!h26\d|b128|b256|b512)[hablv]\d{3}[a-z]?|tpu[\s-]?v\d+[a-z]?|gaudi[\s-]?\d|"
    r"trainium[\s-]?\d|inferentia[\s-]?\d|m\d{1,2}[\s-](?:pro|max|ultra))",
    re.IGNORECASE,
)
# Behind a name, these make it another part: an RTX 3090 Ti is no RTX 3090.
_OTHER_PART = re.compile(r"[\s-]?(?:ti|super|xtx?|gre|d(?!['’]))\b", re.IGNORECASE)
_MOBILE_PART = re.compile(r"[\s-]?(?:laptop|mobile|notebook)\b", re.IGNORECASE)
# Behind the dot of "m5.large" stands a size: the name of a machine, not the Apple M5.
_INSTANCE = re.compile(r"\.\d*(?:nano|micro|small|medium|x?large|metal)\b", re.IGNORECASE)
_DRIVES = frozenset(["ssd", "ssds", "slot", "slots", "nvme", "drive", "drives", "disk", "disks"])
_BEFORE_A_YEAR = frozenset(["in", "by", "year", "until", "since", "before", "after"])
_UNITS_AFTER = frozenset(
    (
        "gb gib mb mib tb w watts watt usd dollars tokens token rows images px mhz cards steps "
        "euro euros eur samples users requests documents"
    ).split()
)
_PLAIN_NUMBER = re.compile(r"[2-9]0[5-9]0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A device named in a text: every variant that the name can mean, in the order of ids."""

    devices: tuple[DeviceId, ...]
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Names (as tuples of parts) to the devices that they can mean."""

    names: Mapping[tuple[str, ...], frozenset[DeviceId]]
    longest: int
    devices: Mapping[DeviceId, Device]
    capacities: Mapping[DeviceId, float]


def build_lexicon(catalog: Catalog) -> Lexicon:
    """The lexicon of a catalog: names, aliases and families, each with and without the maker's words."""
    names: dict[tuple[str, ...], set[DeviceId]] = {}
    for device in catalog.devices:
        for spelling in _spellings(device):
            names.setdefault(spelling, set()).add(device.id)
    return Lexicon(
        names={name: frozenset(devices) for name, devices in names.items()},
        longest=max((len(name) for name in names), default=0),
        devices=catalog.by_id,
        capacities={
            device.id: fact.value
            for device in catalog.devices
            if (fact := device.find("memory")) is not None and fact.value is not None
        },
    )


def _spellings(device: Device) -> Iterable[tuple[str, ...]]:
    for name in (device.name, *device.aliases, device.family):
        parts = tuple(part.text for part in parts_of(name))
        for spelling in {parts, tuple(part for part in parts if part not in _DROPPED)}:
            if (
                spelling
                and not all(part in _MAKERS for part in spelling)
                and not _too_plain(spelling)
            ):
                yield spelling
            if spelling and _stands_alone(spelling):
                yield spelling[1:]


def _stands_alone(spelling: tuple[str, ...]) -> bool:
    """Whether a name is said without its first word too: "4090", "7900 XT", "v5e"."""
    first, rest = spelling[0], spelling[1:]
    if first in {"rtx", "gtx", "rx"} and rest:
        return bool(_PLAIN_NUMBER.fullmatch(rest[0])) or (first == "rx" and len(rest) > 1)
    return first == "tpu" and len(rest) == 3 and rest[2] in {"e", "p"}


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """A device's name in lower case without the maker's words: "rtx 4090", "h100 sxm 80 gb"."""
    return " ".join(part.text for part in parts_of(name) if part.text not in _DROPPED)


def _too_plain(spelling: tuple[str, ...]) -> bool:
    """A lone number, or a lone short word, is no name."""
    return len(spelling) == 1 and (spelling[0].replace(".", "").isdigit() or len(spelling[0]) < 3)


def find_devices(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    """The devices named in a text, left to right, longest name first; qualifiers nearby narrow a family down."""
    parts = parts_of(text)
    found: list[tuple[int, int, frozenset[DeviceId]]] = []
    position = 0
    while position < len(parts):
        match = _match(parts, position, text, lexicon)
        if match is None:
            position += 1
            continue
        length, devices = match
        if not _INSTANCE.match(text, parts[position + length - 1].end):
            found.append((position, position + length, devices))
        position += length
    mentions: list[Mention] = []
    for number, (start, end, devices) in enumerate(found):
        following = found[number + 1][0] if number + 1 < len(found) else len(parts)
        stop = parts[following].start if following < len(parts) else len(text)
        others = alternatives(text, parts[end - 1].end, stop)
        last = others[0].start if others else stop
        begin = max(start - 4, found[number - 1][1] if number else 0)
        near = (
            after_joint(parts[begin:start], text)
            + [part for part in parts[end:following] if part.start < last][:12]
        )
        kept = narrow(devices, said_near(near, text), lexicon.devices, lexicon.capacities)
        mentions.append(_mention(kept, text, parts[start].start, parts[end - 1].end))
        family = _family(devices, lexicon) if others else devices
        for other in others:
            words = said_near(parts_of(other.words), other.words)
            variants = narrow(family, words, lexicon.devices, lexicon.capacities)
            if variants != family and not variants & kept:
                mentions.append(_mention(variants, text, other.start, other.end))
    return tuple(mentions)


def _mention(devices: frozenset[DeviceId], text: str, start: int, end: int) -> Mention:
    return Mention(devices=tuple(sorted(devices)), words=text[start:end], start=start, end=end)


def _family(devices: frozenset[DeviceId], lexicon: Lexicon) -> frozenset[DeviceId]:
    """The variants of the same family, laptop parts of the same name included."""
    families = {lexicon.devices[device].family for device in devices} - {""}
    kin = {key for key, device in lexicon.devices.items() if device.family in families}
    desktop = {DeviceId(device.removesuffix("-laptop")) for device in devices}
    laptop = {DeviceId(f"{device}-laptop") for device in devices}
    return devices | kin | ((desktop | laptop) & lexicon.devices.keys())


def _match(
    parts: list[Part], position: int, text: str, lexicon: Lexicon
) -> tuple[int, frozenset[DeviceId]] | None:
    if not parts[position].first:
        return None
    for length in range(min(lexicon.longest, len(parts) - position), 0, -1):
        window = parts[position : position + length]
        devices = lexicon.names.get(tuple(part.text for part in window))
        if devices and _is_name(parts, position, position + length, text):
            if _is_longer(window, devices, text, lexicon):
                return None
            return length, devices
    return None


def _is_name(parts: list[Part], start: int, end: int, text: str) -> bool:
    """Whether the parts are meant as a name: whole words, no quantity, no article, no punctuation between."""
    window = parts[start:end]
    gaps = (text[one.end : other.start] for one, other in pairwise(window))
    return (
        _ends_well(parts, end)
        and not _is_quantity(parts, start, end)
        and not _is_article(window, text)
        and not _is_drive(parts, start, end)
        and not any(set(gap) & set(".;:?!") for gap in gaps)
    )


def _is_longer(
    window: list[Part], devices: frozenset[DeviceId], text: str, lexicon: Lexicon
) -> bool:
    """Whether the text goes on to name another part than the one that was found, as in "RTX 3090 Super"."""
    end = window[-1].end
    if not any(part.text.isdigit() and len(part.text) > 2 for part in window):
        return False
    if _OTHER_PART.match(text, end):
        return True
    mobile = {f"{device}-laptop" for device in devices} & lexicon.devices.keys()
    return bool(
        _MOBILE_PART.match(text, end)
        and not mobile
        and all(lexicon.devices[device].segment == "consumer" for device in devices)
    )


def _ends_well(parts: list[Part], end: int) -> bool:
    """The name ends with its word, or with a plural s."""
    if parts[end - 1].last:
        return True
    rest = parts[end]
    return rest.text == "s" and rest.last


def _is_article(window: list[Part], text: str) -> bool:
    """An "a" before a number ("a 40 GB file") is a word, not the A40."""
    return (
        window[0].text == "a"
        and len(window) > 1
        and text[window[0].end : window[1].start].isspace()
    )


def _is_quantity(parts: list[Part], start: int, end: int) -> bool:
    """A bare number with a unit behind it is a quantity, and "in 2080" is a year: no cards."""
    if end - start > 1 or not parts[start].text.isdigit():
        return False
    year = parts[start].text.startswith("20") and start > 0
    if year and parts[start - 1].text in _BEFORE_A_YEAR:
        return True
    return end < len(parts) and parts[end].text in _UNITS_AFTER


def _is_drive(parts: list[Part], start: int, end: int) -> bool:
    """An "m2" before "SSD" is a kind of slot, not a chip of Apple's."""
    name = "".join(part.text for part in parts[start:end])
    return name == "m2" and end < len(parts) and parts[end].text in _DRIVES


def unknown_parts(text: str, mentions: Iterable[Mention], lexicon: Lexicon) -> tuple[str, ...]:
    """Words that have the form of a part number and are in no spec sheet, in the order of the text."""
    spans = [(mention.start, mention.end) for mention in mentions]
    loose = [
        match.group()
        for match in re.finditer(
            rf"(?<![\w.-])(?:{_PART_NUMBERS.pattern})(?![\w-]|\.\d)", text, re.IGNORECASE
        )
        if not any(match.start() < end and start < match.end() for start, end in spans)
    ]
    known = {"".join(name) for name in lexicon.names} if loose else set()
    spelled = {word: "".join(part.text for part in parts_of(word)) for word in loose}
    return tuple(
        word
        for word, plain in spelled.items()
        if plain not in known and plain.removesuffix("s") not in known
    )
