import pytest

from indexer.checking.documents import check_documents
from indexer.extract import extract_devices
from indexer.joining import conflicts, make_catalog
from indexer.types import Device, DeviceId, DocumentId, Fact, FactId
from tests.indexer.parsing.papers import docx_sheet, parsed, pdf_sheet, xlsx_sheet


def told(device):
    return {
        (f.name, f.qualifier("precision"), f.qualifier("sparsity"), f.text) for f in device.facts
    }


def stated(device, name):
    found = device.find(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "sheet", [("x100.pdf", pdf_sheet()), ("x100.docx", docx_sheet())], ids=["pdf", "docx"]
)
def test_variant_columns_become_devices_with_typed_facts(sheet):
    devices = {device.name: device for device in extract_devices(parsed(*sheet))}

    assert set(devices) == {"X100 PCIe", "X100 SXM"}
    assert told(devices["X100 SXM"]) == {
        ("peak", "fp32", "dense", "12 TFLOPS"),
        ("peak", "bf16", "sparse", "1400 TFLOPS"),
        ("memory", "", "", "64 GB"),
        ("memory_bandwidth", "", "", "2.4 TB/s"),
        ("power", "", "", "450 W"),
    }


def test_rows_of_devices_take_their_units_from_the_header():
    first, second = extract_devices(parsed("cards.xlsx", xlsx_sheet()))

    assert (first.name, second.name) == ("Acme X100", "Acme X200")
    assert ("memory_bandwidth", "", "", "4100.5 GB/s") in told(second)


def test_a_fact_names_the_span_that_states_it_and_how_sure_it_is():
    document = parsed("x100.pdf", pdf_sheet())
    fact = stated(extract_devices(document)[0], "memory")

    assert (
        document.text[fact.start : fact.end]
        == "GPU Memory; X100 PCIe: 48GB HBM3; X100 SXM: 64GB HBM3"
    )
    assert (fact.level, fact.qualifier("memory_type")) == ("document", "HBM3")
    assert 0.5 < fact.confidence < 1.0


def test_base_units_become_those_that_people_say():
    text = "Name,Memory (bytes),Memory bandwidth (byte/s),FP16 performance (FLOP/s)\nAcme X1,80000000000.0,3350000000000.0,989400000000000.0\n"

    (device,) = extract_devices(parsed("chips.csv", text))

    assert told(device) == {
        ("memory", "", "", "80 GB"),
        ("memory_bandwidth", "", "", "3350 GB/s"),
        ("peak", "fp16", "dense", "989.4 TFLOPS"),
    }


def test_two_figures_in_a_cell_are_dense_and_sparse():
    text = "<table><tr><th></th><th>Acme X2</th></tr><tr><td>FP8 Tensor Core</td><td>990 TFLOPS | 1,980 TFLOPS*</td></tr><tr><td>Memory bandwidth</td><td>2 TB/s</td></tr></table><p>* With sparsity</p>"

    (device,) = extract_devices(parsed("x2.html", f"<html><body>{text}</body></html>"))

    assert {
        ("peak", "fp8", "dense", "990 TFLOPS"),
        ("peak", "fp8", "sparse", "1980 TFLOPS"),
    } <= told(device)


def test_instances_and_sales_are_no_devices():
    assert extract_devices(parsed("machines.csv", "Name,vCPUs,Memory (GiB)\nm5.large,2,8\n")) == ()
    assert extract_devices(parsed("sales.csv", "Product,Units,Price (USD)\nCarretera,12,3\n")) == ()


def known(device_id, name, *facts, family=""):
    return Device(
        id=DeviceId(device_id), vendor="Acme", name=name, family=family, aliases=(), variant="", kind="gpu", segment="",
        form_factor="", architecture="", scope="device", released="", status="current", acquire=("buy",),
        document_id=DocumentId(f"hardware/{device_id}"), facts=facts,
    )  # fmt: skip


def fact(name, value, unit, **qualifiers):
    return Fact(
        id=FactId(f"{name}{value}"), device_id=DeviceId("x"), name=name, value=value, unit=unit, text=f"{value:g} {unit}",
        qualifiers=tuple(sorted(qualifiers.items())), document_id=DocumentId("hardware/x"), start=0, end=9, source="s", as_of="2026-01-01",
        level="vendor",
    )  # fmt: skip


def test_an_exact_name_joins_and_agreeing_facts_gain_a_second_place():
    sheet = known("x100-sxm", "X100 SXM", fact("memory_bandwidth", 2400.0, "GB/s"))

    catalog = make_catalog([sheet, *extract_devices(parsed("x100.pdf", pdf_sheet()))], (), ())

    joined = catalog.by_id[sheet.id]
    assert [place.document_id for place in stated(joined, "memory_bandwidth").also] == ["x100.pdf"]
    assert stated(joined, "memory").text == "64 GB"
    assert not list(conflicts(catalog))


def test_a_contradiction_is_kept_and_told():
    sheet = known("x100-sxm", "X100 SXM", fact("power", 700.0, "W", term="TDP"))

    catalog = make_catalog([sheet, *extract_devices(parsed("x100.pdf", pdf_sheet()))], (), ())

    (conflict,) = conflicts(catalog)
    assert (conflict.known.text, conflict.added.text) == ("700 W", "450 W")


def test_a_name_for_several_variants_joins_only_by_their_memory():
    small = known(
        "x100-sxm-32gb",
        "X100 SXM 32 GB",
        fact("memory", 32.0, "GB", basis="nominal"),
        family="X100 SXM",
    )
    large = known(
        "x100-sxm-64gb",
        "X100 SXM 64 GB",
        fact("memory", 64.0, "GB", basis="nominal"),
        family="X100 SXM",
    )

    catalog = make_catalog(
        [small, large, *extract_devices(parsed("x100.pdf", pdf_sheet()))], (), ()
    )

    assert catalog.by_id[small.id].find("power") is None
    assert stated(catalog.by_id[large.id], "power").text == "450 W"


def test_joining_leaves_what_is_stored_untouched():
    devices = [known("x100-sxm", "X100 SXM"), *extract_devices(parsed("x100.pdf", pdf_sheet()))]

    once = make_catalog(devices, (), ())

    assert make_catalog(once.raw, (), ()) == once


def test_the_check_tells_contradictions_and_files_that_cannot_be_used(tmp_path):
    sheet = """---
id: x100-sxm
vendor: Acme
name: X100 SXM
kind: gpu
facts:
  - {fact: power, value: 700 W, term: TDP, source: s, as_of: 2026-01-01, level: vendor}
---
# X100 SXM
"""
    for path, content in (
        ("corpus/hardware/x100.md", sheet.encode()),
        ("added/x100.pdf", pdf_sheet()),
        ("added/b.pdf", b"no"),
    ):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    found = {
        (finding.path, finding.value)
        for finding in check_documents(tmp_path / "corpus", tmp_path / "added")
    }

    assert found == {("x100.pdf", "450 W"), ("b.pdf", "")}
