"""Which machines are chosen, in which words, and that the checker finds no fault in any of them."""

from __future__ import annotations

import pytest

from service.advisor.answers import Advice, advise
from service.advisor.catalog import memory_of
from service.query import Speller, parse_question
from service.types import Question
from service.verify import verify

QUESTIONS = (
    "I have 2000 dollars to spend, what GPU should I buy for local LLMs?",
    "A single 15 amp 120V outlet, what is the most GPU memory I can run?",
    "Edge device for running object detection at under 15 watts?",
    "I want to pretrain a 3B model on 60B tokens within two weeks. What do I rent?",
    "Which spot instance for training a 7B model, budget 3000 dollars?",
    "Which Mac should I get to run 70B models locally?",
    "Which GPU should I get for a 13B model, 300 hours a month?",
    "Does Gemma 2 27B in bf16 fit on one A100 40 GB?",
    "Which card for QLoRA of Qwen2.5 32B at home, at most 2,500 dollars?",
    "I have two RTX 4090. Can I serve Llama 3.3 70B in Q4_K_M with 16k context to three users at once?",
    "How large is the KV cache of Qwen2.5 72B at 32k tokens?",
    "How many days to pretrain a 1.5B model on 300B tokens with 16 H100 SXM?",
    "XGBoost on 80 million rows by 120 float32 columns, which machine?",
    "Upper limit of tokens per second for Mistral 7B in fp16 on an RTX 3090?",
    "Full fine-tune of Llama 3.1 70B on one RTX 4070, which machine instead?",
    "Five developers each want an isolated GPU slice of one card, which cards can do that?",
    "Training ResNet-50 at 900 images per second: how long are 50 epochs over 1.2 million images?",
    "Office PC on a 120 V 15 A circuit, 4,000 dollars, object detection training: which card?",
)


def asked(desk, question: str) -> Advice:
    query = parse_question(
        Question(text=question),
        lexicon=desk.lexicon,
        speller=Speller({}, common=1),
        max_chars=4000,
    )
    advice = advise(query, desk)
    assert advice is not None
    return advice


def options_of(desk, question: str):
    found = asked(desk, question).recommendation
    assert found is not None
    assert found.options
    return found.options


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_number_of_an_answer_passes_the_number_check(shipped, desk, question):
    advice = asked(desk, question)
    assert advice.statements
    faults = [v.faults for v in verify(advice.statements, shipped.documents) if v.faults]
    assert faults == []


def test_a_deadline_is_kept_by_known_hours_only(desk):
    options = options_of(
        desk, "Pretrain a 3B model on 60B tokens within two weeks, what do I rent?"
    )

    assert all(each.hours is not None and each.hours.value <= 14 * 24 for each in options)
    assert all(each.speed is not None and each.speed.high <= 14 * 24 for each in options)


def test_single_machines_are_not_joined_into_one(desk):
    options = options_of(
        desk, "Serve a 70B model in bf16 on 8 x GH200 rented at Lambda, which machine?"
    )

    assert all(each.count == 1 for each in options if each.instance.startswith("gpu_1x"))


def test_spot_is_priced_as_spot(desk):
    options = options_of(desk, "Which spot instance for training a 7B model, budget 3000 dollars?")

    assert {each.cost.billing for each in options} == {"spot"}
    assert all("hours of it" in each.reasons[0].text for each in options)


def test_what_is_named_is_offered_though_it_is_rented_in_larger_machines_only(desk):
    options = options_of(desk, "One MI300X or one H100 for serving a 32B model, which do I rent?")

    assert {"amd-mi300x", "nvidia-h100-sxm-80gb"} <= {each.device_id for each in options[:2]}


def test_a_budget_without_a_model_is_answered_by_memory(desk):
    options = options_of(
        desk, "I have 2000 dollars to spend, what GPU should I buy for local LLMs?"
    )

    assert all(each.cost.total_usd <= 2000 for each in options)
    sizes = [each.fit.available_gib for each in options]
    assert sizes[0] == max(sizes) > 30


def test_a_circuit_without_a_model_is_answered_by_memory(desk):
    options = options_of(desk, "A 15 amp 120V outlet, what is the most GPU memory I can run?")

    assert all(
        each.count * desk.shelf.machines[each.device_id].power.value <= 1140 for each in options
    )


def test_little_power_means_a_module(desk):
    options = options_of(desk, "Edge device for object detection at under 15 watts?")

    kinds = {desk.shelf.machines[each.device_id].device.segment for each in options}
    assert kinds == {"embedded"}


def test_the_first_sentence_says_which_limit_was_kept_and_what_to_take(desk):
    told = asked(
        desk,
        "Our patient notes must not leave the building. Which machine should we buy for a 8B model?",
    )

    assert told.statements[0].text.startswith("Only machines on your own premises are offered")
    assert "Buy 1 x " in told.statements[0].text


def test_memory_is_that_of_a_sibling_where_only_its_is_known(desk):
    machines = desk.shelf.machines
    devices = desk.shelf.catalog.devices
    borrowed = [each for each in machines.values() if "another variant" in each.memory.how]

    assert borrowed
    for machine in borrowed:
        alone = memory_of(machine.device)
        assert alone is not None
        assert any(
            each.family == machine.device.family and memory.gib == machine.memory.gib
            for each in devices
            if each.id != machine.id and (memory := memory_of(each)) is not None
        )
