"""Devices by the names that people use: exact boundaries, variants kept apart, look-alikes refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from indexer.types import Catalog, Device, DeviceId

# CJK characters end a word: a part number stands among them without blanks.
_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_PART = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_LETTER_O = re.compile(r"(?<=\d)[oO](?=[\doO]*\b)")
# The x of "8xH100".
_COUNT_X = re.compile(r"(?<=\d)[xX×](?=[A-Za-z]+\d)")
_MAKERS = frozenset(
    [
        "nvidia",
        "amd",
        "intel",
        "google",
        "aws",
        "amazon",
        "apple",
        "geforce",
        "tesla",
        "instinct",
        "radeon",
        "arc",
        "habana",
        "cloud",
        "quadro",
        "titan",
        "gpu",
        "xt",
    ]
)
_DROPPED = frozenset(
    [
        "nvidia",
        "amd",
        "intel",
        "google",
        "aws",
        "amazon",
        "apple",
        "geforce",
        "tesla",
        "instinct",
        "radeon",
        "gpu",
        "cloud",
        "habana",
        "arc",
    ]
)
# Families of part numbers: a prefix and how many digits follow it. A word of that form that is in no spec sheet is
# an unknown part, never the nearest known one.
_PART_NUMBERS = re.compile(
    r"(?:(?:rtx|gtx|rx|mi|gb|gh|quadro)[\s-]?\d{2,4}[a-z]{0,3}|[hablv]\d{3}[a-z]?|tpu[\s-]?v?\d+[a-z]?|gaudi[\s-]?\d|"
    r"trainium[\s-]?\d|inferentia[\s-]?\d|m\d{1,2}[\s-](?:pro|max|ultra))",
    re.IGNORECASE,
)
_UNITS_AFTER = frozenset(
    [
        "gb",
        "gib",
        "mb",
        "mib",
        "tb",
        "w",
        "watts",
        "watt",
        "usd",
        "dollars",
        "tokens",
        "token",
        "rows",
        "images",
        "px",
        "mhz",
        "cards",
        "steps",
    ]
)
_PLAIN_NUMBER = re.compile(r"[2-9]0[5-9]0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run of letters or of digits. `first`/`last`: it begins or ends a word of the text."""

    text: str
    start: int
    end: int
    first: bool
    last: bool


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


def parts_of(text: str) -> list[Part]:
    """Cut a text into runs of letters and runs of digits; a letter O within digits counts as zero."""
    mended = _COUNT_X.sub(" ", _LETTER_O.sub("0", text))
    parts = []
    for word in _WORD.finditer(mended):
        runs = list(_PART.finditer(word.group()))
        for position, run in enumerate(runs):
            parts.append(
                Part(
                    text=run.group().casefold(),
                    start=word.start() + run.start(),
                    end=word.start() + run.end(),
                    first=position == 0,
                    last=position == len(runs) - 1,
                )
            )
    return parts


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
            if (
                len(spelling) > 1
                and spelling[0] in {"rtx", "gtx", "rx"}
                and _PLAIN_NUMBER.fullmatch(spelling[1])
            ):
                yield spelling[1:]


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
        match = _match(parts, position, lexicon)
        if match is None:
            position += 1
            continue
        length, devices = match
        found.append((position, position + length, devices))
        position += length
    mentions = []
    for number, (start, end, devices) in enumerate(found):
        following = found[number + 1][0] if number + 1 < len(found) else len(parts)
        kept = _narrow(devices, _qualifiers(parts, text, start, end, following), lexicon)
        mentions.append(
            Mention(
                devices=tuple(sorted(kept)),
                words=text[parts[start].start : parts[end - 1].end],
                start=parts[start].start,
                end=parts[end - 1].end,
            )
        )
    return tuple(mentions)


def _match(
    parts: list[Part], position: int, lexicon: Lexicon
) -> tuple[int, frozenset[DeviceId]] | None:
    if not parts[position].first:
        return None
    for length in range(min(lexicon.longest, len(parts) - position), 0, -1):
        window = parts[position : position + length]
        devices = lexicon.names.get(tuple(part.text for part in window))
        if (
            devices
            and _ends_well(parts, position + length)
            and not _is_quantity(parts, position, length)
        ):
            if _is_article(window):
                continue
            return length, devices
    return None


def _ends_well(parts: list[Part], end: int) -> bool:
    """The name ends with its word, or with a plural s."""
    if parts[end - 1].last:
        return True
    rest = parts[end]
    return rest.text == "s" and rest.last


def _is_article(window: list[Part]) -> bool:
    """An "a" before a number ("a 40 GB file") is a word, not the A40."""
    return window[0].text == "a" and len(window) > 1 and window[1].start > window[0].end


def _is_quantity(parts: list[Part], position: int, length: int) -> bool:
    """A bare number with a unit behind it is a quantity, not a card."""
    if length > 1 or not parts[position].text.isdigit():
        return False
    return position + 1 < len(parts) and parts[position + 1].text in _UNITS_AFTER


@dataclass(frozen=True, slots=True, kw_only=True)
class _Qualifiers:
    words: frozenset[str]
    capacities: tuple[float, ...]


def _qualifiers(parts: list[Part], text: str, start: int, end: int, following: int) -> _Qualifiers:
    """Form factors and capacities said near a name, up to the next name; what follows "not" does not count."""
    near = parts[max(0, start - 4) : start] + parts[end : min(following, end + 12)]
    words: set[str] = set()
    capacities: list[float] = []
    for position, part in enumerate(near):
        if re.search(
            r"\b(?:not|no|instead of|rather than)\b[^.?!,;]{0,12}$",
            text[: part.start],
            re.IGNORECASE,
        ):
            continue
        words.add(part.text)
        unit = near[position + 1].text if position + 1 < len(near) else ""
        if part.text.isdigit() and unit in {"gb", "gib", "g", "gigabytes", "gigs", "gig"}:
            capacities.append(float(part.text))
    return _Qualifiers(words=frozenset(words), capacities=tuple(capacities))


def _narrow(
    devices: frozenset[DeviceId], said: _Qualifiers, lexicon: Lexicon
) -> frozenset[DeviceId]:
    """Keep the variants that agree with what was said; a qualifier that fits none does not count."""
    kept = _with_laptop(devices, said, lexicon)
    for word in ("sxm", "pcie", "nvl", "oam", "server"):
        if word in said.words:
            kept = _kept(kept, frozenset(d for d in kept if word in _form(lexicon.devices[d])))
    for capacity in said.capacities:
        kept = _kept(kept, frozenset(d for d in kept if lexicon.capacities.get(d) == capacity))
    return kept


def _with_laptop(
    devices: frozenset[DeviceId], said: _Qualifiers, lexicon: Lexicon
) -> frozenset[DeviceId]:
    laptops = frozenset(DeviceId(f"{d}-laptop") for d in devices) & lexicon.devices.keys()
    if said.words & {"laptop", "notebook", "mobile"}:
        return _kept(devices, laptops)
    return _kept(devices, frozenset(d for d in devices if lexicon.devices[d].segment != "laptop"))


def _kept(before: frozenset[DeviceId], after: frozenset[DeviceId]) -> frozenset[DeviceId]:
    return after or before


def _form(device: Device) -> str:
    return f"{device.form_factor} {device.variant} {device.id}".casefold()


def unknown_parts(text: str, mentions: Iterable[Mention], lexicon: Lexicon) -> tuple[str, ...]:
    """Words that have the form of a part number and are in no spec sheet, in the order of the text."""
    spans = [(mention.start, mention.end) for mention in mentions]
    known = {"".join(name) for name in lexicon.names}
    unknown = []
    for match in re.finditer(
        rf"(?<![\w.-])(?:{_PART_NUMBERS.pattern})(?![\w-]|\.\d)", text, re.IGNORECASE
    ):
        inside = any(match.start() < end and start < match.end() for start, end in spans)
        plain = "".join(part.text for part in parts_of(match.group()))
        if not inside and plain not in known and plain.removesuffix("s") not in known:
            unknown.append(match.group())
    return tuple(dict.fromkeys(unknown))
