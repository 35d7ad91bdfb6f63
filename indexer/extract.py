"""Typed facts out of the spec tables of added documents: devices in columns, in rows, or one device in the title."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from indexer.labels import Meaning, engine_of, meaning_of, names_tensor, sparsity_of
from indexer.names import maker_of, name_key, product_of, slug
from indexer.parsing.grid import marks_in, note_of, split_corner, split_unit, with_unit, without_marks
from indexer.quantities import Written, plausible, quantities_in, spelled
from indexer.types import Block, Device, DeviceId, Document, Fact, FactId

_LONGEST_SPAN: Final = 420
_NAME_COLUMN: Final = re.compile(r"^(?:hardware |device |accelerator |product |gpu |chip |card )?(?:name|model|accelerator|device|gpu|chip|product|card|processor)(?: name)?\b", re.IGNORECASE)
_NO_NAME: Final = re.compile(r"^(?:values?|specifications?|details?|description|feature|notes?|unit|units|improvement.*|.*\bfactor|comparison|.*vs\.? .*)$", re.IGNORECASE)
_VARIANT: Final = re.compile(r"^(?:pcie|sxm\d?|nvl\d*|oam|\d+ ?gb|hbm\w*|ultra|max|pro|air|liquid)\b", re.IGNORECASE)
_MEMORY_TYPE: Final = re.compile(r"\b(HBM\d?[eE]?|GDDR\d?X?|LPDDR\d?[xX]?|DDR\d)\b")
_MARKUP: Final = re.compile(r"\*\*|__|`|(?<=\])\([^)]*\)|[\[\]](?=\(|$)")
_KINDS: Final = ((r"\bcpu\b|\bprocessor\b|xeon|epyc", "cpu"), (r"\btpu\b", "tpu"), (r"\bgpus?\b|\b(?:[abhlv]|g[bh]|mi)\d{2,3}x?\b|\b(?:[abhlv]|g[bh]|mi)\d{2,3}x?\b|graphics|geforce|radeon|rtx|instinct|tesla", "gpu"),
                 (r"accelerator|\bnpu\b|\basic\b|trainium|inferentia|gaudi", "asic"))  # fmt: skip
# A table speaks of accelerators when it states one of these; instances and servers have memory and cores too.
_TELLING: Final = frozenset({"peak", "memory_bandwidth"})
_COUNTED: Final = {"gpu_cores": "cores", "tensor_cores": "tensor cores"}
_LEAST_FACTS: Final = 2
_PLAIN, _ASSUMED, _PICTURED = 0.95, 0.8, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """One value: the device it is of, its label with unit, the words around it, and the row that states it."""

    device: str
    label: str
    unit: str
    value: str
    context: str
    notes: dict[str, str]
    span: tuple[int, int]


def extract_devices(document: Document) -> tuple[Device, ...]:
    """The devices that a document's spec tables describe, with their facts in the order of the tables.

    A device is named as the document names it; whether it is a known one is settled later (indexer.joining).
    """
    cells = [cell for block in document.blocks if block.kind == "table" for cell in _cells(document, block)]
    tensor = {p for cell in cells if names_tensor(cell.label) and (what := _meaning(cell)) for p in what.precisions}
    by_device: dict[str, list[_Cell]] = {}
    for cell in cells:
        by_device.setdefault(cell.device, []).append(cell)
    devices: dict[tuple[str, ...], Device] = {}
    for name, own in by_device.items():
        facts = _distinct(_facts(document, name, own, tensor))
        told = any(fact.name in _TELLING for fact in facts) or any(cell.label.startswith("accelerator") for cell in own)
        if len(facts) >= _LEAST_FACTS and told and name_key(name) and " / " not in name:
            devices.setdefault(name_key(name), _device(document, name, own, facts))
    return tuple(devices.values())


def _distinct(facts: Iterator[Fact]) -> tuple[Fact, ...]:
    """The first of those that say the same."""
    kept: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        kept.setdefault((fact.name, fact.text, fact.qualifiers), fact)
    return tuple(kept.values())


def _cells(document: Document, block: Block) -> Iterator[_Cell]:
    """The values of a table, by whichever way it is turned."""
    notes = {note.mark: note.text for line in block.lead.split("\n") if (note := note_of(line))}
    rows = [tuple(_MARKUP.sub("", cell).strip() for cell in row) for row in block.cells]
    header = tuple(_MARKUP.sub("", name).strip() for name in block.header)
    if not rows:
        return
    labels_down = sum(1 for row in rows if meaning_of(*_labelled(row[0], " ".join(row[1:]))))
    labels_across = sum(1 for name in header[1:] if meaning_of(*_labelled(name, split_corner(header[0])[1])))
    if labels_across >= _LEAST_FACTS and labels_across * len(rows) > labels_down * len(header):
        yield from _by_row(document, block, header, rows, notes)
    elif labels_down:
        yield from _by_column(document, block, header or ("", *[""] * (len(rows[0]) - 1)), rows, notes)


def _labelled(label: str, sample: str) -> tuple[str, str]:
    """A label without unit and marks, and the unit with the sample of values."""
    bare, unit = split_unit(label)
    return without_marks(bare), f"{unit} {sample}"


def _by_row(
    document: Document, block: Block, header: Sequence[str], rows: Sequence[Sequence[str]], notes: dict[str, str]
) -> Iterator[_Cell]:  # fmt: skip
    column = next((position for position, name in enumerate(header) if _NAME_COLUMN.match(name)), 0)
    corner = split_corner(header[column])[1]
    for row, span in zip(rows, block.rows, strict=True):
        name = without_marks(row[column])
        for label, value in zip(header, row, strict=True):
            bare, unit = split_unit(label)
            if value and name and label != header[column]:
                yield _Cell(
                    device=name, label=bare, unit=unit or corner, value=value, context=f"{label} {value}", notes=notes,
                    span=_span(document, span, f"{bare}: {with_unit(value, unit)}"),
                )  # fmt: skip


def _by_column(
    document: Document, block: Block, header: Sequence[str], rows: Sequence[Sequence[str]], notes: dict[str, str]
) -> Iterator[_Cell]:  # fmt: skip
    title = _subject(document, rows)
    for row, span in zip(rows, block.rows, strict=True):
        bare, unit = split_unit(row[0])
        for name, value in zip(header[1:], row[1:], strict=True):
            device = _column_device(name, title)
            if device and value:
                yield _Cell(
                    device=device, label=bare, unit=unit, value=value, context=f"{row[0]} {value} {name}", notes=notes,
                    span=_span(document, span, f"{name}: {with_unit(value, unit)}"),
                )  # fmt: skip


def _subject(document: Document, rows: Sequence[Sequence[str]]) -> str:
    """What a table without device names speaks of: a row that names a model, else the product in the title."""
    named = next((row[1] for row in rows if re.search(r"accelerator model|gpu model|^(?:product|model)(?: name)?$", row[0], re.IGNORECASE) and row[1]), "")
    return without_marks(named or product_of(document.title))


def _column_device(name: str, title: str) -> str:
    """The device of a column: its name, the title's product with it where it only tells a variant, or the product."""
    bare = without_marks(name)
    if not bare:
        return title
    if _NO_NAME.match(bare):
        return title if re.match(r"values?|spec|details?|desc", bare, re.IGNORECASE) else ""
    return f"{title} {bare}" if _VARIANT.match(bare) else bare


def _span(document: Document, row: tuple[int, int], shown: str) -> tuple[int, int]:
    """The row's span; of a very long row only the pair of label and value."""
    if row[1] - row[0] <= _LONGEST_SPAN:
        return row
    at = document.text.find(shown, *row)
    return (at, at + len(shown)) if at >= 0 else row


def _meaning(cell: _Cell) -> Meaning | None:
    return meaning_of(without_marks(cell.label), f"{cell.unit} {cell.value}")


def _facts(document: Document, device: str, cells: Sequence[_Cell], tensor: set[str]) -> Iterator[Fact]:
    device_id = _id(document, device)
    kinds = [(cell, _meaning(cell)) for cell in cells]
    memory_type = next((m[1] for cell, what in kinds if what and what.kind in {"memory_type", "memory"} and (m := _MEMORY_TYPE.search(f"{cell.label} {cell.value}"))), "")
    for cell, what in kinds:
        if what is None or what.kind in {"form_factor", "architecture", "memory_type"}:
            continue
        meant = Meaning(kind="interconnect_bandwidth") if what.kind == "pcie" and _states_bandwidth(cell) else what
        for qualifiers, text, written, sure in _values(cell, meant, memory_type, tensor):
            yield _fact(document, device_id, cell, meant.kind, qualifiers, text, written, sure=sure)


def _states_bandwidth(cell: _Cell) -> bool:
    return any(plausible("interconnect_bandwidth", written.quantity) for written in quantities_in(cell.value, cell.unit))


def _values(
    cell: _Cell, what: Meaning, memory_type: str, tensor: set[str]
) -> Iterator[tuple[dict[str, str], str, Written | None, bool]]:
    if what.kind in {"pcie", "compute_capability"}:
        yield {}, without_marks(cell.value), None, True
        return
    found = [w for w in quantities_in(cell.value, cell.unit) if what.kind in _COUNTED or plausible(what.kind, w.quantity)]
    if what.kind == "peak":
        yield from _peaks(cell, what, found, tensor)
        return
    for written in found[:1] if what.kind != "interconnect_bandwidth" else found:
        yield _qualifiers(cell, what.kind, written, memory_type), _text(cell, what.kind, written), written, not written.implied or bool(cell.unit)


def _peaks(
    cell: _Cell, what: Meaning, found: Sequence[Written], tensor: set[str]
) -> Iterator[tuple[dict[str, str], str, Written | None, bool]]:
    for number, written in enumerate(found[:2]):
        # A label's mark holds for all figures in the row; one behind a figure for that alone.
        label_marks = marks_in(cell.label) if len(found) == 1 or not any(marks_in(cell.value)) else ()
        own = cell.value[written.start : written.end + 24] if len(found) > 1 else cell.value
        words = " ".join([cell.label, own, *(cell.notes.get(mark, "") for mark in (*label_marks, *(written.marks if len(found) > 1 else marks_in(cell.value))))])
        sparsity, told = sparsity_of(words)
        if number == 1 and not told:
            continue
        for precision in what.precisions:
            engine, clear = engine_of(cell.label, precision, tensor_elsewhere=precision in tensor and not names_tensor(cell.label))
            yield {"precision": precision, "sparsity": sparsity, "engine": engine}, spelled(written.quantity), written, told or clear


def _qualifiers(cell: _Cell, kind: str, written: Written, memory_type: str) -> dict[str, str]:
    words = f"{cell.label} {cell.value}".casefold()
    if kind == "memory":
        own = _MEMORY_TYPE.search(f"{cell.value} {cell.label}")
        found = own[1] if own else memory_type
        return {"basis": "nominal", **({"memory_type": found} if found else {})}
    if kind == "power":
        term = next((word.upper() for word in ("tdp", "tgp", "tbp") if word in words), "")
        return {"term": term or ("TDP" if "thermal design" in words else "TBP" if "board" in words else "maximum")}
    if kind == "interconnect_bandwidth":
        before = cell.value[: written.start]
        label = re.split(r"[:;,]|\d\s?[GT]B/s", before.strip(" :;,"))[-1].strip() if before.strip() else without_marks(cell.label)
        both = re.search(r"bi-?direction|total|aggregate", words)
        each = re.search(r"uni-?direction|each (?:way|direction)|per direction", words)
        return {"link": label or without_marks(cell.label), "direction": "each" if each else "total" if both else "unstated"}
    return {"term": "MSRP", "new": "yes"} if kind == "price" else {}


def _text(cell: _Cell, kind: str, written: Written) -> str:
    if kind in _COUNTED:
        return f"{written.quantity.value:.0f} {_COUNTED[kind]}"
    return without_marks(cell.value) if written.ranged else spelled(written.quantity)


def _fact(
    document: Document, device_id: DeviceId, cell: _Cell, kind: str, qualifiers: dict[str, str], text: str, written: Written | None,
    *, sure: bool,
) -> Fact:  # fmt: skip  # noqa: PLR0913 - a fact has these parts
    confidence = (_PICTURED if document.media_type == "image" else _PLAIN) if sure else _ASSUMED
    unit = "" if written is None else _COUNTED[kind] if kind in _COUNTED else written.quantity.unit
    key = f"{device_id}\n{kind}\n{sorted(qualifiers.items())}\n{text}\n{cell.span}"
    return Fact(
        id=FactId(hashlib.sha256(key.encode()).hexdigest()[:16]),
        device_id=device_id,
        name=kind,
        value=written.quantity.value if written else None,
        unit=unit,
        text=text,
        qualifiers=tuple(sorted(qualifiers.items())),
        document_id=document.id,
        start=cell.span[0],
        end=cell.span[1],
        source=document.title,
        as_of=document.as_of,
        level="document",
        confidence=confidence,
    )


def _id(document: Document, device: str) -> DeviceId:
    return DeviceId(f"{slug(PurePosixPath(document.path).stem)}--{slug(device)}")


def _device(document: Document, name: str, cells: Sequence[_Cell], facts: tuple[Fact, ...]) -> Device:
    words = f"{name} {document.title}"
    maker = maker_of(name, document.title)
    kind = next((kind for pattern, kind in _KINDS if re.search(pattern, words, re.IGNORECASE)), "device")
    told = {what.kind: without_marks(cell.value) for cell in cells if (what := meaning_of(cell.label)) and what.kind in {"form_factor", "architecture"}}
    full = name if not maker or maker_of(name) else f"{maker} {name}"
    return Device(
        id=_id(document, name),
        vendor=maker,
        name=full,
        family="",
        aliases=(name,) if full != name else (),
        variant="",
        kind=kind,
        segment="",
        form_factor=told.get("form_factor", ""),
        architecture=told.get("architecture", ""),
        scope="device",
        released="",
        # A document that the owner adds is of something that can be had.
        status="current",
        acquire=("buy",),
        document_id=document.id,
        facts=facts,
        from_document=True,
    )
