"""Numbers with units: each stands in a quote, is computed or asked, and belongs to the device it is said of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.checks.names import Named
from service.checks.quoted import Quoted
from service.numbers import Quantity, quantities, same
from service.types import Number


def unknown(
    text: str, stated: Sequence[Quantity], quotes: Sequence[Quoted], numbers: Sequence[Number]
) -> Iterator[str]:
    """Quantities that stand in no quote and are neither computed nor asked."""
    known = [each for quote in quotes for each in quote.figures]
    shown = [each for number in numbers if number.origin != "cited" for each in shown_as(number)]
    for each in stated:
        if not any(same(each, other) for other in (*known, *shown)):
            yield f"{text[each.start : each.end]} stands in no quote and is not computed"


def shown_as(number: Number) -> list[Quantity]:
    """The quantity that a number of an answer is."""
    return quantities(f"{number.value!r} {number.unit}") or quantities(
        f"{number.value:.10g} {number.unit}"
    )


def unsaid(text: str, quote: Quoted, stated: Sequence[Quantity]) -> str:
    """What a quoted fact states and a text does not: its value, as a quantity or in words."""
    value, wanted = quote.fields.get("value", ""), _whole(quote)
    if wanted is not None:
        dated = "may have changed" in text and quote.fields.get("as_of", "") in text
        return "" if dated or any(same(each, wanted) for each in stated) else value
    return "" if _has_words(value, text) else value


def _whole(quote: Quoted) -> Quantity | None:
    """The value of a fact that is a number with its unit and nothing else."""
    value = quote.fields.get("value", "").strip()
    found = quantities(value)
    return found[0] if found and (found[0].start, found[0].end) == (0, len(value)) else None


def _has_words(value: str, text: str) -> bool:
    plain = " ".join(value.casefold().split()).removesuffix(".")
    lowered = " ".join(text.casefold().split())
    if plain in {"yes", "no", "optional", "none"} or plain in lowered:
        return True
    parts = [part.strip() for part in plain.split(",")]
    return all(part in lowered for part in parts)


def misattributed(
    stated: Sequence[Quantity], quotes: Sequence[Quoted], named: Sequence[Named]
) -> Iterator[str]:
    """Figures that stand beside other devices than those of the quotes that state them."""
    if len({name.devices for name in named}) < 2:
        return
    facts = [(quote.own, known) for quote in quotes if (known := _whole(quote)) is not None]
    for each in stated:
        owners = {own for own, known in facts if same(each, known)}
        if owners and not owners & _beside(each, named):
            yield f"{each.value:g} {each.unit} is not a figure of the device it is said of"


def _beside(each: Quantity, named: Sequence[Named]) -> set[str]:
    """The devices named next before and next after a quantity."""
    before = [name for name in named if name.end <= each.start][-1:]
    after = [name for name in named if name.start >= each.end][:1]
    # "80 GB for the X": what follows with "for" owns the figure, not what came before it.
    return {device for name in (after or before) for device in name.devices} | {
        device for name in before for device in name.devices if not after
    }
