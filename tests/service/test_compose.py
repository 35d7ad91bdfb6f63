"""What an answer is put together from: corrections, variants, differences, notes."""

from __future__ import annotations

import pytest

from service.types import Question


def answered(engine, text: str):
    return engine.answer(Question(text=text))


def test_a_false_premise_is_put_right_first(sheet_engine):
    answer = answered(sheet_engine, "How fast is the HBM3 of the RTX 4090?")
    assert "has no HBM3" in answer.statements[0].text
    assert "GDDR6X" in answer.statements[0].text


def test_a_right_premise_is_not_corrected(sheet_engine):
    answer = answered(sheet_engine, "How fast is the HBM3 of the H100 SXM?")
    assert "has no" not in answer.text


def test_an_ambiguous_name_is_answered_for_all_its_variants(sheet_engine):
    text = answered(sheet_engine, "How much memory does the A100 have?").text
    assert "40 GB of HBM2 memory" in text
    assert "80 GB of HBM2e memory" in text


def test_variants_that_agree_are_said_together_with_both_citations(sheet_engine):
    answer = answered(sheet_engine, "What is the TDP of the A100?")
    assert "400 W" in answer.statements[0].text
    assert len(answer.statements[0].quotes) == 2


def test_a_named_variant_is_answered_alone(sheet_engine):
    answer = answered(sheet_engine, "How much power does the H100 PCIe draw?")
    assert "350 W" in answer.text
    assert "TDP of 700 W" not in answer.text


def test_the_dense_figure_stands_before_the_sparse_one(sheet_engine):
    text = answered(sheet_engine, "bf16 peak of the H100 SXM?").text
    assert text.index("989.4") < text.index("1,979")


def test_a_comparison_has_a_ratio_and_a_table(sheet_engine):
    answer = answered(sheet_engine, "Compare the memory of the A40 and the MI300X")
    # 192 / 48 = 4
    assert "(4 times)" in answer.text
    assert answer.table.header == ("", "NVIDIA A40", "AMD Instinct MI300X")


def test_two_capacities_of_one_family_are_compared(sheet_engine):
    answer = answered(sheet_engine, "Compare memory bandwidth: A100 40GB vs A100 80GB")
    assert answer.intent == "compare"
    assert "1,555 GB/s" in answer.text
    assert "2,039 GB/s" in answer.text


def test_a_release_date_cites_the_line_that_states_it(sheet_engine):
    answer = answered(sheet_engine, "When was the MI300X released?")
    assert "2023-12" in answer.text
    assert "released: 2023-12" in [citation.quote for citation in answer.citations]


def test_guidance_is_taken_from_articles_word_for_word(sheet_engine):
    answer = answered(sheet_engine, "How much capacity does RAID 6 lose for training data disks?")
    quotes = {citation.quote for citation in answer.citations}
    assert "RAID 6 loses the capacity of two disks, whatever the number of disks." in quotes


def test_no_statement_is_said_twice(sheet_engine):
    statements = [
        one.text for one in answered(sheet_engine, "H100 SXM memory and power").statements
    ]
    assert len(statements) == len(set(statements))


@pytest.mark.parametrize(
    "text",
    [
        "How much memory does the A100 have?",
        "Compare the H100 SXM and the H100 PCIe",
        "bf16 peak of the H100?",
        "RTX 4090 laptop or desktop memory?",
        "Does the A100 support fp8?",
    ],
)
def test_statements_read_as_sentences(text, sheet_engine):
    for statement in answered(sheet_engine, text).statements:
        assert statement.text[0].isupper()
        assert statement.text.endswith((".", "!"))
        assert "  " not in statement.text
