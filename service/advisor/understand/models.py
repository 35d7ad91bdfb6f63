"""Models by name: exact boundaries, the spellings that people use, a size that stands before or after the name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from service.advisor.types import ModelShape
from service.parts import Part, parts_of

_SIZE_WORDS = re.compile(
    r"(?<=\d)[\s-]*(?:billions?|bill?ions?|bn|mrd\.?|milliarden|milliards|mil millones)(?:[\s-]*(?:of )?(?:parameters?|params?|parametern?|parámetros|paramètres))?\b",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s?-?(b|bn|billion|t|m|million)(?![a-z/])", re.IGNORECASE
)
_OTHER_THAN_SIZE = re.compile(
    r"^[\s-]*(?:tokens?|rows?|lines?|images?|records?|examples?|samples?|pictures?|points?|users?|columns?|usd|dollars?|euros?|/|pixels?)",
    re.IGNORECASE,
)
_ACTIVE = re.compile(r"(\d+(?:\.\d+)?)b-a(\d+(?:\.\d+)?)b", re.IGNORECASE)
_FILLERS = frozenset(
    "with the model models of in size variant version mit der das modell con de el modelo avec le parameter parameters instruct chat base hf "
    "meta type like style".split()
)
_TAILS = frozenset(
    "hf instruct chat it base v1 v0.1 v0.3 uncased cased released 4k 16 224 patch".split()
)
# Names of families without a size, and the member that is meant as a rule.
_USUAL = {
    ("mixtral",): "Mixtral-8x7B-v0.1",
    ("yolo",): "yolov8m",
    ("yolov", "8"): "yolov8m",
    ("yolov", "5"): "yolov5m",
    ("yolov", "7"): "yolov8m",
    ("yolov", "9"): "yolov8m",
    ("yolov", "10"): "yolov8m",
    ("yolov", "11"): "yolov8m",
    ("yolov", "12"): "yolov8m",
    ("yolo", "11"): "yolov8m",
    ("yolo", "8"): "yolov8m",
    ("yolo", "v", "8"): "yolov8m",
    ("yolo", "v", "5"): "yolov5m",
    ("resnet",): "resnet50",
    ("bert",): "bert-base-uncased",
    ("distil", "bert"): "distilbert-base-uncased",
    ("distilbert",): "distilbert-base-uncased",
    ("roberta",): "roberta-base",
    ("deberta",): "deberta-v3-base",
    ("modernbert",): "ModernBERT-base",
    ("vit",): "vit-base-patch16-224",
    ("whisper",): "whisper-large-v3",
    ("stable", "diffusion", "xl"): "sdxl-base-1.0",
    ("sdxl",): "sdxl-base-1.0",
    ("stable", "diffusion"): "stable-diffusion-v1-5",
    ("sd", "1.5"): "stable-diffusion-v1-5",
    ("flux",): "FLUX.1-dev",
    ("flux", "1"): "FLUX.1-dev",
    ("nnunet",): "nnU-Net",
    ("nn", "u", "net"): "nnU-Net",
    ("deepseek", "r", "1"): "DeepSeek-R1",
    ("deepseek", "v", "3"): "DeepSeek-V3",
    ("gpt", "2"): "gpt2",
    ("efficientnet",): "efficientnet-b4",
}
_TYPO_LETTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A model in a text. `usual`: the family alone was named, and this member is assumed."""

    shape: ModelShape
    words: str
    start: int
    end: int
    usual: bool = False
    siblings: tuple[tuple[float, str], ...] = ()

    def sibling(self, params_b: float) -> str:
        """The model of the same series with that size, or an empty string."""
        return next((name for size, name in self.siblings if size == params_b), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """A model of which only the size was said, in billions of parameters."""

    params_b: float
    active_params_b: float
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNames:
    """Names of models as tuples of parts; `families` are their first words, for slips of the pen."""

    names: Mapping[tuple[str, ...], str]
    usual: Mapping[tuple[str, ...], str]
    families: tuple[str, ...]
    longest: int
    siblings: Mapping[tuple[str, ...], tuple[tuple[float, str], ...]]
    shapes: Mapping[str, ModelShape]


def model_names(shapes: Mapping[str, ModelShape]) -> ModelNames:
    """The lexicon of a catalog of models. The first model of a name wins."""
    names: dict[tuple[str, ...], str] = {}
    for shape in shapes.values():
        for spelling in (shape.name, *shape.aliases):
            for parts in _spellings(spelling):
                names.setdefault(parts, shape.name)
    usual = {parts: name for parts, name in _USUAL.items() if name in shapes and parts not in names}
    families = sorted({parts[0] for parts in (*names, *usual) if len(parts[0]) > _TYPO_LETTERS})
    longest = max((len(parts) for parts in names), default=0)
    siblings: dict[tuple[str, ...], tuple[tuple[float, str], ...]] = {}
    for parts, name in names.items():
        size = _size_in(parts)
        if size:
            siblings[_series(parts)] = (*siblings.get(_series(parts), ()), (size, name))
    return ModelNames(
        names=names,
        usual=usual,
        families=tuple(families),
        longest=longest,
        siblings=siblings,
        shapes=shapes,
    )


def _size_in(parts: tuple[str, ...]) -> float:
    place = next((place for place, part in enumerate(parts) if part == "b" and place), 0)
    return (
        float(parts[place - 1])
        if place and re.fullmatch(r"\d+(?:\.\d+)?", parts[place - 1])
        else 0.0
    )


def _series(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The name without its size."""
    place = next((place for place, part in enumerate(parts) if part == "b" and place), 0)
    return parts if not place else (*parts[: place - 1], *parts[place + 1 :])


def _spellings(spelling: str) -> list[tuple[str, ...]]:
    parts = [part.text for part in parts_of(_plain(spelling.rpartition("/")[2]))]
    kept = [part for part in parts if part not in _FILLERS]
    while len(kept) > 1 and kept[-1] in _TAILS:
        kept = kept[:-1]
    if len(kept) == 1 and len(parts) > 1 and tuple(kept) in _USUAL:
        return []
    found = [tuple(kept)]
    if len(kept) > 2 and kept[-1] in {"b", "m"} and re.fullmatch(r"[\d.]+", kept[-2]):
        found.append((*kept[-2:], *kept[:-2]))
    return [each for each in found if _is_name(each)]


def _is_name(parts: tuple[str, ...]) -> bool:
    """A lone number, a bare size or a lone everyday word is no name."""
    if not parts or (re.fullmatch(r"[\d.]+", parts[0]) and len(parts) < 3):
        return False
    return len(parts) > 1 or (
        len(parts[0]) > 3 and parts[0] not in {"bloom", "command", "platypus"}
    )


def _plain(text: str) -> str:
    return _SIZE_WORDS.sub(lambda found: "b" + " " * (len(found.group()) - 1), text)


def find_models(text: str, lexicon: ModelNames) -> list[Named]:
    """The models named in a text, left to right, the longest name first."""
    parts = [part for part in parts_of(_plain(text)) if part.text not in _FILLERS]
    parts = [
        _mended(part, parts[place + 1 : place + 3], lexicon) for place, part in enumerate(parts)
    ]
    found: list[Named] = []
    position = 0
    while position < len(parts):
        named = _named(parts, position, text, lexicon)
        if named is None:
            position += 1
            continue
        found.append(named[1])
        position += named[0]
    return found


def _named(
    parts: list[Part], position: int, text: str, lexicon: ModelNames
) -> tuple[int, Named] | None:
    if not parts[position].first:
        return None
    for length in range(min(lexicon.longest, len(parts) - position), 0, -1):
        window = parts[position : position + length]
        key = tuple(part.text for part in window)
        name = lexicon.names.get(key) or lexicon.usual.get(key)
        if name is None or not _ends_word(parts, position + length):
            continue
        if any(later.start - before.end > 25 for before, later in pairwise(window)):
            continue
        start, end = window[0].start, window[-1].end
        named = Named(
            shape=lexicon.shapes[name],
            words=" ".join(text[start:end].split()),
            start=start,
            end=end,
            usual=key not in lexicon.names,
            siblings=lexicon.siblings.get(_series(key), ()),
        )
        return length, named
    return None


def _ends_word(parts: list[Part], end: int) -> bool:
    return parts[end - 1].last or (end < len(parts) and parts[end].text == "s" and parts[end].last)


def _mended(part: Part, following: list[Part], lexicon: ModelNames) -> Part:
    """A word one slip away from a family's name is that name, if a number follows it."""
    numbered = any(re.fullmatch(r"[\d.]+", each.text) for each in following)
    if (
        len(part.text) < _TYPO_LETTERS
        or not numbered
        or not part.text.isascii()
        or not part.text.isalpha()
    ):
        return part
    if part.text in lexicon.families or (part.text,) in lexicon.usual:
        return part
    near = process.extractOne(part.text, lexicon.families, scorer=OSA.distance, score_cutoff=1)
    return replace(part, text=near[0]) if near is not None else part


def _is_of_model(before: str, after: str) -> bool:
    """Whether millions are those of a model's parameters."""
    behind = r"[\s-]*(?:param\w*|model\w*|transformer|llm|gpt|decoder|模型|参数)"
    ahead = r"(?:models?|modell|modèle|modelo|模型)\s*(?:of|with|de|mit|con|avec|à)?\s*$"
    return (
        re.match(behind, after, re.IGNORECASE) is not None
        or re.search(ahead, before, re.IGNORECASE) is not None
    )


def find_sizes(text: str) -> list[Sized]:
    """Sizes of models said as "a 7B model", "13 billion parameters", "124M"; amounts of other things are none."""
    plain = _plain(text)
    active = {found.start(): float(found[2]) for found in _ACTIVE.finditer(plain)}
    sizes = []
    for found in _SIZE.finditer(plain):
        unit = found[2].lower()
        rest = plain[found.end() :]
        if (
            _OTHER_THAN_SIZE.match(rest)
            or unit == "t"
            or plain[: found.start()].rstrip().endswith(("$", "€"))
        ):
            continue
        if unit in {"m", "million"} and not _is_of_model(plain[: found.start()], rest):
            continue
        scale = 1e-3 if unit in {"m", "million"} else 1.0
        sizes.append(
            Sized(
                params_b=round(float(found[1]) * scale, 9),
                active_params_b=active.get(found.start(), 0.0),
                words=" ".join(text[found.start() : found.end()].split()),
                start=found.start(),
                end=found.end(),
            )
        )
    return sizes
