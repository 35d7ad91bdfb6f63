"""Passages: sized by the embedder's count, true to their spans, never across headings, ids from content."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.chunking import chunk_document
from indexer.embedders.hashing import HashingEmbedder
from indexer.parsing import SourceFile
from indexer.parsing.markdown import parse
from indexer.parsing.table import parse as parse_table
from indexer.types import Document, Passage

COUNT = HashingEmbedder().count_tokens
LIMIT = 48
WORDS = st.sampled_from("memory card bandwidth H100 80 GB is fast. slow, and with of".split())
SENTENCE = st.lists(WORDS, min_size=1, max_size=30).map(lambda words: " ".join(words) + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=6).map(" ".join)
LIST = st.lists(SENTENCE, min_size=1, max_size=4).map(
    lambda items: "\n".join(f"- {item}" for item in items)
)
TABLE = st.lists(WORDS, min_size=1, max_size=30).map(
    lambda words: "| part | note |\n|---|---|\n" + "\n".join(f"| {word} | x |" for word in words)
)
HEADING = st.sampled_from(["# Memory", "## Cards", "### Speed", "## Power"])
ARTICLE = st.lists(st.one_of(HEADING, PARAGRAPH, LIST, TABLE), min_size=1, max_size=8).map(
    "\n\n".join
)


def parsed(text: str) -> Document:
    content = f"---\ntitle: Cards\n---\n\n{text}".encode()
    return parse(SourceFile(path="guidance/memory/cards.md", content=content))


def passages(text: str, *, limit: int = LIMIT) -> list[Passage]:
    return chunk_document(parsed(text), COUNT, max_tokens=limit)


@given(ARTICLE)
def test_no_passage_is_longer_than_the_embedder_reads(text):
    assert all(COUNT(passage.embedded) <= LIMIT for passage in passages(text))
    assert all(passage.tokens == COUNT(passage.embedded) for passage in passages(text))


@given(ARTICLE)
def test_a_passage_is_its_span_of_the_document(text):
    document = parsed(text)
    for passage in chunk_document(document, COUNT, max_tokens=LIMIT):
        assert passage.text == document.text[passage.start : passage.end]


@given(ARTICLE)
def test_passages_cover_every_word_of_the_blocks_once_and_in_order(text):
    document = parsed(text)
    found = [word for passage in passages(text) for word in passage.text.split()]
    told = [
        word
        for block in document.blocks
        for start, end in (block.rows or ((block.start, block.end),))
        for word in document.text[start:end].split()
    ]
    assert [word for word in found if word != "-"] == [word for word in told if word != "-"]


@given(ARTICLE)
def test_passages_of_a_document_ascend_and_do_not_overlap(text):
    found = passages(text)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))


@given(ARTICLE)
def test_no_passage_crosses_a_heading(text):
    assert all("\n#" not in passage.text for passage in passages(text))


@given(ARTICLE)
def test_ids_are_unique_and_the_same_every_time(text):
    ids = [passage.id for passage in passages(text)]
    assert len(ids) == len(set(ids))
    assert ids == [passage.id for passage in passages(text)]


@given(ARTICLE, PARAGRAPH)
def test_ids_do_not_change_when_a_section_before_is_added(text, added):
    before = {passage.id for passage in passages(f"# Cards\n\n## Own\n\n{text}")}
    after = {
        passage.id for passage in passages(f"# Cards\n\n## New\n\n{added}\n\n## Own\n\n{text}")
    }
    assert before <= after


def test_headings_stand_before_the_text_each_once():
    (passage,) = passages("# Cards\n\n## Memory\n\nThe card has 24 GB.")
    assert passage.embedded == "Cards - Memory\nThe card has 24 GB."
    assert passage.heading_path == ("Cards", "Memory")


def test_rows_of_a_table_stay_whole_and_each_group_repeats_the_header():
    rows = "\n".join(f"| card {number} | {number} GB |" for number in range(40))
    found = passages(f"# Cards\n\n| name | memory |\n|---|---|\n{rows}\n")
    lines = [line for passage in found for line in passage.text.split("\n")]
    assert lines == rows.split("\n")
    assert all(passage.embedded.split("\n")[1] == "name | memory" for passage in found)


def test_a_row_that_is_too_long_is_split_at_words():
    row = " ".join(f"word{number}" for number in range(200))
    found = passages(f"# T\n\n| a | b |\n|---|---|\n| {row} | x |\n")
    assert len(found) > 1
    assert all(COUNT(passage.embedded) <= LIMIT for passage in found)


def test_a_word_without_blanks_is_split_where_it_must_be():
    found = chunk_document(parsed("x" * 400), len, max_tokens=60)
    assert "".join(passage.text for passage in found) == "x" * 400
    assert max(len(passage.embedded) for passage in found) <= 60


def test_a_long_heading_does_not_push_the_text_over_the_limit():
    heading = "# " + " ".join(f"word{number}" for number in range(60))
    text = " ".join(f"w{number}" for number in range(200))
    found = passages(f"{heading}\n\n{text}.")
    assert max(COUNT(passage.embedded) for passage in found) <= LIMIT


def test_the_same_paragraph_twice_gives_two_ids():
    text = "# T\n\n" + "\n\n".join(["The card has 24 GB of memory and " * 6 + "more."] * 2)
    found = passages(text, limit=64)
    assert len({passage.id for passage in found}) == len(found)


@settings(max_examples=30)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=40))
def test_rows_of_csv_are_whole(rows):
    content = "name,note\n" + "".join(f'"{one}","{other}"\n' for one, other in rows)
    document = parse_table(SourceFile(path="offers/acme.csv", content=content.encode()))
    found = chunk_document(document, COUNT, max_tokens=LIMIT)
    assert "\n".join(passage.text for passage in found) == document.text
