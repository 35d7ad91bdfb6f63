"""Sentences from values: a line collects the numbers and quotes that its words stand on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexer.types import Fact, Offer
from service.advisor.catalog import quote_of, quote_of_offer
from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.types import MemoryPart
from service.types import Computation, Number, Origin, Quote, Statement

_GB = 2**30 / 1e9


def shown(value: float) -> str:
    """A number for reading: "6,490", "24.4", "0.25", "7.8e+21"."""
    size = abs(value)
    if size >= 1e7:
        return f"{value:.3g}" if size >= 1e12 else f"{value:,.0f}"
    if size >= 1000 or value == int(value):
        return f"{value:,.0f}"
    if size >= 1:
        return f"{value:.1f}" if size >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{value:.2g}"


class Line:
    """A statement in the making. Each method returns words and keeps what supports them."""

    def __init__(self) -> None:
        self._numbers: list[Number] = []
        self._quotes: list[Quote] = []

    def computed(self, value: float, unit: str, work: Computation) -> str:
        """A computed number with its unit."""
        self._numbers.append(Number(value=value, unit=unit, origin="computed", computation=work))
        return f"{shown(value)} {unit}"

    def number(self, number: Number, unit: str = "") -> str:
        """A number that the arithmetic made, in its unit or under another name of it."""
        return self._kept(number.value, unit or number.unit, number.origin, number.computation)

    def asked(self, value: float, unit: str) -> str:
        """A number as the question states it."""
        return self._kept(value, unit, "question", None)

    def taken(self, value: float, unit: str, why: str) -> str:
        """An assumed number with the reason for it."""
        work = computation(
            "value", given("value", value, unit, basis="assumed", note=why), source=why
        )
        return self.computed(value, unit, work)

    def fine(self, gib: float, work: Computation, digits: int = 2) -> str:
        """A size in GiB with more decimals, where a hair decides."""
        self._numbers.append(Number(value=gib, unit="GiB", origin="computed", computation=work))
        return f"{gib:.{digits}f} GiB"

    def size(self, gib: float, work: Computation) -> str:
        """A size in GiB and in GB."""
        decimal = computation(
            "gib*2**30/1e9",
            given("gib", gib, "GiB", basis="computed"),
            source="1 GiB = 2**30 bytes",
        )
        return f"{self.computed(gib, 'GiB', work)} ({self.computed(gib * _GB, 'GB', decimal)})"

    def total(self, parts: Iterable[MemoryPart], extra_gib: float = 0.0) -> str:
        """The sum of parts in GiB and in GB."""
        inputs = [
            given(f"part{place}", part.gib, "GiB", basis="computed", note=part.name)
            for place, part in enumerate(parts)
        ]
        inputs.append(
            given("runtime", extra_gib, "GiB", basis="assumed", note="the runtime's own memory")
        )
        names = [group[0].name for group in inputs]
        work = computation(" + ".join(names), *inputs, source="sum of the parts")
        return self.size(sum(group[0].value for group in inputs), work)

    def name(self, part: MemoryPart) -> str:
        """A part's name; widths in bits that it holds are kept as numbers."""
        for found in re.finditer(r"(\d+)[- ]bits?\b", part.name):
            self.taken(float(found[1]), "bit", "width of the number format")
        return part.name

    def gb_in(self, text: str) -> str:
        """A name or note; sizes that are part of it are kept as numbers."""
        for value in re.findall(r"(\d+) GB", text):
            self.taken(float(value), "GB", "part of the name")
        return text

    def fact(self, fact: Fact) -> str:
        """A fact's number as printed, with its quote."""
        self._quotes.append(quote_of(fact))
        if fact.value is None:
            return fact.text
        return self._kept(fact.value, fact.unit, "cited", None)

    def price(self, offer: Offer, nodes: int = 1, *, spot: bool = False) -> str:
        """An offer's price an hour, for several machines computed."""
        self._quotes.append(quote_of_offer(offer))
        each = (offer.spot_usd_per_hour if spot else offer.on_demand_usd_per_hour) or 0.0
        self._numbers.append(Number(value=each, unit="USD/h", origin="cited"))
        if nodes == 1:
            return f"{exact(each)} USD/h"
        total = each * nodes
        work = computation(
            "nodes*usd_per_hour",
            given("nodes", nodes, "", basis="computed"),
            given("usd_per_hour", each, "USD/h", basis="cited"),
            source="number of machines times price",
        )
        self._numbers.append(
            Number(value=round(total, 4), unit="USD/h", origin="computed", computation=work)
        )
        return f"{exact(round(total, 4))} USD/h for {nodes} machines"

    def quote(self, *quotes: Quote | None) -> None:
        """Keep quotes that support the words."""
        self._quotes.extend(quote for quote in quotes if quote is not None)

    def say(self, text: str) -> Statement:
        """The statement."""
        return Statement(
            text=text, quotes=tuple(dict.fromkeys(self._quotes)), numbers=tuple(self._numbers)
        )

    def _kept(self, value: float, unit: str, origin: Origin, work: Computation | None) -> str:
        self._numbers.append(Number(value=value, unit=unit, origin=origin, computation=work))
        return f"{exact(value) if origin == 'cited' else shown(value)} {unit}".strip()


def exact(value: float) -> str:
    """A number as printed in its source: thousands separated, no needless zeros."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6f}".rstrip("0")
