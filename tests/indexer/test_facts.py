"""Typed facts, offers and models, each with the span that states it."""

from __future__ import annotations

import pytest

from indexer.errors import CorpusError
from indexer.facts import OFFER_COLUMNS, read_device, read_models, read_offers
from indexer.parsing import SourceFile, parse_document
from indexer.types import Document, DocumentId

SHEET = """---
id: acme-x1-sxm-80gb
vendor: ACME
name: ACME X1 SXM 80 GB
family: X1
aliases: [X1 SXM, X1 80GB]
variant: SXM, 80 GB
kind: gpu
segment: datacenter
form_factor: SXM5
architecture: Größe
scope: device
released: 2022-10
status: current
acquire: [rent, buy]
sources:
  sheet: {title: "ACME X1 datasheet", as_of: 2024-09-01}
facts:
  - {fact: memory, value: 80 GB, basis: nominal, memory_type: HBM3, ecc: "yes", source: sheet, as_of: 2024-09-01, level: vendor}
  - {fact: peak, value: "1,979 TFLOPS", precision: fp8, sparsity: dense, engine: tensor, source: sheet, as_of: 2024-09-01, level: vendor}
  - {fact: compute_capability, value: 9.0, source: sheet, as_of: 2024-09-01, level: vendor}
---

# ACME X1 SXM 80 GB
"""
MEMORY = (
    'fact: memory, value: 80 GB, basis: nominal, memory_type: HBM3, ecc: "yes", source: sheet, '
    "as_of: 2024-09-01, level: vendor"
)


def document(text: str) -> Document:
    return Document(id=DocumentId("d"), path="hardware/x.md", title="X", kind="hardware", text=text)


def table(folder: str, text: str) -> Document:
    return parse_document(SourceFile(path=f"{folder}/x.csv", content=text.encode()))


def offer_table(**cells: str) -> str:
    row = {
        "provider": "acme",
        "region": "eu-1",
        "instance": "x1.large",
        "device": "acme-x1",
    } | cells
    return ",".join(OFFER_COLUMNS) + "\n" + ",".join(row.get(c, "") for c in OFFER_COLUMNS) + "\n"


def test_fact_has_number_unit_and_its_span():
    fact = read_device(document(SHEET)).facts[0]

    assert (fact.value, fact.unit, fact.text) == (80.0, "GB", "80 GB")
    assert SHEET[fact.start : fact.end] == MEMORY


def test_qualifiers_are_sorted_and_found():
    device = read_device(document(SHEET))

    assert device.facts[0].qualifiers == (
        ("basis", "nominal"),
        ("ecc", "yes"),
        ("memory_type", "HBM3"),
    )
    assert device.find("peak", precision="fp8", sparsity="dense") is device.facts[1]


def test_thousands_and_words_are_read():
    facts = read_device(document(SHEET)).facts

    assert facts[1].value == 1979.0
    assert (facts[2].value, facts[2].text) == (None, "9.0")


def test_dates_stay_as_they_were_written():
    device = read_device(document(SHEET))

    assert device.released == "2022-10"
    assert device.facts[0].as_of == "2024-09-01"


def test_fact_id_depends_on_device_and_text_alone():
    moved = SHEET.replace("aliases: [X1 SXM, X1 80GB]", "aliases: [X1 SXM]")
    renamed = SHEET.replace("id: acme-x1-sxm-80gb", "id: acme-x2")
    first, same, other = (
        read_device(document(text)).facts[0].id for text in (SHEET, moved, renamed)
    )

    assert first == same
    assert first != other
    assert len(first) == 16


def test_fact_without_level_names_its_line():
    broken = SHEET.replace(", level: vendor}\n  - {fact: peak", "}\n  - {fact: peak")

    with pytest.raises(CorpusError, match=r"hardware/x.md:19: the fact has no 'level'"):
        read_device(document(broken))


def test_fact_over_two_lines_is_refused():
    broken = SHEET.replace("value: 80 GB,", "value: 80 GB,\n    ")

    with pytest.raises(CorpusError, match=r":19: a fact is one line"):
        read_device(document(broken))


def test_broken_yaml_names_its_line():
    with pytest.raises(CorpusError, match=r":3: not YAML"):
        read_device(document(SHEET.replace("vendor: ACME", "vendor: ACME: Inc.")))


def test_missing_front_matter_is_named():
    with pytest.raises(CorpusError, match="front matter"):
        read_device(document("# ACME X1\n"))


def test_offer_span_is_its_line():
    parsed = table("offers", offer_table(count="8", on_demand_usd_per_hour="55.04", ram_gib="2048"))
    (offer,) = read_offers(parsed)

    assert (offer.count, offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == (8, 55.04, None)
    assert parsed.text[offer.start : offer.end] == parsed.text.splitlines()[0]


def test_offer_without_accelerator_has_no_device():
    (offer,) = read_offers(table("offers", offer_table(device="", count="")))

    assert (offer.device_id, offer.count) == (None, 0)


def test_price_that_is_no_number_names_its_line():
    with pytest.raises(CorpusError, match=r":2: on_demand_usd_per_hour 'cheap' is not a number"):
        read_offers(table("offers", offer_table(on_demand_usd_per_hour="cheap")))


def test_row_with_too_few_cells_is_refused():
    with pytest.raises(CorpusError, match=r":2: 2 cells where the header names 17 columns"):
        read_offers(table("offers", ",".join(OFFER_COLUMNS) + "\na,b\n"))


def test_models_have_aliases_and_cells():
    text = 'model,aliases,layers\r\nAcme-8B,"Acme 8B; acme-8b",32\r\n'
    parsed = table("models", text)
    (model,) = read_models(parsed)

    assert (model.name, model.aliases, model.cells["layers"]) == (
        "Acme-8B",
        ("Acme 8B", "acme-8b"),
        "32",
    )
    assert "Acme-8B" in parsed.text[model.start : model.end]
