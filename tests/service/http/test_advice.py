"""The advisor's routes over a small corpus of two cards."""

import pytest

from service.http.advice import desk_of, need_object, recommendation_object
from service.http.advice_bodies import AdviceRequest


@pytest.fixture
def opened(store):
    return store.open_current()


def asked(**fields):
    return AdviceRequest.model_validate({"workload": fields})


def test_a_need_has_parts_that_add_up(opened):
    need = need_object(asked(task="inference", params_b=7.0, precision="bf16"), opened)["need"]
    assert need["total_gib"] == pytest.approx(sum(part["gib"] for part in need["parts"]))


def test_an_unknown_task_is_refused():
    with pytest.raises(ValueError, match="task"):
        asked(task="mining")


def test_either_a_workload_or_a_question_is_needed():
    with pytest.raises(ValueError, match="either"):
        AdviceRequest.model_validate({})


def test_a_question_without_a_model_is_asked_back(opened):
    body = AdviceRequest.model_validate({"question": "How much VRAM does my model need?"})
    found = recommendation_object(body, opened)
    assert found["recommendation"] is None
    assert "parameters" in found["ask"]


def test_a_recommendation_names_generation_and_stated_fields(opened):
    found = recommendation_object(asked(task="inference", params_b=7.0, seq_len=512), opened)
    assert found["generation"] == opened.id
    assert found["recommendation"]["workload"]["seq_len"]["from"] == "question"


def test_the_desk_is_made_once_a_generation(opened):
    assert desk_of(opened) is desk_of(opened)


@pytest.mark.parametrize("path", ["/v1/recommend", "/v1/estimate"])
def test_the_routes_answer(client, path):
    body = {"workload": {"task": "inference", "params_b": 7.0}}
    assert client.post(path, json=body).status_code == 200


@pytest.mark.parametrize(
    "workload",
    [
        {"task": "inference", "model": "no such model"},
        {"task": "qlora", "params_b": 7.0, "devices_owned": ["acme-none"]},
    ],
)
def test_unknown_names_are_told(client, workload):
    answer = client.post("/v1/recommend", json={"workload": workload})
    assert answer.status_code == 422
    assert answer.json()["code"] == "bad_question"
