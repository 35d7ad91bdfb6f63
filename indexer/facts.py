"""Typed values out of spec sheets and tables, each with the span of the document that states it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final, cast, get_args

import yaml

from indexer.csv_rows import CsvRow
from indexer.errors import CorpusError
from indexer.fact_kinds import FACT_KINDS, parse_quantity
from indexer.front_matter import FrontMatter, read_front_matter
from indexer.types import Device, DeviceId, Document, Fact, FactId, Level, ModelRow, Offer

_ID_DIGITS: Final = 16
_FACT_FIELDS: Final = frozenset({"fact", "value", "source", "as_of", "level"})
_REQUIRED_WORDS: Final = ("id", "name", "vendor", "kind")
OFFER_COLUMNS: Final = [
    "provider",
    "region",
    "residency",
    "instance",
    "tenancy",
    "device",
    "count",
    "memory_each_gb",
    "memory_total_gb",
    "vcpus",
    "ram_gib",
    "local_nvme_gb",
    "on_demand_usd_per_hour",
    "spot_usd_per_hour",
    "as_of",
    "source",
    "note",
]


def read_device(document: Document) -> Device:
    """Turn the front matter of a spec sheet into a device with its facts, in the sheet's order.

    The span of a fact runs from `fact:` to before the closing brace of its line. Qualifiers are sorted.
    Raises `CorpusError` with the line at fault.
    """
    sheet = read_front_matter(document.path, document.text)
    values = sheet.values
    for key in _REQUIRED_WORDS:
        if not _word(values, key):
            raise CorpusError(document.path, 1, f"key {key!r} is missing")
    device_id = DeviceId(_word(values, "id"))
    component = values.get("devices") or {}
    if not isinstance(component, dict):
        raise CorpusError(
            document.path, sheet.line_of("devices"), "devices has to be {id: …, count: …}"
        )
    return Device(
        id=device_id,
        aliases=_words(document, sheet, "aliases"),
        acquire=_words(document, sheet, "acquire"),
        document_id=document.id,
        component_id=DeviceId(_word(component, "id")) if component else None,
        component_count=_whole(document.path, sheet.line_of("devices"), _word(component, "count")),
        facts=_facts(document, sheet, device_id),
        vendor=_word(values, "vendor"),
        name=_word(values, "name"),
        family=_word(values, "family"),
        variant=_word(values, "variant"),
        kind=_word(values, "kind"),
        segment=_word(values, "segment"),
        form_factor=_word(values, "form_factor"),
        architecture=_word(values, "architecture"),
        scope=_word(values, "scope"),
        released=_word(values, "released"),
        status=_word(values, "status"),
    )


def read_offers(document: Document) -> tuple[Offer, ...]:
    """The rows of a table of offers in their order; the span of an offer is its whole line of the text."""
    header = _header(document)
    missing = [name for name in OFFER_COLUMNS if name not in header]
    if missing:
        raise CorpusError(document.path, 1, f"columns are missing: {', '.join(missing)}")
    return tuple(_offer(document, row) for row in _rows(document))


def read_models(document: Document) -> tuple[ModelRow, ...]:
    """The rows of a table of models in their order; the first column is the name."""
    header = _header(document)
    return tuple(
        ModelRow(
            name=row.cells[header[0]],
            aliases=_split(row.cells.get("aliases", "")),
            cells=row.cells,
            document_id=document.id,
            start=row.start,
            end=row.end,
        )
        for row in _rows(document)
    )


def _header(document: Document) -> tuple[str, ...]:
    return document.blocks[0].header if document.blocks else ()


def _rows(document: Document) -> Iterator[CsvRow]:
    """The rows that the parser read: the span is that of the row's line in the document's text."""
    for block in document.blocks:
        for number, (cells, span) in enumerate(zip(block.cells, block.rows, strict=True), start=2):
            yield CsvRow(
                line=number,
                start=span[0],
                end=span[1],
                cells=dict(zip(block.header, cells, strict=True)),
            )


def _facts(document: Document, sheet: FrontMatter, device_id: DeviceId) -> tuple[Fact, ...]:
    node = next((value for key, value in sheet.root.value if key.value == "facts"), None)
    if node is None:
        return ()
    if not isinstance(node, yaml.SequenceNode):
        raise CorpusError(document.path, sheet.line_of("facts"), "facts has to be a list of lines")
    return tuple(_fact(document, sheet, device_id, item) for item in node.value)


def _fact(document: Document, sheet: FrontMatter, device_id: DeviceId, node: yaml.Node) -> Fact:
    line = sheet.first_line + node.start_mark.line
    one_line = node.start_mark.line == node.end_mark.line
    if not (isinstance(node, yaml.MappingNode) and node.flow_style and one_line):
        raise CorpusError(document.path, line, "a fact is one line: - {fact: …, value: …, …}")
    cells = {key.value: str(value.value) for key, value in node.value}
    for field in sorted(_FACT_FIELDS):
        if not cells.get(field):
            raise CorpusError(document.path, line, f"the fact has no {field!r}")
    if cells["level"] not in get_args(Level):
        raise CorpusError(
            document.path, line, f"level {cells['level']!r} is none of {get_args(Level)}"
        )
    start, end = sheet.span_of(node)
    start, end = start + 1, end - 1
    kind = FACT_KINDS.get(cells["fact"])
    quantity = None if kind is not None and kind.unit is None else parse_quantity(cells["value"])
    return Fact(
        id=FactId(_digest(device_id, document.text[start:end])),
        device_id=device_id,
        name=cells["fact"],
        value=quantity.value if quantity else None,
        unit=quantity.unit if quantity else "",
        text=cells["value"],
        qualifiers=tuple(sorted((k, v) for k, v in cells.items() if k not in _FACT_FIELDS)),
        document_id=document.id,
        start=start,
        end=end,
        source=cells["source"],
        as_of=cells["as_of"],
        level=cast("Level", cells["level"]),
    )


def _offer(document: Document, row: CsvRow) -> Offer:
    cells = row.cells
    device = cells["device"]
    return Offer(
        id=_digest(cells["provider"], document.text[row.start : row.end]),
        provider=cells["provider"],
        region=cells["region"],
        residency=cells["residency"],
        instance=cells["instance"],
        tenancy=cells["tenancy"],
        device_id=DeviceId(device) if device else None,
        count=_whole(document.path, row.line, cells["count"]),
        memory_each_gb=_number(document.path, row, "memory_each_gb"),
        vcpus=_number(document.path, row, "vcpus"),
        ram_gib=_number(document.path, row, "ram_gib"),
        on_demand_usd_per_hour=_number(document.path, row, "on_demand_usd_per_hour"),
        spot_usd_per_hour=_number(document.path, row, "spot_usd_per_hour"),
        as_of=cells["as_of"],
        source=cells["source"],
        note=cells["note"],
        document_id=document.id,
        start=row.start,
        end=row.end,
    )


def _number(path: str, row: CsvRow, column: str) -> float | None:
    text = row.cells[column]
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise CorpusError(path, row.line, f"{column} {text!r} is not a number") from error


def _whole(path: str, line: int, text: str) -> int:
    try:
        return int(text or "0")
    except ValueError as error:
        raise CorpusError(path, line, f"count {text!r} is not a whole number") from error


def _word(values: Mapping[str, object], key: str) -> str:
    value = values.get(key, "")
    return value if isinstance(value, str) else ""


def _words(document: Document, sheet: FrontMatter, key: str) -> tuple[str, ...]:
    values = sheet.values.get(key) or []
    if not isinstance(values, list):
        raise CorpusError(document.path, sheet.line_of(key), f"{key} has to be a list")
    return tuple(str(value) for value in values)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _digest(owner: str, text: str) -> str:
    return hashlib.sha256(f"{owner}\n{text}".encode()).hexdigest()[:_ID_DIGITS]
