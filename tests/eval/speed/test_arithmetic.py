from __future__ import annotations

import numpy as np
import pytest

from eval.speed.agreement import mean_ndcg, top_overlap
from eval.speed.backends import Backend
from eval.speed.cost import break_even_items, break_even_speedup, items_a_day, kwh_for, usd_for
from eval.speed.embedding import Timed, Work
from eval.speed.flops import SHAPES, EncoderShape, forward_flop
from eval.speed.stats import Lap, interleaved, percentile, ratio_of_medians, summarize


def test_flop_of_a_tiny_encoder_are_counted_by_hand():
    shape = EncoderShape(layers=1, hidden=2, intermediate=8)

    # Four 2x2 projections (16 weights), two of 2x8 (32), attention 2*3*2 (12), three tokens, two a product.
    assert forward_flop(shape, 3) == 2 * 3 * (16 + 32 + 12)


def test_flop_of_minilm_at_200_tokens():
    flop = forward_flop(SHAPES["all-MiniLM-L6-v2"], 200)

    assert flop == 2 * 6 * 200 * (4 * 384 * 384 + 2 * 384 * 1536 + 2 * 200 * 384)


def test_cost_of_a_million_passages():
    # A thousand seconds at 3.6 dollars an hour.
    assert usd_for(1_000_000, per_second=1_000, usd_per_hour=3.6) == pytest.approx(1.0)
    assert kwh_for(1_000_000, per_second=1_000, watts=3_600) == pytest.approx(1.0)


def test_a_day_has_86400_seconds():
    assert items_a_day(2.0) == 172_800


def test_break_even_by_hand():
    # An item costs 0.0001 on the slow machine and 0.00005 on the fast one, whose start costs 0.05.
    items = break_even_items(
        slow_per_second=1.0,
        slow_usd_per_hour=0.36,
        fast_per_second=20.0,
        fast_usd_per_hour=3.6,
        fast_start_s=50.0,
    )

    assert items == pytest.approx(1_000)


def test_a_machine_that_costs_more_an_item_never_breaks_even():
    found = break_even_items(
        slow_per_second=1.0,
        slow_usd_per_hour=1.0,
        fast_per_second=2.0,
        fast_usd_per_hour=2.0,
        fast_start_s=1.0,
    )

    assert found is None
    assert break_even_speedup(slow_usd_per_hour=0.5, fast_usd_per_hour=2.0) == 4.0


def test_median_spread_and_interval():
    summary = summarize([1.0, 2.0, 3.0, 4.0, 5.0])

    assert summary.median == 3.0
    assert summary.spread == pytest.approx(2 / 3)
    assert 1.0 <= summary.low <= 3.0 <= summary.high <= 5.0
    assert summary.noisy


def test_equal_repetitions_are_not_noisy():
    summary = summarize([2.0] * 5)

    assert (summary.low, summary.high, summary.spread, summary.noisy) == (2.0, 2.0, 0.0, False)


def test_the_same_values_give_the_same_interval():
    assert summarize([3.0, 1.0, 2.0, 9.0]) == summarize([3.0, 1.0, 2.0, 9.0])


def test_percentile_is_a_value_that_occurred():
    values = [float(number) for number in range(1, 101)]

    assert percentile(values, 0.99) == 99.0
    assert percentile([7.0], 0.5) == 7.0


def test_ratio_of_medians():
    assert ratio_of_medians([2, 4, 100], [1, 2, 3]) == 2.0
    assert ratio_of_medians([1], [0]) == 0.0


def test_actions_take_turns_after_one_warm_up():
    order: list[str] = []
    times = iter(range(100))

    laps = interleaved(
        [lambda: order.append("a"), lambda: order.append("b")],
        repetitions=2,
        clock=lambda: float(next(times)),
        cpu_clock=lambda: 0.0,
    )

    assert "".join(order) == "ababab"
    assert laps == [[Lap(wall_s=1.0, cpu_s=0.0)] * 2] * 2


def test_overlap_of_the_best():
    before = np.array([[3.0, 2.0, 1.0, 0.0]], np.float32)
    after = np.array([[3.0, 0.0, 2.0, 1.0]], np.float32)

    assert top_overlap(before, after, top=2) == 0.5
    assert top_overlap(before, before) == 1.0


def test_ndcg_by_hand():
    scores = np.array([[0.9, 0.8, 0.1]], np.float32)

    # The one right document stands second: 1 / log2(3).
    assert mean_ndcg(scores, ["x", "y", "z"], [{"y": 1}]) == pytest.approx(0.63093, abs=1e-5)


def test_ndcg_agrees_with_an_independent_implementation():
    measures = pytest.importorskip("ir_measures")
    generator = np.random.default_rng(3)
    scores = generator.random((5, 30), dtype=np.float32)
    names = [f"d{at}" for at in range(30)]
    grades = [
        {names[at]: int(grade) for at, grade in enumerate(row) if grade}
        for row in generator.integers(0, 3, (5, 30))
    ]
    judged = {str(at): row for at, row in enumerate(grades)}
    run = {
        str(at): {name: float(score) for name, score in zip(names, row, strict=True)}
        for at, row in enumerate(scores)
    }

    found = measures.calc_aggregate([measures.nDCG @ 10], judged, run)[measures.nDCG @ 10]

    assert mean_ndcg(scores, names, grades) == pytest.approx(found, abs=1e-6)


def test_shares_of_the_ceiling_by_hand():
    timed = Timed(
        backend=Backend(name="rigwise"),
        work=Work(texts=("a", "b"), batch=1, tokens=3),
        laps=(Lap(wall_s=2.0, cpu_s=4.0),),
        together=(Lap(wall_s=1.0, cpu_s=2.0),),
        alone=(Lap(wall_s=2.0, cpu_s=2.0),),
    )

    # Two texts of 50 in 2 s against 100 in 1 s: half; against 100 in 2 processor seconds, 4 of them used: half too.
    assert timed.shares(50.0, 100.0) == (0.5, 0.5)
    assert (timed.rates(), timed.busy_rates()) == ([1.0], [0.5])
