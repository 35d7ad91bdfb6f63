"""The ways to run the same weights: backend, device and precision, each loaded when it is its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from eval.speed.ort import load_ort, ort_devices
from indexer.embedders import Embedder, EmbedderChoice, Matrix, make_embedder
from indexer.embedders.locate import locate_onnx, locate_package
from indexer.embedders.profiles import ModelProfile, profile_of
from indexer.errors import IndexerError

Encode = Callable[[Sequence[str], int], Matrix]

NO_CUDA: Final = "skipped: no CUDA device"
NO_MPS: Final = "skipped: no MPS device"
PRODUCT: Final = "rigwise"
REFERENCE: Final = "sentence-transformers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """One way. `load` gives a function of texts and batch size; `skipped` says why there is none.

    `batched` is false where the backend chooses its own batches.
    """

    name: str
    device: str = "cpu"
    precision: str = "fp32"
    batched: bool = True
    load: Callable[[], Encode] | None = None
    skipped: str = ""


def backends(
    model: str, embedder: Embedder, *, threads: int, work: Path, quick: bool
) -> list[Backend]:
    """All ways to embed with that model here; those that cannot run are named with the reason.

    `embedder` is the product's own; `work` holds converted weights for as long as the run lasts.
    """
    own = Backend(name=PRODUCT, batched=False, load=lambda: _product(embedder))
    if embedder.spec.model == "hashing":
        return [own, _absent("hashing has no weights"), *_gpu_only(NO_CUDA, NO_MPS)]
    profile = profile_of(model)
    return [
        own,
        *_onnx(model, profile, threads=threads, work=work, quick=quick),
        *_torch(profile, threads=threads, quick=quick),
        _fastembed(model, profile, threads=threads),
        *_gpus(model, profile, work=work),
    ]


def has_cuda() -> bool:
    """Whether torch or onnxruntime can use an NVIDIA GPU here."""
    return "cuda" in ort_devices() or _torch_has("cuda")


def _absent(reason: str) -> Backend:
    return Backend(name=REFERENCE, skipped=f"skipped: {reason}")


def _gpu_only(cuda: str, mps: str) -> list[Backend]:
    return [
        Backend(name="onnxruntime", device="cuda", precision="fp32", skipped=cuda),
        Backend(name=REFERENCE, device="cuda", precision="fp16", skipped=cuda),
        Backend(name=REFERENCE, device="mps", precision="fp32", skipped=mps),
    ]


def _product(embedder: Embedder) -> Encode:
    return lambda texts, _: embedder.embed_passages(texts)


def _onnx(
    model: str, profile: ModelProfile, *, threads: int, work: Path, quick: bool
) -> list[Backend]:
    precisions = ("fp32", "int8") if quick else ("fp32", "int8", "int8-reduced", "int8-weights")
    missing = "" if find_spec("onnx") else "skipped: package onnx (install rigwise[eval])"
    rows = []
    for precision in precisions:
        if precision != "fp32" and missing:
            rows.append(Backend(name="onnxruntime", precision=precision, skipped=missing))
            continue
        rows.append(
            Backend(
                name="onnxruntime",
                precision=precision,
                load=_ort_loader(model, profile, precision, threads=threads, work=work),
            )
        )
    return rows


def _ort_loader(
    model: str,
    profile: ModelProfile,
    precision: str,
    *,
    threads: int,
    work: Path,
    device: str = "cpu",
) -> Callable[[], Encode]:
    def load() -> Encode:
        files = locate_onnx(model, profile, offline=True)
        runner = load_ort(
            files, profile, precision=precision, device=device, threads=threads, work=work
        )
        return runner.encode

    return load


def _torch(profile: ModelProfile, *, threads: int, quick: bool) -> list[Backend]:
    if find_spec("sentence_transformers") is None:
        return [_absent("package sentence-transformers (install rigwise[torch])")]
    if locate_package(profile, "torch") is None:
        return [_absent("no torch weights of this model are installed")]
    rows = [_torch_backend(REFERENCE, profile, "cpu", "fp32", threads=threads)]
    if not quick:
        rows += [
            _torch_backend("torch", profile, "cpu", precision, threads=threads)
            for precision in ("fp32", "bf16", "fp16")
        ]
    return rows


def _torch_backend(
    name: str, profile: ModelProfile, device: str, precision: str, *, threads: int
) -> Backend:
    def load() -> Encode:
        from eval.speed.torch_run import load_plain, load_sentence

        folder = locate_package(profile, "torch")
        loader = load_sentence if name == REFERENCE else load_plain
        return loader(
            str(folder or profile.hub_id),
            device=device,
            precision=precision,
            threads=threads,
            max_tokens=profile.max_tokens,
        )

    return Backend(name=name, device=device, precision=precision, load=load)


def _fastembed(model: str, profile: ModelProfile, *, threads: int) -> Backend:
    if find_spec("fastembed") is None:
        return Backend(name="fastembed", skipped="skipped: package fastembed is not installed")

    def load() -> Encode:
        from eval.speed.fast import load_fastembed

        folder = locate_package(profile, "torch")
        files = locate_onnx(model, profile, offline=True)
        return load_fastembed(files, folder, profile, threads=threads)

    return Backend(name="fastembed", load=load)


def _gpus(model: str, profile: ModelProfile, *, work: Path) -> list[Backend]:
    rows = _gpu_only(NO_CUDA, NO_MPS)
    if "cuda" in ort_devices():
        rows[0] = Backend(
            name="onnxruntime",
            device="cuda",
            load=_ort_loader(model, profile, "fp32", threads=0, work=work, device="cuda"),
        )
    if _torch_has("cuda"):
        rows[1] = _torch_backend(REFERENCE, profile, "cuda", "fp16", threads=0)
        rows.append(_torch_backend(REFERENCE, profile, "cuda", "fp32", threads=0))
        rows.append(_torch_backend("torch", profile, "cuda", "bf16", threads=0))
    if _torch_has("mps"):
        rows[2] = _torch_backend(REFERENCE, profile, "mps", "fp32", threads=0)
    return rows


def _torch_has(device: str) -> bool:
    if find_spec("torch") is None:
        return False
    from eval.speed.torch_run import available

    return available(device)


def product_embedder(model: str, threads: int) -> Embedder | None:
    """The product's default embedder with that many threads, or None where its weights are missing."""
    try:
        return make_embedder(EmbedderChoice(model=model, threads=threads))
    except IndexerError:
        return None
