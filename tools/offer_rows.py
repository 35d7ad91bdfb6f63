"""One row of a table of offers, and the one truth about accelerators that all providers share."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Final

Raw = Mapping[str, str]

_PRICE_STEP: Final = Decimal("0.000001")
SHARED: Final = "shared"
DEDICATED: Final = "dedicated"
GOVERNMENT: Final = "government"

# Memory of one device in GB as its maker prints it: price tables mix nominal, usable and total figures.
MEMORY_GB: Final[Mapping[str, str]] = {
    "amd-mi300x": "192",
    "amd-radeon-pro-v520": "8",
    "aws-inferentia1": "8",
    "aws-inferentia2": "32",
    "aws-trainium1": "32",
    "google-tpu-v2": "16",
    "google-tpu-v3": "32",
    "google-tpu-v4": "32",
    "google-tpu-v5e": "16",
    "google-tpu-v5p": "95",
    "google-tpu-v6e": "32",
    "intel-gaudi-1": "32",
    "nvidia-a10": "24",
    "nvidia-a100-pcie-40gb": "40",
    "nvidia-a100-pcie-80gb": "80",
    "nvidia-a100-sxm-40gb": "40",
    "nvidia-a100-sxm-80gb": "80",
    "nvidia-a10g": "24",
    "nvidia-b200-sxm-180gb": "180",
    "nvidia-b300-sxm-288gb": "288",
    "nvidia-gb200": "186",
    "nvidia-gb300": "288",
    "nvidia-gh200-96gb": "96",
    "nvidia-h100-nvl-94gb": "94",
    "nvidia-h100-pcie-80gb": "80",
    "nvidia-h100-sxm-80gb": "80",
    "nvidia-h200-sxm-141gb": "141",
    "nvidia-l4": "24",
    "nvidia-l40s": "48",
    "nvidia-rtx-6000-ada": "48",
    "nvidia-rtx-a6000": "48",
    "nvidia-rtx-pro-4500-server": "32",
    "nvidia-rtx-pro-6000-server": "96",
    "nvidia-t4": "16",
    "nvidia-t4g": "16",
    "nvidia-tesla-k80": "24",
    "nvidia-v100-sxm2-16gb": "16",
    "nvidia-v100-sxm2-32gb": "32",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRow:
    """A machine in a region, in the columns of corpus/README.md. An unknown cell is empty."""

    provider: str
    region: str
    residency: str
    instance: str
    tenancy: str
    device: str = ""
    count: str = ""
    memory_each_gb: str = ""
    memory_total_gb: str = ""
    vcpus: str = ""
    ram_gib: str = ""
    local_nvme_gb: str = ""
    on_demand_usd_per_hour: str = ""
    spot_usd_per_hour: str = ""
    as_of: str
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerators:
    """So many devices of one kind; the memory follows from the device."""

    device: str
    count: int

    @property
    def memory_each_gb(self) -> str:
        """Memory of one device."""
        return MEMORY_GB[self.device]

    @property
    def memory_total_gb(self) -> str:
        """Memory of all devices together."""
        return plain(Decimal(self.memory_each_gb) * self.count)


def price(text: str) -> str:
    """A price to the millionth of a dollar, which takes the noise of binary fractions away."""
    return plain(Decimal(text).quantize(_PRICE_STEP))


def plain(number: Decimal) -> str:
    """A number without exponent and without trailing zeros."""
    return f"{number.normalize():f}"


def gib_from_mib(text: str) -> str:
    """MiB as GiB; empty stays empty."""
    return plain(Decimal(text) / 1024) if text else ""


def read_raw(path: Path) -> Iterator[Raw]:
    """The rows of a raw table, with the spaces around each cell taken away."""
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield {key: (value or "").strip() for key, value in row.items()}


def write_offers(path: Path, rows: Iterable[OfferRow]) -> int:
    """Write a table, sorted by region and instance, aside first and then in place; returns the rows."""
    ordered = sorted(rows, key=lambda row: (row.region, row.instance))
    names = [field.name for field in fields(OfferRow)]
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".csv.new")
    with aside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([getattr(row, name) for name in names] for row in ordered)
    aside.replace(path)
    return len(ordered)
