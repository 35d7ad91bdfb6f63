"""Checks of one spec sheet: schema, names, dates, prose, and each fact on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Final, get_args

from pydantic import ValidationError

from indexer.checking.finding import README, Finding, future_dates, schema_findings, unreadable
from indexer.errors import CorpusError
from indexer.fact_kinds import FACT_KINDS, FactKind, convert, parse_quantity
from indexer.front_matter import FrontMatter, read_front_matter
from indexer.schema import FactLine, Precision, SheetFrontMatter

_PROSE_WORDS: Final = (80, 250)
_COMPOSED: Final = ("system", "superchip")
_TERMS: Final = {
    "power": {"TDP", "TGP", "TBP", "maximum", "package"},
    "price": {"MSRP", "street"},
}
_BASIS: Final = {"memory": "nominal", "memory_usable": "usable"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A spec sheet that keeps to the schema."""

    path: str
    head: FrontMatter
    front: SheetFrontMatter

    def line(self, index: int) -> int:
        """The line of a fact."""
        return self.head.line_of("facts", index)


def read_sheet(path: str, text: str) -> tuple[Sheet | None, tuple[Finding, ...]]:
    """The sheet, or what keeps it from being one."""
    try:
        head = read_front_matter(path, text)
    except CorpusError as error:
        return None, (unreadable(error),)
    try:
        front = SheetFrontMatter.model_validate(head.values)
    except ValidationError as error:
        return None, tuple(schema_findings(path, head, error))
    return Sheet(path=path, head=head, front=front), ()


def check_sheet(sheet: Sheet, text: str, *, today: date | None) -> Iterator[Finding]:
    """All that one sheet shows by itself, except how its facts go together."""
    if PurePosixPath(sheet.path).stem != sheet.front.id:
        yield Finding(
            path=sheet.path,
            line=sheet.head.line_of("id"),
            value=sheet.front.id,
            problem="the id is not the name of the file",
            remedy=f"name the file {sheet.front.id}.md, or change the id if it was never used",
        )
    if sheet.front.devices is not None and sheet.front.kind not in _COMPOSED:
        yield Finding(
            path=sheet.path,
            line=sheet.head.line_of("devices"),
            value=sheet.front.kind,
            problem="only a system or a superchip is made of devices",
            remedy="set kind to system, or take devices out",
        )
    yield from future_dates(sheet.path, sheet.head, sheet.front, today=today)
    yield from _prose(sheet, text)
    for index, fact in enumerate(sheet.front.facts):
        for value, problem, remedy in _fact_faults(sheet, fact, index):
            yield Finding(
                path=sheet.path, line=sheet.line(index), value=value, problem=problem, remedy=remedy
            )


def _prose(sheet: Sheet, text: str) -> Iterator[Finding]:
    words = len(re.findall(r"\S+", text[sheet.head.body_start :]))
    low, high = _PROSE_WORDS
    if not low <= words <= high:
        yield Finding(
            path=sheet.path,
            line=text.count("\n", 0, sheet.head.body_start) + 1,
            value=f"{words} words",
            problem=f"the prose of a sheet has {low} to {high} words",
            remedy="say what the facts mean for machine learning, one claim a sentence",
            severity="warning",
        )


_Fault = tuple[str, str, str]


def _fact_faults(sheet: Sheet, fact: FactLine, index: int) -> Iterator[_Fault]:
    kind = FACT_KINDS.get(fact.fact)
    if kind is None:
        known = ", ".join(sorted(FACT_KINDS))
        yield fact.fact, "no fact has this name", f"use one of: {known}"
        return
    if fact.source not in sheet.front.sources:
        known = ", ".join(sheet.front.sources)
        yield fact.source, "no source has this key", f"add it to sources, or use one of: {known}"
    for name in kind.required:
        unpublished = (
            name == "ecc" and sheet.front.kind != "gpu"
        )  # makers of other chips are silent
        if getattr(fact, name) is None and not unpublished:
            yield fact.value, f"{fact.fact} needs {name}", f"add {name} as {README} shows"
    yield from _form_faults(sheet, index)
    yield from _word_faults(fact)
    if kind.unit is not None:
        yield from _quantity_faults(fact, kind)


def _form_faults(sheet: Sheet, index: int) -> Iterator[_Fault]:
    facts = next(value for key, value in sheet.head.root.value if key.value == "facts")
    node = facts.value[index]
    if not node.flow_style or node.start_mark.line != node.end_mark.line:
        yield "", "a fact is one line", "write it as - {fact: …, value: …, …} in one line"


def _word_faults(fact: FactLine) -> Iterator[_Fault]:
    terms = _TERMS.get(fact.fact)
    if terms and fact.term is not None and fact.term not in terms:
        yield fact.term, f"{fact.fact} has another term", f"use one of: {', '.join(sorted(terms))}"
    basis = _BASIS.get(fact.fact)
    if basis and fact.basis is not None and fact.basis != basis:
        yield fact.basis, f"{fact.fact} is {basis} memory", f"set basis to {basis}"
    if fact.fact == "ecc" and fact.value not in ("yes", "no", "optional"):
        yield fact.value, "ecc is yes, no or optional", "use one of the three words"
    if fact.fact == "precisions":
        known = get_args(Precision)
        for name in (part.strip() for part in fact.value.split(",")):
            if name not in known:
                yield name, "no precision has this name", f"use names out of: {', '.join(known)}"


def _quantity_faults(fact: FactLine, kind: FactKind) -> Iterator[_Fault]:
    quantity = parse_quantity(fact.value)
    unit = kind.unit or ""
    if quantity is None:
        yield fact.value, "the value is not one number and one unit", "write it like '80 GB'"
        return
    amount = convert(quantity, unit)
    if amount is None:
        wanted = f"in {unit} or a multiple of it" if unit else "without a unit"
        yield fact.value, f"{fact.fact} does not come in {quantity.unit!r}", f"give it {wanted}"
    elif not kind.low <= amount <= kind.high:
        yield (
            fact.value,
            f"{fact.fact} is not plausible outside {kind.low:g} to {kind.high:g} {unit}".rstrip(),
            "check the figure and its unit against the source",
        )
