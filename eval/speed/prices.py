"""What a rate costs: by a given price an hour, or by the offer of a named machine in the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eval.errors import EvalError
from eval.speed.cost import (
    break_even_items,
    break_even_speedup,
    items_a_day,
    kwh_for,
    usd_for,
)
from eval.speed.rows import Row, single
from indexer.types import Catalog, Offer

_MILLION: Final = 1_000_000
_THOUSAND: Final = 1_000


class UnknownInstance(EvalError):
    """No offer with a price has that instance's name."""

    code = "unknown_instance"

    def __init__(self, name: str) -> None:
        super().__init__(f"no priced offer is called {name!r}; name another or give --usd-per-hour")
        self.name = name


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars an hour of a machine, and where that comes from."""

    usd_per_hour: float
    basis: str


def price_of(catalog: Catalog, instance: str) -> Price:
    """The cheapest on-demand price of an instance over its regions; ties go to the smaller offer id.

    Raises:
        UnknownInstance: no such offer, or none with a price.
    """
    priced = [
        (offer.on_demand_usd_per_hour, offer.id, offer)
        for offer in catalog.offers
        if offer.instance.lower() == instance.lower() and offer.on_demand_usd_per_hour
    ]
    if not priced:
        raise UnknownInstance(instance)
    usd, _, offer = min(priced, key=lambda entry: entry[:2])
    return Price(usd_per_hour=float(usd or 0.0), basis=_basis(offer))


def cost_rows(
    *,
    passages_per_second: float,
    questions_per_second: float,
    price: Price | None,
    watts: float | None,
) -> list[Row]:
    """Dollars and kilowatt hours for a million passages and a thousand questions."""
    rows = []
    for what, items, rate in (
        ("a million passages embedded", _MILLION, passages_per_second),
        ("a thousand questions answered", _THOUSAND, questions_per_second),
    ):
        row = Row(group="cost", name=what, unit="USD", higher_is_better=False)
        if price is None:
            reason = "unavailable: no price was given (--usd-per-hour or --instance)"
            rows.append(row.model_copy(update={"skipped": reason}))
        else:
            usd = usd_for(items, per_second=rate, usd_per_hour=price.usd_per_hour)
            note = f"{price.usd_per_hour:g} USD/h, {price.basis}, paid only while it works"
            rows.append(single(row.model_copy(update={"note": note}), usd))
        energy = row.model_copy(update={"unit": "kWh"})
        if watts is None:
            rows.append(energy.model_copy(update={"skipped": "unavailable: no energy counter"}))
        else:
            rows.append(single(energy, kwh_for(items, per_second=rate, watts=watts)))
    return rows


def gpu_rows(
    rates: Sequence[tuple[str, float]], *, cpu_rate: float, cpu: Price | None, gpu: Price | None
) -> list[Row]:
    """The volume from which the GPU is cheaper, for the fastest rate on a CUDA device.

    Without one: how many times faster it would have to be at that price.
    """
    row = Row(group="cost", name="break-even against a GPU", unit="passages", device="cuda")
    if cpu is None or gpu is None:
        reason = (
            "unavailable: prices of both machines are needed (--usd-per-hour, --gpu-usd-per-hour)"
        )
        return [row.model_copy(update={"skipped": reason})]
    if not rates:
        needed = break_even_speedup(
            slow_usd_per_hour=cpu.usd_per_hour, fast_usd_per_hour=gpu.usd_per_hour
        )
        wanted = Row(
            group="cost",
            name="speed-up that a GPU needs to cost the same a passage",
            unit="times",
            note=f"{gpu.usd_per_hour:g} USD/h against {cpu.usd_per_hour:g} USD/h",
        )
        skipped = row.model_copy(update={"skipped": "skipped: no CUDA device"})
        return [skipped, single(wanted, needed)]
    name, fastest = max(rates, key=lambda pair: pair[1])
    items = break_even_items(
        slow_per_second=cpu_rate,
        slow_usd_per_hour=cpu.usd_per_hour,
        fast_per_second=fastest,
        fast_usd_per_hour=gpu.usd_per_hour,
        fast_start_s=_START_S,
    )
    if items is None:
        return [row.model_copy(update={"skipped": f"never: {name} costs more a passage"})]
    note = (
        f"{name}, {_START_S:.0f} s of start paid; the CPU does {items_a_day(cpu_rate):,.0f} a day"
    )
    return [single(row.model_copy(update={"note": note}), items)]


# Assumed: booting a rented machine and loading the model, paid before the first passage.
_START_S: Final = 120.0


def _basis(offer: Offer) -> str:
    return f"on demand, {offer.provider} {offer.instance} in {offer.region}, as of {offer.as_of}"
