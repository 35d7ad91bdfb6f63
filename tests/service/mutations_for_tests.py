"""Right statements made wrong, one slip each, for trying the checker."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from service.types import Statement

_UNITS = {
    "GB/s": "TB/s",
    "GB": "TB",
    "GiB": "MiB",
    "TFLOPS": "PFLOPS",
    "TOPS": "PFLOPS",
    " W": " kW",
    "USD": "EUR",
    "hours": "days",
    "minutes": "seconds",
    "tokens/s": "tokens",
    "MHz": "GHz",
}
_FORMS = (("SXM", "PCIe"), (" PCIe ", " SXM "), ("NVL ", "SXM "))
_SPARSITY = ((", dense", ", sparse"), ("dense", "sparse"), ("sparsity", "dense matrices"))
_PRECISIONS = ("BF16", "FP16", "FP8", "FP32", "INT8", "FP4", "TF32", "FP64")
_NEGATIONS = (
    ("does not support", "supports"),
    ("do not support", "support"),
    ("cannot", "can"),
    (" without ", " with "),
    (" not ", " "),
    (" has no ", " has "),
    (", with ECC", ", without ECC"),
    (" is ", " is not "),
    (" has ", " has no "),
    (" can ", " cannot "),
    (" fits ", " does not fit "),
    (" needs ", " does not need "),
    (" support ", " do not support "),
    (" runs ", " does not run "),
)
_REGION = re.compile(r"\b(?:us-east-1|us-east4|eastus2?|FIN-0\d|us-central1|eu-north1)\b")
_DATE = re.compile(r"\b(20[12])(\d)(-\d\d)?(-\d\d)?\b")
_FIGURE = re.compile(
    r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?= (?:GB|GiB|TB|W|TFLOPS|TOPS|USD|GB/s|hours|minutes|tokens|cores|MHz|instances|times))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A statement with one slip, its kind, and whether its words were taken over from a quote."""

    kind: str
    statement: Statement
    extracted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What mutations are made from: names of devices by their document, other statements, chance."""

    names: Sequence[str]
    others: Sequence[Statement]
    chance: random.Random


def mutations(statement: Statement, material: Material) -> Iterator[Mutation]:
    """One mutation of each kind that the statement allows."""
    extracted = not statement.numbers
    for kind, change in _KINDS.items():
        text = change(statement.text, material)
        if text is not None and text != statement.text:
            yield Mutation(kind=kind, statement=replace(statement, text=text), extracted=extracted)
    swapped = _swapped(statement, material)
    if swapped is not None:
        yield Mutation(kind="citation", statement=swapped, extracted=extracted)


def _digit(text: str, material: Material) -> str | None:
    found = [match for match in _FIGURE.finditer(text) if not _in_name(match, text, material)]
    if not found:
        return None
    match = material.chance.choice(found)
    number = match.group()
    places = [place for place, character in enumerate(number) if character.isdigit()]
    place = places[0] if len(places) < 2 else material.chance.choice(places[:2])
    digit = str((int(number[place]) + material.chance.randint(1, 8)) % 10)
    if place == 0 and digit == "0":
        digit = "9" if number[0] != "9" else "8"
    return (
        text[: match.start()] + number[:place] + digit + number[place + 1 :] + text[match.end() :]
    )


def _unit(text: str, material: Material) -> str | None:
    for unit, other in _UNITS.items():
        match = re.search(rf"(?<=\d){re.escape(' ' + unit.strip())}\b(?!/)", text)
        if match and not _in_name(match, text, material):
            return f"{text[: match.start()]} {other.strip()}{text[match.end() :]}"
    return None


def _sparsity(text: str, _: Material) -> str | None:
    return _first(text, _SPARSITY)


def _form(text: str, _: Material) -> str | None:
    return _first(text, _FORMS)


def _precision(text: str, material: Material) -> str | None:
    for name in _PRECISIONS:
        if re.search(rf"\b{name}\b", text):
            other = material.chance.choice([each for each in _PRECISIONS if each not in text])
            return re.sub(rf"\b{name}\b", other, text, count=1)
    return None


def _negation(text: str, _: Material) -> str | None:
    return _first(text, _NEGATIONS)


def _device(text: str, material: Material) -> str | None:
    inside = [name for name in material.names if name in text]
    if not inside:
        return None
    name = max(inside, key=len)
    return text.replace(
        name, material.chance.choice([each for each in material.names if each not in inside]), 1
    )


def _region(text: str, _: Material) -> str | None:
    return _REGION.sub("ap-south-1", text, count=1) if _REGION.search(text) else None


def _date(text: str, material: Material) -> str | None:
    match = _DATE.search(text)
    if match is None:
        return None
    year = f"{match.group(1)}{(int(match.group(2)) + material.chance.randint(1, 8)) % 10}"
    return text[: match.start()] + year + text[match.start() + 4 :]


def _billing(text: str, _: Material) -> str | None:
    return _first(text, (("on demand", "as a spot machine"),)) if "USD/h" in text else None


def _count(text: str, material: Material) -> str | None:
    match = re.search(r"\b(\d+) x (?=NVIDIA|AMD|Google|Intel)", text) if "USD/h" in text else None
    if match is None:
        return None
    return f"{text[: match.start()]}{int(match.group(1)) + 1} x {text[match.end() :]}"


def _swapped(statement: Statement, material: Material) -> Statement | None:
    """The same words with the quotes of another statement about another document."""
    own = {quote.document_id for quote in statement.quotes}
    others = [
        each
        for each in material.others
        if each.quotes and not own & {q.document_id for q in each.quotes}
    ]
    if not own or not others:
        return None
    return replace(statement, quotes=material.chance.choice(others).quotes)


def _first(text: str, pairs: Sequence[tuple[str, str]]) -> str | None:
    for old, new in pairs:
        if old in text:
            return text.replace(old, new, 1)
    return None


def _in_name(match: re.Match[str], text: str, material: Material) -> bool:
    """Whether the match lies in a device's name: "80 GB" there is no figure."""
    for name in material.names:
        at = text.find(name)
        while at >= 0:
            if at < match.end() and match.start() < at + len(name):
                return True
            at = text.find(name, at + 1)
    return False


_KINDS: dict[str, Callable[[str, Material], str | None]] = {
    "digit": _digit,
    "unit": _unit,
    "dense to sparse": _sparsity,
    "SXM to PCIe": _form,
    "precision": _precision,
    "negation": _negation,
    "other device": _device,
    "region": _region,
    "date": _date,
    "billing": _billing,
    "count": _count,
}
