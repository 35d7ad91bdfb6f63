from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from service.store.errors import StoreRefused
from service.turns import Turn
from tests.service.store.conftest import NOON
from tests.service.store.records_for_tests import judged, stored


def test_an_answer_comes_back_as_it_was_given(sql):
    odd = {"id": "a1", "text": "80 GB – “exactly” 😀", "numbers": [{"value": 3.35}], "nul": "a\0b"}
    sql.ledger.write([stored(answer=odd)])

    assert sql.ledger.find("a1") == stored(answer=odd)
    assert sql.ledger.find("a2") is None


def test_writing_again_changes_nothing(sql):
    assert sql.ledger.write([stored(), judged()]) == 2

    assert sql.ledger.write([stored(question="another"), stored(2), judged()]) == 1
    assert sql.ledger.find("a1").question == "question 1"


def test_a_zero_byte_in_a_question_is_no_reason_to_lose_the_answer(sql):
    sql.ledger.write([stored(question="how\0much")])

    assert sql.ledger.find("a1").question == "how\ufffdmuch"


def test_a_row_that_does_not_fit_is_refused_and_so_is_its_batch(sql):
    with pytest.raises(StoreRefused, match="does not take"):
        sql.ledger.write([stored(2), replace(stored(), question=None)])  # type: ignore[arg-type]

    assert sql.ledger.find("a2") is None


def test_of_several_opinions_of_one_asker_the_newest_counts(sql):
    later = NOON + timedelta(minutes=1)
    sql.ledger.write([stored(), judged(1), judged(2, verdict="down", at=later)])
    sql.ledger.write([judged(3, asker="bob")])

    found = {(given.asker, given.verdict) for _, given in sql.ledger.judged()}
    assert found == {("ann", "down"), ("bob", "up")}


def test_what_is_old_is_forgotten(sql):
    sql.ledger.write([stored(1), stored(2, at=NOON + timedelta(days=1)), judged(1)])

    assert sql.ledger.prune(before=NOON + timedelta(hours=1)) == 2
    assert sql.ledger.counts() == {"answers": 1, "feedback": 0, "turns": 0}


def test_all_of_one_person_is_found_and_forgotten_and_nothing_of_another(sql, conversations):
    sql.ledger.write([stored(1), judged(1, asker="bob"), stored(2, asker="ann%"), judged(2)])
    conversations.add("ann/c1", Turn(question="q", asked="q"))
    conversations.add("ann%/c1", Turn(question="q", asked="q"))

    assert [row["table"] for row in sql.ledger.of_asker("ann")] == ["answers", "feedback", "turns"]
    assert sql.ledger.forget("ann") == {
        "slack_inbox": 0,
        "answers": 1,
        "feedback": 2,
        "turns": 1,
    }
    assert list(sql.ledger.of_asker("ann")) == []
    assert len(list(sql.ledger.of_asker("ann%"))) == 2


def test_questions_for_which_a_document_was_missing_come_most_often_asked_first(sql):
    def abstained(n, question, code, **changed):
        answer = {"id": f"a{n}", "kind": "abstain", "abstention": {"code": code}}
        return stored(n, question=question, answer=answer, **changed)

    later = NOON + timedelta(hours=1)
    sql.ledger.write(
        [
            stored(1),
            abstained(2, "MI9999?", "unknown_entity"),
            abstained(3, "Rack?", "no_evidence", at=later),
            abstained(4, "Rack?", "no_evidence"),
            abstained(5, "Pizza?", "out_of_scope"),
        ]
    )

    found = sql.ledger.unanswered(limit=10)

    assert [(each.question, each.times, each.last_at) for each in found] == [
        ("Rack?", 2, later),
        ("MI9999?", 1, NOON),
    ]
    assert [each.question for each in sql.ledger.unanswered(limit=1)] == ["Rack?"]
    first = sql.ledger.unanswered(limit=10, since=NOON, until=later)
    assert {(each.question, each.times) for each in first} == {("Rack?", 1), ("MI9999?", 1)}


def test_what_somebody_asked_in_slack_is_forgotten_from_the_inbox(sql):
    for number, user in enumerate(("U1", "U2")):
        sql.inbox.receive(
            event_id=f"e{number}",
            team="T1",
            channel="C1",
            ts=str(number),
            payload={"user": user, "text": "a question"},
            now=NOON,
        )

    assert [row["payload"]["user"] for row in sql.ledger.of_asker("T1/U1")] == ["U1"]
    assert sql.ledger.forget("T1/U1")["slack_inbox"] == 1
    assert sql.inbox.counts() == {"received": 1}
