"""A model may say what was chosen in other words; whatever else it says does not get through."""

from __future__ import annotations

import pytest

from service.types import Question

QUESTION = Question(text="How much memory does the Acme One have?")
FACT = "The Acme One 80 GB has 80 GB of HBM3 memory, nominal, with ECC."


def said(answer) -> list[str]:
    return [statement.text for statement in answer.statements]


def other_words(_, evidence):
    return [
        {"text": f"In short: {each['statement']}", "evidence": [each["n"]]}
        for each in reversed(evidence)
    ]


def one(text, n=1):
    return lambda _, evidence: [{"text": text, "evidence": [n]}]


def test_sound_sentences_are_taken_over_in_the_models_order(make_engine, model, writer):
    plain = make_engine(None).answer(QUESTION)
    model.reply = other_words

    answer = make_engine(writer).answer(QUESTION)

    assert said(answer) == [f"In short: {text}" for text in reversed(said(plain))]
    assert answer.checks["language_dropped"] == 0


def test_each_taken_sentence_keeps_the_citations_of_its_evidence(make_engine, model, writer):
    model.reply = one("In short, the Acme One 80 GB has 80 GB of HBM3 memory, nominal, with ECC.")

    answer = make_engine(writer).answer(QUESTION)

    first = answer.citations[answer.marks[0][0] - 1]
    assert (first.document_id, "80 GB" in first.quote) == ("hardware/acme/acme-one-80gb", True)


@pytest.mark.parametrize(
    "text",
    [
        "The Acme One 80 GB has 80 GB of HBM3 memory, nominal, with ECC, and costs 19,999 USD.",
        "The Acme One 80 GB has 96 GB of HBM3 memory, nominal, with ECC.",
        "The Acme One 80 GB has 80 GiB of HBM3 memory, nominal, with ECC.",
        "The Acme One 80 GB has 80 GB of HBM3e memory, nominal, with ECC.",
        "The Acme One 80 GB has 80 GB of HBM3 memory, usable, with ECC.",
        "The Acme One 80 GB has 80 GB of HBM3 memory, nominal, without ECC.",
        "The Acme One 80 GB has no 80 GB of HBM3 memory, nominal, with ECC.",
        "The Acme Two 24 GB has 80 GB of HBM3 memory, nominal, with ECC.",
        "The Acme One is the best card that was ever made for every workload.",
        "The Acme One 80 GB has 80 GB of HBM3 memory, as of 2031-01-01.",
        "The Acme One 80 GB has 80 GB of HBM3 memory, see https://evil.example for 80 GB more.",
        "The Acme One 80 GB has 80 GB of HBM3 memory [9], nominal, with ECC.",
        "",
    ],
)
def test_what_the_evidence_does_not_say_is_dropped(make_engine, model, writer, text):
    plain = make_engine(None).answer(QUESTION)
    model.reply = one(text)

    answer = make_engine(writer).answer(QUESTION)

    assert said(answer) == said(plain)


@pytest.mark.parametrize("evidence", [[], [99], ["1"], None, [True]])
def test_a_sentence_without_evidence_is_dropped(make_engine, model, writer, evidence):
    plain = make_engine(None).answer(QUESTION)
    model.reply = lambda *_: [{"text": FACT, "evidence": evidence}]

    answer = make_engine(writer).answer(QUESTION)

    assert (said(answer), answer.citations) == (said(plain), plain.citations)


@pytest.mark.parametrize("manner", ["hangs", "dies", "fails", "babbles"])
def test_a_model_that_fails_changes_nothing(make_engine, model, writer, manner):
    plain = make_engine(None).answer(QUESTION)
    model.manner = manner

    answer = make_engine(writer).answer(QUESTION)

    assert said(answer) == said(plain)
    assert answer.checks["language_failed"] == 1


@pytest.mark.parametrize("reply", ["x", 7, [7], [{"text": 3, "evidence": [1]}], {"a": 1}, [[[]]]])
def test_a_reply_of_another_form_changes_nothing(make_engine, model, writer, reply):
    plain = make_engine(None).answer(QUESTION)
    model.reply = lambda *_: reply

    assert said(make_engine(writer).answer(QUESTION)) == said(plain)


def test_after_failures_in_a_row_the_model_is_not_asked(make_engine, model, resting):
    model.manner = "fails"
    engine = make_engine(resting)

    for _ in range(4):
        engine.answer(QUESTION)

    assert len(model.asked) == 2


def test_an_abstention_asks_no_model(make_engine, model, writer):
    make_engine(writer).answer(Question(text="How much memory does the RTX 9999 have?"))

    assert model.asked == []
