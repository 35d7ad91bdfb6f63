"""What a training step keeps and computes with: activations, the loss, and the phases of the peak.

The tensors that a Llama-type layer keeps for its backward pass follow Korthikanti et al., arXiv
2205.05198, section 4.1, counted anew for gated MLPs, grouped queries, fused attention and norms in
32 bits; `docs/sizing.md` shows the formula beside measured runs.
"""

from __future__ import annotations

from service.advisor.models import mlp_width
from service.advisor.parts import (
    DYNAMIC,
    GIB,
    STATES,
    given,
    part,
    run_inputs,
    shape_inputs,
)
from service.advisor.run import Run
from service.advisor.types import MemoryPart, ModelShape
from service.types import Input

_LAYER = "Korthikanti et al., arXiv 2205.05198, section 4.1, counted for this layer type"
_LOSS = "logits in 16 bits, their 32-bit copy, soft-max and gradient"
_RECOMPUTE = "Korthikanti et al., arXiv 2205.05198, section 5: full recomputation"
_EAGER_KEPT_BYTES = 6.0
_EAGER_WORKING_BYTES = 14.5
_LOSS_BYTES = 14.0
_LOSS_FORWARD_BYTES = 10.0
_CHUNKED_LOSS_BYTES = 6.0


def moments(run: Run, shape: ModelShape) -> tuple[tuple[MemoryPart, ...], ...]:
    """The parts that are alive besides states at each moment that may be the largest of a step.

    Three moments compete: the backward pass at the loss or inside a layer, the forward pass at the
    loss with autocast's copies of the weights, and the optimizer's multi-tensor step.
    """
    kept = _checkpoints(run, shape) if run.checkpointing else _kept(run, shape)
    found = [(kept, *_backward(run, shape))]
    if run.recipe.autocast and not run.adapts:
        found.append((kept, _casts(shape, share="all"), _loss(run, shape, _LOSS_FORWARD_BYTES)))
    if run.recipe.step_bytes and not run.adapts:
        found.append((_step(run, shape),))
    return tuple(found)


def layer_bytes(run: Run, shape: ModelShape, *, score_bytes: float) -> str:
    """The bytes that one layer keeps, as a formula over the inputs of `layer_inputs`.

    Per token: hidden_tensors of the hidden width, query, key, value and attention output, the
    MLP's tensors, keys and values repeated for grouped queries, and 8 bytes a hidden value for two
    norms in 32 bits. A frozen layer does not keep what only its own weights' gradients need; its
    adapters keep their inputs instead. Per pair of tokens: attention scores where not fused.
    """
    tensors = "hidden_tensors*hidden + 2*q_width + 2*kv_width + mlp_tensors*ffn"
    if shape.kv_heads < shape.heads:
        tensors += " + 2*q_width"
    if run.weights.quantized and run.adapts:
        tensors += " + input_copies"
    token = f"act_bytes*({tensors}) + norm_bytes*hidden"
    if run.adapts:
        token += " + adapter_bytes*adapter_inputs + 16*lora_rank"
    tokens = f"batch*seq_len*({token})"
    if run.attention == "eager" and score_bytes:
        tokens += f" + {score_bytes}*batch*heads*seq_len**2"
    return tokens


def layer_inputs(run: Run, shape: ModelShape) -> tuple[Input, ...]:
    """The inputs of `layer_bytes`."""
    adapter_bytes = 2.0 if run.recipe.autocast else 4.0
    fp32_adapters = run.recipe.weight_bytes == 4
    hidden_tensors = 5.0
    if run.adapts:
        hidden_tensors = 1.0 if fp32_adapters else 4.0
    return (
        *run_inputs(run, "batch", "seq_len", "act_bytes", "lora_rank"),
        *shape_inputs(shape, "hidden", "ffn", "heads", "q_width", "kv_width"),
        *given("hidden_tensors", hidden_tensors, "", basis="assumed", note="kept, frozen or not"),
        *given("mlp_tensors", _mlp_tensors(run, shape), "", basis="assumed"),
        *given("norm_bytes", _norm_bytes(run), "B", basis="assumed"),
        *given("adapter_bytes", adapter_bytes if fp32_adapters else 0.0, "B", basis="assumed"),
        *given("adapter_inputs", adapter_inputs(run, shape), "", basis="computed"),
        *given("input_copies", _input_copies(shape), "", basis="computed"),
    )


def adapter_inputs(run: Run, shape: ModelShape) -> float:
    """The summed widths of what LoRA's first matrices read, by their target modules."""
    hidden, width = shape.hidden, shape.heads * shape.head_dim
    if run.lora_targets == "qv":
        return 2 * hidden
    if run.lora_targets == "attention":
        return 3 * hidden + width
    return 3 * hidden + width + (2 if shape.gated else 1) * hidden + mlp_width(shape)


def _mlp_tensors(run: Run, shape: ModelShape) -> float:
    kept = 4.0 if shape.gated else 2.0
    return kept - 1 if run.adapts else kept


def _norm_bytes(run: Run) -> float:
    """8 bytes for two norms; under autocast 10 more for the 32-bit residual and its casts."""
    return 18.0 if run.recipe.autocast and not run.adapts else 8.0


def _input_copies(shape: ModelShape) -> float:
    """The widths that 4-bit linear layers keep a copy of: one input for each linear layer."""
    inputs = (2 if shape.gated else 1) + 1
    return inputs * shape.hidden + shape.heads * shape.head_dim + mlp_width(shape)


def _kept(run: Run, shape: ModelShape) -> MemoryPart:
    layer = layer_bytes(run, shape, score_bytes=_EAGER_KEPT_BYTES)
    return part(
        "activations of all layers",
        "activations",
        formula=f"layers*({layer}) / {GIB}",
        inputs=(*layer_inputs(run, shape), *shape_inputs(shape, "layers")),
        source=_LAYER,
        spread=DYNAMIC,
    )


def _checkpoints(run: Run, shape: ModelShape) -> MemoryPart:
    residual = 4.0 if run.recipe.autocast else run.activation_bytes
    return part(
        "checkpointed layer inputs",
        "activations",
        formula=f"layers*seq_len*batch*hidden*residual_bytes / {GIB}",
        inputs=(
            *run_inputs(run, "seq_len", "batch"),
            *shape_inputs(shape, "layers", "hidden"),
            *given("residual_bytes", residual, "B", basis="assumed"),
        ),
        source=_RECOMPUTE,
        spread=DYNAMIC,
    )


def _backward(run: Run, shape: ModelShape) -> tuple[MemoryPart, ...]:
    """What the backward pass works with: the loss or one layer, whichever is larger, and casts."""
    loss_bytes = _CHUNKED_LOSS_BYTES if run.fused_loss else _LOSS_BYTES
    working = max(
        _loss(run, shape, loss_bytes), _layer_at_work(run, shape), key=lambda each: each.gib
    )
    if not run.recipe.autocast:
        return (working,)
    return (working, _casts(shape, share="output" if run.checkpointing else "all"))


def _layer_at_work(run: Run, shape: ModelShape) -> MemoryPart:
    """The layer that is recomputed, or in eager attention the scores that only one layer needs."""
    extra = _EAGER_WORKING_BYTES - _EAGER_KEPT_BYTES
    if run.checkpointing:
        formula = layer_bytes(run, shape, score_bytes=_EAGER_WORKING_BYTES)
    else:
        formula = f"{extra}*batch*heads*seq_len**2" if run.attention == "eager" else "0"
    return part(
        "one layer's backward pass",
        "activations",
        formula=f"({formula}) / {GIB}",
        inputs=layer_inputs(run, shape),
        source=_LAYER,
        spread=DYNAMIC,
    )


def _loss(run: Run, shape: ModelShape, logit_bytes: float) -> MemoryPart:
    """The loss over the vocabulary, which encoders have in pre-training only."""
    scored = shape.family not in {"encoder", "vit"} or run.task == "pretraining"
    return part(
        "logits and loss",
        "logits",
        formula=f"logit_bytes*batch*seq_len*vocab / {GIB}",
        inputs=(
            *run_inputs(run, "batch", "seq_len"),
            *shape_inputs(shape, "vocab"),
            *given("logit_bytes", logit_bytes if scored else 0.0, "B", basis="assumed", note=_LOSS),
        ),
        source=_LOSS,
        spread=DYNAMIC,
    )


def _casts(shape: ModelShape, *, share: str) -> MemoryPart:
    formula = "2*params" if share == "all" else "2*vocab*hidden"
    return part(
        "autocast's 16-bit copies of weights",
        "casts",
        formula=f"{formula} / {GIB}",
        inputs=shape_inputs(shape, "params", "vocab", "hidden"),
        source="PyTorch documentation, torch.amp: casts are cached and kept for backward",
        spread=STATES,
    )


def _step(run: Run, shape: ModelShape) -> MemoryPart:
    return part(
        "optimizer step, one copy of a state",
        "step",
        formula=f"step_bytes*params / {GIB}",
        inputs=(
            *shape_inputs(shape, "params"),
            *given("step_bytes", run.recipe.step_bytes, "B", basis="assumed"),
        ),
        source="PyTorch documentation, torch.optim.AdamW, on the foreach implementation",
        spread=STATES,
    )
