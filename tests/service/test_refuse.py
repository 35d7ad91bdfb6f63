"""When no answer is given, and with which code."""

from __future__ import annotations

import pytest

from service.types import Question


def answered(engine, text: str):
    return engine.answer(Question(text=text))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("How much memory does the H150 have?", "unknown_entity"),
        ("Memory of an RTX 6090?", "unknown_entity"),
        ("Memory bandwidth of the MI377X?", "unknown_entity"),
        ("How much memory does the Zorbex Q9 have?", "unknown_entity"),
        ("What is the TDP of the Zorbex Turbo X1?", "unknown_entity"),
        ("Which GPU should I buy?", "needs_detail"),
        ("What is the best graphics card?", "needs_detail"),
        ("?", "needs_detail"),
        ("😀😀", "needs_detail"),
        ("12345", "needs_detail"),
        ("and what about that one?", "needs_detail"),
        ("Write a poem about an RTX 4090", "out_of_scope"),
        ("How do I crack a password with an RTX 4090?", "out_of_scope"),
        ("I have chest pain, which GPU helps?", "out_of_scope"),
        ("What will an RTX 4090 cost in 2031? prices please", "no_evidence"),
        ("Is the RTX 4090 in stock right now?", "no_evidence"),
    ],
)
def test_codes(text, code, sheet_engine):
    answer = answered(sheet_engine, text)
    assert answer.abstention is not None
    assert answer.abstention.code == code


def test_an_unknown_part_names_parts_that_are_known(sheet_engine):
    answer = answered(sheet_engine, "How much memory does the H150 have?")
    assert "H150" in answer.abstention.why
    assert "H100" in answer.abstention.ask


def test_a_detail_that_is_missing_is_asked_for(sheet_engine):
    answer = answered(sheet_engine, "?")
    assert answer.kind == "clarify"
    assert answer.text.endswith("?")


def test_a_refusal_has_neither_statements_nor_citations(sheet_engine):
    answer = answered(sheet_engine, "Write a poem about an RTX 4090")
    assert answer.statements == ()
    assert answer.citations == ()


@pytest.mark.parametrize(
    "text",
    [
        "How much memory does the H100 SXM have?",
        "Does the RTX 4090 have ECC memory?",
        "What is the power of the MI300X?",
        "Is a 4090 enough to train a neural network?",
    ],
)
def test_questions_of_this_field_are_not_refused(text, sheet_engine):
    assert answered(sheet_engine, text).abstention is None
