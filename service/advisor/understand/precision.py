"""Number formats, optimizers and recipes that a question states."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.advisor.types import Stated
from service.advisor.understand.words import blank, cue, cues, stated

_CACHE = re.compile(
    r"\b(fp16|bf16|fp8|int8|q8_0|q4_0|(?:8|16)[- ]?bit)[\s-]+(?:kv[\s-]*cache|kv|cache|context)|"
    r"(?:kv[\s-]*cache|cache)\s+(?:in|at|as|is|of)?\s*(fp16|bf16|fp8|int8|q8_0|q4_0|(?:8|16)[- ]?bit)",
    re.IGNORECASE,
)
# A question for the cache alone: a format that it names is the cache's.
_CACHE_ALONE = re.compile(
    r"(?:how (?:big|large|much)[^.?!]*|^[^.?!]{0,12})kv[ -]?cache[^.?!]*(?:size|big|large|how (?:much|many)|\?)",
    re.IGNORECASE,
)
_OPTIMIZERS = (
    (r"(?:paged[\s_-]*)?(?:8[- ]?bit[\s-]*adamw?|adamw?[\s_-]*8[- ]?bit)", "adamw8bit"),
    (r"adafactor", "adafactor"),
    (r"\bsgd\b(?: with momentum)?", "sgd"),
    (r"\badamw?\b", "adamw"),
)
_RECIPES = (
    (r"\bpure (?:bf16|bfloat16)\b|\bbf16[- ]only\b", "pure_bf16_adamw"),
    (r"\bautocast\b|\btorch\.?amp\b", "autocast_adamw"),
    (r"fp32 grad\w*|gradients? in fp32", "mixed_adamw_fp32_gradients"),
    (r"mixed[- ]precision|\bmixed\b|混合精度|gemischte\w* genauigkeit", "mixed_adamw"),
)
# Spellings and the name in `precision.py`; a bare number of bits is read by the task.
_FORMATS = (
    (r"\b(?:i?q[1-8]_(?:k_[sml]|k|[01]|xxs|xs|nl|[sml]))\b", ""),
    (r"\bnf4\b|\bbnb[- ]?4bit\b", "nf4"),
    (r"\bmxfp4\b", "mxfp4"),
    (r"\bmxfp8\b", "mxfp8"),
    (r"\bnvfp4\b|\bfp4\b", "nvfp4"),
    (r"\bawq\b", "awq"),
    (r"\bgptq\b", "gptq"),
    (r"\bfp8\b|\bfloat8\b", "fp8"),
    (r"\bbf16\b|\bbfloat16\b", "bf16"),
    (r"\bfp16\b|\bfloat16\b|\bhalf[- ]precision\b|\bf16\b", "fp16"),
    (r"\btf32\b", "tf32"),
    (r"\bfp32\b|\bfloat32\b|\bfull precision\b|\bsingle precision\b|\b32[- ]?bits?\b", "fp32"),
    (r"\bfp64\b|\bfloat64\b|\bdouble precision\b", "fp64"),
    (r"\bint8\b|\b8[- ]?bits?\b|\beight[- ]bits?\b|8\s?位", "int8"),
    (r"\bint4\b|\b4[- ]?bits?\b|\bfour[- ]bits?\b|4\s?位|\bq4\b", "4bit"),
    (r"\bq5\b|\b5[- ]?bits?\b", "q5_k_m"),
    (r"\bq6\b|\b6[- ]?bits?\b", "q6_k"),
    (r"\bq8\b", "q8_0"),
    (r"\b3[- ]?bits?\b|\bq3\b", "q3_k_l"),
    (r"\b2[- ]?bits?\b|\bq2\b", "q2_k"),
    (
        r"\b16[- ]?bits?\b|\bsixteen[- ]bits?\b|\bunquanti[sz]ed\b|\bnot quanti[sz]ed\b|unquantisiert",
        "bf16",
    ),
    (
        r"\bas (?:published|released|shipped|uploaded)\b|\bpublished weights\b|original weights",
        "released",
    ),
    (r"\bquanti[sz]ed\b|\bquantisiert\w*|\bcuantizad\w*|\bquantifi\w+|量化", "4bit"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What a text says of number formats; `formats` holds all that it names, in the order of the text."""

    formats: tuple[Stated[str], ...]
    kv: Stated[str] | None
    optimizer: Stated[str] | None
    recipe: Stated[str] | None
    double_quant: Stated[bool] | None

    @property
    def first(self) -> str:
        """The name of the first format, or an empty string."""
        return self.formats[0].value if self.formats else ""


def numbers_of(text: str) -> Numbers:
    """The formats of weights, cache and optimizer that a text states."""
    cache = _CACHE.search(text)
    rest = blank(text, cache.span()) if cache else text
    alone = _CACHE_ALONE.search(text) if cache is None else None
    optimizer, spans = None, []
    for pattern, name in _OPTIMIZERS:
        found = cue(pattern, rest)
        if found is not None:
            optimizer = optimizer or stated(name, found)
            spans.append(found.span())
    rest = blank(rest, *spans)
    recipe = next(
        (stated(name, found) for pattern, name in _RECIPES if (found := cue(pattern, text))), None
    )
    double = cue(r"double[- ]quant\w*|\bdq\b", text)
    formats = _formats(rest)
    kv = stated(_named(cache[1] or cache[2]), cache) if cache else None
    if alone is not None and formats:
        kv, formats = formats[0], ()
    return Numbers(
        formats=formats,
        kv=kv,
        optimizer=optimizer,
        recipe=recipe,
        double_quant=stated(value=True, match=double) if double else None,
    )


def _formats(text: str) -> tuple[Stated[str], ...]:
    found: list[tuple[int, Stated[str]]] = []
    for pattern, name in _FORMATS:
        for match in cues(pattern, text):
            found.append((match.start(), stated(name or match.group().lower(), match)))
            text = blank(text, match.span())
    unique: dict[str, tuple[int, Stated[str]]] = {}
    for place, field in sorted(found, key=lambda item: item[0]):
        unique.setdefault(field.value, (place, field))
    if len(unique) > 1 and {"nf4", "4bit"} <= set(unique):
        del unique["4bit"]
    return tuple(field for _, field in unique.values())


def _named(word: str) -> str:
    return {"16bit": "fp16", "8bit": "int8"}.get(re.sub(r"[\s-]", "", word.lower()), word.lower())
