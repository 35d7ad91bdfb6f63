"""Number formats with their true bits per weight, and the precision recipes of training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

_GGUF = "ggml-org/llama.cpp, tools/quantize/README, table for Llama-3.1-8B"
_IEEE = "width of the number format"
_QLORA = "QLoRA, arXiv 2305.14314, section 3"
_OCP = "OCP Microscaling Formats (MX) Specification v1.0: one 8-bit scale for 32 elements"
_GROUP = "4 bits, one 16-bit scale and one 16-bit zero or its packed form for 128 weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How weights are stored.

    `bits` counts scales and zero points. With `whole_file` it is the average over all tensors of
    a file; without, it holds for the linear layers while embeddings, output layer and norms keep
    16 bits; with `experts_only` so does everything but a mixture's experts. `spread` is the
    relative uncertainty between models.
    """

    name: str
    bits: float
    source: str
    whole_file: bool = False
    spread: float = 0.0
    quantized: bool = False
    experts_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Bytes for each trained parameter, by what they are for.

    `step_bytes` is the copy of one state that the multi-tensor optimizer step makes for a moment;
    `autocast` tells that 16-bit copies of 32-bit weights are made during the step.
    """

    name: str
    weight_bytes: float
    master_bytes: float
    gradient_bytes: float
    optimizer_bytes: float
    source: str
    step_bytes: float = 0.0
    autocast: bool = False

    @property
    def total_bytes(self) -> float:
        """Bytes for each trained parameter, all states together."""
        return self.weight_bytes + self.master_bytes + self.gradient_bytes + self.optimizer_bytes


def _plain(name: str, bits: float) -> Format:
    return Format(name=name, bits=bits, source=_IEEE)


def _gguf(name: str, bits: float) -> Format:
    return Format(name=name, bits=bits, source=_GGUF, whole_file=True, spread=0.015, quantized=True)


def _block(name: str, bits: float, source: str, spread: float = 0.0) -> Format:
    return Format(name=name, bits=bits, source=source, spread=spread, quantized=True)


_ROWS = (
    _plain("fp64", 64),
    _plain("fp32", 32),
    _plain("tf32", 32),
    _plain("fp16", 16),
    _plain("bf16", 16),
    _plain("fp8", 8),
    _block("int8", 8, "LLM.int8(), arXiv 2208.07339: 8-bit linear layers, one scale a row", 0.01),
    _block("nf4", 4.5, f"{_QLORA}: 4 bits and one 32-bit constant for 64 weights"),
    _block("nf4_dq", 4 + 8 / 64 + 32 / (64 * 256), f"{_QLORA}: double quantization"),
    _block("awq", 4.25, _GROUP, 0.02),
    _block("gptq", 4.25, _GROUP, 0.02),
    _block("int4", 4.25, _GROUP, 0.05),
    replace(_block("mxfp4", 4.25, _OCP), experts_only=True),
    _block("mxfp8", 8.25, _OCP),
    _block("nvfp4", 4.5, "NVFP4: 4 bits and one 8-bit scale for 16 elements"),
    _gguf("iq1_s", 2.0042),
    _gguf("iq1_m", 2.1460),
    _gguf("iq2_xxs", 2.3824),
    _gguf("iq2_xs", 2.5882),
    _gguf("iq2_s", 2.7403),
    _gguf("iq2_m", 2.9294),
    _gguf("q2_k", 3.1593),
    _gguf("iq3_xxs", 3.2548),
    _gguf("iq3_xs", 3.4977),
    _gguf("iq3_s", 3.6606),
    _gguf("iq3_m", 3.7628),
    _gguf("q3_k_s", 3.6429),
    _gguf("q3_k_l", 4.2979),
    _gguf("iq4_xs", 4.4597),
    _gguf("iq4_nl", 4.6818),
    _gguf("q4_k_s", 4.6672),
    _gguf("q4_k_m", 4.8944),
    _gguf("q5_k_s", 5.5704),
    _gguf("q5_k_m", 5.7036),
    _gguf("q6_k", 6.5633),
    _gguf("q8_0", 8.5008),
)
FORMATS = {row.name: row for row in _ROWS}
_ALIASES = {
    "float64": "fp64",
    "float32": "fp32",
    "fp32_full": "fp32",
    "float16": "fp16",
    "half": "fp16",
    "f16": "fp16",
    "bfloat16": "bf16",
    "16bit": "bf16",
    "8bit": "int8",
    "4bit": "int4",
    "q4": "q4_k_m",
    "q5": "q5_k_m",
    "q6": "q6_k",
    "q8": "q8_0",
    "nf4_double_quant": "nf4_dq",
    "fp4": "nvfp4",
}

_ZERO = "ZeRO, arXiv 1910.02054, section 3.1"
_ANATOMY = "stas00/ml-engineering, training/performance, anatomy of a model's memory usage"
_TORCH = "PyTorch documentation, torch.optim.AdamW: the foreach implementation"
_RECIPES = (
    Recipe(
        name="mixed_adamw",
        weight_bytes=2,
        master_bytes=4,
        gradient_bytes=2,
        optimizer_bytes=8,
        source=_ZERO,
    ),
    Recipe(
        name="mixed_adamw_fp32_gradients",
        weight_bytes=2,
        master_bytes=4,
        gradient_bytes=4,
        optimizer_bytes=8,
        source=_ANATOMY,
    ),
    Recipe(
        name="autocast_adamw",
        weight_bytes=4,
        master_bytes=0,
        gradient_bytes=4,
        optimizer_bytes=8,
        source=f"{_ANATOMY}; {_TORCH}",
        step_bytes=4,
        autocast=True,
    ),
    Recipe(
        name="fp32_adamw",
        weight_bytes=4,
        master_bytes=0,
        gradient_bytes=4,
        optimizer_bytes=8,
        source=f"{_ANATOMY}; {_TORCH}",
        step_bytes=4,
    ),
    Recipe(
        name="pure_bf16_adamw",
        weight_bytes=2,
        master_bytes=0,
        gradient_bytes=2,
        optimizer_bytes=4,
        source=f"{_ANATOMY}; {_TORCH}",
        step_bytes=2,
    ),
    Recipe(
        name="bf16_adam8bit",
        weight_bytes=2,
        master_bytes=0,
        gradient_bytes=2,
        optimizer_bytes=2,
        source="8-bit Optimizers, arXiv 2110.02861, section 2: one byte a state",
    ),
    Recipe(
        name="bf16_adafactor",
        weight_bytes=2,
        master_bytes=0,
        gradient_bytes=2,
        optimizer_bytes=0,
        source="Adafactor, arXiv 1804.04235, section 3: row and column sums only",
    ),
    Recipe(
        name="fp32_sgd_momentum",
        weight_bytes=4,
        master_bytes=0,
        gradient_bytes=4,
        optimizer_bytes=4,
        source=_ANATOMY,
    ),
    Recipe(
        name="adapter_fp32_adamw",
        weight_bytes=4,
        master_bytes=0,
        gradient_bytes=4,
        optimizer_bytes=8,
        source="LoRA, arXiv 2106.09685, section 4; PEFT keeps adapters in 32 bits",
    ),
    Recipe(
        name="adapter_autocast_adamw",
        weight_bytes=4,
        master_bytes=0,
        gradient_bytes=4,
        optimizer_bytes=8,
        source="LoRA, arXiv 2106.09685, section 4; a 32-bit model under autocast",
        autocast=True,
    ),
    Recipe(
        name="adapter_bf16_adamw",
        weight_bytes=2,
        master_bytes=0,
        gradient_bytes=2,
        optimizer_bytes=4,
        source="LoRA, arXiv 2106.09685, section 4; adapters in the precision of the model",
    ),
)
RECIPES = {row.name: row for row in _RECIPES}


@lru_cache(maxsize=1024)
def format_named(name: str) -> Format | None:
    """The format of that name; case, blanks, dashes and a leading "gguf" or "bnb" do not matter."""
    key = name.strip().lower().replace("-", "_").replace(" ", "_").replace(".", "_")
    for prefix in ("gguf_", "bnb_"):
        key = key.removeprefix(prefix)
    key = _ALIASES.get(key.replace("_bit", "bit"), key)
    return FORMATS.get(key)


def stored_at(bits: float) -> Format:
    """A format that the asker described by its bits per weight alone."""
    return Format(
        name=f"{bits:g}-bit",
        bits=bits,
        source="bits per weight as stated",
        whole_file=True,
        quantized=bits < 16,
    )
