"""Checks across spec sheets: ids, aliases, families and the parts of systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from indexer.checking.finding import Finding
from indexer.checking.sheets import Sheet
from indexer.fact_kinds import convert, parse_quantity


def check_links(sheets: Iterable[Sheet]) -> Iterator[Finding]:
    """Ids that two sheets have, names that two sheets claim, parts that no sheet describes."""
    ordered = sorted(sheets, key=lambda sheet: sheet.path)
    yield from _ids(ordered)
    yield from _aliases(ordered)
    known = {sheet.front.id for sheet in ordered}
    for sheet in ordered:
        part = sheet.front.devices
        if part is not None and part.id not in known:
            yield Finding(
                path=sheet.path,
                line=sheet.head.line_of("devices"),
                value=part.id,
                problem="no spec sheet has this id",
                remedy="add the sheet of the part, or correct the id",
            )


def nominal_memory_gb(sheets: Iterable[Sheet]) -> Mapping[str, float | None]:
    """The nominal memory of each device; None where its sheet states none."""
    return {sheet.front.id: _memory_gb(sheet) for sheet in sheets}


def _memory_gb(sheet: Sheet) -> float | None:
    for fact in sheet.front.facts:
        quantity = parse_quantity(fact.value) if fact.fact == "memory" else None
        if quantity is not None:
            return convert(quantity, "GB")
    return None


def _ids(sheets: Iterable[Sheet]) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    for sheet in sheets:
        owner = owners.setdefault(sheet.front.id, sheet.path)
        if owner != sheet.path:
            yield Finding(
                path=sheet.path,
                line=sheet.head.line_of("id"),
                value=sheet.front.id,
                problem=f"{owner} has the same id",
                remedy="give each variant its own id; an id is never reused",
            )


def _squeezed(name: str) -> str:
    return re.sub(r"[^0-9a-z+]", "", name.casefold())


def _aliases(sheets: Iterable[Sheet]) -> Iterator[Finding]:
    ordered = tuple(sheets)
    families = Counter(_squeezed(sheet.front.family) for sheet in ordered if sheet.front.family)
    owners: dict[str, str] = {}
    for sheet in ordered:
        owners.setdefault(_squeezed(sheet.front.name), sheet.path)
    for sheet in ordered:
        for index, alias in enumerate(sheet.front.aliases):
            owner = owners.setdefault(_squeezed(alias), sheet.path)
            shared = families[_squeezed(alias)] > 1
            if owner != sheet.path or shared:
                claimed = (
                    "is the family of several variants" if shared else f"is a name in {owner} too"
                )
                yield Finding(
                    path=sheet.path,
                    line=sheet.head.line_of("aliases", index),
                    value=alias,
                    problem=f"the alias {claimed}",
                    remedy="an alias means exactly one variant: make it longer, or take it out",
                )
