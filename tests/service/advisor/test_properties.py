"""What must hold for every workload."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from service.advisor.estimate import estimate
from service.advisor.formula import evaluate
from service.advisor.models import generic_shape
from service.advisor.precision import FORMATS
from service.advisor.types import Plan, Stated
from tests.service.advisor.shapes_for_tests import sizes, stated

STATES = {"weights", "gradients", "optimizer", "adapters"}
TASKS = st.sampled_from(["inference", "pretraining", "full_finetune", "lora", "qlora"])
workloads = st.builds(
    stated,
    TASKS,
    params_b=st.floats(0.3, 500),
    precision=st.sampled_from(sorted(FORMATS)),
    batch=st.integers(1, 64),
    seq_len=st.integers(1, 32768),
    checkpointing=st.booleans(),
    attention=st.sampled_from(["sdpa", "eager"]),
)


def total(workload):
    return sizes(estimate(workload, models={}))[1]


def states(workload):
    parts = estimate(workload, models={}).parts
    return sum(each.gib for each in parts if each.kind in STATES)


@given(workloads)
def test_the_likely_figure_lies_between_low_and_high(workload):
    low, likely, device, high = sizes(estimate(workload, models={}))

    assert 0 < low <= likely <= device <= high


@given(workloads, st.integers(1, 64))
def test_a_larger_batch_never_needs_less(workload, more):
    larger = replace(workload, batch=Stated(value=workload.batch.value + more))

    assert total(larger) >= total(workload)


@given(workloads, st.integers(1, 4096))
def test_a_longer_sequence_never_needs_less(workload, more):
    longer = replace(workload, seq_len=Stated(value=workload.seq_len.value + more))

    assert total(longer) >= total(workload)


@given(workloads, st.floats(1.0, 1.5))
def test_more_parameters_of_one_shape_never_need_less(workload, factor):
    shape = generic_shape(workload.params_b.value)
    larger = replace(shape, params_b=shape.params_b * factor)

    small, large = (replace(workload, shape=Stated(value=each)) for each in (shape, larger))

    assert total(large) >= total(small)


@given(
    workloads,
    st.builds(
        Plan,
        data=st.sampled_from([1, 2, 8]),
        tensor=st.sampled_from([1, 2, 8]),
        pipeline=st.sampled_from([1, 4]),
        zero_stage=st.integers(0, 3),
    ),
)
def test_sharding_never_increases_the_states_of_a_device(workload, plan):
    spread = replace(workload, plan=Stated(value=plan))

    assert states(spread) <= states(workload) * (1 + 1e-9)


@given(workloads)
@settings(max_examples=50)
def test_the_same_workload_gives_the_same_need(workload):
    assert estimate(workload, models={}) == estimate(workload, models={})


@given(workloads)
@settings(max_examples=50)
def test_every_part_is_its_formulas_value(workload):
    parts = estimate(workload, models={}).parts

    assert all(evaluate(each.computation) == each.gib for each in parts)
