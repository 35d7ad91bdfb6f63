"""How much arithmetic an encoder needs, counted from its shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderShape:
    """A BERT-like encoder."""

    layers: int
    hidden: int
    intermediate: int


# The configuration of sentence-transformers/all-MiniLM-L6-v2.
SHAPES: Final = {
    "all-MiniLM-L6-v2": EncoderShape(layers=6, hidden=384, intermediate=1536),
    "all-mpnet-base-v2": EncoderShape(layers=12, hidden=768, intermediate=3072),
    "bge-small-en-v1.5": EncoderShape(layers=12, hidden=384, intermediate=1536),
    "e5-small-v2": EncoderShape(layers=12, hidden=384, intermediate=1536),
}


def forward_flop(shape: EncoderShape, tokens: int) -> float:
    """Floating-point operations of one text of that many tokens; a multiplication and its addition are two.

    A layer has four projections of hidden by hidden, two of hidden by intermediate, and two products of attention,
    tokens by tokens by hidden. Norms, activations and look-ups are left out: they are below one percent.
    """
    weights = 4 * shape.hidden**2 + 2 * shape.hidden * shape.intermediate
    attention = 2 * tokens * shape.hidden
    return float(2 * shape.layers * tokens * (weights + attention))
