from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from service.render import answer_object
from service.slack.blocks import answer_message, details_view, fallback
from service.slack.mrkdwn import atoms, escape, link, pack
from service.types import Question
from tests.service.slack.answers_for_tests import answers, words
from tests.slack_fake.limits import faults, markup, texts, units

_MANY = settings(
    max_examples=500,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # an answer of 60 statements takes minutes to shrink
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.slow
@pytest.mark.timeout(600)
@_MANY
@given(answers())
def test_whatever_is_answered_slack_takes_it_and_nothing_is_lost_in_silence(answer):
    sent = answer_object(answer)

    message = answer_message(sent)

    assert faults(list(message.blocks)) == []
    assert units(message.text) <= 4000
    assert list(markup(message.text)) == []
    assert lost(sent, message) == 0


def lost(sent, message) -> int:
    """Statements and rows that stand neither in the message nor in what it says it left out."""
    told = "\n".join(texts(list(message.blocks)))
    note = {kind.rstrip("s"): int(n) for n, kind in re.findall(r"(\d+) more (\w+)", told)}
    shown = sum(long(each, told) for each in sent["statements"])
    rows = sum(len(block["rows"]) - 1 for block in message.blocks if block["type"] == "table")
    missing_rows = len(sent["table"]["rows"]) - rows if sent["table"] else 0
    assert bool(note) == message.cut
    if note:
        assert all(each["text"].strip() in message.whole for each in sent["statements"])
    statements = max(0, len(sent["statements"]) - shown - note.get("statement", 0))
    return statements + abs(missing_rows - note.get("row", 0))


def long(statement, told: str) -> bool:
    """A statement cut over several sections stands there piece by piece."""
    pieces = [piece for piece in atoms(statement["text"]) if piece.strip()]
    return all(piece in told for piece in pieces)


@given(words(), st.integers(700, 3000))
@settings(deadline=None, max_examples=200)
def test_a_text_is_cut_without_losing_a_piece(text, most):
    assume(all(units(piece) <= most for piece in atoms(text)))

    parts = pack(atoms(text), most)

    assert parts is not None
    assert all(units(part) <= most and not list(markup(part)) for part in parts)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", "".join(atoms(text)))


def test_only_three_characters_are_escaped():
    assert (
        escape('a & b < c > d *e* _f_ `g` ~h~ "i"') == 'a &amp; b &lt; c &gt; d *e* _f_ `g` ~h~ "i"'
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(see https://x.org/a_(b)).", "(see <https://x.org/a_(b)|https://x.org/a_(b)>)."),
        ("[t](https://x.org/?a=1&b=2)", "<https://x.org/?a=1&amp;b=2|t>"),
        ("`a<b` is code", "`a&lt;b` is code"),
        ("<!channel>", "&lt;!channel&gt;"),
        ("[t](javascript:x)", "[t](javascript:x)"),
    ],
)
def test_links_and_code_are_parsed(text, shown):
    assert "".join(atoms(text)) == shown


def test_an_address_cannot_end_its_link_early():
    assert link("https://x.org/a|b>c d", "l>") == "<https://x.org/a%7Cb%3Ec%20d|l&gt;>"


@pytest.mark.parametrize("piece", ["https://x.org/" + "a" * 4000, f"`{'a b ' * 1000}`"])
def test_a_link_or_code_that_is_too_long_for_a_text_is_never_cut(piece):
    assert pack(atoms(piece), 3000) is None


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How much memory does an H200 have?", {"section", "context", "context_actions"}),
        (
            "Compare H100 and H200 memory bandwidth",
            {"section", "table", "context", "context_actions"},
        ),
        (
            "What should I rent to fine-tune Llama 3.1 8B with LoRA under $5/h?",
            {"section", "table", "context", "actions", "context_actions"},
        ),
        (
            "How much memory does the H300 have?",
            {"section", "context", "actions", "context_actions"},
        ),
    ],
)
def test_real_answers_become_messages(real_engine, question, kinds):
    sent = answer_object(real_engine.answer(Question(text=question, id="r1")))

    message = answer_message(sent)

    assert {block["type"] for block in message.blocks} == kinds
    assert faults(list(message.blocks)) + faults(details_view(sent)["blocks"], "modal") == []


@pytest.mark.model
def test_an_unknown_part_offers_the_known_ones_as_buttons(real_engine):
    sent = answer_object(
        real_engine.answer(Question(text="How much memory does the H300 have?", id="r1"))
    )

    buttons = next(block for block in answer_message(sent).blocks if block["type"] == "actions")

    assert "NVIDIA H100 PCIe 80 GB" in [each["text"]["text"] for each in buttons["elements"]]
    assert fallback(sent).startswith("No part named H300 is known")


@pytest.mark.model
def test_a_citation_leads_to_its_passage_where_its_document_has_no_address(real_engine):
    sent = answer_object(real_engine.answer(Question(text="How much memory does an H200 have?")))
    first = next(each for each in sent["citations"] if not each["document"]["url"])

    message = answer_message(sent, links="https://rigwise.test")

    link_ = f"<https://rigwise.test/v1/passages/{first['passage_id']}|[{first['n']}]>"
    assert link_ in "\n".join(texts(list(message.blocks)))
    assert faults(list(message.blocks)) == []
