"""How much data: rows and columns, images and their size, bytes, tokens."""

from __future__ import annotations

from typing import Any

from service.advisor.understand.words import (
    amount_of,
    amount_pattern,
    compiled,
    cue,
    cues,
    stated,
)

_N = amount_pattern()
_BYTES = {
    "kb": 1e-6,
    "mb": 1e-3,
    "gb": 1.0,
    "tb": 1e3,
    "pb": 1e6,
    "kib": 2**10 / 1e9,
    "mib": 2**20 / 1e9,
    "gib": 2**30 / 1e9,
    "tib": 2**40 / 1e9,
}
_ROWS = rf"{_N}[\s-]*(?:\w+\s+){{0,2}}?(?:rows?|lines|records|transactions|observations|zeilen|filas|lignes|行)\b"
_COLUMNS = rf"{_N}\s*(?:[a-z]+\d*(?<!rows)(?<!\brow)\s+){{0,3}}?(?:columns?|features?|fields|spalten|columnas|colonnes|列|variables)\b"
_TIMES = rf"{_N}\s*(?:rows?\s*)?(?:x|×|by)\s*{amount_pattern('c')}(?!\s*(?:px|pixel|gb|v?ram|gpu|[a-z]{0, 3}\d|b\b|nvidia|rtx|h\d))"
_IMAGES = rf"{_N}(?![\s-]*(?:px|pixels?))\s*(?:[\w'’-]+\s+){{0,2}}?(?:images?|pictures?|photos?|scans|frames|bilder|fotos|imágenes|图片|slides|volumes)\b(?!\s*(?:/|per|a|each|pro|por)\s*s)(?!\s+at a time)"
_EACH = rf"{_N}\s?(?P<unit>[kmg]i?b)\s*(?:each|apiece|per (?:image|picture|photo|file|scan|sample)|je|cada una?|chacune?)"
_SIZE = rf"{_N}\s?-?(?P<unit>[kmgtp]i?b)\b"
_OF_DATA = (
    r"(?:^|\W)(?:of\s+)?(?:\w+\s+){0,2}?(?:data\b|dataset|data set|table|csv|parquet|logs?|file|text|records|daten|datos|données|数据|tables|feature matrix|clicks?|"
    r"click logs|transactions)"
)
_STATED_NEED = (
    rf"(?:model|checkpoint|network|weights?|file|it|modell|modelo|modèle|模型)\b[^.?!]{{0,30}}?(?:needs?|requires?|takes?|uses?|is(?: exactly| about)?|weighs|occupies|"
    rf"braucht|necesita|ocupa|nécessite|需要)\s+(?:exactly |about |around |roughly |just )?{_N}\s?-?(?P<unit>gb|gib|mb|mib)\b"
)
_STATED_MODEL = rf"{_N}\s?-?(?P<unit>gb|gib)\s+(?:\w+\s+)?(?:model|checkpoint|modell)\b"


def data_fields(text: str) -> dict[str, Any]:
    """The fields of a workload that say how much data there is."""
    fields: dict[str, Any] = {}
    rows, columns, times = cue(_ROWS, text), cue(_COLUMNS, text), cue(_TIMES, text)
    if rows is not None:
        fields["dataset_rows"] = stated(amount_of(rows), rows)
    if columns is not None and rows is not None:
        fields["dataset_columns"] = stated(amount_of(columns), columns)
    if times is not None and amount_of(times) >= 1000 and "dataset_columns" not in fields:
        fields["dataset_rows"] = stated(amount_of(times), times)
        fields["dataset_columns"] = stated(amount_of(times, "c"), times)
    dtype = cue(r"\b(?:float|int)(?:16|32|64)\b|\bint8\b|\bdouble precision\b", text)
    if dtype is not None and rows is not None:
        fields["dataset_dtype"] = stated(dtype.group().lower(), dtype)
    return {**fields, **_images(text), **_bytes(text, fields)}


def stated_memory(text: str) -> dict[str, Any]:
    """Memory that the asker says a model needs, in GiB; taken at its word."""
    found = cue(_STATED_NEED, text) or cue(_STATED_MODEL, text)
    if found is None:
        return {}
    size_gb = amount_of(found) * _BYTES[found["unit"].lower()]
    return {"stated_memory_gib": stated(size_gb * 1e9 / 2**30, found)}


def _images(text: str) -> dict[str, Any]:
    """Images, and their bytes where a size is said; of a number now and one later the larger counts."""
    fields: dict[str, Any] = {}
    found = next((each for each in cues(_IMAGES, text) if amount_of(each) >= 100), None)
    if found is not None:
        count = amount_of(found)
        later = next(
            (
                each
                for each in compiled(
                    rf"{_N}\s+(?:\w+\s+)?(?:later|soon|next year|in the end|später)"
                ).finditer(text)
                if amount_of(each) > count
            ),
            None,
        )
        largest = later or found
        fields["dataset_images"] = stated(amount_of(largest), largest)
        each = cue(_EACH, text)
        if each is not None:
            size_gb = amount_of(each) * _BYTES[each["unit"].lower()]
            fields["dataset_gb"] = stated(
                amount_of(largest) * size_gb, f"{largest.group()}, {each.group()}"
            )
    pixels = cue(rf"{_N}[\s-]*(?:px|pixels?)\b", text)
    if pixels is not None:
        fields["image_px"] = stated(int(amount_of(pixels)), pixels)
    return fields


def _bytes(text: str, known: dict[str, Any]) -> dict[str, Any]:
    if "dataset_columns" in known:
        return {}
    for found in cues(_SIZE, text):
        if compiled(_OF_DATA).match(text[found.end() : found.end() + 45]) and not _of_device(
            text, found.end()
        ):
            return {"dataset_gb": stated(amount_of(found) * _BYTES[found["unit"].lower()], found)}
    return {}


def _of_device(text: str, end: int) -> bool:
    return (
        compiled(r"\s*(?:of\s+)?(?:v?ram\b|memory|card|gpu|graphics|mac\b|laptop)").match(
            text[end : end + 20]
        )
        is not None
    )
