"""Markdown becomes blocks with headings and exact spans."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import CorpusError
from indexer.parsing import SourceFile, parse_document
from indexer.parsing.markdown import parse
from indexer.types import Document

ARTICLE = """\
---
title: RAID for data
as_of: 2026-12-01
sources:
  primer: {title: "RAID primer", url: "https://example.org/raid"}
---

# RAID for data

Opening words.

## Capacity

RAID 6 loses two disks.[^primer]
It keeps the rest.

- item one
- item two

| level | disks lost |
|---|---|
| RAID 6 | 2 |
| RAID 10 | half |

### Speed

Closing words.
"""
SHEET = """\
---
id: acme-one
name: Acme One
facts:
  - {fact: memory, value: 80 GB, source: sheet, as_of: 2024-09-01, level: vendor}
  - {fact: power, value: 300 W, term: TDP, source: sheet, as_of: 2025-01-01, level: vendor}
---

# Acme One

Words.
"""


def parsed(text: str, path: str = "guidance/storage/raid.md") -> Document:
    return parse(SourceFile(path=path, content=text.encode()))


def shown(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def test_title_date_and_sources_come_from_the_front_matter():
    document = parsed(ARTICLE)
    assert (document.title, document.as_of) == ("RAID for data", "2026-12-01")
    assert document.sources[0].url == "https://example.org/raid"


def test_blocks_stand_under_their_headings():
    paths = [block.heading_path for block in parsed(ARTICLE).blocks]
    assert paths[0] == ("RAID for data",)
    assert paths[-1] == ("RAID for data", "Capacity", "Speed")


def test_blocks_show_the_text_without_headings_and_front_matter():
    texts = shown(parsed(ARTICLE))
    assert texts[1] == "RAID 6 loses two disks.[^primer]\nIt keeps the rest."
    assert texts[2] == "- item one\n- item two"


def test_a_table_has_its_rows_as_spans_and_its_header_as_lead():
    document = parsed(ARTICLE)
    table = next(block for block in document.blocks if block.kind == "table")
    rows = [document.text[start:end] for start, end in table.rows]
    assert rows == ["| RAID 6 | 2 |", "| RAID 10 | half |"]
    assert table.header == ("level", "disks lost")


def test_fact_lines_of_a_spec_sheet_are_rows_without_their_braces():
    document = parsed(SHEET, "hardware/acme/acme-one.md")
    rows = [document.text[start:end] for start, end in document.blocks[0].rows]
    assert rows[0].startswith("fact: memory, value: 80 GB")
    assert rows[0].endswith("level: vendor")


def test_a_spec_sheet_has_the_date_of_its_newest_fact():
    assert parsed(SHEET, "hardware/acme/acme-one.md").as_of == "2025-01-01"


def test_fact_lines_outside_hardware_are_no_facts():
    assert "facts" not in {block.kind for block in parsed(SHEET, "guidance/x.md").blocks}


def test_a_file_without_front_matter_is_titled_by_its_first_heading():
    assert parsed("# Cooling\n\nWords.\n").title == "Cooling"


def test_a_file_without_headings_is_titled_by_its_name():
    assert parsed("Just words.\n").title == "raid"


def test_line_ends_of_other_systems_become_one_newline():
    document = parsed("# Title\r\n\r\nOne.\r\n\r\nTwo.\r")
    assert shown(document) == ["One.", "Two."]


def test_code_is_prose_of_its_own():
    assert shown(parsed("# T\n\n```\npip install x\n```\n")) == ["```\npip install x\n```"]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# Only a heading\n"], ids=["empty", "blank", "heading"]
)
def test_a_file_without_text_is_refused(text):
    with pytest.raises(CorpusError):
        parse_document(SourceFile(path="guidance/x.md", content=text.encode()))


def test_bytes_that_are_no_text_are_refused_with_the_line():
    with pytest.raises(CorpusError) as caught:
        parse(SourceFile(path="guidance/x.md", content=b"fine\nnot \xff fine"))
    assert caught.value.line == 2


def test_broken_front_matter_is_refused():
    with pytest.raises(CorpusError):
        parsed("---\ntitle: [unclosed\n---\n\nWords.\n")


@given(st.text(alphabet="ab \n#-|`>1.é汉*_[]()", max_size=300))
def test_blocks_of_any_text_ascend_and_lie_within_it(text):
    document = parsed(text)
    spans = [(block.start, block.end) for block in document.blocks]
    assert all(0 <= start < end <= len(document.text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
