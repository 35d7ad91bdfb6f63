"""The front matter of articles and spec sheets, exactly as corpus/README.md fixes it."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from indexer.fact_kinds import FACT_KINDS, FactKind, Quantity, convert, parse_quantity
from indexer.types import Level

__all__ = [
    "FACT_KINDS",
    "ArticleFrontMatter",
    "FactKind",
    "FactLine",
    "Quantity",
    "SheetFrontMatter",
    "SourceEntry",
    "convert",
    "parse_iso_date",
    "parse_quantity",
]

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_SLUG: Final = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"


def parse_iso_date(text: str) -> date:
    """The first day that 'YYYY', 'YYYY-MM' or 'YYYY-MM-DD' covers; `ValueError` for anything else."""
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a date of the form YYYY, YYYY-MM or YYYY-MM-DD")
    return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))


def _iso(text: str) -> str:
    parse_iso_date(text)
    return text


Slug = Annotated[str, Field(pattern=_SLUG)]
IsoDate = Annotated[str, AfterValidator(_iso)]
Words = Annotated[str, Field(min_length=1)]
Precision = Literal["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4"]
YesNo = Literal["yes", "no"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceEntry(_Strict):
    """One entry of `sources`."""

    title: Words
    as_of: IsoDate
    url: str = ""
    publisher: str = ""
    licence: str = ""


class ArticleFrontMatter(_Strict):
    """The head of a guidance article."""

    title: Words
    topic: Slug
    as_of: IsoDate
    sources: dict[str, SourceEntry] = Field(default_factory=dict)


class FactLine(_Strict):
    """One line of `facts`. Which qualifiers a fact needs is in `FACT_KINDS`."""

    fact: Words
    value: Words
    source: Words
    as_of: IsoDate
    level: Level
    basis: Literal["nominal", "usable"] | None = None
    memory_type: Words | None = None
    ecc: Literal["yes", "no", "optional"] | None = None
    precision: Precision | None = None
    sparsity: Literal["dense", "sparse"] | None = None
    engine: Literal["tensor", "vector"] | None = None
    accumulate: Literal["fp32", "fp16", "int32"] | None = None
    term: Literal["TDP", "TGP", "TBP", "maximum", "package", "MSRP", "street"] | None = None
    link: Words | None = None
    direction: Literal["total", "each"] | None = None
    supported: YesNo | None = None
    new: YesNo | None = None
    note: Words | None = None


class ComponentEntry(_Strict):
    """What a system is made of."""

    id: Slug
    count: int = Field(ge=1)


class SheetFrontMatter(_Strict):
    """The head of a spec sheet."""

    id: Slug
    vendor: Words
    name: Words
    kind: Literal["gpu", "tpu", "asic", "cpu", "soc", "superchip", "system"]
    segment: Literal["datacenter", "workstation", "consumer", "laptop", "embedded", "cloud"]
    scope: Literal["die", "device", "board", "superchip", "system"]
    status: Literal["current", "previous", "legacy", "announced"]
    acquire: tuple[Literal["rent", "buy", "used"], ...]
    sources: dict[str, SourceEntry] = Field(min_length=1)
    facts: tuple[FactLine, ...] = Field(min_length=1)
    family: str = ""
    aliases: tuple[Words, ...] = ()
    variant: str = ""
    form_factor: str = ""
    architecture: str = ""
    released: Annotated[str, AfterValidator(lambda text: _iso(text) if text else text)] = ""
    devices: ComponentEntry | None = None
