"""The calls that browse, and those that change the documents."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from rigwise.client.calls import Call, reading, segment
from service.http.managing import JobBody, StoredBody
from service.http.queries import Kind, Segment, Status
from service.http.schemas import (
    DevicePage,
    DocumentBody,
    DocumentPage,
    OfferPage,
    PassageBody,
    SearchResponse,
)


class DeviceFilters(TypedDict, total=False):
    """Which devices; all that are given have to hold."""

    vendor: str
    kind: Kind
    segment: Segment
    status: Status
    min_memory_gb: float
    q: str
    limit: int
    offset: int


class OfferFilters(TypedDict, total=False):
    """Which machines for rent; all that are given have to hold."""

    device: str
    provider: str
    region: str
    max_usd_per_hour: float
    limit: int
    offset: int


def search(text: str, *, limit: int = 10) -> Call[SearchResponse]:
    """The best passages for a text, best first."""
    params = {"q": text, "limit": limit}
    return Call(method="GET", path="/v1/search", params=params, read=reading(SearchResponse))


def passage(passage_id: str) -> Call[PassageBody]:
    """One passage, as citations name it."""
    path = f"/v1/passages/{segment(passage_id)}"
    return Call(method="GET", path=path, read=reading(PassageBody))


def devices(**filters: Unpack[DeviceFilters]) -> Call[DevicePage]:
    """Devices that pass all filters, by id."""
    return Call(method="GET", path="/v1/devices", params=_given(filters), read=reading(DevicePage))


def offers(**filters: Unpack[OfferFilters]) -> Call[OfferPage]:
    """Machines for rent that pass all filters, cheapest first."""
    return Call(method="GET", path="/v1/offers", params=_given(filters), read=reading(OfferPage))


def documents(*, limit: int = 50, offset: int = 0) -> Call[DocumentPage]:
    """All documents by id, without their text."""
    params = {"limit": limit, "offset": offset}
    return Call(method="GET", path="/v1/documents", params=params, read=reading(DocumentPage))


def document(document_id: str) -> Call[DocumentBody]:
    """One document with its text."""
    path = f"/v1/documents/{segment(document_id)}"
    return Call(method="GET", path=path, read=reading(DocumentBody))


def upload(path: str, content: bytes) -> Call[StoredBody]:
    """Store a document of your own under a path with its ending; `job` of the result brings it into the index."""
    place = f"/v1/documents/{segment(path)}"
    return Call(method="PUT", path=place, content=content, read=reading(StoredBody))


def remove(path: str) -> Call[StoredBody]:
    """Remove a document of your own."""
    place = f"/v1/documents/{segment(path)}"
    return Call(method="DELETE", path=place, read=reading(StoredBody))


def job(job_id: str) -> Call[JobBody]:
    """How far a job is that brings the index up to date."""
    path = f"/v1/index/jobs/{segment(job_id)}"
    return Call(method="GET", path=path, read=reading(JobBody))


def _given(filters: DeviceFilters | OfferFilters) -> dict[str, Any]:
    return dict(filters)
