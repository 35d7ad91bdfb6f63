"""What the browsing routes show of a generation: filtering, sorting and paging, as pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from indexer.generation import OpenIndex
from indexer.types import Device, Document, Offer
from service.errors import NotFound
from service.http.queries import DeviceQuery, OfferQuery, Paging
from service.render import plain

_BYTES: Final = {"MB": 1e6, "MiB": 2.0**20, "GB": 1e9, "GiB": 2.0**30, "TB": 1e12, "TiB": 2.0**40}


def page_of(
    rows: Sequence[Any], paging: Paging, index: OpenIndex, show: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """One page of rows, how many there are, and where the next page begins."""
    end = paging.offset + paging.limit
    return {
        "items": [show(row) for row in rows[paging.offset : end]],
        "total": len(rows),
        "limit": paging.limit,
        "offset": paging.offset,
        "next_offset": end if end < len(rows) else None,
        "generation": index.id,
    }


def passage_object(index: OpenIndex, passage_id: str) -> dict[str, Any]:
    """A passage with the document that it is a span of. Raises `NotFound`."""
    passage = next((item for item in index.passages if item.id == passage_id), None)
    if passage is None:
        raise NotFound("passage", passage_id)
    return {
        "id": passage.id,
        "kind": passage.kind,
        "document": _document_head(index.documents[passage.document_id]),
        "heading_path": list(passage.heading_path),
        "page": passage.page,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "generation": index.id,
    }


def documents(index: OpenIndex) -> list[Document]:
    """All documents by id."""
    return sorted(index.documents.values(), key=lambda document: document.id)


def document_summary(index: OpenIndex) -> Callable[[Document], dict[str, Any]]:
    """Shows a document without its text."""
    entries = {entry.id: entry for entry in index.manifest.documents}

    def show(document: Document) -> dict[str, Any]:
        entry = entries.get(document.id)
        return {
            **_document_head(document),
            "media_type": document.media_type,
            "passages": entry.passages if entry else 0,
            "stale": entry.stale if entry else False,
        }

    return show


def document_object(index: OpenIndex, document_id: str) -> dict[str, Any]:
    """A document with its text, sources and passages. Raises `NotFound`."""
    document = next((item for item in index.documents.values() if item.id == document_id), None)
    if document is None:
        raise NotFound("document", document_id)
    return {
        **document_summary(index)(document),
        "sha256": document.sha256,
        "sources": plain(document.sources),
        "passage_ids": [item.id for item in index.passages if item.document_id == document_id],
        "text": document.text,
        "generation": index.id,
    }


def devices(index: OpenIndex, query: DeviceQuery) -> list[Device]:
    """The devices that pass every filter, by id."""
    return [device for device in index.catalog.devices if _device_passes(device, query)]


def device_summary(device: Device) -> dict[str, Any]:
    """A device without its facts; `memory_gb` is the nominal memory in decimal GB."""
    row: dict[str, Any] = plain(device)
    del row["facts"]
    row["memory_gb"] = memory_gb(device)
    return row


def device_object(index: OpenIndex, device_id: str) -> dict[str, Any]:
    """A device with all its facts. Raises `NotFound`."""
    device = next((item for item in index.catalog.devices if item.id == device_id), None)
    if device is None:
        raise NotFound("device", device_id)
    offers = sum(1 for offer in index.catalog.offers if offer.device_id == device_id)
    return {
        **device_summary(device),
        "facts": plain(device.facts),
        "offers": offers,
        "generation": index.id,
    }


def offers(index: OpenIndex, query: OfferQuery) -> list[Offer]:
    """The offers that pass every filter, cheapest on demand first, unknown prices last, then by id."""
    found = [offer for offer in index.catalog.offers if _offer_passes(offer, query)]
    return sorted(found, key=lambda offer: (_price(offer.on_demand_usd_per_hour), offer.id))


def index_object(index: OpenIndex) -> dict[str, Any]:
    """What the generation holds, what it was built with, and which files were refused."""
    manifest = index.manifest
    return {
        "generation": index.id,
        "counts": dict(manifest.counts),
        "embedder": plain(manifest.embedder),
        "fingerprint": manifest.fingerprint,
        "chunker_version": manifest.chunker_version,
        "rejected": [
            {"path": item.path, "line": item.line, "reason": item.reason}
            for item in manifest.rejected
        ],
        "stale": [entry.path for entry in manifest.documents if entry.stale],
    }


def memory_gb(device: Device) -> float | None:
    """The largest nominal memory of a device in decimal GB; None where the sheet states none."""
    sizes = [
        fact.value * _BYTES[fact.unit] / 1e9
        for fact in device.facts
        if fact.name == "memory" and fact.value is not None and fact.unit in _BYTES
    ]
    return round(max(sizes), 3) if sizes else None


def _device_passes(device: Device, query: DeviceQuery) -> bool:
    for wanted, value in (
        (query.vendor, device.vendor),
        (query.kind, device.kind),
        (query.segment, device.segment),
        (query.status, device.status),
    ):
        if wanted is not None and wanted.casefold() != value.casefold():
            return False
    if query.min_memory_gb is not None and (memory_gb(device) or 0.0) < query.min_memory_gb:
        return False
    return _all_words(query.q, (device.id, device.name, device.architecture, *device.aliases))


def _offer_passes(offer: Offer, query: OfferQuery) -> bool:
    for wanted, value in (
        (query.device, offer.device_id or ""),
        (query.provider, offer.provider),
        (query.region, offer.region),
    ):
        if wanted is not None and wanted.casefold() != value.casefold():
            return False
    if query.max_usd_per_hour is None:
        return True
    cheapest = min(_price(offer.on_demand_usd_per_hour), _price(offer.spot_usd_per_hour))
    return cheapest <= query.max_usd_per_hour


def _price(usd_per_hour: float | None) -> float:
    return float("inf") if usd_per_hour is None else usd_per_hour


def _all_words(words: str | None, names: Iterable[str]) -> bool:
    """Whether every word stands somewhere in the names."""
    text = " ".join(names).casefold()
    return all(word in text for word in (words or "").casefold().split())


def _document_head(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "title": document.title,
        "path": document.path,
        "url": document.url,
        "kind": document.kind,
        "as_of": document.as_of,
    }
