from __future__ import annotations

import pytest

from indexer.embedders.hashing import HashingEmbedder
from service.engine import Engine
from service.lexicon import build_lexicon
from service.several import questions_in
from service.snapshot import SnapshotHolder
from service.types import Question


@pytest.fixture(scope="module")
def lexicon(index):
    return build_lexicon(index.catalog)


@pytest.fixture(scope="module")
def engine(store) -> Engine:
    embedder = HashingEmbedder()
    holder = SnapshotHolder(store, fingerprint=embedder.spec.fingerprint())
    return Engine(holder=holder, embedder=embedder)


@pytest.mark.parametrize(
    "text",
    [
        "How much memory does the Acme One have? What power does the Acme Two draw?",
        "1. How much memory does the Acme One have? 2. Does training need ECC memory?",
        "How much memory does the Acme One have? How much memory does the Acme Two have?",
    ],
)
def test_questions_that_are_apart_are_cut(lexicon, text):
    assert len(questions_in(text, lexicon)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "How much memory does the Acme One have?",
        "How much memory does the Acme One have? Is it enough for a 7B model?",
        "I have an Acme One. What can I train with it? Would two be better?",
        "How much memory does the Acme One have? And how much memory has the Acme One in GiB?",
        "Why? How?",
        "",
    ],
)
def test_a_text_that_hangs_together_is_one_question(lexicon, text):
    assert questions_in(text, lexicon) == ()


def test_each_question_is_answered_under_its_own_words(engine):
    text = "How much memory does the Acme One have? What power does the Acme Two draw?"

    answer = engine.answer(Question(text=text))

    assert answer.question == text
    assert [answer.text.count(f"**{part}**") for part in answer.parts] == [1, 1]
    assert any("300 W" in statement.text for statement in answer.statements)


def test_citations_are_numbered_through(engine):
    answer = engine.answer(
        Question(text="How much memory does the Acme One have? What power does the Acme Two draw?")
    )

    assert [citation.n for citation in answer.citations] == list(
        range(1, len(answer.citations) + 1)
    )
    assert len(answer.marks) == len(answer.statements)


def test_a_follow_up_is_shown_written_out(engine):
    answer = engine.answer(
        Question(
            text="and the Acme Two?", conversation=("How much memory does the Acme One have?",)
        )
    )

    assert answer.rewritten == "How much memory does the Acme Two have?"
    assert "24" in answer.statements[0].text
