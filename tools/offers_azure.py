"""Azure: machines with accelerators in all regions, CPU machines in four."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tools.offer_rows import SHARED, Accelerators, OfferRow, Raw, price
from tools.regions import AZURE_COUNTRY

_CPU_REGIONS: Final = frozenset({"eastus", "westeurope", "germanywestcentral", "southeastasia"})
_DEVICES: Final[Mapping[str, str]] = {
    "A10": "nvidia-a10",
    "A100 PCIe 80GB": "nvidia-a100-pcie-80gb",
    "A100 SXM 40GB": "nvidia-a100-sxm-40gb",
    "A100 SXM 80GB": "nvidia-a100-sxm-80gb",
    "GB200": "nvidia-gb200",
    "GB300": "nvidia-gb300",
    "H100 NVL": "nvidia-h100-nvl-94gb",
    "H100 SXM": "nvidia-h100-sxm-80gb",
    "H200 SXM": "nvidia-h200-sxm-141gb",
    "MI300X": "amd-mi300x",
    "RTX PRO 6000 Blackwell Server": "nvidia-rtx-pro-6000-server",
    "T4": "nvidia-t4",
}
_NOTES: Final[Mapping[str, str]] = {
    "nvidia-gb200": "Azure prints 192 GB a GPU, NVIDIA 186 GB; this row has NVIDIA's figure.",
    "nvidia-h100-nvl-94gb": "This is the H100 NVL with 94 GB, not the H100 PCIe with 80 GB.",
}
_DOCS: Final = "MicrosoftDocs/azure-compute-docs"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    """What the documentation says about a size."""

    vcpus: str
    ram_gib: str
    source: str
    accelerators: Accelerators | None = None
    note: str = ""


def _cpu_sizes() -> Iterator[tuple[str, _Size]]:
    """Dsv5, Esv5 and Fsv2 as the pages of their series list them (GiB, printed there as GB)."""
    series = {
        "D{}s_v5": ("general-purpose/dsv5-series.md@005f8f6e", 4, "2 4 8 16 32 48 64 96"),
        "E{}s_v5": ("memory-optimized/esv5-series.md@0175d5fa", 8, "2 4 8 16 20 32 48 64 96"),
        "F{}s_v2": ("compute-optimized/fsv2-series.md@05e75b14", 2, "2 4 8 16 32 48 64 72"),
    }
    exceptions = {"E96s_v5": "672"}
    for pattern, (page, gib_per_vcpu, sizes) in series.items():
        for vcpus in sizes.split():
            name = pattern.format(vcpus)
            ram_gib = exceptions.get(name, str(int(vcpus) * gib_per_vcpu))
            yield f"Standard_{name}", _Size(vcpus=vcpus, ram_gib=ram_gib, source=f"{_DOCS}: {page}")


def _confidential() -> _Size:
    return _Size(
        vcpus="40",
        ram_gib="320",
        source=f"{_DOCS}@05e75b14",
        accelerators=Accelerators(device="nvidia-h100-nvl-94gb", count=1),
        note="Confidential machine: memory of CPU and GPU is encrypted in use.",
    )


def _gpu_sizes(specs: Iterable[Raw]) -> Iterator[tuple[str, _Size]]:
    """Whole cards only: NV6ads to NV18ads rent out a fraction of an A10 and are left out.

    The count and the memory of one device come from the device, since the printed figure is the total
    for most sizes and the figure for one GPU for some.
    """
    for spec in specs:
        count = Decimal(spec["accelerator_count"])
        if count != count.to_integral_value():
            continue
        device = _DEVICES[spec["accelerator"]]
        commit = f"@{spec['commit']}" if spec["commit"] else ""
        yield (
            spec["instance_type"],
            _Size(
                vcpus=spec["vcpus"],
                ram_gib=spec["ram_gib"],
                source=f"{_DOCS}{commit}",
                accelerators=Accelerators(device=device, count=int(count)),
                note=_NOTES.get(device, ""),
            ),
        )


def azure_offers(prices: Iterable[Raw], specs: Iterable[Raw]) -> Iterator[OfferRow]:
    """The priced sizes whose hardware is documented; a price of zero is an error of the list."""
    sizes = dict(_gpu_sizes(specs))
    sizes["Standard_NCC40ads_H100_v5"] = _confidential()
    cpu_sizes = dict(_cpu_sizes())
    for raw in prices:
        size = sizes.get(raw["instance_type"])
        if size is None and raw["region"] in _CPU_REGIONS:
            size = cpu_sizes.get(raw["instance_type"])
        if size is not None and Decimal(raw["ondemand_usd_hr"]) > 0:
            yield _row(raw, size)


def _row(raw: Raw, size: _Size) -> OfferRow:
    accelerators = size.accelerators
    return OfferRow(
        provider="azure",
        region=raw["region"],
        residency=AZURE_COUNTRY[raw["region"]],
        instance=raw["instance_type"],
        tenancy=SHARED,
        device=accelerators.device if accelerators else "",
        count=str(accelerators.count) if accelerators else "",
        memory_each_gb=accelerators.memory_each_gb if accelerators else "",
        memory_total_gb=accelerators.memory_total_gb if accelerators else "",
        vcpus=size.vcpus,
        ram_gib=size.ram_gib,
        on_demand_usd_per_hour=price(raw["ondemand_usd_hr"]),
        as_of=raw["price_as_of"],
        source=f"{raw['source']}; {size.source}",
        note=size.note,
    )
