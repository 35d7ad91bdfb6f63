"""What a question asks about a device: words to the names of facts."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A property's name is the name of a fact in the spec sheets, or "rental" for prices of machines.
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "memory_bandwidth",
        r"(?<!link )(?<!interconnect )band\s?width|bandbreite|ancho de banda|bande passante|带宽|memory speed|memory throughput|speed of (?:the |its )?(?:memory|vram|hbm)|"
        r"how fast (?:is|are)\b[^?.,]{0,30}\b(?:memory|vram|hbm\w*|gddr\w*|ram)\b|(?:memory|hbm\w*) bandwidth|(?:what|which) (?:hbm|gddr)\w*",
    ),
    (
        "memory_usable",
        r"usable|really use|nvidia-smi|addressable|actually address|mib\b|visible (?:memory|to)|reports? only|seen by software",
    ),
    (
        "memory",
        r"speicher(?!bandbreite)|\bmemoria\b|\bmémoire\b|显存|内存|\bv?ram\b|\bmemory\b(?!\s?(?:speed|bandwidth|clock|bus))|\bhbm\w*|\bgddr\w*|gigabytes|how many gi?b|capacity|memory size|frame ?buffer",
    ),
    ("memory_bus", r"bus width|memory bus|bit bus"),
    (
        "peak",
        r"\bp?e?t?e?r?a?flops?\b|\btflops?\b|\bteraflops?\b|\bpflops\b|\btops\b|throughput|\bpeaks?\b|"
        r"\b(?:dense|sparse|tensor)\b[^?.]{0,20}\b(?:bf16|fp16|fp8|fp4|int8|int4|tf32|fp32|fp64)\b|"
        r"(?:bf16|bfloat16|fp16|fp8|fp4|int8|int4|tf32|fp32|fp64)[^?.]{0,20}\b(?:rate|speed|performance|figure|number)\b|"
        r"compute (?:power|performance|rate)|matrix (?:rate|performance)|tensor(?:[- ]core)? (?:performance|throughput|peak|rate)",
    ),
    (
        "matmul_measured",
        r"measured|achiev\w+|in practice|\breal(?:istic)?\b[^?.]{0,20}(?:matrix|throughput|tflops|product)|matmul|matrix product",
    ),
    (
        "power",
        r"leistungsaufnahme|stromverbrauch|verbraucht|\bconsumo\b|consommation|功耗|\bpower\b|\bwatts?\b|\btd[p]\b|\bt[gb]p\b|consum\w+|\bdraws?\b|energy",
    ),
    ("compute_capability", r"compute capability|\bsm_?\d\d|cuda capability"),
    (
        "mig_instances",
        r"\bmig\b|isolated (?:instances|slices|partitions)|partition\w*|gpu slices?|split into|divide|be cut|sliced?",
    ),
    (
        "interconnect_bandwidth",
        r"nv-?link|interconnect|infinity fabric|\bici\b|nv-?switch|gpu[- ]to[- ]gpu|chip[- ]to[- ]chip|p2p",
    ),
    (
        "pcie",
        r"pci[- ]?e(?:xpress)? (?:gen\w*|version|lanes?|generation|[345](?:\.0)?\b)|which pcie|\blanes\b|slot",
    ),
    ("ecc", r"\becc\b|error[- ]correct\w+"),
    (
        "price",
        r"\bpreis\b|kostet|\bprecio\b|cuesta|\bprix\b|coûte|价格|多少钱|\bmsrp\b|launch price|list price|\bprice\b|how much (?:does|did|is|do|would)[^?.]{0,120} cost|\bcosts?\b|expensive|dollars|\busd\b",
    ),
    (
        "rental",
        r"per hour|an hour|/h(?:r|our)?\b|hourly|\brent\w*|on[- ]demand|\bspot\b|cloud price|instance price|instances?\b.{0,120}\b(?:price|cost)",
    ),
    (
        "released",
        r"releas\w+|launch(?:ed)? (?:date|in|year)|when (?:was|did|were)|how old|came out|introduced",
    ),
    ("architecture", r"architecture|which generation|what generation|microarchitecture"),
    ("cores", r"(?<!tensor )(?<!tensor-)\bcores\b|core count"),
    ("threads", r"\bthreads\b|thread count"),
    ("memory_channels", r"channels?"),
    ("tensor_cores", r"(?:how many|number of)[^?.]{0,12}tensor cores?\b"),
    ("clock_boost", r"boost clock|clock speed|\bclocks?\b"),
    (
        "form_factor",
        r"form factor|sxm or pcie|fit in a (?:desktop|workstation)|dual[- ]slot|slots?\b",
    ),
    (
        "software",
        r"cuda 1\d|\brocm\b|pytorch|tensorflow|driver|software support|supported|flash[- ]?attention|wheels?",
    ),
    (
        "precisions",
        r"(?:support|run|do|use|handle|have|switch\w*|enable|native\w*|hardware)\b[^?.]{0,90}(?:bf16|bfloat16|fp8|fp4|fp6|tf32|int8|int4|fp16|fp64|nvfp4|mxfp4)|"
        r"(?:bf16|bfloat16|fp8|fp4|fp6|tf32|int8|int4|fp64)[^?.]{0,90}(?:support|native|hardware)|number formats?|precisions?\b|data ?types?",
    ),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _PATTERNS)

_PRECISIONS: tuple[tuple[str, str], ...] = (
    ("bf16", r"bf16|bfloat16|bfloat\b"),
    ("fp16", r"fp16|float16|half[- ]precision|16[- ]bit"),
    ("tf32", r"tf32"),
    ("fp8", r"fp8|float8|e4m3|e5m2"),
    ("fp6", r"fp6"),
    ("fp4", r"nvfp4|mxfp4|fp4"),
    ("int8", r"int8"),
    ("int4", r"int4"),
    ("fp64", r"fp64|float64|double precision"),
    ("fp32", r"fp32|float32|single precision"),
)
_PRECISIONS_COMPILED = tuple(
    (name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for name, pattern in _PRECISIONS
)
_ACCUMULATE = re.compile(
    r"accumulat\w*[^.?!]{0,30}\b(fp32|fp16|32|16)\b|\b(fp32|fp16)[- ]accum", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a device: names of facts in the order of the table, precisions, accumulate type."""

    properties: tuple[str, ...]
    precisions: tuple[str, ...]
    accumulate: str = ""


def asked_of(text: str) -> Asked:
    """Read the asked properties and precisions off a question."""
    accumulated = _ACCUMULATE.search(text)
    accumulate = next((group for group in accumulated.groups() if group), "") if accumulated else ""
    rest = _ACCUMULATE.sub(" ", text)
    return Asked(
        properties=tuple(name for name, pattern in _COMPILED if pattern.search(text)),
        precisions=tuple(name for name, pattern in _PRECISIONS_COMPILED if pattern.search(rest)),
        accumulate={"32": "fp32", "16": "fp16"}.get(accumulate, accumulate.lower()),
    )


def speaks_of(properties: tuple[str, ...], text: str) -> bool:
    """Whether a text speaks of any of these properties."""
    return any(pattern.search(text) for name, pattern in _COMPILED if name in properties)
