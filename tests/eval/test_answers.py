"""Planted faults: each spoils one thing of a right answer, and its metric alone must notice."""

from dataclasses import replace

import pytest

from eval.answers import check
from service.types import Abstention, Answer
from tests.eval.answers_for_tests import (
    CASE,
    DOCUMENTS,
    answer_of,
    right_answer,
    statement,
    with_citation,
)


def wrong(answer: Answer) -> set[str]:
    return {mark.metric for mark in check(CASE, answer, DOCUMENTS).faults}


def test_a_right_answer_has_no_fault():
    assert wrong(right_answer()) == set()


def test_a_citation_off_by_one_is_caught():
    answer = right_answer()

    assert "span" in wrong(with_citation(answer, start=answer.citations[0].start + 1))


def test_a_dropped_unit_is_caught_twice():
    answer = right_answer()
    spoiled = replace(answer.statements[0], text="The Zeta 9 has 80 of HBM3.")

    assert {"fact", "number"} <= wrong(answer_of(spoiled, answer.statements[1]))


def test_a_number_that_stands_in_no_quote_is_caught():
    assert {"number", "verified"} <= wrong(
        answer_of(*right_answer().statements, statement("It draws 700 W.", 0, 29))
    )


def test_what_must_not_be_said_counts_only_as_the_answer():
    given = answer_of(statement("It reads at 2000 GB/s.", 30, 70), *right_answer().statements)
    contrast = answer_of(
        statement("It reads at 3350 GB/s, not 2000 GB/s.", 30, 70), right_answer().statements[0]
    )

    assert "must_not" in wrong(given)
    assert "must_not" not in wrong(contrast)


def test_a_point_counts_by_the_beginning_of_a_word():
    case = CASE.model_copy(update={"any_of": (("band",),)})
    answer = answer_of(statement("Its bandwidth is high.", 0, 29))

    assert check(case, answer, DOCUMENTS).of("point")[0].right


@pytest.mark.parametrize(("phrase", "found"), [("no", False), ("not", True)])
def test_a_short_phrase_counts_as_a_whole_word(phrase, found):
    case = CASE.model_copy(update={"any_of": ((phrase,),)})
    answer = answer_of(statement("It is not known.", 0, 29))

    assert check(case, answer, DOCUMENTS).of("point")[0].right is found


def test_an_abstention_with_another_code_is_caught():
    case = CASE.model_copy(update={"kind": "abstain", "abstention_code": "unknown_entity"})
    abstention = Abstention(code="no_evidence", why="Nothing is known of it.")
    answer = replace(answer_of(), kind="abstain", abstention=abstention, text=abstention.why)

    outcome = check(case, answer, DOCUMENTS)

    assert [mark.right for mark in (*outcome.of("kind"), *outcome.of("code"))] == [True, False]
    assert outcome.score == 1


def test_a_score_tells_right_silent_and_wrong():
    silent = replace(
        answer_of(), kind="abstain", abstention=Abstention(code="no_evidence", why="None.")
    )
    vague = answer_of(statement("Cards differ.", 0, 29))

    scores = [check(CASE, answer, DOCUMENTS).score for answer in (right_answer(), silent, vague)]

    assert scores == [1, 0, -1]
