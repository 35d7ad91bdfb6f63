"""Shapes of models: from rows of the catalog, by name, or a generic one for a parameter count."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from indexer.types import ModelRow
from service.advisor.types import Family, ModelShape
from service.types import Quote

_FAMILY_BY_TASK: dict[str, Family] = {
    "text encoder": "encoder",
    "embedding": "encoder",
    "image classification": "cnn",
    "object detection": "detector",
    "segmentation": "detector",
    "medical image segmentation": "cnn",
    "speech recognition": "speech",
    "image generation": "diffusion",
}


def shape_of(row: ModelRow) -> ModelShape:
    """A catalog row as a shape. Empty cells and words stay 0, as not known."""
    cells = row.cells
    experts = _numbers(cells.get("experts_per_token", ""))
    family = _family(cells)
    tied = family == "encoder" or cells.get("tied", "").strip().lower() == "true"
    shape = ModelShape(
        name=row.name,
        family=family,
        params_b=_params_b(cells, tied=tied),
        layers=_count(cells, "layers"),
        hidden=_count(cells, "hidden"),
        heads=_count(cells, "heads"),
        kv_heads=_count(cells, "kv_heads"),
        head_dim=_count(cells, "head_dim"),
        ffn=_count(cells, "ffn"),
        vocab=_count(cells, "vocab"),
        context=_count(cells, "context"),
        tied=tied,
        experts=_count(cells, "experts"),
        experts_per_token=int(experts[0]) if experts else 0,
        shared_experts=int(experts[1]) if len(experts) > 1 else 0,
        moe_ffn=_count(cells, "moe_ffn"),
        active_params_b=_number(cells, "active_params_b"),
        sliding_window=_count(cells, "sliding_window"),
        sliding_layers_share=_number(cells, "sliding_layers_share"),
        kv_lora_rank=_count(cells, "kv_lora_rank"),
        rope_dim=_count(cells, "qk_rope_head_dim"),
        release_precision=cells.get("release_precision", ""),
        aliases=row.aliases,
        quote=Quote(document_id=row.document_id, start=row.start, end=row.end),
    )
    return _complete(shape)


def shapes(rows: Iterable[ModelRow]) -> dict[str, ModelShape]:
    """The shapes of a catalog by name, in the order of the rows."""
    return {row.name: shape_of(row) for row in rows}


def find_shape(name: str, models: Mapping[str, ModelShape]) -> ModelShape | None:
    """The model of that name or alias; case, blanks, dashes and the owner before "/" do not matter.

    The first match in the mapping's order wins.
    """
    wanted = _key(name)
    for shape in models.values():
        if wanted in {_key(shape.name), *(_key(alias) for alias in shape.aliases)}:
            return shape
    return None


def generic_shape(params_b: float, *, active_params_b: float = 0.0) -> ModelShape:
    """A decoder of that size: the released one nearest in size lends its shape; marked assumed."""
    nearest = min(_GENERIC, key=lambda shape: abs(math.log(shape.params_b / params_b)))
    return replace(
        nearest,
        name=f"a {params_b:g}B decoder, shaped like {nearest.name}",
        params_b=params_b,
        active_params_b=active_params_b,
        assumed=True,
    )


def count_params(shape: ModelShape) -> float:
    """Parameters from the shape of a Llama-type decoder, embeddings and norms included.

    V*h for each embedding, and for each layer 2*h*q + 2*h*kv + (3 or 2)*h*i + 2*h. Llama 2, arXiv
    2307.09288, section 2.2, and Mixtral, arXiv 2401.04088, section 2, for the experts.
    """
    width = shape.heads * shape.head_dim
    kv_width = shape.kv_heads * shape.head_dim
    attention = 2 * shape.hidden * (width + kv_width)
    embeddings = shape.vocab * shape.hidden * (1 if shape.tied else 2)
    layer = attention + _mlp_params(shape) + 2 * shape.hidden
    return float(embeddings + shape.layers * layer + shape.hidden)


def embedding_params(shape: ModelShape) -> float:
    """Parameters that block quantization leaves in 16 bits: embedding table and output layer."""
    return float(min(shape.vocab * shape.hidden * (1 if shape.tied else 2), shape.params_b * 1e9))


def linear_params(shape: ModelShape) -> float:
    """Parameters outside of embedding table and output layer."""
    return shape.params_b * 1e9 - embedding_params(shape)


def expert_params(shape: ModelShape) -> float:
    """Parameters of a mixture's routed experts, 0 without any."""
    matrices = 3 if shape.gated else 2
    width = shape.moe_ffn or shape.ffn
    found = shape.layers * shape.experts * matrices * shape.hidden * width
    return min(float(found), shape.params_b * 1e9)


def mlp_width(shape: ModelShape) -> int:
    """The MLP's width that one token passes: the active experts' together in a mixture."""
    if not shape.experts:
        return shape.ffn
    return (shape.experts_per_token + shape.shared_experts) * (shape.moe_ffn or shape.ffn)


def _mlp_params(shape: ModelShape) -> int:
    matrices = 3 if shape.gated else 2
    if not shape.experts:
        return matrices * shape.hidden * shape.ffn
    width = shape.moe_ffn or shape.ffn
    router = shape.hidden * shape.experts
    return (shape.experts + shape.shared_experts) * matrices * shape.hidden * width + router


def _complete(shape: ModelShape) -> ModelShape:
    """Fill what follows from the rest: latent attention's heads, head size, windows, MLP type."""
    if not shape.kv_heads:
        shape = replace(shape, kv_heads=shape.heads)
    if shape.heads and not shape.head_dim:
        shape = replace(shape, head_dim=shape.hidden // shape.heads)
    if shape.sliding_window and not shape.sliding_layers_share:
        shape = replace(shape, sliding_layers_share=1.0)
    if not shape.layers or not shape.ffn:
        return shape
    plain = replace(shape, gated=False)
    if not shape.params_b:
        return replace(shape, params_b=count_params(shape) / 1e9)
    error, plain_error = (abs(count_params(each) / 1e9 - shape.params_b) for each in (shape, plain))
    return plain if plain_error < error else shape


def _params_b(cells: Mapping[str, str], *, tied: bool) -> float:
    column = "params_b_tied" if tied else "params_b_untied"
    stated = _number(cells, "params_b") or _number(cells, column)
    return stated or _number(cells, "params_m") / 1000


def _family(cells: Mapping[str, str]) -> Family:
    """A language model without a cache for each token reads its input once, as T5 does."""
    if cells.get("family", "") == "ViT":
        return "vit"
    if "task" in cells:
        return _FAMILY_BY_TASK.get(cells["task"], "other")
    cached = cells.get("kv_bytes_per_token_fp16", "unknown")
    return "decoder" if cached else "encoder_decoder"


def _number(cells: Mapping[str, str], column: str) -> float:
    found = _numbers(cells.get(column, ""))
    return found[0] if found else 0.0


def _count(cells: Mapping[str, str], column: str) -> int:
    return int(_number(cells, column))


def _numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", text)]


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name.rpartition("/")[2].lower())


def _llama(
    name: str, *, params_b: float, widths: tuple[int, int, int], heads: tuple[int, int, int]
) -> ModelShape:
    layers, hidden, ffn = widths
    query_heads, kv_heads, head_dim = heads
    return ModelShape(
        name=name,
        family="decoder",
        params_b=params_b,
        layers=layers,
        hidden=hidden,
        ffn=ffn,
        heads=query_heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=32000 if name.startswith("Llama-2") else 128256,
        context=4096 if name.startswith("Llama-2") else 131072,
        tied=name.startswith("Llama-3.2"),
    )


_GENERIC = (
    _llama("Llama-3.2-1B", params_b=1.236, widths=(16, 2048, 8192), heads=(32, 8, 64)),
    _llama("Llama-3.2-3B", params_b=3.213, widths=(28, 3072, 8192), heads=(24, 8, 128)),
    _llama("Llama-2-7B", params_b=6.738, widths=(32, 4096, 11008), heads=(32, 32, 128)),
    _llama("Llama-3.1-8B", params_b=8.030, widths=(32, 4096, 14336), heads=(32, 8, 128)),
    _llama("Llama-2-13B", params_b=13.016, widths=(40, 5120, 13824), heads=(40, 40, 128)),
    _llama("CodeLlama-34B", params_b=33.74, widths=(48, 8192, 22016), heads=(64, 8, 128)),
    _llama("Llama-3.1-70B", params_b=70.554, widths=(80, 8192, 28672), heads=(64, 8, 128)),
    _llama("Llama-3.1-405B", params_b=405.85, widths=(126, 16384, 53248), heads=(128, 8, 128)),
)
