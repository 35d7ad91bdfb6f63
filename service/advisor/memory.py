"""The memory of one device before sharding: weights, states, adapters, cache, working space."""

from __future__ import annotations

from service.advisor.activations import moments
from service.advisor.models import expert_params, linear_params
from service.advisor.parts import (
    CACHE,
    DYNAMIC,
    GIB,
    STATES,
    Spread,
    given,
    part,
    run_inputs,
    shape_inputs,
)
from service.advisor.run import Run
from service.advisor.types import MemoryPart, ModelShape

_CONTEXT_GIB = 0.7
_CONTEXT_HIGH_GIB = 0.9
_DISTRIBUTED_GIB = 1.0
_DISTRIBUTED_HIGH_GIB = 2.0
_SERVING_HIGH_GIB = 1.8
_KEPT_16 = "embeddings, output layer and norms stay in 16 bits"
_GQA = "GQA, arXiv 2305.13245, section 2.2: one key and one value a KV head, layer and token"
_MLA = "DeepSeek-V2, arXiv 2405.04434, section 2.1: latent vector and shared rotary key"


def memory_moments(run: Run, shape: ModelShape) -> tuple[tuple[MemoryPart, ...], ...]:
    """All parts at each moment that may be the peak, on one device that holds everything."""
    if not run.trains:
        return ((weights(run, shape), *_serving(run, shape)),)
    if run.adapts:
        states = (weights(run, shape), *_adapters(run, shape), *_workspace(run, shape))
    else:
        states = _trained_states(run, shape)
    return tuple((*states, *moment) for moment in moments(run, shape))


def weights(run: Run, shape: ModelShape) -> MemoryPart:
    """Bits per weight times weights; block formats keep embeddings and norms in 16 bits.

    QLoRA, arXiv 2305.14314, section 3, for the constants of NF4; llama.cpp's table for files.
    """
    form = run.weights
    experts_only = form.experts_only and shape.experts
    packed = expert_params(shape) if experts_only else linear_params(shape)
    bits = given("bits", form.bits, "bit", basis="assumed", note=form.source)
    if form.whole_file or not form.quantized:
        formula, note = f"params*bits/8 / {GIB}", form.source
    else:
        formula, note = f"(linear_params*bits + other_params*16)/8 / {GIB}", _KEPT_16
    spread = Spread(low=STATES.low - form.spread, high=STATES.high + form.spread)
    return part(
        f"weights in {form.name}",
        "weights",
        formula=formula,
        inputs=(
            *bits,
            *shape_inputs(shape, "params"),
            *given("linear_params", packed, "", basis="computed"),
            *given("other_params", shape.params_b * 1e9 - packed, "", basis="computed", note=note),
        ),
        source=form.source,
        spread=spread,
    )


def kv_cache(run: Run, shape: ModelShape) -> MemoryPart:
    """Keys and values of all tokens of all sequences.

    2*layers*kv_heads*head_dim*bytes a token (GQA, arXiv 2305.13245, section 2.2); with latent
    attention layers*(rank + rope)*bytes (DeepSeek-V2, arXiv 2405.04434, section 2.1). Layers with
    a sliding window hold no more tokens than the window (Mistral 7B, arXiv 2310.06825, section 2).
    """
    if shape.kv_lora_rank:
        token, source = "layers*(kv_lora_rank + rope_dim)*kv_bytes", _MLA
    else:
        token, source = "2*layers*kv_heads*head_dim*kv_bytes", _GQA
    window = min(shape.sliding_window or run.seq_len, run.seq_len)
    share = shape.sliding_layers_share
    return part(
        "KV cache",
        "kv_cache",
        formula=f"sequences*{token}*((1 - sliding_share)*seq_len + sliding_share*window) / {GIB}",
        inputs=(
            *run_inputs(run, "sequences", "seq_len", "kv_bytes"),
            *shape_inputs(shape, "layers", "kv_heads", "head_dim", "kv_lora_rank", "rope_dim"),
            *given("sliding_share", share, "", basis="cited" if shape.quote else "assumed"),
            *given("window", window, "tokens", basis="computed"),
        ),
        source=source,
        spread=CACHE,
    )


def adapter_params(run: Run, shape: ModelShape) -> float:
    """Parameters of LoRA: rank*(in + out) for each target (arXiv 2106.09685, section 4.1)."""
    hidden, width = shape.hidden, shape.heads * shape.head_dim
    kv_width = shape.kv_heads * shape.head_dim
    sides = (hidden + width) + (hidden + kv_width)
    if run.lora_targets != "qv":
        sides *= 2
    if run.lora_targets == "all":
        experts = shape.experts + shape.shared_experts if shape.experts else 1
        ffn = (shape.moe_ffn or shape.ffn) if shape.experts else shape.ffn
        sides += experts * (3 if shape.gated else 2) * (hidden + ffn)
    return float(run.lora_rank * shape.layers * sides)


def context_gib(run: Run, *, high: bool = False) -> float:
    """The runtime's own memory on one device, likely or high.

    Measured runs on A100 and RTX A6000 cards show 0.5 to 0.9 GB, torch.distributed adds 1 to 2 GB
    (stas00/ml-engineering, training/performance, "Software memory usage"). Servers such as vLLM
    hold up to about 1.8 GiB besides weights and cache.
    """
    single = _CONTEXT_HIGH_GIB if high else _CONTEXT_GIB
    if high and not run.trains and run.sequences > 1:
        single = _SERVING_HIGH_GIB
    if run.plan.devices == 1:
        return single
    return single + (_DISTRIBUTED_HIGH_GIB if high else _DISTRIBUTED_GIB)


def _trained_states(run: Run, shape: ModelShape) -> tuple[MemoryPart, ...]:
    """Weights, gradients and optimizer states (ZeRO, arXiv 1910.02054, section 3.1)."""
    recipe = run.recipe
    rows = (
        ("weights", "weights", recipe.weight_bytes),
        ("32-bit master weights", "optimizer", recipe.master_bytes),
        ("gradients", "gradients", recipe.gradient_bytes),
        ("optimizer states", "optimizer", recipe.optimizer_bytes),
    )
    return tuple(
        part(
            name,
            "weights" if kind == "weights" else "gradients" if kind == "gradients" else "optimizer",
            formula=f"params*bytes_each / {GIB}",
            inputs=(
                *shape_inputs(shape, "params"),
                *given("bytes_each", size, "B", basis="assumed", note=recipe.name),
            ),
            source=recipe.source,
            spread=STATES,
        )
        for name, kind, size in rows
        if size
    )


def _adapters(run: Run, shape: ModelShape) -> tuple[MemoryPart, ...]:
    return (
        part(
            "adapters with their gradients and optimizer states",
            "adapters",
            formula=f"adapter_params*bytes_each / {GIB}",
            inputs=(
                *given("adapter_params", adapter_params(run, shape), "", basis="computed"),
                *given("bytes_each", run.recipe.total_bytes, "B", basis="assumed"),
            ),
            source=run.recipe.source,
            spread=STATES,
        ),
    )


def _workspace(run: Run, shape: ModelShape) -> tuple[MemoryPart, ...]:
    """The 16-bit copy of the widest linear layer while a block format is unpacked for a product."""
    if not run.weights.quantized or run.weights.whole_file:
        return ()
    width = (shape.moe_ffn or shape.ffn) if shape.experts else shape.ffn
    return (
        part(
            "largest layer unpacked to 16 bits",
            "buffers",
            formula=f"2*hidden*widest / {GIB}",
            inputs=(
                *shape_inputs(shape, "hidden"),
                *given("widest", max(width, shape.hidden), "", basis="computed"),
            ),
            source="QLoRA, arXiv 2305.14314, section 3: weights are unpacked to the compute type",
            spread=DYNAMIC,
        ),
    )


def _serving(run: Run, shape: ModelShape) -> tuple[MemoryPart, ...]:
    """The cache of a decoder, and the larger working space: inside a layer or at the logits."""
    working = max(_at_logits(run, shape), _in_layer(run, shape), key=lambda each: each.gib)
    cache = (kv_cache(run, shape),) if shape.family == "decoder" else ()
    return (*cache, working, *_workspace(run, shape))


def _at_logits(run: Run, shape: ModelShape) -> MemoryPart:
    tokens = "prefill_tokens" if run.full_prompt_logits else "sequences"
    return part(
        "logits and last hidden states",
        "logits",
        formula=f"({tokens}*2*vocab + 2*2*prefill_tokens*hidden) / {GIB}",
        inputs=(
            *run_inputs(run, "sequences", "prefill_tokens"),
            *shape_inputs(shape, "vocab", "hidden"),
        ),
        source="16-bit logits of the last token, or of the whole prompt in a plain forward pass",
        spread=DYNAMIC,
    )


def _in_layer(run: Run, shape: ModelShape) -> MemoryPart:
    """Gate, up and product of the MLP; in eager attention the scores in 16, 32 and 32 bits."""
    mlp = "2*prefill_tokens*(2*hidden + mlp_tensors*ffn)"
    scores = "10*sequences*heads*seq_len**2"
    attention = f"2*prefill_tokens*(2*hidden + 4*q_width) + {scores}"
    formula = f"max({mlp}, {attention})" if run.attention == "eager" else mlp
    return part(
        "working space of one layer",
        "activations",
        formula=f"({formula}) / {GIB}",
        inputs=(
            *run_inputs(run, "sequences", "seq_len", "prefill_tokens"),
            *shape_inputs(shape, "hidden", "ffn", "q_width", "heads"),
            *given("mlp_tensors", 3.0 if shape.gated else 2.0, "", basis="assumed"),
        ),
        source="tensors alive at the widest point of a layer's forward pass",
        spread=DYNAMIC,
    )
