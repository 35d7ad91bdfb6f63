"""Checks of a table of offers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

from indexer.checking.finding import README, Finding, Severity, future_date, is_future, unreadable
from indexer.csv_rows import CsvRow, csv_header, csv_rows
from indexer.errors import CorpusError
from indexer.facts import OFFER_COLUMNS
from indexer.schema import parse_iso_date

_NUMBERS: Final = [
    "count",
    "memory_each_gb",
    "memory_total_gb",
    "vcpus",
    "ram_gib",
    "local_nvme_gb",
    "on_demand_usd_per_hour",
    "spot_usd_per_hour",
]
_TENANCIES: Final = ("shared", "dedicated", "government", "")
_MEMORY_TOLERANCE: Final = 0.005
_SHEET_TOLERANCE: Final = 0.08
_Fault = tuple[str, str, str, Severity]


def check_offers(
    path: str, text: str, *, memory_gb: Mapping[str, float | None], today: date | None
) -> Iterator[Finding]:
    """All faults of a table; `memory_gb` has the nominal memory of each known device id."""
    try:
        header = csv_header(path, text)
        if header != tuple(OFFER_COLUMNS):
            yield Finding(
                path=path,
                line=1,
                value=",".join(header),
                problem="these are not the columns of a table of offers, in their order",
                remedy=f"use the columns that {README} lists",
            )
            return
        yield from _doubles(path, text)
        for row in csv_rows(path, text):
            if is_future(row.cells["as_of"], today):
                yield future_date(path, row.line, row.cells["as_of"])
            for value, problem, remedy, severity in _row_faults(row.cells, memory_gb):
                yield Finding(
                    path=path,
                    line=row.line,
                    value=value,
                    problem=problem,
                    remedy=remedy,
                    severity=severity,
                )
    except CorpusError as error:
        yield unreadable(error)


def _doubles(path: str, text: str) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], CsvRow] = {}
    for row in csv_rows(path, text):
        key = tuple(row.cells[name] for name in ("provider", "region", "instance", "tenancy"))
        first = seen.setdefault(key, row)
        if first is not row:
            yield Finding(
                path=path,
                line=row.line,
                value=" ".join(key[1:3]),
                problem=f"line {first.line} lists the same machine in the same region",
                remedy="keep the newer row",
            )


def _row_faults(
    cells: Mapping[str, str], memory_gb: Mapping[str, float | None]
) -> Iterator[_Fault]:
    numbers = {name: _number(cells[name]) for name in _NUMBERS}
    bad = [name for name in _NUMBERS if cells[name] and numbers[name] is None]
    for name in bad:
        yield cells[name], f"{name} is not a number", "write a number without its unit", "error"
    yield from _word_faults(cells)
    yield from _price_faults(cells, numbers)
    if not bad:
        yield from _device_faults(cells, numbers, memory_gb)


def _number(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _word_faults(cells: Mapping[str, str]) -> Iterator[_Fault]:
    for name in ("provider", "region", "instance", "as_of", "source"):
        if not cells[name]:
            yield (
                "",
                f"{name} is empty",
                f"fill in {name}: an offer without it is worth nothing",
                "error",
            )
    if cells["residency"] and not re.fullmatch(r"[A-Z]{2}", cells["residency"]):
        yield (
            cells["residency"],
            "no country has this code",
            "use ISO 3166 alpha-2, such as DE",
            "error",
        )
    if cells["tenancy"] not in _TENANCIES:
        yield cells["tenancy"], "no tenancy has this name", f"use one of {_TENANCIES}", "error"
    try:
        parse_iso_date(cells["as_of"] or "2000")
    except ValueError as error:
        yield cells["as_of"], str(error), "write the date like 2026-07-20", "error"


def _price_faults(
    cells: Mapping[str, str], numbers: Mapping[str, float | None]
) -> Iterator[_Fault]:
    on_demand, spot = numbers["on_demand_usd_per_hour"], numbers["spot_usd_per_hour"]
    if on_demand is None and spot is None and not cells["on_demand_usd_per_hour"]:
        yield "", "the row has no price", "add a price, or take the row out", "error"
    for price in (on_demand, spot):
        if price is not None and price <= 0:
            yield f"{price:g}", "a price is above zero", "leave an unknown price empty", "error"
    if on_demand is not None and spot is not None and spot > on_demand:
        yield (
            cells["spot_usd_per_hour"],
            f"spot costs more than on-demand ({cells['on_demand_usd_per_hour']})",
            "check both; leave the spot price empty if the source is wrong, with a note",
            "error",
        )
    for name in ("memory_each_gb", "memory_total_gb", "vcpus", "ram_gib", "local_nvme_gb"):
        if numbers[name] == 0:
            yield cells[name], f"{name} is zero", "leave an unknown cell empty", "error"


def _device_faults(
    cells: Mapping[str, str],
    numbers: Mapping[str, float | None],
    memory_gb: Mapping[str, float | None],
) -> Iterator[_Fault]:
    device, count = cells["device"], numbers["count"] or 0
    if count != int(count) or (count < 1 if device else count > 0):
        yield (
            cells["count"],
            "count does not go with device",
            "give whole devices, 0 for none",
            "error",
        )
    if not device:
        return
    if device not in memory_gb:
        yield device, "no spec sheet has this id", "add the sheet, or correct the id", "error"
        return
    each, total = numbers["memory_each_gb"], numbers["memory_total_gb"]
    if each and total and abs(total - each * count) > _MEMORY_TOLERANCE * total:
        yield (
            cells["memory_total_gb"],
            f"{count:g} times {each:g} GB is {each * count:g} GB",
            "check whether the source prints the memory of one device or of all",
            "error",
        )
    nominal = memory_gb[device]
    if each and nominal and abs(each / nominal - 1) > _SHEET_TOLERANCE:
        yield (
            cells["memory_each_gb"],
            f"the spec sheet has {nominal:g} GB",
            "check that the machine has this variant",
            "warning",
        )
