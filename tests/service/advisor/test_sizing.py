"""The comparison with measured runs: its figures, and the targets that it must keep."""

import statistics
from pathlib import Path

import pytest

from eval.sizing import Point, beside, compare, percentile, read_shapes, reason_outside, summary

ROOT = Path(__file__).parents[3]
FACTS = ROOT.parent / "shared" / "facts"
MODELS = ROOT / "corpus" / "models"


def point(number, likely_gib):
    return Point(
        id=f"r{number}",
        task="lora",
        model="m",
        measured_gib=10.0,
        low_gib=8.0,
        likely_gib=likely_gib,
        high_gib=12.0,
    )


POINTS = [point(1, 10.0), point(2, 11.0), point(3, 9.5)]


def test_the_percentile_covers_its_share_of_the_values():
    assert percentile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 0.9) == 9.0
    assert percentile([1.0], 0.9) == 1.0


def test_the_summary_counts_errors_and_bounds_by_task():
    expected = "| lora | 3 | 5.0% | 10.0% | +10.0% | 3 of 3 | 3 of 3 |"

    assert summary(POINTS)[2] == expected


def test_other_calculators_stand_beside_the_same_rows():
    lines = beside(POINTS, [{"tool": "other", "id": "r2", "gib": "15"}])

    assert lines[2] == "| other | lora | 1 | 50.0% | 50.0% | +50.0% | 10.0% | 10.0% |"


def test_a_row_without_batch_and_length_is_left_out_with_a_reason():
    row = {"source": "", "other": "", "model": "T0_3B", "batch": "n/s"}

    assert reason_outside(row) == "batch and length are not stated"


@pytest.mark.shared
@pytest.mark.skipif(not FACTS.is_dir(), reason="no folder shared/facts beside the checkout")
def test_measured_runs_lie_within_the_targets():
    models = read_shapes([MODELS / "language_models.csv", MODELS / "other_models.csv"])
    points, outside = compare(FACTS, models)
    errors = sorted(abs(each.error) for each in points)

    assert len(points) >= 50
    assert all(each.why for each in outside)
    assert statistics.median(errors) <= 0.04
    assert percentile(errors, 0.9) <= 0.12
    assert all(each.low_gib <= each.measured_gib <= each.high_gib for each in points)
