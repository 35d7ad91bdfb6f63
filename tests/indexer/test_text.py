"""Sentences with their spans, and the tokens of the lexical leg."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.text import lexical_tokens, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_sentences_are_cut_at_full_stops_and_questions():
    text = "The card has HBM. Does it matter? It does."
    assert sentences(text) == ["The card has HBM.", "Does it matter?", "It does."]


@pytest.mark.parametrize(
    "text",
    [
        "The H100 reads 3.35 TB/s and the A100 reads 2.04 TB/s.",
        "PCIe 4.0 x16 gives 31.5 GB/s in each direction.",
        "Cards of one maker, e.g. NVIDIA, share one driver.",
        "The rate was 0.5 vs. 0.7 in the second run.",
    ],
    ids=["decimals", "versions", "e.g.", "vs."],
)
def test_a_full_stop_inside_a_sentence_does_not_cut_it(text):
    assert sentences(text) == [text]


def test_footnote_marks_end_a_sentence_and_stay_outside():
    text = "ECC corrects one bit.[^primer] It costs memory.[^a][^b]\nA third line."
    assert sentences(text) == ["ECC corrects one bit.", "It costs memory.", "A third line."]


def test_items_of_a_list_are_sentences_without_their_marks():
    text = "- A card of 24 GB\n- A card of 48 GB\n1. First step\n2) Second step"
    assert sentences(text) == [
        "A card of 24 GB",
        "A card of 48 GB",
        "First step",
        "Second step",
    ]


def test_a_number_that_ends_a_sentence_inside_a_line_is_no_mark_of_a_list():
    text = "Take the third row. 80. Then stop."
    assert "".join(sentences(text)).replace(" ", "") == text.replace(" ", "")


def test_a_sentence_may_run_over_a_line_end():
    assert sentences("The card has\n24 GB of memory.") == ["The card has\n24 GB of memory."]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "[^a]", "- "])
def test_a_text_without_words_has_no_sentences(text):
    assert sentences(text) in ([], ["-"])


@given(st.text(alphabet="aB1.!?\n- [^]|#é汉", max_size=200))
def test_spans_ascend_do_not_overlap_and_hold_no_outer_blanks(text):
    spans = sentence_spans(text)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("80GB", ["80", "gb"]),
        ("80 GB", ["80", "gb"]),
        ("H100-SXM", ["h100", "sxm"]),
        ("1,979 TFLOPS", ["1979", "tflop"]),
        ("3.35TB", ["3.35", "tb"]),
        ("MI300X", ["mi300x"]),
        ("８０ＧＢ", ["80", "gb"]),
    ],
)
def test_units_and_part_numbers_as_tokens(text, tokens):
    assert lexical_tokens(text) == tokens


def test_words_are_stemmed_and_stop_words_left_out():
    assert lexical_tokens("How do I train the models?") == lexical_tokens("trains model")


def test_chinese_gives_overlapping_pairs():
    assert lexical_tokens("显存大小") == ["显存", "存大", "大小"]


def test_one_chinese_character_is_a_token():
    assert lexical_tokens("卡") == ["卡"]


@given(st.text(max_size=200))
def test_any_text_has_tokens_without_blanks(text):
    assert all(token and not token.isspace() for token in lexical_tokens(text))
