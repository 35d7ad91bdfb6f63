"""How long and how fast: training time from operations, decoding from bandwidth, prefill."""

from __future__ import annotations

from dataclasses import dataclass

from service.advisor.formula import computation, evaluate
from service.advisor.parts import given, shape_inputs
from service.advisor.types import ModelShape, Speed
from service.types import Computation, Number

_SIX = "Kaplan et al., arXiv 2001.08361, section 2.1: 6 operations a parameter and token"
_ROOFLINE = "roofline: each decoded token reads all active weights and its sequence's cache once"
_TWO = "Kaplan et al., arXiv 2001.08361, section 2.1: 2 operations a parameter and token"
_RECOMPUTE = "Megatron-LM, arXiv 2104.04473, section 5.1: 8 with recomputation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilization:
    """A share of the dense peak (MFU) or of the bandwidth (MBU) that runs reach."""

    case: str
    likely: float
    low: float
    high: float
    source: str


MFU = {
    "nvlink": Utilization(
        case="data-center devices joined by NVLink or the like",
        likely=0.40,
        low=0.25,
        high=0.50,
        source="published runs: Llama 2 38 to 43 %, DeepSeek-V3 35 %, llm-foundry 36 to 46 %, "
        "Megatron-LM 41 to 56 %, Llama 3.1 whole bill 14 to 35 %",
    ),
    "pcie": Utilization(
        case="consumer or workstation cards over PCIe",
        likely=0.30,
        low=0.20,
        high=0.40,
        source="planning rule below the published data-center runs; no run of its own",
    ),
    "small": Utilization(
        case="models under 200 million parameters, or bound by the data loader",
        likely=0.18,
        low=0.08,
        high=0.26,
        source="nanoGPT 124M on eight A100: 26 % as the upper end; planning rule below",
    ),
}
MBU = Utilization(
    case="decoding",
    likely=0.60,
    low=0.35,
    high=0.80,
    source="gpt-fast on A100: 0.69 in bf16, 0.41 to 0.53 in int4; llmfit community runs of 7B and "
    "more: median 0.75; vLLM 0.61",
)
PREFILL = Utilization(
    case="prefill",
    likely=0.50,
    low=0.40,
    high=0.60,
    source="planning rule: matrix products reach 51 to 97 % of peak, stas00/ml-engineering",
)


def training_flop(shape: ModelShape, tokens: float, *, recompute: bool = False) -> Number:
    """6 N D, or 8 N D for the hardware with full recomputation; N counts active parameters.

    Kaplan et al., arXiv 2001.08361, section 2.1; Megatron-LM, arXiv 2104.04473, section 5.1.
    """
    active = shape.active_params_b or shape.params_b
    work = computation(
        "per_param*active_params*tokens",
        given("per_param", 8.0 if recompute else 6.0, "FLOP", basis="assumed"),
        given("active_params", active * 1e9, "", basis="cited" if shape.quote else "question"),
        given("tokens", tokens, "tokens", basis="question"),
        source=_RECOMPUTE if recompute else _SIX,
    )
    return Number(value=evaluate(work), unit="FLOP", origin="computed", computation=work)


def training_hours(
    flop: float, *, peak_tflops: float, devices: int, utilization: Utilization
) -> Speed:
    """Hours from operations and the dense peak: flop / (devices * peak * MFU).

    Megatron-LM, arXiv 2104.04473, section 5.1, equation 4. The range comes from the utilization's.
    """
    likely, low, high = (
        _hours(flop, peak_tflops, devices, share)
        for share in (utilization.likely, utilization.high, utilization.low)
    )
    return Speed(
        value=evaluate(likely),
        low=evaluate(low),
        high=evaluate(high),
        unit="hours",
        basis="computed",
        computation=likely,
    )


def hours_at(samples: float, *, epochs: float, samples_per_second: float) -> Number:
    """Hours from a stated throughput."""
    work = computation(
        "samples*epochs / samples_per_second / 3600",
        given("samples", samples, "", basis="question"),
        given("epochs", epochs, "", basis="question"),
        given("samples_per_second", samples_per_second, "1/s", basis="question"),
        source="throughput as stated",
    )
    return Number(value=evaluate(work), unit="hours", origin="computed", computation=work)


def decode_tokens_s(
    *, bandwidth_gb_s: float, weights_gib: float, cache_gib: float, sequences: int = 1
) -> Speed:
    """Decoded tokens a second over all sequences, bound by memory bandwidth.

    Roofline (Williams et al., CACM 2009): a step reads the active weights once for all sequences
    and `cache_gib` for each. `weights_gib` counts what a step reads: for a mixture at batch 1 only
    the active experts.
    """
    likely, low, high = (
        _decode(bandwidth_gb_s, weights_gib, cache_gib, sequences, share)
        for share in (MBU.likely, MBU.low, MBU.high)
    )
    return Speed(
        value=evaluate(likely),
        low=evaluate(low),
        high=evaluate(high),
        unit="tokens/s",
        basis="computed",
        computation=likely,
    )


def decode_ceiling_tokens_s(*, bandwidth_gb_s: float, weights_gib: float) -> Number:
    """The most tokens a second that one sequence can see: bandwidth over weights."""
    work = computation(
        "bandwidth_gb_s / (weights_gib*2**30/1e9)",
        given("bandwidth_gb_s", bandwidth_gb_s, "GB/s", basis="cited"),
        given("weights_gib", weights_gib, "GiB", basis="computed"),
        source=_ROOFLINE,
    )
    return Number(value=evaluate(work), unit="tokens/s", origin="computed", computation=work)


def prefill_seconds(shape: ModelShape, *, tokens: int, peak_tflops: float) -> Speed:
    """Seconds to the first token: 2 N s + 2 L q s**2 operations, causal attention.

    Kaplan et al., arXiv 2001.08361, section 2.1.
    """
    likely, low, high = (
        _prefill(shape, tokens, peak_tflops, share)
        for share in (PREFILL.likely, PREFILL.high, PREFILL.low)
    )
    return Speed(
        value=evaluate(likely),
        low=evaluate(low),
        high=evaluate(high),
        unit="s",
        basis="computed",
        computation=likely,
    )


def crossover_sequences(*, peak_tflops: float, bandwidth_gb_s: float, weight_bytes: float) -> float:
    """Sequences at once from which decoding is bound by compute: peak*bytes / (2*bandwidth)."""
    return peak_tflops * 1e12 * weight_bytes / (2 * bandwidth_gb_s * 1e9)


def _hours(flop: float, peak_tflops: float, devices: int, share: float) -> Computation:
    return computation(
        "flop / (devices*peak_tflops*1e12*mfu) / 3600",
        given("flop", flop, "FLOP", basis="computed"),
        given("devices", devices, "", basis="assumed"),
        given("peak_tflops", peak_tflops, "TFLOPS", basis="cited", note="dense"),
        given("mfu", share, "", basis="assumed"),
        source="Megatron-LM, arXiv 2104.04473, section 5.1, equation 4",
    )


def _decode(
    bandwidth_gb_s: float, weights_gib: float, cache_gib: float, sequences: int, share: float
) -> Computation:
    return computation(
        "sequences*bandwidth_gb_s*mbu / ((weights_gib + sequences*cache_gib)*2**30/1e9)",
        given("sequences", sequences, "", basis="assumed"),
        given("bandwidth_gb_s", bandwidth_gb_s, "GB/s", basis="cited"),
        given("weights_gib", weights_gib, "GiB", basis="computed"),
        given("cache_gib", cache_gib, "GiB", basis="computed"),
        given("mbu", share, "", basis="assumed", note=MBU.source),
        source=_ROOFLINE,
    )


def _prefill(shape: ModelShape, tokens: int, peak_tflops: float, share: float) -> Computation:
    active = (shape.active_params_b or shape.params_b) * 1e9
    return computation(
        "(2*active_params*tokens + 2*layers*q_width*tokens**2) / (peak_tflops*1e12*share)",
        given("active_params", active, "", basis="cited" if shape.quote else "assumed"),
        given("tokens", tokens, "tokens", basis="question"),
        shape_inputs(shape, "layers", "q_width"),
        given("peak_tflops", peak_tflops, "TFLOPS", basis="cited", note="dense"),
        given("share", share, "", basis="assumed", note=PREFILL.source),
        source=_TWO,
    )
