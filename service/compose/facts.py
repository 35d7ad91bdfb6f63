"""Answers from typed facts: what a device has, how devices differ, what a question gets wrong about one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexer.generation import OpenIndex
from indexer.text import lexical_tokens
from indexer.types import Catalog, Device, DeviceId, Fact
from service.compose.conflicts import disagree, rivals
from service.lexicon import Mention
from service.phrases import amount, quote_of, say
from service.properties import Asked
from service.query import Query
from service.types import Quote, Statement

_MEMORY_KINDS = re.compile(r"\b(hbm\d?e?|gddr\d\w?|lpddr\d\w?)\b", re.IGNORECASE)
DEFAULT_PRECISIONS = ("bf16", "fp16", "fp8", "int8", "fp32")
VARIANTS_SHOWN = 6


def corrections(query: Query, catalog: Catalog) -> list[Statement]:
    """False premises about a named device's memory kind, put right first."""
    said = {match.group(1).casefold() for match in _MEMORY_KINDS.finditer(query.text)}
    found = []
    for mention in query.mentions:
        for device in devices_of(mention, catalog)[:1]:
            fact = device.find("memory")
            kind = fact.qualifier("memory_type").casefold() if fact else ""
            wrong = sorted(word for word in said if kind and not kind.startswith(word[:3]))
            if fact and wrong and len(query.mentions) == 1:
                text = f"The {device.name} has no {wrong[0].upper()}: its memory is {fact.qualifier('memory_type')}, {amount(fact)}."
                found.append(replace(say(device, fact), text=text))
    return found


def looked_up(query: Query, index: OpenIndex) -> list[Statement]:
    """What was asked of each named device, in the order of the question's names and the asked properties."""
    statements: list[Statement] = []
    for mention in distinct(query.mentions):
        devices = devices_of(mention, index.catalog)[:VARIANTS_SHOWN]
        for name in _asked_facts(query.asked):
            statements.extend(_said(devices, name, query.asked, index))
    return list(dict.fromkeys(statements))


def _asked_facts(asked: Asked) -> tuple[str, ...]:
    """The asked properties; where prices of rent are asked for, a card's own price is not what is meant."""
    return tuple(
        name for name in asked.properties if name != "price" or "rental" not in asked.properties
    )


_SHEET_KEYS = {
    "released": "The {name} was released in {value}.",
    "architecture": "The {name} has the architecture {value}.",
    "form_factor": "The {name} has the form factor {value}.",
}


def described(query: Query, index: OpenIndex) -> list[Statement]:
    """Release date, architecture and form factor, from the line of the spec sheet that states each."""
    found = []
    for name in query.asked.properties:
        for mention in distinct(query.mentions) if name in _SHEET_KEYS else ():
            for device in devices_of(mention, index.catalog)[:VARIANTS_SHOWN]:
                text = index.documents[device.document_id].text
                line = re.search(rf"^{name}: *\"?([^\"\n]+)\"?$", text, re.MULTILINE)
                if line:
                    said = _SHEET_KEYS[name].format(name=device.name, value=line.group(1).strip())
                    quote = Quote(
                        document_id=device.document_id, start=line.start(), end=line.end()
                    )
                    found.append(Statement(text=said, quotes=(quote,)))
    return found


def noted(query: Query, catalog: Catalog, *, limit: int) -> list[Statement]:
    """Notes and software facts of the named devices that speak of what the question speaks of."""
    found: list[tuple[float, str, Statement]] = []
    for mention in distinct(query.mentions):
        for device in devices_of(mention, catalog):
            names = frozenset(
                lexical_tokens(f"{device.name} {' '.join(device.aliases)} {device.vendor}")
            )
            words = frozenset(lexical_tokens(query.search)) - names
            for fact in device.facts:
                if fact.name in {"note", "software", "interconnect"}:
                    score = _overlap(words, frozenset(lexical_tokens(fact.text)) - names)
                    if score >= 0.2:
                        found.append((-score, fact.text, say(device, fact)))
    unique: dict[str, Statement] = {}
    for _, text, statement in sorted(found, key=lambda item: (item[0], item[1])):
        unique.setdefault(text, statement)
    return list(unique.values())[:limit]


def _overlap(words: frozenset[str], told: frozenset[str]) -> float:
    """The share of a note's words that the question holds; a shared number of two digits or more counts fully."""
    common = words & told
    if any(word.replace(".", "").isdigit() and len(word) > 2 for word in common):
        return 1.0
    return len(common) / max(6, len(told)) if len(common) > 1 else 0.0


def _said(
    devices: Sequence[Device], name: str, asked: Asked, index: OpenIndex
) -> Iterator[Statement]:
    """One property of a mention's variants: variants that agree are said together, sources that disagree too."""
    groups: dict[tuple[object, ...], list[tuple[Device, Fact]]] = {}
    for device in devices:
        for facts in rivals(facts_for(device, name, asked)):
            if len(facts) > 1:
                yield disagree(device, facts, index.documents[device.document_id])
                continue
            key = (facts[0].name, facts[0].text.replace(" ", ""), facts[0].qualifiers)
            groups.setdefault(key, []).append((device, facts[0]))
    for members in groups.values():
        device, fact = members[0]
        if len(members) == 1:
            yield say(device, fact)
            continue
        name_of_all = _joint_name([member for member, _ in members], devices)
        statement = say(replace(device, name=name_of_all), fact)
        yield replace(statement, quotes=tuple(quote_of(other) for _, other in members))


def _joint_name(members: Sequence[Device], devices: Sequence[Device]) -> str:
    """One name for variants that agree: the family's if all do, else their own names."""
    family = members[0].family
    if family and len(members) == len(devices):
        base = (
            family
            if family.casefold().startswith(members[0].vendor.casefold())
            else f"{members[0].vendor} {family}"
        )
        return f"{base} (each of {len(members)} variants)"
    first, *others = members
    return f"{first.name} (like the {' and the '.join(member.name for member in others)})"


def facts_for(device: Device, name: str, asked: Asked) -> list[Fact]:
    """The facts that answer one asked property of one device, the most fitting first."""
    if name == "peak":
        return _peaks(device, asked)
    if name == "precisions":
        return _supports(device, asked)
    if name == "memory_usable":
        return [fact for fact in device.facts if fact.name in {"memory_usable", "memory"}]
    found = [fact for fact in device.facts if fact.name == name]
    if name == "memory" and not found:
        found = [fact for fact in device.facts if fact.name in {"memory_max", "memory_bandwidth"}]
    if name == "interconnect_bandwidth" and not found:
        found = [fact for fact in device.facts if fact.name == "interconnect"]
    if name == "cores":
        found = [fact for fact in device.facts if fact.name in {"cores", "gpu_cores"}]
    return found


def _peaks(device: Device, asked: Asked) -> list[Fact]:
    peaks = [fact for fact in device.facts if fact.name == "peak"]
    wanted = asked.precisions or next(
        (
            (name,)
            for name in DEFAULT_PRECISIONS
            if any(fact.qualifier("precision") == name for fact in peaks)
        ),
        (),
    )
    found = [fact for name in wanted for fact in peaks if fact.qualifier("precision") == name]
    tensor = [fact for fact in found if fact.qualifier("engine") == "tensor"]

    def order(fact: Fact) -> tuple[bool, bool]:
        other = bool(asked.accumulate) and fact.qualifier("accumulate") not in {
            "",
            asked.accumulate,
        }
        return fact.qualifier("sparsity") == "sparse", other or fact.qualifier(
            "accumulate"
        ) == "fp16"

    return sorted(tensor or found, key=order)


def _supports(device: Device, asked: Asked) -> list[Fact]:
    """Whether the matrix units do the asked formats, and the compute capability that decides it."""
    facts = [fact for fact in device.facts if fact.name == "precisions"]
    if asked.precisions:
        facts = [
            fact
            for fact in facts
            if {part.strip() for part in fact.text.split(",")} & set(asked.precisions)
            or fact.qualifier("supported") == "yes"
        ]
        facts.sort(
            key=lambda fact: (
                not {part.strip() for part in fact.text.split(",")} & set(asked.precisions)
            )
        )
    return facts + [fact for fact in device.facts if fact.name == "compute_capability"]


def distinct(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions without those that mean the same devices as one before."""
    return list({mention.devices: mention for mention in mentions}.values())


def devices_of(mention: Mention, catalog: Catalog) -> list[Device]:
    """The spec sheets that a mention can mean."""
    return [catalog.by_id[DeviceId(device)] for device in mention.devices]
