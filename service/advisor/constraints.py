"""Hard constraints: each is one function of a workload and a candidate; the first that fails is the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from indexer.types import Fact, Offer
from service.advisor.allowed import Failure
from service.advisor.catalog import Machine
from service.advisor.needs import fit_of
from service.advisor.pace import training_time_of
from service.advisor.types import Fit, Need, Speed, Workload

REST_WATTS = 300.0
LITTLE_WATTS = 100.0
_MONTH_HOURS = 730.0
_EU = frozenset(
    "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """At what price: an offer for rent, of which several machines may be taken, or a price."""

    offer: Offer | None = None
    nodes: int = 1
    price: Fact | None = None
    spot: bool = False


NO_DEAL = Deal()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A number of devices at a place: owned, bought or rented, with what it costs."""

    machine: Machine
    count: int
    where: str
    deal: Deal = NO_DEAL
    need: Need
    needed_gib: float
    verdict: str

    @property
    def offer(self) -> Offer | None:
        """The offer, if it is rented."""
        return self.deal.offer

    @property
    def nodes(self) -> int:
        """How many machines of the offer are taken."""
        return self.deal.nodes

    @property
    def price(self) -> Fact | None:
        """The price, if it is bought and one is known."""
        return self.deal.price

    @property
    def fit(self) -> Fit:
        """Needed against usable memory, with its computation."""
        return fit_of(self.need, self.machine.memory.gib)

    @property
    def usd_per_hour(self) -> float | None:
        """The whole machine's price an hour, if it is rented: of a machine that may be taken away where that is the deal."""
        if self.offer is None:
            return None
        offer = self.offer
        each = offer.spot_usd_per_hour if self.deal.spot else offer.on_demand_usd_per_hour
        return each * self.nodes if each is not None else None

    @property
    def usd_to_buy(self) -> float | None:
        """What all devices cost together. A system's price is for the whole."""
        if self.price is None or self.price.value is None:
            return None
        return self.price.value * (1 if self.count in self.machine.systems else self.count)

    @property
    def watts(self) -> float | None:
        """The power limit of all devices together."""
        fact = self.machine.power
        return fact.value * self.count if fact is not None and fact.value else None


Check = Callable[[Workload, Candidate], Failure | None]


def first_failure(workload: Workload, candidate: Candidate) -> Failure | None:
    """The first constraint that a candidate fails, or None."""
    for check in _CHECKS:
        found = check(workload, candidate)
        if found is not None:
            return found
    return None


def _memory(_: Workload, candidate: Candidate) -> Failure | None:
    if candidate.verdict != "no":
        return None
    return Failure(
        constraint="memory",
        needed=f"{candidate.needed_gib:.1f} GiB",
        has=f"{candidate.machine.memory.gib:.1f} GiB",
    )


def is_place_allowed(workload: Workload, where: str) -> bool:
    """Whether machines may be rented, or bought."""
    placement = workload.placement.value if workload.placement is not None else "any"
    if where == "buy" and workload.form is not None and "own_only" in workload.form.value:
        return False
    return placement not in ({"onprem", "local", "buy"} if where == "rent" else {"cloud"})


def is_offer_allowed(workload: Workload, offer: Offer) -> bool:
    """Whether an offer is of a provider, region and country that may be used."""
    return _wrong_offer(workload, offer) is None


def _place(workload: Workload, candidate: Candidate) -> Failure | None:
    placement = workload.placement.value if workload.placement is not None else "any"
    private = workload.privacy is not None and placement in {"onprem", "local"}
    if candidate.where == "rent" and (private or placement in {"onprem", "local", "buy"}):
        return Failure(
            constraint="privacy" if private else "placement",
            needed="on the asker's premises",
            has="a rented machine",
        )
    if candidate.where != "rent" and placement == "cloud":
        return Failure(
            constraint="placement",
            needed="a rented machine",
            has="a purchase" if candidate.where == "buy" else "owned",
        )
    return None


def _offered(workload: Workload, candidate: Candidate) -> Failure | None:
    return _wrong_offer(workload, candidate.offer) if candidate.offer is not None else None


def _wrong_offer(workload: Workload, offer: Offer) -> Failure | None:
    if workload.providers is not None and offer.provider not in workload.providers.value:
        return Failure(
            constraint="provider", needed=" or ".join(workload.providers.value), has=offer.provider
        )
    if workload.region is not None and offer.region.casefold() != workload.region.value:
        return Failure(constraint="region", needed=workload.region.value, has=offer.region)
    if workload.residency is not None and not _resides(workload.residency.value, offer.residency):
        return Failure(
            constraint="residency",
            needed=workload.residency.value,
            has=offer.residency or "not stated",
        )
    return None


def _resides(wanted: str, has: str) -> bool:
    return has in _EU if wanted == "EU" else has == wanted


def limits_of(workload: Workload) -> str:
    """Where offers may come from, in words."""
    fields = (workload.providers, workload.region, workload.residency)
    told = [field.words or str(field.value) for field in fields if field is not None]
    return ", ".join(told) or "anywhere"


def _money(workload: Workload, candidate: Candidate) -> Failure | None:
    hourly, price = candidate.usd_per_hour, candidate.usd_to_buy
    if hourly is not None:
        limit = workload.usd_per_hour_max.value if workload.usd_per_hour_max is not None else None
        if limit is not None and hourly > limit:
            return Failure(
                constraint="budget", needed=f"at most {limit:g} USD/h", has=f"{hourly:g} USD/h"
            )
        monthly = (
            workload.usd_per_month_max.value if workload.usd_per_month_max is not None else None
        )
        hours = (
            workload.hours_per_month.value if workload.hours_per_month is not None else _MONTH_HOURS
        )
        if monthly is not None and hourly * hours > monthly:
            return Failure(
                constraint="budget",
                needed=f"at most {monthly:g} USD a month",
                has=f"{hourly * hours:.0f} USD a month",
            )
    whole = rent_in_all(workload, candidate)
    if whole is not None and workload.budget_usd is not None and whole > workload.budget_usd.value:
        return Failure(
            constraint="budget",
            needed=f"at most {workload.budget_usd.value:.0f} USD",
            has=f"{whole:.0f} USD for the whole run",
        )
    if candidate.where == "buy" and workload.budget_usd is not None:
        if price is None:
            return Failure(
                constraint="budget",
                needed=f"at most {workload.budget_usd.value:.0f} USD",
                has="no price known here",
            )
        if price > workload.budget_usd.value:
            return Failure(
                constraint="budget",
                needed=f"at most {workload.budget_usd.value:.0f} USD",
                has=f"{price:.0f} USD",
            )
    return None


def hours_of(workload: Workload, candidate: Candidate) -> Speed | None:
    """The hours of a training on it, where they can be computed."""
    if candidate.need.compute_flop is None:
        return None
    return training_time_of(workload, candidate.machine, candidate.count, candidate.need)


def rent_in_all(workload: Workload, candidate: Candidate) -> float | None:
    """What the rent of the whole training costs, or None where the hours or the price are not known."""
    hours, hourly = hours_of(workload, candidate), candidate.usd_per_hour
    if hourly is None:
        return None
    if hours is not None:
        return hours.value * hourly
    return workload.hours.value * hourly if workload.hours is not None else None


def _time(workload: Workload, candidate: Candidate) -> Failure | None:
    """A deadline is kept only where the hours are known, and not longer."""
    if workload.deadline_hours is None or candidate.need.compute_flop is None:
        return None
    hours, limit = hours_of(workload, candidate), workload.deadline_hours.value
    if hours is not None and hours.value <= limit:
        return None
    has = f"{hours.value:.0f} hours" if hours is not None else "no known speed"
    return Failure(constraint="deadline", needed=f"at most {limit:.0f} hours", has=has)


def may_be_late(workload: Workload, candidate: Candidate) -> bool:
    """Whether it is in time only if all goes well."""
    hours = hours_of(workload, candidate) if workload.deadline_hours is not None else None
    return (
        hours is not None
        and workload.deadline_hours is not None
        and hours.high > workload.deadline_hours.value
    )


def rest_watts(limit: float) -> float:
    """What is kept for the rest of the machine; nothing where the limit is so low that the card's own is meant."""
    return REST_WATTS if limit >= LITTLE_WATTS else 0.0


def _watts(workload: Workload, candidate: Candidate) -> Failure | None:
    if workload.watts_max is None or candidate.where == "rent":
        return None
    if candidate.watts is None:
        if workload.watts_max.value >= LITTLE_WATTS:
            return None
        needed = f"at most {workload.watts_max.value:.0f} W"
        return Failure(constraint="power", needed=needed, has="no power limit known here")
    whole = candidate.watts + rest_watts(workload.watts_max.value)
    if whole <= workload.watts_max.value:
        return None
    return Failure(
        constraint="power", needed=f"at most {workload.watts_max.value:.0f} W", has=f"{whole:.0f} W"
    )


def _count(workload: Workload, candidate: Candidate) -> Failure | None:
    most = most_devices(workload, candidate.machine, candidate.where)
    if not most or candidate.count <= most:
        return None
    return Failure(constraint="count", needed=f"at most {most}", has=str(candidate.count))


def most_devices(workload: Workload, machine: Machine, where: str) -> int:
    """How many devices at most, or 0. What is named and rented in larger machines only: as many as the smallest has."""
    limit = workload.device_count_max or workload.device_count
    if limit is None:
        return 0
    named = workload.devices_wanted is not None and machine.id in workload.devices_wanted.value
    if where == "rent" and named and machine.offers:
        return max(limit.value, min(machine.offers))
    return limit.value


_CHECKS: tuple[Check, ...] = (_memory, _place, _count, _offered, _money, _watts, _time)
