"""The lexicon of labels: what a row or column of a foreign spec table means in the house's kinds of facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PRECISIONS: Final = (
    ("fp64", r"fp64|float64|double[- ]precision|\bdouble\b"),
    ("fp32", r"(?<!t)fp32|float32|single[- ]precision|\bsingle\b"),
    ("tf32", r"tf32|tensorfloat-?32|xfloat"),
    ("bf16", r"bf16|bfloat"),
    ("fp16", r"(?<!b)fp16|(?<!b)float16|half[- ]precision|\bhalf\b"),
    ("fp8", r"fp8|mxfp8|float8"),
    ("fp6", r"fp6(?!4)"),
    ("fp4", r"fp4"),
    ("int8", r"int8"),
    ("int4", r"int4(?!\d)"),
)
_MATRIX_ONLY: Final = frozenset({"tf32", "fp8", "fp6", "fp4", "int8", "int4"})
_TENSOR: Final = re.compile(r"tensor|matrix|xmx|mfma|\bwmma\b|systolic", re.IGNORECASE)
_VECTOR: Final = re.compile(r"vector|non-?tensor|shader|cuda cores?|simd", re.IGNORECASE)
_SPARSE: Final = re.compile(r"spars", re.IGNORECASE)
_DENSE: Final = re.compile(
    r"\bdense\b|(?:without|no|non|w/o)[- ]?(?:structured )?spars", re.IGNORECASE
)

# Kind of fact, what its label looks like, and what a label that only looks like it holds besides.
_KINDS: Final = (
    ("memory_bandwidth", r"(?:memory|hbm\w*|dram|vram|ram|gddr\w*)\b.*\b(?:bandwidth|bw)|^bandwidth$", r"cache|sram|peak memory clock"),
    ("memory_bus", r"memory (?:bus|interface)(?: width)?", r"type$|technology"),
    ("memory_type", r"^(?:gpu |accelerator )?memory (?:type|technology|configuration)|type of memory$", r"host"),
    (
        "memory",
        r"^(?:(?:gpu|device|total|on-?board|accelerator|graphics|video|max(?:imum)?|dedicated|vram|hbm\w*|local|global) )*"
        r"(?:memory|vram|frame ?buffer|hbm\w*|gddr\w*)(?: (?:size|capacity|amount|per (?:gpu|chip|device|accelerator)))*$",
        r"host|system|clock|speed|cache|pool|per node",
    ),
    ("power", r"\b(?:tdp|tgp|tbp)\b|thermal design|board power|(?:max|typical|total|peak)\w* .*power|power (?:consumption|draw|limit)|^power$",
     r"connector|supply|suppl|idle|efficien|states?"),
    ("tensor_cores", r"^(?:gpu )?(?:tensor|matrix|ai|xmx)[- ](?:cores?|engines?)(?: count)?(?:,? .*gen.*)?$", r""),
    ("gpu_cores", r"cuda[® ]*cores?|stream processors|shading units|shader (?:cores|units)|cuda parallel", r""),
    ("clock_base", r"base (?:clock|frequency)", r"memory"),
    ("clock_boost", r"(?:boost|max\w*|peak|turbo)[a-z ]*(?:clock|frequency)", r"memory"),
    ("price", r"(?:release |launch |list )?price|msrp", r"source|performance|per "),
    ("compute_capability", r"compute capability", r""),
    ("pcie", r"^(?:host|bus|system|gpu|accelerator host)? ?(?:interface|interconnect|bus)(?: type)?$|pci[- ]?e(?:xpress)?(?: interface| support| version)?$", r"memory|bandwidth"),
    (
        "interconnect_bandwidth",
        r"nvlink|infinity fabric|inter-?(?:chip|connect|node)|scale-up|\bici\b|neuronlink|xgmi|peer[- ]to[- ]peer|gpu-to-gpu|intranode|xe link",
        r"topology|support$|count|bridge|links?$",
    ),
    ("form_factor", r"form factor", r""),
    ("architecture", r"^(?:gpu |chip )?architecture$", r""),
)  # fmt: skip
_COMPILED: Final = tuple(
    (kind, re.compile(pattern, re.IGNORECASE), re.compile(other, re.IGNORECASE) if other else None)
    for kind, pattern, other in _KINDS
)
_FLOP_UNIT: Final = re.compile(r"(?:flop|\btops\b|\bpops\b|\bop/s|\bops\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a label says: the kind of fact and, for throughput, the precisions it names."""

    kind: str
    precisions: tuple[str, ...] = ()


def meaning_of(label: str, sample: str = "") -> Meaning | None:
    """The meaning of a label without its unit; `sample` holds its unit and its values, which tell throughput apart."""
    bare = " ".join(label.split())
    if _FLOP_UNIT.search(f"{bare} {sample}"):
        precisions = precisions_in(bare)
        if precisions:
            return Meaning(kind="peak", precisions=precisions)
    for kind, pattern, other in _COMPILED:
        if pattern.search(bare) and not (other and other.search(bare)):
            return Meaning(kind=kind)
    return None


def precisions_in(text: str) -> tuple[str, ...]:
    """The number formats named in a text."""
    folded = text.casefold()
    return tuple(name for name, pattern in _PRECISIONS if re.search(pattern, folded))


def engine_of(context: str, precision: str, *, tensor_elsewhere: bool) -> tuple[str, bool]:
    """The engine and whether the words say so. `tensor_elsewhere`: another row states this precision for tensor cores."""
    if _VECTOR.search(context) and not re.search(r"tensor core|matrix", context, re.IGNORECASE):
        return "vector", True
    if (
        _TENSOR.search(re.sub(r"tensorfloat", "", context, flags=re.IGNORECASE))
        or precision in _MATRIX_ONLY
    ):
        return "tensor", True
    if tensor_elsewhere or precision in {"fp64", "fp32"}:
        return "vector", tensor_elsewhere
    return "tensor", False


def names_tensor(label: str) -> bool:
    """Whether a label speaks of tensor or matrix engines."""
    return bool(_TENSOR.search(re.sub(r"tensorfloat", "", label, flags=re.IGNORECASE)))


def sparsity_of(context: str) -> tuple[str, bool]:
    """Sparse or dense, and whether the words say so; figures without a word are dense as far as one can tell."""
    if _DENSE.search(context) and not _SPARSE.search(_DENSE.sub("", context)):
        return "dense", True
    return ("sparse", True) if _SPARSE.search(context) else ("dense", False)
