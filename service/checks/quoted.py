"""A quote as evidence: what kind of text it is, its fields, and the devices that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from indexer.types import Document
from service.checks.names import Names
from service.numbers import Quantity, quantities
from service.types import Number, Quote

Shape = Literal["fact", "row", "key", "prose"]
_FIELD = re.compile(r'(?:^|, )(\w+): ("(?:[^"\\]|\\.)*"|.*?)(?=, \w+: |$)')
_KEY = re.compile(r"(?:released|architecture|form_factor): ")
_SCOPE = re.compile(r"^scope: *(\w+)$", re.MULTILINE)
_HEAD_CHARS = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A quote with its text. `fields` are those of a fact line or a table row, `devices` those it speaks of."""

    quote: Quote
    document: Document
    text: str
    shape: Shape
    fields: Mapping[str, str]
    devices: frozenset[str]
    figures: tuple[Quantity, ...]

    @property
    def own(self) -> str:
        """The device whose spec sheet the quote stands in, or an empty string."""
        return self.document.id.rsplit("/", 1)[-1] if self.document.kind == "hardware" else ""

    @property
    def scope(self) -> str:
        """What the figures of the spec sheet count."""
        found = _SCOPE.search(self.document.text, 0, _HEAD_CHARS)
        return found.group(1) if found else ""


def read_quote(quote: Quote, documents: Mapping[str, Document], names: Names) -> Quoted | None:
    """The quote with its evidence; None when there is no such span."""
    document = documents.get(quote.document_id)
    if document is None or not 0 <= quote.start < quote.end <= len(document.text):
        return None
    text = document.text[quote.start : quote.end]
    shape = _shape(text, document)
    fields = _fields(text, shape)
    # The device column of a machine, or the value of a fact, says what it is about; keys of sources do not.
    told = fields.get("device") or (fields.get("value", "") if shape == "fact" else text)
    found = {device for named in names.find(told) for device in named.devices}
    if document.kind == "hardware":
        found.add(document.id.rsplit("/", 1)[-1])
    return Quoted(
        quote=quote,
        document=document,
        text=text,
        shape=shape,
        fields=fields,
        devices=frozenset(found),
        figures=tuple(quantities(text)),
    )


def input_quotes(numbers: tuple[Number, ...]) -> Iterator[Quote]:
    """The quotes that the inputs of computed numbers stand on."""
    for number in numbers:
        for entry in number.computation.inputs if number.computation else ():
            if entry.quote is not None:
                yield entry.quote


def _shape(text: str, document: Document) -> Shape:
    if text.startswith("fact: "):
        return "fact"
    if document.media_type == "text/csv":
        return "row"
    return "key" if document.kind == "hardware" and _KEY.match(text) else "prose"


def _fields(text: str, shape: Shape) -> Mapping[str, str]:
    if shape == "row":
        return dict(pair.split(": ", 1) for pair in text.split("; ") if ": " in pair)
    if shape == "fact":
        return {name: value.strip('"') for name, value in _FIELD.findall(text)}
    return {}
