"""Say what a rented machine is and costs: on demand or spot, for the whole run, or the hours that a budget buys."""

from __future__ import annotations

from service.advisor.constraints import Candidate
from service.advisor.formula import computation
from service.advisor.parts import given
from service.advisor.say import Line
from service.advisor.types import Option, Workload
from service.types import Statement

PROVIDERS = {
    "aws": "AWS",
    "azure": "Azure",
    "gcp": "Google Cloud",
    "lambda": "Lambda",
    "nebius": "Nebius",
    "runpod": "RunPod",
    "verda": "Verda",
}


def title(candidate: Candidate) -> str:
    """The machine in words: "2 x NVIDIA GeForce RTX 3090"."""
    return f"{candidate.count} x {candidate.machine.name}"


def rented(workload: Workload, candidate: Candidate, option: Option) -> Statement:
    """What is rented, where and at which price; what the run costs, or how long the budget lasts."""
    line, offer = Line(), candidate.offer
    if offer is None:
        return line.say("")
    price = line.price(offer, candidate.nodes, spot=candidate.deal.spot)
    machines = f"{candidate.nodes} x {offer.instance}" if candidate.nodes > 1 else offer.instance
    billing = "spot" if candidate.deal.spot else "on demand"
    text = (
        f"Rent {title(candidate)}: {PROVIDERS.get(offer.provider, offer.provider)} {machines} at {price} {billing} in "
        f"{offer.region}, price as of {offer.as_of or 'an unknown date'}"
    )
    stated = workload.device_count_max or workload.device_count
    if stated is not None and candidate.count > stated.value:
        few = line.taken(float(min(candidate.machine.offers)), "devices", "the smallest machine")
        text += f"; the smallest machine with it that is known here has {few}"
    cost = option.cost
    if cost is not None and cost.total_usd is not None and cost.computation and option.hours:
        text += f"; {line.number(option.hours)} cost {line.computed(cost.total_usd, 'USD', cost.computation)}"
    elif workload.budget_usd is not None and candidate.usd_per_hour:
        text += f"; {_lasting(workload.budget_usd.value, candidate.usd_per_hour, line)}"
    return line.say(f"{text}.")


def _lasting(budget: float, usd_per_hour: float, line: Line) -> str:
    """The hours that a budget buys."""
    work = computation(
        "budget/usd_per_hour",
        given("budget", budget, "USD", basis="question"),
        given("usd_per_hour", usd_per_hour, "USD/h", basis="cited"),
        source="budget over price",
    )
    hours = line.computed(budget / usd_per_hour, "hours", work)
    return f"{line.asked(budget, 'USD')} buy {hours} of it"
