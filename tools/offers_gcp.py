"""Google Cloud: machines with GPUs in all regions, CPU machines in three."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tools.offer_rows import SHARED, Accelerators, OfferRow, Raw, plain, price
from tools.regions import GCP_COUNTRY

_CPU_REGIONS: Final = frozenset({"us-central1", "europe-west4", "asia-southeast1"})
_CPU_MACHINES: Final = re.compile(
    r"(?:n2-(?:standard|highmem)|c3-(?:standard|highmem|highcpu)|c4-(?:standard|highmem|highcpu)"
    r"|c3d-standard|c4a-standard|e2-standard|m3-(?:megamem|ultramem))-\d+"
)
_DEVICES: Final[Mapping[str, str]] = {
    "A100-40GB": "nvidia-a100-sxm-40gb",
    "A100-80GB": "nvidia-a100-sxm-80gb",
    "H100-80GB": "nvidia-h100-sxm-80gb",
    "L4": "nvidia-l4",
    "RTX-PRO-6000": "nvidia-rtx-pro-6000-server",
}
_REFERENCE: Final = ("n2-standard-8", "n2-highmem-8")
_REFERENCE_REGION: Final = "us-central1"
_HOST_MARGIN: Final = Decimal("1.05")
_SOURCE: Final = (
    "cloudpilot-ai/karpenter-provider-gcp@417f047; Cyclenerd machinetypes.csv 2026-08-20"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRates:
    """What a vCPU and a GiB of memory cost an hour without any GPU."""

    vcpu_usd: Decimal
    gib_usd: Decimal

    def host_usd(self, raw: Raw) -> Decimal:
        """The price of a machine's host alone."""
        return self.vcpu_usd * Decimal(raw["vcpus"]) + self.gib_usd * Decimal(raw["memory_gib"])


def host_rates(rows: Iterable[Raw]) -> dict[str, HostRates]:
    """The rates of each region, solved from two N2 machines with equal vCPUs and unequal memory."""
    found: dict[str, dict[str, Raw]] = {}
    for raw in rows:
        if raw["instance_type"] in _REFERENCE:
            found.setdefault(raw["region"], {})[raw["instance_type"]] = raw
    rates = {}
    for region, pair in found.items():
        if len(pair) == len(_REFERENCE):
            lean, rich = (pair[name] for name in _REFERENCE)
            more_gib = Decimal(rich["memory_gib"]) - Decimal(lean["memory_gib"])
            gib = (Decimal(rich["ondemand_usd_hr"]) - Decimal(lean["ondemand_usd_hr"])) / more_gib
            rest = Decimal(lean["ondemand_usd_hr"]) - gib * Decimal(lean["memory_gib"])
            rates[region] = HostRates(vcpu_usd=rest / Decimal(lean["vcpus"]), gib_usd=gib)
    return rates


def gcp_offers(rows: Iterable[Raw]) -> Iterator[OfferRow]:
    """The machines of the table, without rows that price the host and leave the GPU out.

    The rule: a machine with a GPU has to cost more than 1.05 times what its vCPUs and memory would cost
    as an N2 machine in the same region (in us-central1 where the region sells no N2). The list once had
    a2-highgpu-1g at 0.739 USD, which is exactly that host price, where the machine costs 3.673.
    Fractions of a GPU are left out.
    """
    table = list(rows)
    rates = host_rates(table)
    for raw in table:
        if raw["accelerator_name"]:
            count = Decimal(raw["accelerator_count"])
            whole = count == count.to_integral_value()
            if whole and not is_host_only(raw, rates):
                device = _DEVICES[raw["accelerator_name"]]
                yield _row(raw, Accelerators(device=device, count=int(count)))
        elif raw["region"] in _CPU_REGIONS and _CPU_MACHINES.fullmatch(raw["instance_type"]):
            yield _row(raw, None)


def is_host_only(raw: Raw, rates: Mapping[str, HostRates]) -> bool:
    """Whether the price of a machine with a GPU covers no more than its host."""
    rate = rates.get(raw["region"]) or rates.get(_REFERENCE_REGION)
    if rate is None:
        return False
    return Decimal(raw["ondemand_usd_hr"]) <= rate.host_usd(raw) * _HOST_MARGIN


def _row(raw: Raw, accelerators: Accelerators | None) -> OfferRow:
    return OfferRow(
        provider="gcp",
        region=raw["region"],
        residency=GCP_COUNTRY[raw["region"]],
        instance=raw["instance_type"],
        tenancy=SHARED,
        device=accelerators.device if accelerators else "",
        count=str(accelerators.count) if accelerators else "",
        memory_each_gb=accelerators.memory_each_gb if accelerators else "",
        memory_total_gb=accelerators.memory_total_gb if accelerators else "",
        vcpus=raw["vcpus"],
        ram_gib=plain(Decimal(raw["memory_gib"])),
        on_demand_usd_per_hour=price(raw["ondemand_usd_hr"]),
        spot_usd_per_hour=price(raw["spot_usd_hr"]) if raw["spot_usd_hr"] else "",
        as_of=raw["price_as_of"],
        source=_SOURCE,
    )
