"""Understand a question: intent, devices, unknown parts, asked properties, and words mended against the index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from indexer.text import lexical_tokens
from indexer.types import DeviceId
from service.errors import BadQuestion
from service.lexicon import Lexicon, Mention, find_devices, unknown_parts
from service.properties import Asked, asked_of
from service.types import Intent, Question

_WORD = re.compile(r"[^\W\d_]{4,}")
_COMPARE = re.compile(
    r"\bvs\.?\b|\bversus\b|compar\w+|differen\w+|separates?\b|\bbetter\b|\bfaster\b|\bor\b|against|\bbeats?\b",
    re.IGNORECASE,
)
_RECOMMEND = re.compile(
    r"\b(?:which|what)\b[^?.]{0,60}\b(?:gpus?|cards?|machines?|instances?|hardware|accelerators?|server|workstation|laptop|"
    r"configuration|setup|tpu|box)\b[^?.]{0,90}\b(?:should|shall|would|do (?:i|we) (?:need|buy|get)|for|can|to (?:buy|get|rent|use))|"
    r"\b(?:recommend|suggest)\w*\b|what should (?:i|we) (?:buy|get|rent|use)|what (?:do|shall) (?:i|we) (?:buy|get|rent)|"
    r"\bcandidates\b|\bbudget\b|\bi (?:want|need) to (?:buy|rent)\b|do i have to buy|must i buy|\bdoable\b|what now\b|"
    r"how many cards|welche grafikkarte|gpu server or cpu server|buy or (?:use|rent)|"
    r"\b(?:which|what)(?: [\w-]+){0,4} (?:gpu|card|machine|hardware|instance|device|mac|laptop|box|board|accelerator)\b"
    r"(?! (?:memory|is|are|did|does|has|have|was|were)\b)|\bbuy (?:a |an )?[^?.]{0,40}\bor rent\b|what is there\?|"
    r"\bcheapest\b[^?.]{0,30}\b(?:instance|gpu|machine|per hour)\b(?![^?.]{0,20}\?$)|"
    r"\b(?:must|have to|need to|want to) (?:serve|host|train|run|fine-?tune)\b[^?]{0,120}\bwhat\b|"
    r"\b(?:best|cheapest|fastest)\b[^?.]{0,40}\b(?:gpus?|cards?|way|option|machine|instance|cloud|device|setup|hardware)\b[^?.]{0,40}\b(?:for|to|under)\b|"
    r"\bto spend\b|\bwhat do (?:i|we) (?:need|buy|rent|use)\b|do (?:i|we) need something else|edge device for|"
    r"\bwe (?:need|want) to (?:serve|host|train|run|fine-?tune)\b",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"\bwill (?:it|this|that|a|my|the)\b[^?.]{0,60}\b(?:fit|run|work|do)\b|\bfits?\b[^?.]{0,200}\?|"
    r"how (?:much|many)\b[^?.]{0,60}\b(?:memory|vram|ram|gi?b|gpus?|days|hours|accelerator)\b[^?.]{0,120}\b(?:need|take|require|train|run|"
    r"fine-?tun\w*|serve|inference|generat\w*|host|load|remain)|memory do i need|(?:days|hours|long|time)\b[^?.]{0,120}\b(?:take|train|pretrain\w*)|"
    r"how long\b|how big is|\benough\b|is a single|does a \d+ gb|do i need\b[^?.]{0,90}(?:memory|vram|gb)|kv cache|tokens per second|"
    r"\bsuffic\w+|what sequence length|reicht|够吗|run entirely|"
    r"\b(?:can|could) (?:i|we|it|my|a|an)\b[^?.]{0,60}\b(?:q?lora|fine-?tune|train|run|serve|host|load|fit|use)\b|"
    r"\bmemory (?:for|of|to)\b|largest (?:llm|model)|gi?b for\b|\btokens (?:a|per) second\b|^[\w.\s-]*\b(?:int8|int4|4[- ]bit|8[- ]bit|bf16|fp16) memory\b",
    re.IGNORECASE,
)
# A model, a table or a run together with one of these asks for arithmetic.
_AMOUNT = re.compile(
    r"\b(?:how (?:much|many|big|large|long)|gi?b\b|memory|vram|weights|states|cache|fits?\b|holds?\b|enough|days|hours|file|takes?)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b\d[\d,.]*\s?(?:million|billion|m|bn)? rows\b|how many (?:kwh|hours|days)|what is the bill|\bkv cache\b|zero[- ]?(?:stage )?[123]\b",
    re.IGNORECASE,
)
_WILL_IT = re.compile(
    r"\b(?:will|does|do|can|could)\b[^?.]{0,60}\b(?:fit|hold|suffice|be enough)\b|\bis (?:a|one|my)\b[^?.]{0,40}\benough\b",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"side by side|\blist\b|\beach\b|\bboth\b|as good as|as fast as|than the", re.IGNORECASE
)
_MODEL_SIZE = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:b|bn|billion)\b|\b\d+b\b|\b\d{1,4}x\d+b\b", re.IGNORECASE
)
# A name of a maker and a number of a part, as in "Acme X1" or "Acme Turbo X1".
_MAKER_AND_PART = re.compile(
    r"\b(?P<maker>[A-Z][a-z]{2,})[ ](?:[A-Z][a-z]+[ ])?[A-Z]{1,3}-?\d{1,4}[A-Za-z]{0,2}\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question understood. `text` is the question in NFKC; `search` the same with misspelt words mended."""

    text: str
    search: str
    mentions: tuple[Mention, ...]
    unknown: tuple[str, ...]
    asked: Asked
    intent: Intent

    @property
    def devices(self) -> tuple[DeviceId, ...]:
        """Every device that a mention can mean, in the order of the question."""
        return tuple(
            dict.fromkeys(device for mention in self.mentions for device in mention.devices)
        )


def parse_question(
    question: Question, *, lexicon: Lexicon, speller: Speller, max_chars: int
) -> Query:
    """Understand a question.

    Raises:
        BadQuestion: it is empty, too long, or holds no letter or digit and no question mark.
    """
    text = " ".join(unicodedata.normalize("NFKC", question.text).split())
    if not text:
        raise BadQuestion("the question is empty; ask about hardware for machine learning")
    if len(text) > max_chars:
        raise BadQuestion(
            f"the question has {len(text)} characters, at most {max_chars} are taken; shorten it"
        )
    search = speller.mend(text)
    mentions = find_devices(search, lexicon)
    asked = asked_of(search)
    intent = _intent(search, mentions, asked)
    unknown = unknown_parts(search, mentions, lexicon)
    if intent == "guidance" and asked.properties and not (mentions or unknown):
        unknown = _of_unknown_makers(search, speller)
    return Query(
        text=text,
        search=search,
        mentions=mentions,
        unknown=unknown,
        asked=asked,
        intent=intent,
    )


def _of_unknown_makers(text: str, speller: Speller) -> tuple[str, ...]:
    """Parts whose maker no document names, where a fact about a part is asked for."""
    found = _MAKER_AND_PART.finditer(text)
    return tuple(match.group() for match in found if not speller.knows(match["maker"]))


def _intent(text: str, mentions: tuple[Mention, ...], asked: Asked) -> Intent:
    groups = len({mention.devices for mention in mentions})
    if _recommends(text, groups):
        return "recommend"
    if _sizes(text, asked, named=bool(mentions)):
        return "size"
    if groups > 1 and (_COMPARE.search(text) or _LISTED.search(text)):
        return "compare"
    return "lookup" if mentions and asked.properties else "guidance"


def _recommends(text: str, groups: int) -> bool:
    return groups < 2 and _RECOMMEND.search(text) is not None and not _WILL_IT.search(text)


def _sizes(text: str, asked: Asked, *, named: bool) -> bool:
    """Whether memory, time or money of a run is asked for: of a model of a size, a table, or without a device."""
    if _MODEL_SIZE.search(text) and (_SIZE.search(text) or _AMOUNT.search(text)):
        return True
    if _COUNTED.search(text):
        return True
    return _SIZE.search(text) is not None and (not named or not asked.properties)


class Speller:
    """Mends words that the index does not know to a common word of the index at a distance of one slip or two."""

    def __init__(self, counts: Mapping[str, int], *, common: int) -> None:
        self._known = frozenset(counts)
        self._by_start: dict[str, list[str]] = {}
        for word in sorted(counts):
            if counts[word] >= common and word.isascii():
                self._by_start.setdefault(word[0], []).append(word)

    def knows(self, word: str) -> bool:
        """Whether the index holds the word."""
        return word.lower() in self._known

    def mend(self, text: str) -> str:
        """The text with each unknown lower-case word replaced by the nearest common one, if one is near."""
        return _WORD.sub(lambda match: self._mended(match.group()), text)

    def _mended(self, word: str) -> str:
        if len(word) < 5 or not word.isascii() or word != word.lower() or word in self._known:
            return word
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found = process.extractOne(
            word,
            self._by_start.get(word[0], ()),
            scorer=OSA.distance,
            score_cutoff=1 if len(word) < 8 else 2,
        )
        if found is None or lexical_tokens(found[0]) == lexical_tokens(word):
            return word
        return found[0]
