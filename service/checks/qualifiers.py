"""Qualifiers of figures: what a statement says of a figure stands in its quote, and what the quote demands is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.checks.quoted import Quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Label:
    """A word of a statement, and what a quote must hold for it. Where no part of `cue` stands, it is not said."""

    cue: tuple[str, ...]
    said: re.Pattern[str]
    shown: re.Pattern[str]


def _labels(*rows: tuple[str, str, str]) -> tuple[_Label, ...]:
    return tuple(
        _Label(
            cue=tuple(cue.split("|")),
            said=re.compile(said, re.IGNORECASE),
            shown=re.compile(shown, re.IGNORECASE),
        )
        for cue, said, shown in rows
    )


_PRECISIONS = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4")
_PRECISION = re.compile(rf"\b({'|'.join(_PRECISIONS)})\b", re.IGNORECASE)
_ACCUMULATE = re.compile(r"accumulating in (\w+)", re.IGNORECASE)
_LABELS = _labels(
    ("dense", r"\bdense\b(?! matrices)", r"\bdense\b"),
    (
        "sparse|sparsity",
        r"\bsparse\b|\bsparsity\b(?! not stated)",
        r"sparsity: sparse|sparsity_multiplier|\bsparse\b|2:4|structured sparsity",
    ),
    *((name, rf"\b{name}\b", rf"\b{name}\b") for name in _PRECISIONS),
    ("sxm", r"\bSXM\d?\b", r"\bSXM"),
    ("nvl", r"\bNVL\b", r"\bNVL\b"),
    ("pcie|pci-e", r"\bPCI-?e (?:card|variant|version)\b", r"\bPCI-?e"),
    ("laptop|mobile|max-q", r"\b(?:laptop|mobile|Max-Q)\b", r"laptop|mobile|max-q"),
    ("demand", r"\bon[- ]demand\b", r"\bon[- ]demand\b"),
    ("spot", r"\bspot\b(?! and)", r"\bspot\b"),
    ("reserved", r"\breserved\b", r"\breserv"),
    ("nominal", r"\bnominal\b", r"nominal"),
    (
        "software sees|usable",
        r"\bSoftware sees\b|\busable\b",
        r"usable|nvidia-smi|usable_gib|as printed|device|size",
    ),
    (
        "each direction",
        r"\bin each direction\b",
        r"direction: each|each (?:way|direction)|per direction",
    ),
    ("both directions", r"\bboth directions\b", r"direction: total|both|bidirectional"),
    ("matrix units", r"\bmatrix units\b", r"engine: tensor|precisions|matrix|tensor"),
    ("vector units", r"\bvector units\b", r"engine: vector|vector"),
    ("msrp|launch price", r"\bMSRP\b|\blaunch price\b", r"term: MSRP|launch|MSRP"),
    ("street price", r"\bstreet price\b", r"term: street|street"),
    ("used", r"\bused\b(?= (?:one|launch|street|price))", r'new: "no"|\bused\b'),
    ("tdp", r"\bTDP\b", r"\bTDP\b"),
    ("tgp", r"\bTGP\b", r"\bTGP\b"),
    ("tbp", r"\bTBP\b", r"\bTBP\b"),
    ("maximum power", r"\bmaximum power\b", r"term: maximum|maximum"),
    ("package power", r"\bpackage power\b", r"term: package|package"),
    ("boost clock", r"\bboost clock\b", r"boost"),
    ("base clock", r"\bbase clock\b", r"clock_base|base"),
    ("measured", r"\bmeasured\b(?! [in])(?<!not measured)", r"measured|smi|published"),
    ("unconfirmed", r"\bunconfirmed\b", r"level: unconfirmed|unconfirmed"),
    ("(= ", r"\(= [\d.,]+ G(?:i?)B\)", r"G|M"),
)
_SCOPES = {
    "die": "one die",
    "board": "the whole board",
    "superchip": "the whole superchip",
    "system": "the whole system",
}
_SOURCE = re.compile(r"source: [^,]+, ")
# Facts whose phrases say these; others may leave them out.
_BANDWIDTHS = {
    "memory_bandwidth": re.compile(r"bandwidth|GB/s one sequence|reads all weights", re.IGNORECASE),
    "matmul_measured": re.compile(r"measured", re.IGNORECASE),
    "memory_max": re.compile(r"up to|room for|at most", re.IGNORECASE),
}


def unsupported(text: str, quotes: Sequence[Quoted], notes: str) -> Iterator[str]:
    """Qualifying words of a text that neither its quotes nor the notes of its computations hold."""
    lowered = text.casefold()
    shown = "\n".join([*(_SOURCE.sub("", quote.text) for quote in quotes), notes])
    for label in _LABELS:
        if not any(cue in lowered for cue in label.cue):
            continue
        said = label.said.search(text)
        if said and not label.shown.search(shown):
            yield f'it says "{said.group()}", its quotes do not'
    for scope, words in _SCOPES.items():
        if words in text and not any(quote.scope == scope for quote in quotes):
            yield f'it says "{words}", its quotes do not'


def missing(text: str, quote: Quoted) -> Iterator[str]:
    """What a quoted fact demands and a text leaves out, where the text states the fact's figure."""
    fields = quote.fields
    lowered = text.casefold()
    name = fields.get("fact", "")
    if name == "peak":
        yield from _peak(lowered, quote)
    cue = _BANDWIDTHS.get(name)
    if cue is not None and not cue.search(text):
        yield f"it does not say that the figure is the {name.replace('_', ' ')}"
    if name == "memory" and _ECC.get(fields.get("ecc", ""), "with") not in _ecc_said(lowered):
        yield f"its ECC is {fields.get('ecc')}, it says otherwise"
    if "does hold for dense" in lowered:
        yield "a sparse figure does not hold for dense matrices"
    if name == "price" and fields.get("as_of", "") not in text:
        yield f"the price is of {fields.get('as_of')}, which it does not say"
    if name == "price" and fields.get("new") == "no" and "used" not in lowered:
        yield "the price is of a used device, which it does not say"
    if fields.get("level") == "unconfirmed" and "unconfirmed" not in lowered:
        yield "the figure is unconfirmed, which it does not say"


_ECC = {"yes": "with ecc", "no": "without ecc", "optional": "ecc can be switched on"}


def _ecc_said(lowered: str) -> str:
    """What a text says of ECC; all of it where it says nothing."""
    said = re.search(r"with(?:out)? ecc|ecc can(?:not)? be switched on", lowered)
    return said.group() if said else " ".join(("with", *_ECC.values()))


def _peak(lowered: str, quote: Quoted) -> Iterator[str]:
    fields = quote.fields
    told = {match.casefold() for match in _PRECISION.findall(lowered)}
    wanted = {fields.get("precision", ""), fields.get("accumulate", "")} - {""}
    if told and not told <= wanted:
        yield f"it says {', '.join(sorted(told - wanted))}, the figure is {fields.get('precision')}"
    if fields.get("precision", "") not in told:
        yield f"the figure is {fields.get('precision')}, which it does not say"
    sums = _ACCUMULATE.search(lowered)
    if sums and sums.group(1) != fields.get("accumulate", sums.group(1)):
        yield f"the figure accumulates in {fields.get('accumulate')}"
    sparsity = fields.get("sparsity", "")
    if sparsity == "sparse" and "spars" not in lowered:
        yield "the figure is sparse, which it does not say"
    if sparsity == "dense" and not re.search(r"\bdense\b(?! matrices)", lowered):
        yield "the figure is dense, which it does not say"
