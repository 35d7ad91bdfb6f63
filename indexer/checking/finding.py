"""What a check says: where, what, and what would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from pydantic import BaseModel, ValidationError

from indexer.errors import CorpusError
from indexer.front_matter import FrontMatter
from indexer.schema import parse_iso_date

Severity = Literal["error", "warning"]
README: Final = "corpus/README.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault of the corpus; the line counts from 1."""

    path: str
    line: int
    value: str
    problem: str
    remedy: str
    severity: Severity = "error"


def unreadable(error: CorpusError) -> Finding:
    """A document that cannot be parsed at all."""
    return Finding(
        path=error.path,
        line=error.line,
        value="",
        problem=error.reason,
        remedy=f"correct the line so that it has the form shown in {README}",
    )


def schema_findings(path: str, head: FrontMatter, error: ValidationError) -> Iterator[Finding]:
    """Each violation of the schema, at the line of its key."""
    for detail in error.errors(include_url=False):
        where = ".".join(str(step) for step in detail["loc"])
        missing = detail["type"] == "missing"
        yield Finding(
            path=path,
            line=head.line_of(*detail["loc"]),
            value="" if missing else str(detail["input"]),
            problem=f"{where}: {detail['msg']}",
            remedy=f"{'add the key' if missing else 'use a value'} that {README} names",
        )


def future_dates(
    path: str, head: FrontMatter, model: BaseModel, *, today: date | None
) -> Iterator[Finding]:
    """Dates of the front matter that lie after `today`."""
    for place, text in _dates(model.model_dump(), ()):
        if is_future(text, today):
            yield future_date(path, head.line_of(*place), text)


def future_date(path: str, line: int, text: str) -> Finding:
    """A date that has not come yet."""
    return Finding(
        path=path,
        line=line,
        value=text,
        problem="the date lies in the future",
        remedy="give the day on which the source was read or published",
    )


def is_future(text: str, today: date | None) -> bool:
    """Whether a date, if it is one, lies after `today`."""
    try:
        return today is not None and parse_iso_date(text) > today
    except ValueError:
        return False


def _dates(
    value: object, place: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "as_of" and isinstance(item, str):
                yield (*place, key), item
            else:
                yield from _dates(item, (*place, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _dates(item, (*place, index))
