"""fastembed on the product's own ONNX file, so that only the library differs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from indexer.embedders import Matrix
from indexer.embedders.profiles import ModelProfile

_SIDE_FILES = ("config.json", "tokenizer_config.json", "special_tokens_map.json")


def load_fastembed(
    files: Mapping[str, Path], side: Path | None, profile: ModelProfile, *, threads: int
) -> Callable[[Sequence[str], int], Matrix]:
    """TextEmbedding pointed at a folder of local files.

    `side` holds the small JSON files that fastembed reads beside the weights.
    """
    text_embedding = import_module("fastembed").TextEmbedding
    described = import_module("fastembed.common.model_description")
    folder = Path(tempfile.mkdtemp(prefix="fastembed-"))
    for role in files:
        shutil.copy(files[role], folder / files[role].name)
    for name in _SIDE_FILES:
        for root in (files["tokenizer"].parent, side):
            if root is not None and (root / name).is_file():
                shutil.copy(root / name, folder / name)
    text_embedding.add_custom_model(
        model="rigwise-measured",
        pooling=described.PoolingType(profile.pooling.upper()),
        normalization=True,
        sources=described.ModelSource(hf=profile.hub_id),
        dim=profile.dimensions,
        model_file=files["model"].name,
    )
    model = text_embedding(
        "rigwise-measured",
        specific_model_path=str(folder),
        local_files_only=True,
        threads=threads or None,
    )
    if model.model.tokenizer is not None:
        model.model.tokenizer.enable_truncation(max_length=profile.max_tokens)

    def encode(texts: Sequence[str], batch: int) -> Matrix:
        return np.stack(list(model.embed(list(texts), batch_size=batch))).astype(np.float32)

    return encode
