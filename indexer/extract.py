"""Devices and typed facts out of the spec tables of added documents."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from indexer.labels import meaning_of
from indexer.names import maker_of, name_key, slug
from indexer.parsing.footnotes import without_marks
from indexer.spectable import SpecCell, read_cells
from indexer.stated import Around, Stated, memory_type_of, statements, tensor_precisions
from indexer.types import Device, DeviceId, Document, Fact, FactId

_KINDS: Final = (
    (r"\bcpu\b|\bprocessor\b|xeon|epyc", "cpu"),
    (r"\btpu\b", "tpu"),
    (
        r"\bgpus?\b|\b(?:[abhlv]|g[bh]|mi)\d{2,3}x?\b|graphics|geforce|radeon|rtx|instinct|tesla",
        "gpu",
    ),
    (r"accelerator|\bnpu\b|\basic\b|trainium|inferentia|gaudi", "asic"),
)
# A table speaks of accelerators when it states one of these; instances and servers have memory and cores too.
_TELLING: Final = frozenset({"peak", "memory_bandwidth"})
_LEAST_FACTS: Final = 2
_PLAIN, _ASSUMED, _PICTURED = 0.95, 0.8, 0.75


def extract_devices(document: Document) -> tuple[Device, ...]:
    """The devices that a document's spec tables describe, with their facts in the order of the tables.

    A device is named as the document names it; whether it is a known one is settled later (indexer.joining).
    """
    tables = (block for block in document.blocks if block.kind == "table")
    cells = [cell for block in tables for cell in read_cells(document, block)]
    tensor = tensor_precisions(cells)
    by_device: dict[str, list[SpecCell]] = {}
    for cell in cells:
        by_device.setdefault(cell.device, []).append(cell)
    devices: dict[tuple[str, ...], Device] = {}
    for name, own in by_device.items():
        around = Around(memory_type=memory_type_of(own), tensor=tensor)
        device_id = _id(document, name)
        facts = _distinct(
            _fact(document, device_id, cell, stated)
            for cell in own
            for stated in statements(cell, around)
        )
        if _is_device(name, own, facts):
            devices.setdefault(name_key(name), _device(document, name, own, facts))
    return tuple(devices.values())


def _is_device(name: str, cells: Sequence[SpecCell], facts: Sequence[Fact]) -> bool:
    told = any(fact.name in _TELLING for fact in facts)
    told = told or any(cell.label.startswith("accelerator") for cell in cells)
    return told and len(facts) >= _LEAST_FACTS and bool(name_key(name)) and " / " not in name


def _distinct(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The first of those that say the same."""
    kept: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        kept.setdefault((fact.name, fact.text, fact.qualifiers), fact)
    return tuple(kept.values())


def _fact(document: Document, device_id: DeviceId, cell: SpecCell, stated: Stated) -> Fact:
    qualifiers = tuple(sorted(stated.qualifiers.items()))
    key = f"{device_id}\n{stated.kind}\n{qualifiers}\n{stated.text}\n{cell.span}"
    sure = _PICTURED if document.media_type == "image" else _PLAIN
    return Fact(
        id=FactId(hashlib.sha256(key.encode()).hexdigest()[:16]),
        device_id=device_id,
        name=stated.kind,
        value=stated.written.quantity.value if stated.written else None,
        unit=stated.unit,
        text=stated.text,
        qualifiers=qualifiers,
        document_id=document.id,
        start=cell.span[0],
        end=cell.span[1],
        source=document.title,
        as_of=document.as_of,
        level="document",
        confidence=sure if stated.sure else _ASSUMED,
    )


def _id(document: Document, device: str) -> DeviceId:
    return DeviceId(f"{slug(PurePosixPath(document.path).stem)}--{slug(device)}")


def _device(
    document: Document, name: str, cells: Sequence[SpecCell], facts: tuple[Fact, ...]
) -> Device:
    words = f"{name} {document.title}"
    maker = maker_of(name, document.title)
    kind = next(
        (kind for pattern, kind in _KINDS if re.search(pattern, words, re.IGNORECASE)), "device"
    )
    told = {
        what.kind: without_marks(cell.value)
        for cell in cells
        if (what := meaning_of(cell.label)) and what.kind in {"form_factor", "architecture"}
    }
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
