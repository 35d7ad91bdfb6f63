"""Machines for tables: host memory decides; a graphics card is an option for boosted trees."""

from __future__ import annotations

from math import ceil
from typing import Literal

from indexer.types import DeviceId, Offer
from service.advisor.allowed import is_device_allowed
from service.advisor.catalog import Machine, Shelf, quote_of_offer
from service.advisor.estimate import estimate
from service.advisor.explain import assumptions
from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.renting import PROVIDERS
from service.advisor.say import Line
from service.advisor.tabular import boosting_gpu_gib
from service.advisor.types import (
    Cost,
    Fit,
    Need,
    Option,
    Plan,
    Recommendation,
    Rejected,
    Workload,
)
from service.advisor.warn import is_old
from service.types import Statement

TABLES = frozenset({"gradient_boosting", "classical_ml", "data_preparation"})
CPU_SERVER = DeviceId("cpu-server")
_ORDER = "processors first, the cheapest machine with enough memory; graphics cards after them"
_ACCELERATORS = 2
_RENTED = 3
_NODES = 64


def table_options(workload: Workload, shelf: Shelf, *, today: str) -> Recommendation:
    """Machines whose memory holds the table and the library's copies; for boosting also cards that hold the bins."""
    need = estimate(workload, models=shelf.models)
    options: list[Option] = []
    if need.total_gib is not None:
        options = [
            *_servers(workload, shelf, need),
            *_rented(workload, shelf, need),
            *_cards(workload, shelf),
        ]
    ranked = tuple(_with_rank(option, rank) for rank, option in enumerate(options[:7], start=1))
    return Recommendation(
        workload=workload,
        need=need,
        options=ranked,
        rejected=_rejected(workload, shelf, need),
        order=_ORDER,
        assumptions=assumptions(workload, need),
        warnings=tuple(_old_prices(ranked, today)),
    )


def _servers(workload: Workload, shelf: Shelf, need: Need) -> list[Option]:
    machine = shelf.machines.get(CPU_SERVER)
    cloud = workload.placement is not None and workload.placement.value == "cloud"
    if machine is None or need.total_gib is None or cloud or workload.budget_usd is not None:
        return []
    count = max(1, ceil(need.total_gib / machine.memory.gib))
    if count > _NODES:
        return []
    fit = _fit(need.total_gib / count, machine.memory.gib)
    line = Line()
    line.quote(*machine.memory.quotes)
    held = line.size(machine.memory.gib, machine.memory.work)
    whole = line.total(need.parts)
    if count > 1:
        share = line.size(fit.needed_gib, fit.computation)
        text = (
            f"{count} CPU servers with up to {held} of memory each, as a cluster with Spark or Dask: the table and its "
            f"copies take {whole}, which is {share} for each."
        )
    else:
        text = f"A CPU server with up to {held} of memory is enough: the table and its copies take {whole}."
    return [_option(CPU_SERVER, machine.name, count, "buy", fit, (line.say(text),))]


def _rented(workload: Workload, shelf: Shelf, need: Need) -> list[Option]:
    if need.high_gib is None or need.total_gib is None or _is_private(workload):
        return []
    found: dict[str, Option] = {}
    for offer in shelf.cpu_offers:
        if len(found) == _RENTED:
            break
        if (
            offer.provider in found
            or (offer.ram_gib or 0.0) < need.high_gib
            or not _is_allowed(workload, offer)
        ):
            continue
        found[offer.provider] = _rent(offer, need.total_gib)
    return list(found.values())


def _is_private(workload: Workload) -> bool:
    return workload.placement is not None and workload.placement.value in {"onprem", "local", "buy"}


def _is_allowed(workload: Workload, offer: Offer) -> bool:
    limit = workload.usd_per_hour_max
    return (
        (workload.providers is None or offer.provider in workload.providers.value)
        and (workload.region is None or offer.region.casefold() == workload.region.value)
        and (workload.residency is None or offer.residency == workload.residency.value)
        and (limit is None or (offer.on_demand_usd_per_hour or 0.0) <= limit.value)
    )


def _rent(offer: Offer, needed_gib: float) -> Option:
    line = Line()
    ram = line.computed(
        offer.ram_gib or 0.0,
        "GiB",
        computation(
            "ram",
            given("ram", offer.ram_gib or 0.0, "GiB", basis="cited"),
            source="row of the offer",
        ),
    )
    text = (
        f"Rent {PROVIDERS.get(offer.provider, offer.provider)} {offer.instance} with {ram} of memory and no accelerator at "
        f"{line.price(offer)} on demand in {offer.region}, price as of {offer.as_of}."
    )
    cost = Cost(
        billing="on_demand",
        usd_per_hour=offer.on_demand_usd_per_hour,
        total_usd=None,
        low_usd=None,
        high_usd=None,
        region=offer.region,
        as_of=offer.as_of,
        source=offer.source,
        quote=quote_of_offer(offer),
    )
    option = _option(
        None,
        f"{offer.instance}, processors only",
        1,
        "rent",
        _fit(needed_gib, offer.ram_gib or 0.0),
        (line.say(text),),
    )
    from dataclasses import replace

    return replace(
        option, provider=offer.provider, instance=offer.instance, region=offer.region, cost=cost
    )


def _cards(workload: Workload, shelf: Shelf) -> list[Option]:
    """Cards that hold the quantized matrix of boosted trees: optional, faster, not needed."""
    bins = boosting_gpu_gib(workload)
    if bins is None or bins.computation is None:
        return []
    fitting = [
        machine for machine in shelf.machines.values() if _holds(workload, machine, bins.value)
    ]
    fitting.sort(
        key=lambda machine: (
            machine.memory.gib,
            -(machine.bandwidth.value or 0.0) if machine.bandwidth else 0.0,
            machine.id,
        )
    )
    options = []
    for machine in fitting[:_ACCELERATORS]:
        line = Line()
        line.quote(*machine.memory.quotes)
        text = (
            f"Optional: {machine.name} holds the quantized matrix of {line.size(bins.value, bins.computation)} in "
            f"{line.size(machine.memory.gib, machine.memory.work)} and speeds up histogram training; the host memory stays the same."
        )
        options.append(
            _option(
                machine.id,
                machine.name,
                1,
                "buy",
                _fit(bins.value, machine.memory.gib),
                (line.say(text),),
            )
        )
    return options


def _holds(workload: Workload, machine: Machine, gib: float) -> bool:
    if machine.platform != "cuda" or machine.device.kind != "gpu" or 1 not in machine.buy_counts:
        return False
    price = next(iter(machine.prices), None)
    over = workload.budget_usd is not None and (
        price is None or (price.value or 0.0) > workload.budget_usd.value
    )
    cloud = workload.placement is not None and workload.placement.value == "cloud"
    return (
        not over
        and not cloud
        and 1.3 * gib <= machine.memory.gib
        and is_device_allowed(workload, machine) is None
    )


def _fit(needed_gib: float, available_gib: float) -> Fit:
    work = computation(
        "available - needed",
        given("available", available_gib, "GiB", basis="cited"),
        given("needed", needed_gib, "GiB", basis="computed"),
        source="memory of the machine less the likely need",
    )
    verdict: Literal["comfortable", "tight", "no"] = (
        "comfortable"
        if needed_gib <= 0.8 * available_gib
        else "tight"
        if needed_gib <= available_gib
        else "no"
    )
    return Fit(
        available_gib=available_gib,
        needed_gib=needed_gib,
        headroom_gib=available_gib - needed_gib,
        verdict=verdict,
        computation=work,
    )


def _option(
    device_id: DeviceId | None,
    name: str,
    count: int,
    where: str,
    fit: Fit,
    reasons: tuple[Statement, ...],
) -> Option:
    return Option(
        rank=0,
        device_id=device_id,
        device=name,
        count=count,
        where=where,  # type: ignore[arg-type]
        provider="",
        instance="",
        region="",
        plan=Plan(data=count),
        fit=fit,
        reasons=reasons,
    )


def _with_rank(option: Option, rank: int) -> Option:
    from dataclasses import replace

    return replace(option, rank=rank)


def _rejected(workload: Workload, shelf: Shelf, need: Need) -> tuple[Rejected, ...]:
    """Named accelerators: not needed for work that processors do."""
    if (
        need.total_gib is None
        or workload.devices_wanted is None
        or workload.task.value == "gradient_boosting"
    ):
        return ()
    found = []
    for name in workload.devices_wanted.value[:2]:
        machine = shelf.machines.get(name)
        if machine is not None and machine.platform != "cpu":
            line = Line()
            fact = machine.device.find("memory")
            held = f" with {line.fact(fact)}" if fact is not None else ""
            text = f"{machine.name}{held}: host memory, disks and network bound this work, which processors do."
            found.append(
                Rejected(
                    device_id=name,
                    device=machine.name,
                    constraint="software",
                    needed="host memory",
                    has="an accelerator",
                    statement=line.say(text),
                )
            )
    return tuple(found)


def _old_prices(options: tuple[Option, ...], today: str) -> list[Statement]:
    return [
        Statement(
            text=f"The price of {option.device} is of {option.cost.as_of} and may have changed.",
            quotes=(option.cost.quote,),
        )
        for option in options
        if option.cost is not None
        and option.cost.quote is not None
        and is_old(option.cost.as_of, today)
    ]
