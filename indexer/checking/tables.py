"""Checks of the other tables, and of sources.toml that describes them all."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Final

from indexer.checking.finding import Finding, future_date, is_future, unreadable
from indexer.csv_rows import csv_header, csv_rows
from indexer.errors import CorpusError
from indexer.schema import parse_iso_date

SOURCES: Final = "sources.toml"
_TOML_LINE: Final = re.compile(r"at line (\d+)")


def check_benchmarks(
    path: str, text: str, *, devices: Collection[str], today: date | None
) -> Iterator[Finding]:
    """Rows that can be read, dates that have come, devices that have a sheet."""
    try:
        for row in csv_rows(path, text):
            device, as_of = row.cells.get("device", ""), row.cells.get("as_of", "")
            if is_future(as_of, today):
                yield future_date(path, row.line, as_of)
            if device and device not in devices:
                yield Finding(
                    path=path,
                    line=row.line,
                    value=device,
                    problem="no spec sheet has this id",
                    remedy="add the sheet, or leave the cell empty",
                )
    except CorpusError as error:
        yield unreadable(error)


def check_models(path: str, text: str) -> Iterator[Finding]:
    """Names are unique, and an alias means one model."""
    try:
        name_column = csv_header(path, text)[0]
        owners: dict[str, tuple[str, int]] = {}
        for row in csv_rows(path, text):
            name = row.cells[name_column]
            aliases = row.cells.get("aliases", "").split(";")
            for word in (name, *(alias.strip() for alias in aliases)):
                owner, line = owners.setdefault(word.casefold(), (name, row.line))
                same_row = line == row.line
                if word and not same_row:
                    yield Finding(
                        path=path,
                        line=row.line,
                        value=word,
                        problem=f"line {line} uses it for {owner!r}",
                        remedy="keep it at the one model that it always means",
                    )
    except CorpusError as error:
        yield unreadable(error)


def check_sources(
    text: str | None, tables: Collection[str], *, today: date | None
) -> Iterator[Finding]:
    """Each table, given as `folder/name.csv`, has a section with title and date, and the reverse."""
    try:
        parsed = tomllib.loads(text or "")
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        yield _finding(int(found[1]) if found else 1, "", f"not TOML: {error}", "correct the line")
        return
    sections = {
        f"{folder}/{name}": section
        for folder, named in parsed.items()
        if isinstance(named, dict)
        for name, section in named.items()
    }
    for table in sorted(set(tables) - set(sections)):
        path = PurePosixPath(table)
        remedy = f'add [{path.parent}."{path.name}"] with title, publisher, url, licence and as_of'
        yield _finding(1, table, "no section describes this table", remedy)
    for table, section in sorted(sections.items()):
        line = _section_line(text or "", table)
        if table not in tables:
            yield _finding(line, table, "no table has this name", "correct the name of the section")
        yield from _section_faults(line, table, section, today)


def _section_faults(
    line: int, table: str, section: Mapping[str, object], today: date | None
) -> Iterator[Finding]:
    for key in ("title", "as_of"):
        if not section.get(key):
            yield _finding(line, table, f"{key} is missing", f"add {key}")
    as_of = str(section.get("as_of", ""))
    try:
        parse_iso_date(as_of or "2000")
    except ValueError as error:
        yield _finding(line, as_of, str(error), 'write the date like "2026-07-20"')
    if is_future(as_of, today):
        yield future_date(SOURCES, line, as_of)


def _section_line(text: str, table: str) -> int:
    path = PurePosixPath(table)
    header = f'[{path.parent}."{path.name}"]'
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, start=1) if line.strip() == header), 1)


def _finding(line: int, value: str, problem: str, remedy: str) -> Finding:
    return Finding(path=SOURCES, line=line, value=value, problem=problem, remedy=remedy)
