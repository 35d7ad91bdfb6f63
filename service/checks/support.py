"""Whether a quote carries a sentence: word for word where it was taken over, by its words where it was rephrased."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.text import lexical_tokens
from service.checks.polarity import negations
from service.checks.quoted import Quoted
from service.numbers import Quantity, same

# Share of a rephrased sentence's words that its quotes and their titles must hold.
_CARRIED = 0.72
# Share of its words that a quote must hold to have anything to do with a statement of figures.
_RELATED = 0.4
# Facts that a device's usable memory is computed from.
_CAPACITY = frozenset({"memory", "memory_usable", "memory_max", "note"})
_VERDICT = re.compile(r"(?:yes|no),\s+", re.IGNORECASE)
_UNREAD = " (unconfirmed: no source was read)."
_NOTES = re.compile(r"\[\^[\w-]+\]")
_PLAIN_WORDS = frozenset(
    lexical_tokens(
        "also about around roughly therefore thus hence because however while whereas both each it this that these "
        "those they which has have had is are was were be been can could may will would use used get gets offer offers "
        "come comes mean means make makes need needs so than then more less most only even well good option choice"
    )
)


def is_taken_over(text: str, quotes: Sequence[Quoted]) -> bool:
    """Whether a text is one of its quotes: white space, a dropped "Yes,", the first capital and the stop aside."""
    wanted = _plain(text)
    return any(wanted in {_plain(quote.text), _plain(_cut(quote.text))} for quote in quotes)


def repeats(text: str, quote: Quoted) -> bool:
    """Whether a text says a note of a spec sheet, or a row of an added table, word for word.

    A note may stand behind the device's name.
    """
    if quote.document.kind == "user" and _plain(text) == _plain(quote.text):
        return True
    if quote.fields.get("fact") not in {"note", "software"}:
        return False
    value = _plain(quote.fields.get("value", ""))
    if quote.fields.get("level") == "unconfirmed":
        text = text.removesuffix(_UNREAD)
    return _plain(text) == value or _plain(text.removeprefix(f"{quote.document.title}: ")) == value


def _cut(text: str) -> str:
    return _VERDICT.sub("", text, count=1)


def _plain(text: str) -> str:
    plain = " ".join(_NOTES.sub("", text).split()).removesuffix(".")
    return plain[:1].casefold() + plain[1:]


def carried(text: str, quotes: Sequence[Quoted]) -> float:
    """The share of a text's words of meaning that its quotes and their titles hold."""
    said = frozenset(lexical_tokens(text)) - _PLAIN_WORDS
    held = frozenset(
        word
        for quote in quotes
        for word in lexical_tokens(
            f"{quote.text} {quote.document.title} {' '.join(quote.fields.values())}"
        )
    )
    return len(said & held) / len(said) if said else 0.0


def is_carried(text: str, quotes: Sequence[Quoted]) -> bool:
    """Whether a rephrased text says what its quotes say, with as many denials as one of them or all together."""
    if carried(text, quotes) < _CARRIED:
        return False
    counts = [negations(quote.text) for quote in quotes]
    return negations(text) in {*counts, sum(counts)}


def contributes(
    text: str, quote: Quoted, stated: Sequence[Quantity], named: frozenset[str]
) -> bool:
    """Whether a quote has to do with a statement: a device, a figure, a machine, a model, words."""
    if quote.shape in {"fact", "key"} and named and quote.own:
        return quote.own in named
    if quote.shape == "row" and (
        named & quote.devices or (quote.document.kind == "models" and stated)
    ):
        return True
    if not named and "usable" in text and quote.fields.get("fact", "") in _CAPACITY:
        return True
    if any(same(each, known) for each in stated for known in quote.figures):
        return True
    lowered = text.casefold()
    names = [quote.fields.get(key, "") for key in ("instance", "benchmark")]
    if any(name and name.casefold() in lowered for name in names):
        return True
    return quote.shape == "prose" and carried(text, [quote]) >= _RELATED


def wrongly_denied(text: str, quotes: Sequence[Quoted]) -> bool:
    """Whether a phrased fact affirms what its quote denies, or the other way round."""
    denials = [_denies(quote) for quote in quotes if quote.shape == "fact"]
    if not denials:
        return False
    plain = _without_other_kinds(text, quotes)
    return bool(negations(plain)) != any(denials)


_KINDS = re.compile(r"\bhas no ((?:HBM|GDDR|LPDDR)\w*)(?=:)", re.IGNORECASE)


def _without_other_kinds(text: str, quotes: Sequence[Quoted]) -> str:
    """A correction ("has no GDDR6X: its memory is HBM3") denies rightly what no quote shows."""
    found = _KINDS.search(text)
    if found and not any(found.group(1).casefold() in quote.text.casefold() for quote in quotes):
        return text.replace(found.group(), "has")
    return text


def _denies(quote: Quoted) -> bool:
    fields = quote.fields
    value = fields.get("value", "")
    if fields.get("fact") in {"note", "software", "interconnect"} and not value.startswith("none"):
        return bool(negations(value))
    none = value.casefold().startswith(("none", "no ")) or value in {"no", "0 instances"}
    return fields.get("supported") == "no" or none
