"""A recommendation against what is known, on values small enough to see through."""

from eval.cases import Case
from eval.fitting import fit_marks
from service.advisor.types import (
    Fit,
    Need,
    Option,
    Plan,
    Recommendation,
    Stated,
    Workload,
)
from service.types import Computation

FORMULA = Computation(formula="a", inputs=())
WORKLOAD = Workload(
    task=Stated(value="inference"),
    model=Stated(value="Llama-3.1-8B"),
    precision=Stated(value="bf16"),
    placement=Stated(value="onprem"),
)


def recommendation(*offered, total_gib=16.0):
    need = Need(
        total_gib=total_gib,
        low_gib=15.0,
        high_gib=18.0,
        context_gib=0.5,
        parts=(),
        plan=Plan(),
        status="exact",
    )
    options = tuple(
        Option(
            rank=rank,
            device_id=name,
            device=name or "server",
            count=count,
            where="buy",
            provider="",
            instance="",
            region="",
            plan=Plan(),
            fit=Fit(
                available_gib=24,
                needed_gib=16,
                headroom_gib=8,
                verdict="comfortable",
                computation=FORMULA,
            ),
        )
        for rank, (name, count) in enumerate(offered, start=1)
    )
    return Recommendation(
        workload=WORKLOAD, need=need, options=options, rejected=(), order="cheapest"
    )


def marks(case, found):
    row = {"id": "a", "question": "Which card?", **case}
    return {mark.metric: mark.right for mark in fit_marks(Case.model_validate(row), found)}


def test_stated_fields_are_compared_in_their_own_way():
    case = {
        "workload": {
            "task": "inference",
            "model": "Llama-3.1-8B",
            "precision": "bf16",
            "placement": "local",
        }
    }

    found = list(
        fit_marks(Case.model_validate({"id": "a", "question": "?", **case}), recommendation())
    )

    assert [mark.right for mark in found] == [True] * 4


def test_a_field_that_was_understood_otherwise_is_wrong():
    assert marks({"workload": {"placement": "cloud"}}, recommendation()) == {"workload": False}


def test_the_memory_counts_with_or_without_the_runtime():
    case = {"memory_gib": {"low": 16.4, "high": 17}}

    assert marks(case, recommendation()) == {"memory": True}
    assert marks(case, recommendation(total_gib=20.0)) == {"memory": False}


def test_a_machine_counts_with_its_number():
    case = {"feasible": ["nvidia-rtx-3090"], "feasible_counts": {"nvidia-rtx-3090": 2}}

    assert marks(case, recommendation(("nvidia-rtx-3090", 1))) == {"feasible": False}
    assert marks(case, recommendation(("nvidia-rtx-3090", 2))) == {"feasible": True}


def test_a_machine_that_cannot_do_it_must_not_be_offered():
    case = {"infeasible": ["nvidia-t4"], "workload": {}}

    assert marks(case, recommendation(("nvidia-t4", 1)))["infeasible"] is False
    assert marks(case, recommendation((None, 1)))["infeasible"] is True


def test_a_server_without_accelerator_is_the_generic_one():
    assert marks({"feasible": ["cpu-server"]}, recommendation((None, 1))) == {"feasible": True}


def test_without_a_recommendation_everything_is_missing():
    case = {
        "workload": {"task": "lora"},
        "memory_gib": {"low": 1, "high": 2},
        "feasible": ["x"],
        "infeasible": ["y"],
    }

    assert marks(case, None) == {"workload": False, "memory": False, "feasible": False}
