"""AWS: machines with accelerators of all listed regions, CPU machines of one region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tools.offer_rows import (
    DEDICATED,
    GOVERNMENT,
    SHARED,
    Accelerators,
    OfferRow,
    Raw,
    gib_from_mib,
    price,
)
from tools.regions import AWS_COUNTRY

_CPU_REGION: Final = "us-east-1"
_CPU_FAMILIES: Final = frozenset(
    [
        "t3",
        "m5",
        "m6i",
        "m7i",
        "m7a",
        "m7g",
        "m8i",
        "m8a",
        "m8g",
        "c6i",
        "c7i",
        "c7a",
        "c8i",
        "c8g",
        "r6i",
        "r7i",
        "r7a",
        "r8i",
        "r8g",
        "x2idn",
        "x2iedn",
        "x8g",
        "i4i",
    ]
)
# The table's name and, where one name covers two variants, the memory in MiB that tells them apart.
# A slice of a card (g6f, gr6f: count 0) has another memory, matches nothing and is left out.
_DEVICES: Final[Mapping[tuple[str, str], str]] = {
    ("a100", "40960"): "nvidia-a100-sxm-40gb",
    ("a100", "81920"): "nvidia-a100-sxm-80gb",
    ("a10g", "22888"): "nvidia-a10g",
    ("b200", "183359"): "nvidia-b200-sxm-180gb",
    ("b300", "275040"): "nvidia-b300-sxm-288gb",
    ("h100", "81920"): "nvidia-h100-sxm-80gb",
    ("h200", "144384"): "nvidia-h200-sxm-141gb",
    ("inferentia", ""): "aws-inferentia1",
    ("inferentia2", ""): "aws-inferentia2",
    ("l4", "22888"): "nvidia-l4",
    ("l40s", "45776"): "nvidia-l40s",
    ("radeon-pro-v520", "8192"): "amd-radeon-pro-v520",
    ("rtx-pro-4500", "32768"): "nvidia-rtx-pro-4500-server",
    ("rtx-pro-server-6000", "98304"): "nvidia-rtx-pro-6000-server",
    ("t4", "16384"): "nvidia-t4",
    ("t4g", "16384"): "nvidia-t4g",
    ("trainium", ""): "aws-trainium1",
    ("v100", "32768"): "nvidia-v100-sxm2-32gb",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    """What the price table leaves out for older machines."""

    accelerators: Accelerators
    vcpus: str
    ram_gib: str
    source: str
    note: str


_GUIDE: Final = "awsdocs/amazon-ec2-user-guide@3a075fc accelerated-computing-instances.md"
_K80_NOTE: Final = (
    "AWS counts each of the two 12 GB dies of a K80 board as one GPU; count is boards."
)
_P3_NOTE: Final = "Previous generation."


def _size(device: str, numbers: tuple[int, str, str], note: str) -> _Size:
    count, vcpus, ram_gib = numbers
    return _Size(
        accelerators=Accelerators(device=device, count=count),
        vcpus=vcpus,
        ram_gib=ram_gib,
        source=_GUIDE,
        note=note,
    )


# p2.xlarge is half a K80 board and is left out.
_OLDER_SIZES: Final[Mapping[str, _Size]] = {
    "p2.8xlarge": _size("nvidia-tesla-k80", (4, "32", "488"), _K80_NOTE),
    "p2.16xlarge": _size("nvidia-tesla-k80", (8, "64", "732"), _K80_NOTE),
    "p3.2xlarge": _size("nvidia-v100-sxm2-16gb", (1, "8", "61"), _P3_NOTE),
    "p3.8xlarge": _size("nvidia-v100-sxm2-16gb", (4, "32", "244"), _P3_NOTE),
    "p3.16xlarge": _size("nvidia-v100-sxm2-16gb", (8, "64", "488"), _P3_NOTE),
    "dl1.24xlarge": _Size(
        accelerators=Accelerators(device="intel-gaudi-1", count=8),
        vcpus="96",
        ram_gib="768",
        source="https://aws.amazon.com/ec2/instance-types/dl1/",
        note="The price table lists no hardware for this machine; it is quoted from AWS's product page.",
    ),
}


def aws_offers(rows: Iterable[Raw]) -> Iterator[OfferRow]:
    """The machines of the table that Rigwise knows how to describe."""
    for raw in rows:
        family = raw["instance_type"].split(".")[0]
        if raw["instance_type"] in _OLDER_SIZES:
            yield _older(raw, _OLDER_SIZES[raw["instance_type"]])
        elif raw["accelerator_name"]:
            device = _DEVICES.get((raw["accelerator_name"], raw["accelerator_memory_mib_each"]))
            if device is not None and int(raw["accelerator_count"]) > 0:
                yield _listed(raw, Accelerators(device=device, count=int(raw["accelerator_count"])))
        elif (
            raw["region"] == _CPU_REGION
            and family in _CPU_FAMILIES
            and ".metal" not in raw["instance_type"]
        ):
            yield _listed(raw, None)


def _tenancy(raw: Raw) -> str:
    if raw["region"].startswith("us-gov-"):
        return GOVERNMENT
    return DEDICATED if raw["instance_type"].endswith(".metal") else SHARED


def _listed(raw: Raw, accelerators: Accelerators | None) -> OfferRow:
    return OfferRow(
        provider="aws",
        region=raw["region"],
        residency=AWS_COUNTRY[raw["region"]],
        instance=raw["instance_type"],
        tenancy=_tenancy(raw),
        device=accelerators.device if accelerators else "",
        count=str(accelerators.count) if accelerators else "",
        memory_each_gb=accelerators.memory_each_gb if accelerators else "",
        memory_total_gb=accelerators.memory_total_gb if accelerators else "",
        vcpus=raw["vcpus"],
        ram_gib=gib_from_mib(raw["memory_mib"]),
        local_nvme_gb=raw["local_nvme_gb"],
        on_demand_usd_per_hour=price(raw["ondemand_usd_hr"]),
        as_of=raw["price_as_of"],
        source=raw["source"],
    )


def _older(raw: Raw, size: _Size) -> OfferRow:
    return OfferRow(
        provider="aws",
        region=raw["region"],
        residency=AWS_COUNTRY[raw["region"]],
        instance=raw["instance_type"],
        tenancy=_tenancy(raw),
        device=size.accelerators.device,
        count=str(size.accelerators.count),
        memory_each_gb=size.accelerators.memory_each_gb,
        memory_total_gb=size.accelerators.memory_total_gb,
        vcpus=size.vcpus,
        ram_gib=size.ram_gib,
        on_demand_usd_per_hour=price(raw["ondemand_usd_hr"]),
        as_of=raw["price_as_of"],
        source=f"{raw['source']}; {size.source}",
        note=size.note,
    )
