"""Cases: one question a line with what a right answer must say, must not say, and must recommend."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from eval.errors import BadCaseFile
from service.types import AbstentionCode, Kind


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class KeyFact(_Row):
    """A point that the answer must make; with a `value` it is numeric, `tolerance` is relative."""

    text: str
    value: float | None = None
    unit: str | None = None
    tolerance: float | None = None


class Forbidden(_Row):
    """A figure that must not be given as the answer for the thing asked about."""

    value: float
    unit: str
    scope: Literal["as_answer", "anywhere"] = "as_answer"


class MemoryRange(_Row):
    """Where the memory need of one device has to lie, or of all of them, as `basis` says."""

    low: float
    high: float
    basis: str = ""


class Case(_Row):
    """A question with its expectations.

    `kind` None: which kind is right is not judged. `any_of[i]` belongs to the i-th key fact without
    a value; a fact beyond them is not judged by phrases.
    """

    id: str
    category: str = ""
    question: str = Field(min_length=1)
    conversation: tuple[str, ...] = ()
    kind: Kind | None = "answer"
    alt_kinds: tuple[Kind, ...] = ()
    intent: str = ""
    abstention_code: AbstentionCode | None = None
    key_facts: tuple[KeyFact, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    must_not: tuple[str | Forbidden, ...] = ()
    workload: dict[str, Any] = Field(default_factory=dict)
    memory_gib: MemoryRange | None = None
    feasible: tuple[str, ...] = ()
    feasible_counts: dict[str, int] = Field(default_factory=dict)
    infeasible: tuple[str, ...] = ()
    source: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _judged_by_reading(cls, row: Any) -> Any:
        """Files whose `kind` is none of ours are judged by reading; their numeric facts still count."""
        if not isinstance(row, dict) or row.get("kind", "answer") in get_args(Kind):
            return row
        return {**row, "kind": None, "feasible": (), "infeasible": (), "must_not": ()}

    @field_validator("source", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value or ()

    @property
    def numeric_facts(self) -> tuple[KeyFact, ...]:
        """The facts with a value."""
        return tuple(fact for fact in self.key_facts if fact.value is not None)

    @property
    def points(self) -> tuple[tuple[KeyFact, tuple[str, ...]], ...]:
        """The facts in words, each with the phrases any of which counts."""
        worded = [fact for fact in self.key_facts if fact.value is None]
        return tuple(zip(worded, self.any_of, strict=False))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that are right; none: not judged."""
        return () if self.kind is None else (self.kind, *self.alt_kinds)


def load_cases(path: Path) -> tuple[Case, ...]:
    """Read a file of cases, one JSON object a line.

    Raises:
        BadCaseFile: with file and line, when a line is no case or an id stands twice.
    """
    cases: dict[str, Case] = {}
    for number, line in _lines(path):
        try:
            case = Case.model_validate(json.loads(line))
        except (ValidationError, json.JSONDecodeError) as error:
            raise BadCaseFile(path, number, _first(error)) from error
        if case.id in cases:
            raise BadCaseFile(path, number, f"the id {case.id!r} stands twice")
        cases[case.id] = case
    return tuple(cases.values())


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadCaseFile(path, 0, f"cannot be read: {error.strerror}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, line


def _first(error: ValidationError | json.JSONDecodeError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}"
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(step) for step in fault['loc'])}: {fault['msg']}"
