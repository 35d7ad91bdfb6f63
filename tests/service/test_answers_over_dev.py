"""Rules of trust over every dev question, on the shipped corpus with the real model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from service.types import Question
from service.verify import verify

DEV = Path(__file__).resolve().parents[3] / "shared" / "questions" / "dev.jsonl"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.model,
    pytest.mark.skipif(not DEV.exists(), reason="no folder shared/ beside the checkout"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def answers(real_engine):
    lines = DEV.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["question"] for line in lines]
    return [(text, real_engine.answer(Question(text=text))) for text in texts]


def test_every_quote_of_every_answer_is_its_span(answers, real_engine):
    documents = real_engine.index().documents
    citations = [citation for _, answer in answers for citation in answer.citations]
    assert len(citations) > 200
    assert [
        one
        for one in citations
        if one.quote != documents[one.document_id].text[one.start : one.end]
    ] == []


def test_every_statement_of_every_answer_verifies(answers, real_engine):
    documents = real_engine.index().documents
    statements = [statement for _, answer in answers for statement in answer.statements]
    assert [one for one in verify(statements, documents) if one.faults] == []


def test_every_question_asked_again_gives_the_same_answer(answers, real_engine):
    for text, first in answers:
        again = real_engine.answer(Question(text=text))
        assert replace(again, timings_ms={}) == replace(first, timings_ms={})


def test_every_statement_has_a_citation_or_a_computation(answers):
    for _, answer in answers:
        for statement, marks in zip(answer.statements, answer.marks, strict=True):
            assert marks or any(number.origin != "cited" for number in statement.numbers)
