from __future__ import annotations

import json

from eval.cases import load_cases
from eval.feedback import case_of
from service.store.types import Feedback, StoredAnswer
from tests.service.store.conftest import NOON

NUMBER = {"value": 80.0, "unit": "GB", "origin": "cited"}
TOLD = {
    "id": "a1",
    "question": "And its memory?",
    "rewritten": "How much memory does the Acme One have?",
    "kind": "answer",
    "abstention": None,
    "statements": [{"text": "It has 80 GB.", "numbers": [NUMBER]}],
    "generation": "g1",
}
ANSWER = StoredAnswer(id="a1", created_at=NOON, answer=TOLD, question="And its memory?")


def read(tmp_path, verdict):
    given = Feedback(id="f1", created_at=NOON, answer_id="a1", verdict=verdict, comment="old")
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case_of(ANSWER, given)), encoding="utf-8")
    [case] = load_cases(file)
    return case


def test_what_was_approved_is_expected_again(tmp_path):
    case = read(tmp_path, "up")

    assert (case.question, case.kind) == (TOLD["rewritten"], "answer")
    assert [(fact.value, fact.unit) for fact in case.numeric_facts] == [(80.0, "GB")]


def test_of_what_was_not_approved_nothing_is_expected(tmp_path):
    case = read(tmp_path, "down")

    assert (case.kind, case.key_facts, case.category) == (None, (), "feedback-down")
