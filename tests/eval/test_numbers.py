"""Numbers are found in every spelling, and units are converted before they are compared."""

import pytest

from eval.numbers import expected, states


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It has 3.35 TB/s.", 3350, "GB/s"),
        ("It has 3,350 GB per second.", 3.35, "TB/s"),
        ("It takes 26.7 hours.", 1602, "min"),
        ("That is 4.2e22 FLOP in all.", 4.2e22, "FLOP"),
        ("It can be cut into seven instances.", 7, "instances"),
        ("All 46.7B parameters count.", 46.7, "billion parameters"),
        ("It costs $6.88/h there.", 6.88, "USD/h"),
        ("Plan 23 to 28 GiB for it.", 25, "GiB"),
        ("Its compute capability is 7.5.", 7.5, "compute capability"),
        ("24,564 MiB are shown.", 23.99, "GiB"),
    ],
)
def test_a_stated_number_is_found(text, value, unit):
    assert states(text, expected(value, unit, 0.005))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It has 80 GiB.", 80, "GB"),
        ("It has 80.", 80, "GB"),
        ("It has 80 W.", 80, "GB"),
        ("It has 81 GB.", 80, "GB"),
        ("Plan 10 to 80 GB.", 24, "GB"),
        ("The version is 7.5 of the tool.", 7.5, "compute capability"),
    ],
)
def test_another_unit_or_value_is_not_taken_for_it(text, value, unit):
    assert not states(text, expected(value, unit, 0.0))
