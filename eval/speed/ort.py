"""The product's ONNX weights on onnxruntime in padded batches, in several precisions, on CPU or CUDA.

Lower precision on a CPU, by onnxruntime.quantization (which needs the package onnx):
"int8" quantizes weights and activations to 8 bits; "int8-reduced" keeps weights to 7 bits, so that 8-bit products
do not saturate on processors without VNNI; "int8-weights" stores weights in 8 bits and multiplies in fp32.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from indexer.embedders import Matrix
from indexer.embedders.profiles import ModelProfile


class OrtRunner:
    """A session and its tokenizer; texts of similar length share a batch."""

    def __init__(self, session: Any, tokenizer: Any, profile: ModelProfile) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._profile = profile
        self._inputs = {entry.name for entry in session.get_inputs()}

    def encode(self, texts: Sequence[str], batch: int) -> Matrix:
        """float32 [texts, dimensions] with unit rows, in the order of the texts."""
        order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), at))
        rows: list[Matrix | None] = [None] * len(texts)
        for start in range(0, len(order), batch):
            picked = order[start : start + batch]
            for at, row in zip(picked, self._run([texts[at] for at in picked]), strict=True):
                rows[at] = row
        return np.stack([row for row in rows if row is not None])

    def _run(self, texts: Sequence[str]) -> Matrix:
        encoded = [self._cut(self._tokenizer.encode(text).ids) for text in texts]
        longest = max(len(ids) for ids in encoded)
        tokens = np.zeros((len(texts), longest), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for at, ids in enumerate(encoded):
            tokens[at, : len(ids)] = ids
            mask[at, : len(ids)] = 1
        feeds = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
        }
        hidden = self._session.run(
            None, {name: value for name, value in feeds.items() if name in self._inputs}
        )[0].astype(np.float32)
        return pooled(hidden, mask, self._profile.pooling)

    def _cut(self, ids: list[int]) -> list[int]:
        most = self._profile.max_tokens
        return ids if len(ids) <= most else [*ids[: most - 1], ids[-1]]


def pooled(hidden: Any, mask: Any, pooling: str) -> Matrix:
    """Unit vectors [texts, dimensions] from the last hidden state [texts, tokens, dimensions]."""
    if pooling == "cls":
        vectors = hidden[:, 0]
    else:
        weights = mask[:, :, None].astype(np.float32)
        vectors = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    unit: Matrix = (vectors / norms).astype(np.float32)
    return unit


def load_ort(
    files: Mapping[str, Path],
    profile: ModelProfile,
    *,
    precision: str,
    device: str,
    threads: int,
    work: Path,
) -> OrtRunner:
    """A runner of the weights in that precision; converted files are made under `work` once."""
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    provider = {"cuda": "CUDAExecutionProvider"}.get(device, "CPUExecutionProvider")
    path = files["model"] if precision == "fp32" else _converted(files["model"], precision, work)
    session = onnxruntime.InferenceSession(str(path), options, providers=[provider])
    tokenizer = Tokenizer.from_file(str(files["tokenizer"]))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return OrtRunner(session, tokenizer, profile)


def ort_devices() -> frozenset[str]:
    """The devices that onnxruntime can use here."""
    import onnxruntime

    names = {"CUDAExecutionProvider": "cuda", "CPUExecutionProvider": "cpu"}
    return frozenset(names[name] for name in onnxruntime.get_available_providers() if name in names)


def _converted(source: Path, precision: str, work: Path) -> Path:
    target = work / f"{source.stem}-{precision}.onnx"
    if not target.is_file():
        logging.getLogger().addFilter(_no_advice)
        if precision == "int8-weights":
            _weights_only(source, target)
        else:
            _dynamic(source, target, reduced=precision == "int8-reduced")
    return target


def _no_advice(record: logging.LogRecord) -> bool:
    """Whether a record of the root logger is shown: the quantizer advises a step that these weights do not need."""
    return "pre-processing before quantization" not in record.getMessage()


def _dynamic(source: Path, target: Path, *, reduced: bool) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        reduce_range=reduced,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": 1},
    )


def _weights_only(source: Path, target: Path) -> None:
    import onnx
    from onnxruntime.quantization.matmul_nbits_quantizer import (
        DefaultWeightOnlyQuantConfig,
        MatMulNBitsQuantizer,
    )

    config = DefaultWeightOnlyQuantConfig(
        block_size=32, is_symmetric=True, accuracy_level=1, bits=8
    )
    quantizer = MatMulNBitsQuantizer(onnx.load(str(source)), algo_config=config)
    quantizer.process()
    quantizer.model.save_model_to_file(str(target))
