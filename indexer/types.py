"""The values that flow through the index: documents, passages, facts, and the catalog made of facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NewType

DocumentId = NewType("DocumentId", str)
PassageId = NewType("PassageId", str)
FactId = NewType("FactId", str)
DeviceId = NewType("DeviceId", str)
GenerationId = NewType("GenerationId", str)

DocumentKind = Literal["guidance", "hardware", "offers", "benchmarks", "models", "user"]
PassageKind = Literal["prose", "facts", "table"]
# "document": read by rule from a table of a document that the owner added.
Level = Literal["vendor", "secondary", "derived", "unconfirmed", "document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a statement comes from: one entry of a document's `sources`."""

    key: str
    title: str
    url: str = ""
    publisher: str = ""
    as_of: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a document's structure: `text[start:end]` of it, under its headings.

    `kind` is "prose" for paragraphs and lists, "table" for a table, "facts" for typed fact lines.
    `rows` holds the spans of a table's data rows (or of the fact lines); `header` and `cells` the same rows as
    strings; `lead` what each group of rows repeats (caption, header, units, footnotes): embedded with the rows,
    not part of their span. `found_by` is what each row is embedded as where that is not its text.
    """

    kind: PassageKind
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    rows: tuple[tuple[int, int], ...] = ()
    header: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()
    lead: str = ""
    found_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed document. All spans count characters of `text`, which is stored with the generation."""

    id: DocumentId
    path: str
    title: str
    kind: DocumentKind
    text: str
    as_of: str = ""
    url: str = ""
    media_type: str = "text/markdown"
    sources: tuple[Source, ...] = ()
    blocks: tuple[Block, ...] = ()
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What is embedded, ranked and cited: `text` is exactly `document.text[start:end]`.

    `embedded` is what the embedder and the lexical leg see: title, headings and table header before the text.
    """

    id: PassageId
    document_id: DocumentId
    kind: PassageKind
    start: int
    end: int
    text: str
    embedded: str
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a prose passage: the smallest thing that is cited. Spans count the document's characters."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A span of a document's text."""

    document_id: DocumentId
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One typed fact about a device, and the span that states it.

    `value` is None for facts in words. `unit` is spelled as in the source ("GB", "GiB", "TFLOPS", "W").
    `qualifiers` are sorted pairs such as ("precision", "bf16"), ("sparsity", "dense"). `confidence` is below 1 where a
    rule read the fact out of a foreign table; `also` are places in added documents that state the same.
    """

    id: FactId
    device_id: DeviceId
    name: str
    value: float | None
    unit: str
    text: str
    qualifiers: tuple[tuple[str, str], ...]
    document_id: DocumentId
    start: int
    end: int
    source: str
    as_of: str
    level: Level
    confidence: float = 1.0
    also: tuple[Place, ...] = ()

    def qualifier(self, key: str) -> str:
        """The qualifier of that name, or an empty string."""
        return dict(self.qualifiers).get(key, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A spec sheet as values. `family` is the ambiguous short name that its variants share, or empty.

    `from_document`: no spec sheet names it, a table of an added document does.
    """

    id: DeviceId
    vendor: str
    name: str
    family: str
    aliases: tuple[str, ...]
    variant: str
    kind: str
    segment: str
    form_factor: str
    architecture: str
    scope: str
    released: str
    status: str
    acquire: tuple[str, ...]
    document_id: DocumentId
    component_id: DeviceId | None = None
    component_count: int = 0
    facts: tuple[Fact, ...] = ()
    from_document: bool = False

    def find(self, name: str, **qualifiers: str) -> Fact | None:
        """The first fact of that name whose qualifiers include the given ones, in the sheet's order."""
        wanted = qualifiers.items()
        for fact in self.facts:
            if fact.name == name and all(fact.qualifier(key) == value for key, value in wanted):
                return fact
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A machine for rent: one row of `corpus/offers/`, with the span that states it.

    `device_id` is None for a machine without an accelerator. Memory is in decimal GB as the maker prints it.
    """

    id: str
    provider: str
    region: str
    residency: str
    instance: str
    tenancy: str
    device_id: DeviceId | None
    count: int
    memory_each_gb: float | None
    vcpus: float | None
    ram_gib: float | None
    on_demand_usd_per_hour: float | None
    spot_usd_per_hour: float | None
    as_of: str
    source: str
    note: str
    document_id: DocumentId
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A row of `corpus/models/`: the cells by column name, and the span that states them."""

    name: str
    aliases: tuple[str, ...]
    cells: Mapping[str, str]
    document_id: DocumentId
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The typed side of a generation, in the order of ids.

    `raw` are the devices as each document states them, before those of added documents are joined to known ones
    (indexer.joining); it is what is stored.
    """

    devices: tuple[Device, ...] = ()
    offers: tuple[Offer, ...] = ()
    models: tuple[ModelRow, ...] = ()
    by_id: Mapping[DeviceId, Device] = field(default_factory=dict)
    raw: tuple[Device, ...] = ()
