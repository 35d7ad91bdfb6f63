"""How long and how fast: training time from operations, decoding from bandwidth, prefill."""

from __future__ import annotations

from dataclasses import dataclass

from service.advisor.formula import computation, computed, evaluate
from service.advisor.parts import given, shape_inputs
from service.advisor.types import ModelShape, Need, PartKind, Speed, Workload
from service.types import Computation, Number

_SIX = "Kaplan et al., arXiv 2001.08361, section 2.1: 6 operations a parameter and token"
_ROOFLINE = "roofline: each decoded token reads all active weights and its sequence's cache once"
_TWO = "Kaplan et al., arXiv 2001.08361, section 2.1: 2 operations a parameter and token"


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


def utilization_of(shape: ModelShape, *, fast_links: bool) -> Utilization:
    """The MFU row for a model on devices with or without NVLink-class links."""
    if shape.params_b < 0.2:
        return MFU["small"]
    return MFU["nvlink" if fast_links else "pcie"]


def training_tokens(workload: Workload) -> float | None:
    """Tokens of all epochs: as stated, or rows of the data set at full length."""
    epochs = workload.epochs.value if workload.epochs is not None else 1.0
    if workload.tokens is not None:
        return workload.tokens.value * epochs
    if workload.dataset_rows is None or workload.seq_len is None:
        return None
    return workload.dataset_rows.value * workload.seq_len.value * epochs


def training_flop(shape: ModelShape, tokens: float, *, adapts: bool = False) -> Number:
    """6 N D; 4 N D where frozen weights need no gradients; N counts active parameters.

    Kaplan et al., arXiv 2001.08361, section 2.1: 2 for the forward pass, 4 for the backward pass,
    half of which is the weights' gradients. Attention's own operations are left out as there.
    """
    active = shape.active_params_b or shape.params_b
    return computed(
        "per_param*active_params*tokens",
        "FLOP",
        given("per_param", 4.0 if adapts else 6.0, "FLOP", basis="assumed"),
        given("active_params", active * 1e9, "", basis="cited" if shape.quote else "question"),
        given("tokens", tokens, "tokens", basis="question"),
        source=_SIX,
    )


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


def stated_hours(workload: Workload) -> Number | None:
    """Hours from a stated throughput in images, rows or tokens a second, or as stated."""
    epochs = workload.epochs.value if workload.epochs is not None else 1.0
    samples, rate = workload.dataset_images or workload.dataset_rows, workload.samples_per_second
    if workload.tokens is not None and workload.tokens_per_second is not None:
        samples, rate = workload.tokens, workload.tokens_per_second
    if samples is not None and rate is not None:
        return computed(
            "samples*epochs / rate / 3600",
            "hours",
            given("samples", samples.value, "", basis="question"),
            given("epochs", epochs, "", basis="question" if workload.epochs else "assumed"),
            given("rate", rate.value, "1/s", basis="question"),
            source="throughput as stated",
        )
    if workload.hours is None:
        return None
    hours = given("hours", workload.hours.value, "h", basis="question")
    return computed("hours", "hours", hours, source="as stated")


def decode_speed(need: Need, *, bandwidth_gb_s: float, sequences: int = 1) -> Speed | None:
    """Decoded tokens a second on one device of the need's plan; None without weights.

    One sequence reads the active experts of a mixture only; many sequences together read all.
    """
    weights_gib = _sum_gib(need, "weights")
    if not weights_gib:
        return None
    shape = need.shape
    if shape is not None and shape.active_params_b and sequences == 1:
        weights_gib *= shape.active_params_b / shape.params_b
    cache_gib = _sum_gib(need, "kv_cache") / max(sequences, 1)
    return decode_tokens_s(
        bandwidth_gb_s=bandwidth_gb_s,
        weights_gib=weights_gib,
        cache_gib=cache_gib,
        sequences=sequences,
    )


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
    """The most tokens a second that one sequence can see: bandwidth over weights (roofline)."""
    return computed(
        "bandwidth_gb_s / (weights_gib*2**30/1e9)",
        "tokens/s",
        given("bandwidth_gb_s", bandwidth_gb_s, "GB/s", basis="cited"),
        given("weights_gib", weights_gib, "GiB", basis="computed"),
        source=_ROOFLINE,
    )


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


def _sum_gib(need: Need, kind: PartKind) -> float:
    return sum(each.gib for each in need.parts if each.kind == kind)
