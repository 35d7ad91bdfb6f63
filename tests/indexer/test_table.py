"""CSV rows become lines that can be read and quoted alone."""

from __future__ import annotations

import pytest

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.table import parse
from indexer.types import Document

OFFERS = (
    "provider,instance,ram_gib,on_demand_usd_per_hour,as_of\n"
    'acme,one.large,64,2.50,2026-07-20\nacme,"two, large",,0.75,2026-08-01\n'
)


def parsed(text: str, path: str = "offers/acme.csv") -> Document:
    return parse(SourceFile(path=path, content=text.encode()))


def test_a_row_reads_as_names_values_and_units():
    first = parsed(OFFERS).text.split("\n")[0]
    assert (
        first
        == "provider: acme; instance: one.large; ram: 64 GiB; on demand: 2.50 USD/h; as of: 2026-07-20"
    )


def test_empty_cells_are_left_out_and_quoted_commas_kept():
    second = parsed(OFFERS).text.split("\n")[1]
    assert "ram" not in second
    assert "instance: two, large" in second


def test_each_row_has_its_span():
    document = parsed(OFFERS)
    rows = [document.text[start:end] for start, end in document.blocks[0].rows]
    assert rows == document.text.split("\n")


def test_the_document_is_as_new_as_its_newest_row():
    assert parsed(OFFERS).as_of == "2026-08-01"


@pytest.mark.parametrize(
    ("column", "cell", "line"),
    [
        ("memory_gb", "80", "memory: 80 GB"),
        ("memory_gib", "80", "memory: 80 GiB"),
        ("bandwidth_gb_s", "3350", "bandwidth: 3350 GB/s"),
        ("peak_tflops", "989.4", "peak: 989.4 TFLOPS"),
        ("train_min", "12.5", "train: 12.5 min"),
        ("speed_tokens_per_s", "1,200", "speed: 1,200 tokens/s"),
        ("power_w", "about 300", "power: about 300"),
        ("plain", "7", "plain: 7"),
    ],
)
def test_the_end_of_a_column_name_gives_the_unit(column, cell, line):
    quoted = f'"{cell}"'
    assert parsed(f"id,{column}\n1,{quoted}\n").text == f"id: 1; {line}"


@pytest.mark.parametrize(
    "text",
    ["", "only\n1\n", "a,b\n1\n", "a,b\n1,2,3\n"],
    ids=["empty", "one column", "short", "long"],
)
def test_a_table_that_is_none_is_refused(text):
    with pytest.raises(CorpusError):
        parsed(text)


def test_a_table_without_rows_has_no_blocks():
    assert parsed("a,b\n").blocks == ()
