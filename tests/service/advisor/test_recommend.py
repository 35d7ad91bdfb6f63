"""Recommendations over the shipped catalog: what fits, what does not and why, and that it is always so."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.types import DeviceId
from service.advisor.catalog import Shelf, build_shelf
from service.advisor.needs import plan_for
from service.advisor.recommend import recommend
from service.advisor.types import Option, Recommendation, Stated, Workload

TODAY = "2026-12-01"
GIB = 2**30
MODELS = ("Llama-3.1-8B", "Llama-2-13b-hf", "Llama-3.1-70B", "Mixtral-8x7B-v0.1", "Qwen2.5-14B")
BYTES = {"bf16": 2.0, "fp8": 1.0, "q4_k_m": 4.8 / 8, "q8_0": 8.4 / 8, "int8": 1.0}
SLOW = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def work(task, **fields) -> Workload:
    return Workload(
        task=Stated(value=task), **{name: Stated(value=value) for name, value in fields.items()}
    )


def ids(found: Recommendation) -> set[str | None]:
    return {option.device_id for option in found.options}


@pytest.fixture
def shelf(desk):
    return desk.shelf


def test_an_owned_card_that_fits_comes_first_and_is_not_offered_for_money(shelf):
    found = recommend(
        work("inference", model="Llama-3.1-8B", devices_owned=(DeviceId("nvidia-rtx-3090"),)),
        shelf,
        today=TODAY,
    )
    assert found.options[0].where == "own"
    assert [option.device_id for option in found.options].count(DeviceId("nvidia-rtx-3090")) == 1


def test_what_is_too_small_is_ruled_out_with_needed_and_has(shelf):
    found = recommend(
        work(
            "inference",
            model="Llama-2-13b-hf",
            devices_wanted=(DeviceId("nvidia-rtx-4090"),),
            device_count_max=1,
        ),
        shelf,
        today=TODAY,
    )
    rejected = next(each for each in found.rejected if each.device_id == "nvidia-rtx-4090")
    assert rejected.constraint == "memory"
    assert "ruled out by memory" in rejected.statement.text


def test_data_that_must_stay_are_never_put_on_a_rented_machine(shelf):
    found = recommend(
        work("inference", model="Llama-3.1-8B", placement="onprem", privacy="stays"),
        shelf,
        today=TODAY,
    )
    assert found.options
    assert {option.where for option in found.options} == {"buy"}


def test_modules_are_not_sold_as_single_cards(shelf):
    found = recommend(
        work("inference", model="Llama-3.1-70B", precision="fp8", placement="buy"),
        shelf,
        today=TODAY,
    )
    assert all("sxm" not in str(option.device_id) or option.count >= 4 for option in found.options)


def test_cloud_chips_are_not_sold(shelf):
    found = recommend(
        work("pretraining", params_b=3.0, tokens=1e10, framework="jax", placement="onprem"),
        shelf,
        today=TODAY,
    )
    assert not any(str(name).startswith("google-tpu") for name in ids(found))


def test_processors_do_tables(shelf):
    found = recommend(
        work("gradient_boosting", dataset_rows=5e6, dataset_columns=100.0), shelf, today=TODAY
    )
    assert found.options[0].device_id == "cpu-server"


def test_an_impossible_demand_has_no_options(shelf):
    found = recommend(
        work("full_finetune", model="Llama-3.1-405B", device_count_max=1), shelf, today=TODAY
    )
    assert found.options == ()
    assert found.need.total_gib is not None


def test_several_devices_name_how_the_model_is_spread_and_the_link(shelf):
    found = recommend(
        work("full_finetune", model="Llama-3.1-70B", placement="cloud"), shelf, today=TODAY
    )
    several = [option for option in found.options if option.count > 1]
    assert several
    text = " ".join(reason.text for reason in several[0].reasons)
    assert "ZeRO stage 3" in text
    assert "over" in text


def test_every_price_shows_region_and_date(shelf):
    found = recommend(work("qlora", model="Llama-3.1-8B"), shelf, today=TODAY)
    for option in found.options:
        if option.cost is not None:
            assert option.cost.as_of
            assert option.cost.source
            assert option.cost.quote is not None
        if option.where == "rent":
            assert option.region in option.reasons[0].text


def test_the_same_workload_gives_the_same_value(shelf):
    load = work("lora", model="Llama-2-13b-hf", seq_len=1024, batch=2)
    assert recommend(load, shelf, today=TODAY) == recommend(load, shelf, today=TODAY)


def test_at_most_seven_options_and_no_device_twice_at_one_place(shelf):
    found = recommend(work("inference", model="Llama-3.1-8B"), shelf, today=TODAY)
    places = [(option.device_id, option.where) for option in found.options]
    assert len(places) <= 7
    assert len(set(places)) == len(places)


WORKLOADS = st.builds(
    lambda task, model, precision, seq_len, batch, place, count, hourly, budget: work(
        task,
        model=model,
        seq_len=seq_len,
        **({"precision": precision} if task == "inference" else {"batch": batch}),
        **({"concurrency": batch} if task == "inference" else {}),
        **({"placement": place} if place else {}),
        **({"device_count_max": count} if count else {}),
        **({"usd_per_hour_max": hourly} if hourly else {}),
        **({"budget_usd": budget} if budget else {}),
    ),
    task=st.sampled_from(["inference", "qlora", "lora", "full_finetune"]),
    model=st.sampled_from(MODELS),
    precision=st.sampled_from(sorted(BYTES)),
    seq_len=st.sampled_from([256, 1024, 2048, 8192, 32768]),
    batch=st.sampled_from([1, 2, 8]),
    place=st.sampled_from(["", "cloud", "onprem", "local", "buy"]),
    count=st.sampled_from([0, 1, 2, 8]),
    hourly=st.sampled_from([0.0, 0.9, 3.0, 40.0]),
    budget=st.sampled_from([0.0, 900.0, 3000.0, 20000.0]),
)


def least_bytes(load: Workload, params: float) -> float:
    """What must be held at the very least, by arithmetic of its own: bytes a parameter by the task."""
    task = load.task.value
    if task == "full_finetune":
        return 16 * params
    if task == "qlora":
        return 0.5 * params
    if task == "lora":
        return 2 * params
    assert load.precision is not None
    return BYTES[load.precision.value] * params


def printed_bytes(shelf: Shelf, option: Option) -> float:
    """What the sheets print for the devices of an option, read in the larger way."""
    device = shelf.catalog.by_id[DeviceId(str(option.device_id))]
    sizes = [
        fact.value * {"GB": GIB, "GiB": GIB, "MiB": 2**20, "TB": 2**40}[fact.unit]
        for fact in device.facts
        if fact.name in {"memory", "memory_usable", "memory_max"} and fact.value
    ]
    return max(sizes) * option.count


@pytest.mark.timeout(400)
@settings(SLOW, max_examples=2000)
@given(load=WORKLOADS)
def test_every_option_fits_by_independent_arithmetic_and_within_every_limit(desk, load):
    shelf = desk.shelf
    found = recommend(load, shelf, today=TODAY)
    params = shelf.models[load.model.value].params_b * 1e9
    assert len(found.options) <= 7
    for option in found.options:
        assert least_bytes(load, params) <= printed_bytes(shelf, option)
        assert option.fit.needed_gib <= option.fit.available_gib
        assert option.fit.verdict in {"comfortable", "tight"}
        check_limits(load, option)


def check_limits(load: Workload, option: Option) -> None:
    place = load.placement.value if load.placement else "any"
    assert (
        option.where
        in {
            "any": {"rent", "buy"},
            "cloud": {"rent"},
            "onprem": {"buy"},
            "local": {"buy"},
            "buy": {"buy"},
        }[place]
    )
    if load.device_count_max is not None:
        assert option.count <= load.device_count_max.value
    if option.where == "rent" and load.usd_per_hour_max is not None:
        assert _price(option) <= load.usd_per_hour_max.value
    if option.where == "buy" and load.budget_usd is not None:
        assert _price(option) <= load.budget_usd.value


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
@pytest.mark.timeout(300)
@settings(SLOW, max_examples=150)
@given(
    load=WORKLOADS,
    name=st.sampled_from(["device_count_max", "usd_per_hour_max", "budget_usd", "placement"]),
)
def test_a_lifted_limit_never_takes_the_best_option_away(desk, load, name):
    before = recommend(load, desk.shelf, today=TODAY).options
    after = recommend(replace(load, **{name: None}), desk.shelf, today=TODAY).options
    if not before:
        return
    assert after
    best = before[0]
    same = [each for each in after if (each.device_id, each.where) == (best.device_id, best.where)]
    at_place = [each for each in after if each.where == best.where]
    assert same or at_place
    assert same or _price(at_place[0]) <= _price(best) or at_place[0].count <= best.count


def _price(option: Option) -> float:
    cost = option.cost
    if cost is None:
        return 0.0 if option.where == "own" else float("inf")
    return (cost.usd_per_hour if option.where == "rent" else cost.total_usd) or float("inf")


@pytest.mark.timeout(300)
@settings(SLOW, max_examples=60)
@given(load=WORKLOADS, place=st.integers(min_value=0, max_value=6))
def test_half_the_price_never_lowers_an_option(desk, load, place):
    before = recommend(load, desk.shelf, today=TODAY).options
    rented = [option for option in before if option.where == "rent"]
    if not rented:
        return
    chosen = rented[place % len(rented)]
    cheaper = cheapened(desk.shelf, chosen)
    after = recommend(load, cheaper, today=TODAY).options
    rank = next(
        (each.rank for each in after if (each.device_id, each.where) == (chosen.device_id, "rent")),
        99,
    )
    assert rank <= chosen.rank


def cheapened(shelf: Shelf, option: Option) -> Shelf:
    """The shelf with the option's offer at half its price."""
    offers = tuple(
        replace(offer, on_demand_usd_per_hour=(offer.on_demand_usd_per_hour or 0.0) / 2)
        if (offer.provider, offer.instance, offer.region)
        == (option.provider, option.instance, option.region)
        else offer
        for offer in shelf.catalog.offers
    )
    return build_shelf(replace(shelf.catalog, offers=offers), shelf.models)


@pytest.mark.parametrize("task", ["full_finetune", "inference"])
def test_a_plan_uses_the_devices_that_it_is_for(task):
    assert plan_for(work(task, model="Llama-3.1-8B"), 8).devices == 8


def test_tasks_of_the_types_are_all_answered(shelf):
    from service.advisor.types import ServingTask, TrainingTask

    for task in (*get_args(TrainingTask), *get_args(ServingTask)):
        assert recommend(work(task, model="Llama-3.1-8B"), shelf, today=TODAY).need is not None
