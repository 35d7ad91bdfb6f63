"""The one entry: models by name, anchors, tables, stated memory, and what is missing."""

import pytest

from indexer.types import DocumentId, ModelRow
from service.advisor.cost import (
    break_even_hours,
    checkpoint_minutes,
    energy_kwh,
    rent_usd,
    running_usd_per_hour,
)
from service.advisor.estimate import estimate
from service.advisor.formula import computed, evaluate
from service.advisor.models import find_shape, generic_shape, shape_of, shapes
from service.advisor.parts import given
from service.advisor.tabular import boosting_gpu_gib
from service.types import Computation
from tests.service.advisor.shapes_for_tests import LLAMA_8B, llama, sizes, stated


def row(name, aliases=(), **cells):
    return ModelRow(
        name=name, aliases=aliases, cells=cells, document_id=DocumentId("m"), start=0, end=9
    )


DEEPSEEK_CELLS = {
    "layers": "61",
    "hidden": "7168",
    "heads": "128",
    "kv_heads": "MLA",
    "head_dim": "128",
    "ffn": "18432",
    "moe_ffn": "2048",
    "experts": "256",
    "experts_per_token": "8+1 shared",
    "vocab": "129280",
    "params_b": "671.026",
    "active_params_b": "37.5",
    "kv_lora_rank": "512",
    "qk_rope_head_dim": "64",
    "tied": "false",
}
DEEPSEEK_ROW = row("DeepSeek-V3", **DEEPSEEK_CELLS)
PHI_ROW = row(
    "phi-1_5",
    layers="24",
    hidden="2048",
    heads="32",
    kv_heads="32",
    head_dim="64",
    ffn="8192",
    vocab="51200",
    params_b="1.418",
    tied="false",
)


def test_shared_experts_and_latent_attention_are_read_from_the_row():
    shape = shape_of(DEEPSEEK_ROW)

    assert (shape.experts_per_token, shape.shared_experts, shape.kv_heads) == (8, 1, 128)
    assert (shape.kv_lora_rank, shape.rope_dim, shape.family) == (512, 64, "decoder")


def test_an_mlp_of_two_matrices_is_told_from_the_parameter_count():
    assert not shape_of(PHI_ROW).gated
    assert shape_of(DEEPSEEK_ROW).gated


def test_other_models_are_read_by_their_task():
    shape = shape_of(
        row("resnet50", task="image classification", family="ResNet", params_m="25.56")
    )

    assert (shape.family, shape.params_b) == ("cnn", 0.02556)


def test_models_are_found_by_alias_in_any_spelling():
    models = shapes([row("Llama-2-7b-hf", aliases=("Llama 2 7B",), params_b="6.738"), PHI_ROW])

    found = find_shape("meta-llama/LLAMA-2-7B", models)

    assert found is not None
    assert found.name == "Llama-2-7b-hf"
    assert find_shape("GPT-9", models) is None


def test_a_bare_size_borrows_a_shape_and_says_so():
    shape = generic_shape(70.0)

    assert (shape.layers, shape.params_b, shape.assumed) == (80, 70.0, True)
    assert estimate(stated("inference", params_b=70.0), models={}).status == "rule"


def test_eight_users_with_8k_tokens_each_fit_in_28_gib():
    need = estimate(
        stated("inference", shape=LLAMA_8B, precision="bf16", concurrency=8, seq_len=8192),
        models={},
    )

    low, likely, device, high = sizes(need)
    assert 22.9 < likely < 28
    assert low < likely < device < high


@pytest.mark.parametrize(
    ("model", "fields", "gib"),
    [
        ("ResNet-50", {"batch": 256, "precision": "fp32"}, 20.9),
        ("ResNet-50", {"batch": 256}, 10.9),
        ("ResNet-50", {"batch": 128, "precision": "fp32"}, 10.5),
        ("ResNet-50", {"batch": 32, "precision": "fp32"}, 2.8),
        ("BERT-large", {"batch": 12, "seq_len": 384, "precision": "fp32"}, 20.0),
        ("BERT-large", {"batch": 12, "seq_len": 384}, 17.0),
    ],
)
def test_anchored_models_reproduce_their_anchors(model, fields, gib):
    need = estimate(stated("training", model=model, **fields), models={})

    assert need.total_gib == pytest.approx(gib, rel=0.01)
    assert need.status == "published"


def test_an_anchor_scales_with_the_area_of_the_image():
    small, large = (
        sizes(estimate(stated("training", model="yolov8x", batch=8, image_px=px), models={}))[1]
        for px in (640, 1280)
    )

    assert large == pytest.approx(4 * small)


@pytest.mark.parametrize(
    ("task", "model", "status"),
    [
        ("full_finetune", "SDXL", "rule"),
        ("lora", "FLUX.1-dev", "published"),
        ("inference", "whisper large", "published"),
        ("training", "nnU-Net", "published"),
    ],
)
def test_models_without_a_formula_get_a_number_with_its_status(task, model, status):
    need = estimate(stated(task, model=model), models={})

    assert need.total_gib is not None
    assert (need.status, bool(need.caveats)) == (status, True)


def test_a_vision_model_without_an_anchor_says_what_is_missing():
    swin = shape_of(row("swin", task="image classification", family="Swin", params_m="28.29"))
    need = estimate(stated("training", shape=swin), models={})

    assert need.total_gib == pytest.approx(16 * 28.29e6 / 2**30)
    assert need.missing == ("activations of swin: no formula and no measured run is known",)


def test_a_vision_transformer_reads_one_token_a_patch():
    vit = llama("vit-patch16-224", family="vit", params_b=0.0866, vocab=0, gated=False)
    image = estimate(stated("training", shape=vit, batch=8, image_px=224), models={})
    text = estimate(stated("training", shape=vit, batch=8, seq_len=197, image_px=224), models={})

    assert image.total_gib == text.total_gib
    assert "logits" not in {each.kind for each in image.parts if each.gib}


def test_fine_tuning_an_encoder_has_no_loss_over_the_vocabulary():
    bert = llama("bert", family="encoder", params_b=0.109, tied=True, gated=False)
    tuned = estimate(stated("full_finetune", shape=bert, batch=8, seq_len=128), models={})
    trained = estimate(stated("pretraining", shape=bert, batch=8, seq_len=128), models={})

    assert sizes(tuned)[1] < sizes(trained)[1]


def test_an_unknown_precision_is_said_to_be_unknown():
    need = estimate(stated("inference", shape=LLAMA_8B, precision="q17_z"), models={})

    assert "precision bf16: q17_z is not a known format" in need.assumptions


def test_an_unknown_model_is_missing_and_not_guessed():
    need = estimate(stated("inference", model="GPT-9"), models={})

    assert need.total_gib is None
    assert need.missing == ("the model, or its number of parameters",)


def test_stated_memory_is_taken_at_its_word():
    need = estimate(stated("inference", stated_memory_gib=24.0), models={})

    assert (need.total_gib, need.high_gib, need.status) == (24.0, 24.0, "exact")


def test_a_table_is_sized_from_rows_and_columns():
    workload = stated("gradient_boosting", dataset_rows=40.5e6, dataset_columns=140.0)
    need, on_gpu = estimate(workload, models={}), boosting_gpu_gib(workload)
    raw_gib = 40.5e6 * 140 * 4 / 2**30

    assert need.ram_gib is not None
    assert on_gpu is not None
    assert (need.ram_gib.value, on_gpu.value) == pytest.approx((2 * raw_gib, raw_gib / 2))


def test_a_table_of_unknown_size_asks_for_it():
    need = estimate(stated("classical_ml"), models={})

    assert need.missing == ("rows and columns of the table, or its size",)


def test_money_and_energy_follow_from_hours():
    assert rent_usd(hours=40, usd_per_hour=6.88).value == pytest.approx(275.2)
    assert energy_kwh(watts=700, hours=10, pue=1.2).value == pytest.approx(8.4)
    assert running_usd_per_hour(watts=500, usd_per_kwh=0.3).value == pytest.approx(0.15)


def test_buying_breaks_even_only_where_renting_costs_more():
    hours = break_even_hours(price_usd=2000, rent_usd_per_hour=0.55, running_usd_per_hour=0.05)

    assert hours is not None
    assert hours.value == pytest.approx(4000)
    assert break_even_hours(price_usd=1, rent_usd_per_hour=0.1, running_usd_per_hour=0.1) is None


def test_checkpoints_follow_young_and_daly():
    assert checkpoint_minutes(save_minutes=2, failure_hours=15).value == pytest.approx(60)


def test_a_formula_is_arithmetic_and_nothing_else():
    assert computed("max(a, 2) - 1", "", given("a", 5.0, "", basis="assumed"), source="").value == 4
    with pytest.raises(ValueError, match="not a formula"):
        evaluate(Computation(formula="a.b", inputs=()))


def test_a_pipelines_weights_follow_the_stated_precision():
    flux = shape_of(row("flux", task="image generation", family="FLUX.1", params_m="12000"))
    need = estimate(stated("diffusion", shape=flux, precision="fp8"), models={})

    assert need.total_gib == pytest.approx(12e9 / 2**30)
    assert "text encoders" in need.missing[0]
