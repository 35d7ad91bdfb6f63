"""The documents of strangers beside the checkout: read where they are, never copied."""

import json
from pathlib import Path

import pytest

from indexer.errors import CorpusError
from indexer.extract import extract_devices
from indexer.parsing.sandbox import parse_safely, read_source

FOLDER = Path(__file__).parents[3] / "shared" / "documents"
FACTS = json.loads(
    (Path(__file__).parents[1] / "golden" / "document_facts.json").read_text(encoding="utf-8")
)

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(
        not FOLDER.is_dir(), reason="no folder shared/documents beside the checkout"
    ),
]


def load(name):
    return parse_safely(read_source(FOLDER / name, name))


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact["question"][:40])
def test_each_fact_picked_by_eye_stands_in_one_row_on_its_page(fact):
    document = load(fact["document"])
    rows = [
        (block.page, document.text[start:end])
        for block in document.blocks
        for start, end in block.rows
    ]
    figure = f"{fact['value']:g}"

    found = [row for page, row in rows if page == fact["page"] and figure in row.replace(",", "")]

    assert any(all(word in row.casefold() for word in fact["words"]) for row in found)


def test_all_documents_with_text_are_read():
    names = sorted(
        path.name for path in FOLDER.iterdir() if path.suffix != ".csv" or path.name[0].isdigit()
    )

    refused = []
    for name in names:
        try:
            assert load(name).blocks
        except CorpusError as error:
            refused.append((name, error.reason))

    assert all(name.startswith("08_") and "ocr" in reason for name, reason in refused)


def test_the_data_sheet_yields_both_variants_with_their_sparsity():
    devices = {
        device.name: device
        for device in extract_devices(load("02_nvidia_h100_tensor_core_brief.pdf"))
    }

    assert set(devices) == {"NVIDIA H100 SXM", "NVIDIA H100 NVL"}
    fp8 = devices["NVIDIA H100 NVL"].find("peak", precision="fp8", sparsity="sparse")
    fp64 = devices["NVIDIA H100 NVL"].find("peak", precision="fp64", engine="tensor")
    assert fp8 is not None
    assert fp64 is not None
    assert (fp8.value, fp64.qualifier("sparsity")) == (3341, "dense")
