"""Speed and hours against published runs and hand arithmetic."""

import pytest

from service.advisor.estimate import estimate
from service.advisor.speed import (
    MFU,
    Utilization,
    crossover_sequences,
    decode_ceiling_tokens_s,
    decode_speed,
    prefill_seconds,
    training_flop,
    training_hours,
    utilization_of,
)
from tests.service.advisor.shapes_for_tests import LLAMA_8B, MIXTRAL, llama, stated


@pytest.mark.parametrize(
    ("params_b", "tokens", "devices", "tflops", "days"),
    [(175, 300e9, 1024, 140, 33.9), (1000, 450e9, 3072, 163, 83.2)],
)
def test_megatrons_training_days_follow_from_equation_4(params_b, tokens, devices, tflops, days):
    """The paper counts 8 operations with full recomputation; it prints 34 and 84 days."""
    flop = 8 * params_b * 1e9 * tokens
    achieved = Utilization(case="", likely=tflops / 312, low=0.4, high=0.6, source="the paper")
    time = training_hours(flop, peak_tflops=312, devices=devices, utilization=achieved)

    assert time.value / 24 == pytest.approx(days, rel=0.005)


def test_operations_of_a_7b_model_on_a_trillion_tokens():
    need = estimate(stated("pretraining", params_b=7.0, tokens=1e12), models={})

    assert need.compute_flop is not None
    assert need.compute_flop.value == pytest.approx(4.2e22)


def test_only_active_experts_count_for_operations():
    assert training_flop(MIXTRAL, 1.0).value == pytest.approx(6 * 12.88e9)
    assert training_flop(MIXTRAL, 1.0, adapts=True).value == pytest.approx(4 * 12.88e9)


def test_hours_follow_from_a_stated_throughput():
    workload = stated("training", dataset_images=1.281e6, epochs=90.0, samples_per_second=1200.0)
    hours = estimate(workload, models={}).compute_hours

    assert hours is not None
    assert hours.value == pytest.approx(26.7, rel=0.002)


def test_stated_hours_are_taken_over():
    hours = estimate(stated("lora", hours=40.0), models={}).compute_hours

    assert hours is not None
    assert hours.value == 40


def test_bandwidth_bounds_decoding():
    """An 8 billion parameter model in bf16 at 1,008 GB/s."""
    ceiling = decode_ceiling_tokens_s(bandwidth_gb_s=1008, weights_gib=8.030261248e9 * 2 / 2**30)

    assert ceiling.value == pytest.approx(62.8, rel=0.002)


def test_a_mixture_decodes_with_its_active_weights_only_when_alone():
    need = estimate(stated("inference", shape=MIXTRAL, seq_len=128, concurrency=1), models={})
    many = estimate(stated("inference", shape=MIXTRAL, seq_len=128, concurrency=64), models={})
    one_speed = decode_speed(need, bandwidth_gb_s=3350)
    many_speed = decode_speed(many, bandwidth_gb_s=3350, sequences=64)

    assert one_speed is not None
    assert many_speed is not None
    assert one_speed.value == pytest.approx(0.6 * 3350e9 / (2 * 12.88e9), rel=0.01)
    assert one_speed.value < many_speed.value < 64 * one_speed.value


def test_a_need_without_weights_has_no_decode_speed():
    need = estimate(stated("gradient_boosting", dataset_gb=1.0), models={})

    assert decode_speed(need, bandwidth_gb_s=100) is None


def test_prefill_counts_parameters_and_causal_attention():
    time = prefill_seconds(LLAMA_8B, tokens=8192, peak_tflops=989)
    flop = 2 * 8.030261248e9 * 8192 + 2 * 32 * 4096 * 8192**2

    assert time.value == pytest.approx(flop / (989e12 * 0.5))
    assert time.low < time.value < time.high


@pytest.mark.parametrize(("tflops", "gb_s", "sequences"), [(312, 2039, 153), (989, 3350, 295)])
def test_batches_become_bound_by_compute_where_rooflines_cross(tflops, gb_s, sequences):
    crossing = crossover_sequences(peak_tflops=tflops, bandwidth_gb_s=gb_s, weight_bytes=2)

    assert crossing == pytest.approx(sequences, abs=0.6)


def test_utilization_depends_on_links_and_size():
    assert utilization_of(LLAMA_8B, fast_links=True) == MFU["nvlink"]
    assert utilization_of(LLAMA_8B, fast_links=False) == MFU["pcie"]
    assert utilization_of(llama(params_b=0.124), fast_links=True) == MFU["small"]
