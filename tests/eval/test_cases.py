"""Case files: what is read, what is refused, and what the shipped file holds."""

import json
from collections import Counter

import pytest

from eval.cases import Case, load_cases
from eval.errors import BadCaseFile
from eval.quality import SHIPPED


def test_a_line_that_is_no_case_is_named(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a", "question": "What?"}\n{"id": "b"}\n', encoding="utf-8")

    with pytest.raises(BadCaseFile, match=r"mine\.jsonl:2: question"):
        load_cases(path)


def test_an_id_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a", "question": "What?"}\n' * 2, encoding="utf-8")

    with pytest.raises(BadCaseFile, match="'a' stands twice"):
        load_cases(path)


def test_fields_of_others_are_left_alone():
    case = Case.model_validate({"id": "a", "question": "?", "seed_paragraphs": [1], "source": "x"})

    assert (case.source, case.kinds) == (("x",), ("answer",))


def test_a_kind_of_another_file_is_judged_by_facts_alone():
    row = {"id": "a", "kind": "real", "question": "?", "feasible": None, "must_not": ["says so"]}

    case = Case.model_validate(row)

    assert (case.kinds, case.feasible, case.must_not) == ((), (), ())


def test_phrases_belong_to_the_facts_without_a_value_in_order():
    facts = [{"text": "a"}, {"text": "b", "value": 1, "unit": "GB"}, {"text": "c"}]
    case = Case.model_validate(
        {"id": "x", "question": "?", "key_facts": facts, "any_of": [["one"], ["two"]]}
    )

    assert [(fact.text, phrases) for fact, phrases in case.points] == [
        ("a", ("one",)),
        ("c", ("two",)),
    ]


def test_the_shipped_cases_are_many_of_every_kind_and_sourced():
    cases = load_cases(SHIPPED)
    counts = Counter(case.category for case in cases)

    assert len(cases) >= 200
    assert (
        min(counts[name] for name in ("lookup", "compare", "guidance", "size", "recommend", "hard"))
        >= 15
    )
    assert all(case.source for case in cases)
    assert all(case.key_facts or case.workload or case.kind == "abstain" for case in cases)


def test_the_shipped_questions_differ():
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"].casefold() for line in lines]

    assert len(set(questions)) == len(questions)
