"""The checker on a corpus that can be read at a glance."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexer.types import DocumentId
from service.phrases import quote_of, say
from service.types import Computation, Number, Quote, Statement
from service.verify import Checker, verify

ARTICLE = DocumentId("guidance/memory/ecc-memory")
SENTENCE = "ECC memory corrects a single flipped bit in a word."


@pytest.fixture
def checker(index) -> Checker:
    return Checker(index.documents)


@pytest.fixture
def fact(index) -> Statement:
    device = index.catalog.devices[0]
    return say(device, device.facts[0])


def quoted(index, text: str) -> Quote:
    start = index.documents[ARTICLE].text.index(text)
    return Quote(document_id=ARTICLE, start=start, end=start + len(text))


def reasons(checker, statement, text, *, rephrased=False):
    return checker.check(replace(statement, text=text), rephrased=rephrased).reasons


def test_a_right_fact_and_a_right_sentence_pass(index, fact):
    sentence = Statement(text=SENTENCE, quotes=(quoted(index, SENTENCE),))

    assert [verdict.faults for verdict in verify([fact, sentence], index.documents)] == [(), ()]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("has 80 GB", "has 90 GB", "number"),
        ("has 80 GB", "has 80 GiB", "number"),
        ("has 80 GB", "has 80 TB", "number"),
        ("HBM3", "HBM2", "code"),
        ("nominal", "usable", "qualifier"),
        ("with ECC", "without ECC", "qualifier"),
        ("One 80 GB", "Two 24 GB", "entity"),
        (" has ", " has no ", "negation"),
        ("nominal", "nominal as of 2031-01-01", "code"),
        ("nominal", "nominal in BF16", "qualifier"),
    ],
)
def test_one_slip_in_a_fact_is_found_and_named(checker, fact, old, new, reason):
    assert old in fact.text

    assert reason in reasons(checker, fact, fact.text.replace(old, new, 1))


def test_a_taken_over_sentence_must_be_its_quote(index, checker):
    statement = Statement(text=SENTENCE, quotes=(quoted(index, SENTENCE),))

    assert reasons(checker, statement, SENTENCE.replace("single", "double")) == ("support",)


def test_a_rephrased_sentence_may_use_other_words_but_not_deny(index, checker):
    statement = Statement(text=SENTENCE, quotes=(quoted(index, SENTENCE),))
    right = "A single flipped bit in a word is corrected by ECC memory."

    assert reasons(checker, statement, right, rephrased=True) == ()
    assert "support" in reasons(
        checker, statement, right.replace("is corrected", "is not corrected"), rephrased=True
    )


def test_a_span_outside_the_document_is_a_fault(checker, fact):
    far = replace(fact.quotes[0], start=10**6, end=10**6 + 5)

    assert checker.check(replace(fact, quotes=(far,))).reasons == ("span", "support")


def test_the_quote_of_another_device_supports_nothing(index, checker, fact):
    other = index.catalog.devices[1].facts[0]

    assert "entity" in checker.check(replace(fact, quotes=(quote_of(other),))).reasons


def test_a_computed_number_needs_no_quote_but_must_be_the_one_that_is_shown(checker):
    work = Computation(formula="2*3", inputs=())
    number = Number(value=6.0, unit="GiB", origin="computed", computation=work)
    statement = Statement(text="It takes 6 GiB.", quotes=(), numbers=(number,))

    assert reasons(checker, statement, "It takes 6 GiB.") == ()
    assert reasons(checker, statement, "It takes 7 GiB.") == ("number",)
