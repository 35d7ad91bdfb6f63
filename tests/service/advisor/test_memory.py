"""Memory against papers, published tables and hand arithmetic."""

import pytest

from service.advisor.estimate import estimate
from service.advisor.formula import evaluate
from service.advisor.memory import memory_moments
from service.advisor.models import count_params
from service.advisor.precision import FORMATS, RECIPES, format_named
from service.advisor.run import settle
from tests.service.advisor.shapes_for_tests import (
    DEEPSEEK_V3,
    LLAMA_2_7B,
    LLAMA_8B,
    LLAMA_70B,
    LLAMA_405B,
    MIXTRAL,
    llama,
    stated,
)

GIB = 2**30


def part_gib(need, kind):
    return sum(each.gib for each in need.parts if each.kind == kind)


def need_of(task, **fields):
    return estimate(stated(task, **fields), models={})


@pytest.mark.parametrize(
    ("shape", "expected"), [(LLAMA_8B, 8_030_261_248), (LLAMA_70B, 70_553_706_496)]
)
def test_parameters_follow_from_the_shape(shape, expected):
    assert count_params(shape) == expected


def test_a_mixture_counts_all_of_its_experts():
    assert count_params(MIXTRAL) / 1e9 == pytest.approx(46.70, abs=0.01)


@pytest.mark.parametrize(
    ("shape", "file_gb"), [(LLAMA_8B, 4.9), (LLAMA_70B, 43.1), (LLAMA_405B, 249.1)]
)
def test_q4_k_m_files_have_the_size_that_llama_cpp_publishes(shape, file_gb):
    need = need_of("inference", shape=shape, precision="Q4_K_M", seq_len=1)

    assert part_gib(need, "weights") * GIB / 1e9 == pytest.approx(file_gb, rel=0.005)


def test_double_quantization_costs_an_eighth_of_a_bit():
    assert FORMATS["nf4_dq"].bits == pytest.approx(4.127, abs=0.0005)
    assert FORMATS["nf4"].bits == 4.5


def test_a_block_format_leaves_embeddings_in_16_bits():
    need = need_of("inference", shape=LLAMA_8B, precision="nf4", seq_len=1)
    embeddings = 2 * 128256 * 4096
    expected = (embeddings * 16 + (8_030_261_248 - embeddings) * 4.5) / 8 / GIB

    assert part_gib(need, "weights") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("GGUF Q4_K_M", "q4_k_m"),
        ("bnb-nf4-dq", "nf4_dq"),
        ("8-bit", "int8"),
        ("bfloat16", "bf16"),
        ("4 bit", "int4"),
    ],
)
def test_format_names_are_read_in_many_spellings(name, format_name):
    assert format_named(name) == FORMATS[format_name]


@pytest.mark.parametrize(
    ("shape", "bytes_per_token"),
    [(LLAMA_2_7B, 524_288), (LLAMA_8B, 131_072), (LLAMA_70B, 327_680), (DEEPSEEK_V3, 70_272)],
)
def test_the_cache_of_a_token_has_the_published_size(shape, bytes_per_token):
    need = need_of("inference", shape=shape, precision="bf16", seq_len=1000)

    assert part_gib(need, "kv_cache") * GIB / 1000 == pytest.approx(bytes_per_token)


def test_a_sliding_window_bounds_the_cache_of_its_layers():
    shape = llama(sliding_window=1024, sliding_layers_share=0.5)
    need = need_of("inference", shape=shape, seq_len=8192)

    assert part_gib(need, "kv_cache") * GIB == 131_072 * (0.5 * 8192 + 0.5 * 1024)


def test_an_8_bit_cache_is_half_as_large():
    whole = need_of("inference", shape=LLAMA_8B, seq_len=8192)
    half = need_of("inference", shape=LLAMA_8B, seq_len=8192, kv_precision="fp8")

    assert part_gib(half, "kv_cache") == part_gib(whole, "kv_cache") / 2


@pytest.mark.parametrize(
    ("recipe", "bytes_each"),
    [
        ("mixed_adamw", 16),
        ("mixed_adamw_fp32_gradients", 18),
        ("autocast_adamw", 16),
        ("pure_bf16_adamw", 8),
        ("bf16_adam8bit", 6),
        ("fp32_sgd_momentum", 12),
    ],
)
def test_recipes_cost_the_bytes_of_their_papers(recipe, bytes_each):
    assert RECIPES[recipe].total_bytes == bytes_each


def test_states_of_a_7b_model_are_112_gb():
    need = need_of("full_finetune", params_b=7.0)
    states = sum(part_gib(need, kind) for kind in ("weights", "gradients", "optimizer"))

    assert states * GIB / 1e9 == pytest.approx(112)


def test_lora_adds_rank_times_both_sides_of_each_target():
    need = need_of("lora", shape=LLAMA_8B, lora_rank=16, lora_targets="qv", batch=1, seq_len=128)
    adapter_params = 32 * 16 * ((4096 + 4096) + (4096 + 1024))

    assert part_gib(need, "adapters") == pytest.approx(adapter_params * 16 / GIB)


def test_checkpointing_keeps_one_input_a_layer_as_korthikanti_says():
    need = need_of(
        "full_finetune",
        shape=LLAMA_8B,
        recipe="mixed_adamw",
        batch=2,
        seq_len=2048,
        checkpointing=True,
    )
    kept = next(each for each in need.parts if each.name == "checkpointed layer inputs")

    assert kept.gib * GIB == 2 * 32 * 2048 * 2 * 4096


def test_the_optimizer_step_can_be_the_peak():
    """Measured on an RTX A6000: Llama-3.2-3B in pure bf16 peaks at 29.94 GiB, four times weights and one."""
    shape = llama(params_b=3.213, layers=28, hidden=3072, heads=24, ffn=8192, tied=True)
    need = need_of(
        "full_finetune",
        shape=shape,
        recipe="pure_bf16_adamw",
        batch=1,
        seq_len=2048,
        checkpointing=True,
    )

    assert need.total_gib == pytest.approx(29.94, rel=0.005)
    assert part_gib(need, "step") == pytest.approx(2 * 3.213e9 / GIB)


@pytest.mark.parametrize("task", ["inference", "full_finetune", "lora", "qlora"])
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_every_part_equals_its_own_formula(task, attention):
    run = settle(stated(task, batch=2, seq_len=512, attention=attention), MIXTRAL)

    for moment in memory_moments(run, MIXTRAL):
        assert all(evaluate(each.computation) == each.gib for each in moment)


def test_mxfp4_packs_experts_and_leaves_attention_in_16_bits():
    """As gpt-oss is released: its experts are in MXFP4, all else in bf16."""
    shape = llama(
        "gpt-oss-120b",
        params_b=116.829,
        layers=36,
        hidden=2880,
        heads=64,
        head_dim=64,
        ffn=2880,
        vocab=201088,
        experts=128,
        experts_per_token=4,
        moe_ffn=2880,
    )
    need = need_of("inference", shape=shape, precision="mxfp4", seq_len=1)
    experts = 36 * 128 * 3 * 2880 * 2880

    expected = (experts * 4.25 + (116.829e9 - experts) * 16) / 8 / GIB

    assert part_gib(need, "weights") == pytest.approx(expected)


def test_a_mixture_keeps_all_experts_resident():
    need = need_of("inference", shape=MIXTRAL, precision="bf16", seq_len=128)

    assert part_gib(need, "weights") == pytest.approx(87.0, abs=0.1)
    assert need.status == "rule"
