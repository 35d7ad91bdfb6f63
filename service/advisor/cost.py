"""Money and energy: hours times price, running cost, break-even, checkpoints on spot machines."""

from __future__ import annotations

from service.advisor.formula import computed
from service.advisor.parts import given
from service.types import Input, Number, Quote

_YOUNG = "Young, CACM 1974, and Daly, FGCS 2006: interval = sqrt(2 * cost * time between failures)"
_RUNNING = "energy = mean power * hours * overhead of the building (PUE)"


def rent_usd(*, hours: float, usd_per_hour: float, quote: Quote | None = None) -> Number:
    """What a machine costs for that long; `usd_per_hour` is the whole machine's price."""
    price = Input(name="usd_per_hour", value=usd_per_hour, unit="USD/h", basis="cited", quote=quote)
    return computed(
        "hours*usd_per_hour",
        "USD",
        given("hours", hours, "h", basis="computed"),
        (price,),
        source="hours times price",
    )


def energy_kwh(*, watts: float, hours: float, pue: float = 1.0) -> Number:
    """Energy from mean power; a card's power limit makes it an upper bound."""
    return computed(
        "watts/1000*hours*pue",
        "kWh",
        given("watts", watts, "W", basis="cited"),
        given("hours", hours, "h", basis="computed"),
        given("pue", pue, "", basis="assumed"),
        source=_RUNNING,
    )


def running_usd_per_hour(*, watts: float, usd_per_kwh: float, pue: float = 1.0) -> Number:
    """What an owned machine costs to run for an hour: energy only."""
    return computed(
        "watts/1000*pue*usd_per_kwh",
        "USD/h",
        given("watts", watts, "W", basis="cited"),
        given("pue", pue, "", basis="assumed"),
        given("usd_per_kwh", usd_per_kwh, "USD/kWh", basis="assumed"),
        source=_RUNNING,
    )


def break_even_hours(
    *, price_usd: float, rent_usd_per_hour: float, running_usd_per_hour: float
) -> Number | None:
    """Hours of use after which buying is cheaper than renting; None if it never is."""
    if rent_usd_per_hour <= running_usd_per_hour:
        return None
    return computed(
        "price_usd / (rent_usd_per_hour - running_usd_per_hour)",
        "h",
        given("price_usd", price_usd, "USD", basis="cited"),
        given("rent_usd_per_hour", rent_usd_per_hour, "USD/h", basis="cited"),
        given("running_usd_per_hour", running_usd_per_hour, "USD/h", basis="computed"),
        source="purchase price over the difference of hourly costs",
    )


def checkpoint_minutes(*, save_minutes: float, failure_hours: float) -> Number:
    """How often to save on a machine that may be taken away.

    Young, CACM 1974, and Daly, FGCS 2006: the square root of 2 * save time * time between failures.
    """
    return computed(
        "(2*save_minutes*failure_hours*60)**0.5",
        "minutes",
        given("save_minutes", save_minutes, "minutes", basis="assumed"),
        given("failure_hours", failure_hours, "h", basis="assumed"),
        source=_YOUNG,
    )
