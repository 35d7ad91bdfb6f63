"""The gate: what it lets pass and what not, and figures against values worked out by hand."""

import pytest

from eval.answers import check
from eval.baseline import compare, passes, save_report
from eval.bootstrap import change, share
from eval.errors import BadReport
from eval.report import Report, SetRow, abstention, case_row, markdown
from eval.saved import load_saved
from tests.eval.answers_for_tests import CASE, DOCUMENTS, answer_of, right_answer, with_citation


def report(*answers):
    cases = [CASE.model_copy(update={"id": f"c{n}"}) for n in range(len(answers))]
    pairs = zip(cases, answers, strict=True)
    return Report(cases=tuple(case_row(check(case, answer, DOCUMENTS)) for case, answer in pairs))


RIGHT = report(*[right_answer()] * 20)


def failed(after):
    return {item.metric for item in compare(RIGHT, after) if item.failed}


def test_the_same_report_passes():
    assert passes(compare(RIGHT, RIGHT))


def test_one_citation_off_by_one_among_twenty_fails():
    spoiled = with_citation(right_answer(), start=1)

    assert failed(report(*[right_answer()] * 19, spoiled)) == {"span"}


def test_one_unit_dropped_among_twenty_fails():
    from dataclasses import replace

    first, second = right_answer().statements
    spoiled = answer_of(replace(first, text="The Zeta 9 has 80 of HBM3."), second)

    assert "number" in failed(report(*[right_answer()] * 19, spoiled))


def test_one_point_less_may_be_chance_but_ten_are_not():
    silent = answer_of(right_answer().statements[1])

    assert "fact" not in failed(report(*[right_answer()] * 19, silent))
    assert "fact" in failed(report(*[right_answer()] * 10, *[silent] * 10))


def test_a_lower_ranking_fails():
    def ranked(value):
        return SetRow(
            name="s",
            queries=50,
            passages=9,
            measures={"nDCG@10": {f"q{n}": value for n in range(50)}},
        )

    before, after = (Report(sets=(ranked(value),)) for value in (0.7, 0.6))

    assert [item.failed for item in compare(before, after)] == [True]


def test_a_saved_report_comes_back(tmp_path):
    save_report(RIGHT, tmp_path / "report.json")

    assert load_saved(tmp_path / "report.json", Report) == RIGHT


def test_what_is_no_report_is_refused(tmp_path):
    (tmp_path / "r.json").write_text("{}x", encoding="utf-8")

    with pytest.raises(BadReport, match="is no such report"):
        load_saved(tmp_path / "r.json", Report)


def test_a_share_is_the_ratio_of_sums_with_an_interval_around_it():
    found = share([1, 0, 2, 1], [1, 1, 2, 2])

    assert found.value == pytest.approx(4 / 6)
    assert found.low < found.value < found.high


def test_a_change_that_is_the_same_everywhere_has_no_width():
    before = {f"q{n}": (0.5, 1.0) for n in range(8)}
    after = dict.fromkeys(before, (0.4, 1.0))

    found = change(before, after)

    assert (found.value, found.low, found.high) == pytest.approx((-0.1, -0.1, -0.1))


def test_abstention_is_counted_by_hand():
    rows = RIGHT.cases[:1] + tuple(
        RIGHT.cases[0].model_copy(update={"wanted": wanted, "kind": kind})
        for wanted, kind in [
            (("abstain",), "abstain"),
            (("abstain",), "answer"),
            (("answer",), "abstain"),
        ]
    )

    assert abstention(rows) == {"precision": (1, 2), "recall": (1, 2), "false abstentions": (1, 2)}


def test_the_report_names_what_is_wrong_and_what_was_skipped():
    spoiled = report(with_citation(right_answer(), start=1)).model_copy(
        update={"skipped": ("x: not there",)}
    )

    text = markdown(spoiled)

    assert "span: [1] guidance/zeta.md 1:29" in text
    assert "skipped: x: not there" in text
