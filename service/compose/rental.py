"""Prices of rented machines: always with provider, region, date and source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.types import Catalog, Device, DeviceId, Offer
from service.phrases import number
from service.query import Query
from service.types import Computation, Input, Number, Quote, Statement

_PROVIDERS = {
    "aws": r"\baws\b|\bamazon\b|\bec2\b",
    "azure": r"\bazure\b|\bmicrosoft\b",
    "gcp": r"\bgcp\b|\bgoogle(?: cloud)?\b",
    "lambda": r"\blambda\b",
    "nebius": r"\bnebius\b",
    "runpod": r"\brunpod\b",
    "verda": r"\bverda\b|\bdatacrunch\b",
}
_SHOWN = {
    "aws": "AWS",
    "azure": "Azure",
    "gcp": "Google Cloud",
    "lambda": "Lambda",
    "nebius": "Nebius",
    "runpod": "RunPod",
    "verda": "Verda",
}
# Regions that providers quote first; a price there is what most pages repeat.
_USUAL = ("us-east-1", "eastus", "us-central1")
_WORDS = {"one": 1, "two": 2, "four": 4, "eight": 8, "sixteen": 16}
_COUNT = re.compile(
    r"\b(one|two|four|eight|sixteen|\d{1,2})\s?(?:x|×|-|\s)\s?(?=[a-z]*\d)", re.IGNORECASE
)
_REGION = re.compile(
    r"(?<![\w-])[a-z]{2,12}(?:-[a-z]{2,12}){1,3}-?\d\b|\b(?:east|west|central|north|south)[a-z]*(?:us|europe|uk)\d?\b",
    re.IGNORECASE,
)
_HOURS = re.compile(r"\b(\d+(?:\.\d+)?)\s?(?:hours?|hrs?|h)\b", re.IGNORECASE)


def rented(query: Query, catalog: Catalog, *, limit: int) -> list[Statement]:
    """Machines with the named devices, or the named instances: for each provider the usual region and the cheapest."""
    offers = _matching(query, catalog)
    statements: list[Statement] = []
    for provider in sorted(
        {offer.provider for offer in offers}, key=lambda name: (_cheapest_each(offers, name), name)
    ):
        here = [offer for offer in offers if offer.provider == provider]
        statements.extend(_priced(offer, catalog, query) for offer in _picked(here))
    return statements[:limit]


def _matching(query: Query, catalog: Catalog) -> list[Offer]:
    devices = frozenset(query.devices)
    lowered = query.text.casefold()
    providers = {
        name
        for name, pattern in _PROVIDERS.items()
        if re.search(pattern, query.text, re.IGNORECASE)
    }
    regions = {match.group().casefold() for match in _REGION.finditer(query.text)}
    count = _count(query.text)
    named = [
        offer
        for offer in catalog.offers
        if len(offer.instance) > 5 and offer.instance.casefold() in lowered
    ]
    found = named or [offer for offer in catalog.offers if offer.device_id in devices]
    found = [offer for offer in found if offer.on_demand_usd_per_hour]
    for keep in (
        lambda offer: not providers or offer.provider in providers,
        lambda offer: not regions or offer.region.casefold() in regions,
        lambda offer: count is None or offer.count == count,
    ):
        found = [offer for offer in found if keep(offer)] or found
    return found


def _count(text: str) -> int | None:
    match = _COUNT.search(text)
    return _WORDS.get(match.group(1).casefold()) or int(match.group(1)) if match else None


def _picked(offers: Sequence[Offer]) -> list[Offer]:
    """The cheapest an hour and device in a usual region, and the cheapest anywhere if that is another."""
    usual = sorted((offer for offer in offers if offer.region in _USUAL), key=_order)
    cheapest = min(offers, key=_order)
    if not usual:
        return [cheapest]
    return [usual[0]] if _order(usual[0])[0] <= _order(cheapest)[0] else [usual[0], cheapest]


def _order(offer: Offer) -> tuple[float, float, str, str]:
    price = offer.on_demand_usd_per_hour or 0.0
    return price / max(1, offer.count), price, offer.region, offer.instance


def _cheapest_each(offers: Sequence[Offer], provider: str) -> float:
    return min(_order(offer)[0] for offer in offers if offer.provider == provider)


def _priced(offer: Offer, catalog: Catalog, query: Query) -> Statement:
    price = offer.on_demand_usd_per_hour or 0.0
    quote = Quote(document_id=offer.document_id, start=offer.start, end=offer.end)
    provider = _SHOWN.get(offer.provider, offer.provider)
    what = f" with {offer.count} x {_name(offer.device_id, catalog)}" if offer.device_id else ""
    text = f"{provider} {offer.instance}{what} costs {number(price)} USD/h on demand ({offer.region.strip('()')})"
    numbers = [Number(value=price, unit="USD/h", origin="cited")]
    if offer.count > 1:
        each = round(price / offer.count, 4)
        text += f" ({number(each)} USD/h a device)"
        numbers.append(
            _computed(
                each, "USD/h", "price / count", price, quote, ("count", float(offer.count), "")
            )
        )
    hours = _HOURS.search(query.text)
    if hours:
        total = round(price * float(hours.group(1)), 2)
        text += f"; {hours.group(1)} hours cost {number(total)} USD"
        numbers.append(Number(value=float(hours.group(1)), unit="hours", origin="question"))
        numbers.append(
            _computed(
                total, "USD", "price x hours", price, quote, ("hours", float(hours.group(1)), "h")
            )
        )
    return Statement(
        text=f"{text}, as of {offer.as_of or 'an unknown date'}.",
        quotes=(quote,),
        numbers=tuple(numbers),
    )


def _computed(
    value: float, unit: str, formula: str, price: float, quote: Quote, other: tuple[str, float, str]
) -> Number:
    inputs = (
        Input(name="price", value=price, unit="USD/h", basis="cited", quote=quote),
        Input(
            name=other[0],
            value=other[1],
            unit=other[2],
            basis="cited" if other[0] == "count" else "question",
            quote=quote if other[0] == "count" else None,
        ),
    )
    return Number(
        value=value,
        unit=unit,
        origin="computed",
        computation=Computation(formula=formula, inputs=inputs),
    )


def _name(device_id: DeviceId, catalog: Catalog) -> str:
    device: Device | None = catalog.by_id.get(device_id)
    return device.name if device else device_id
