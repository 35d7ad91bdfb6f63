"""Google TPUs: the chip-hour prices of a dated list as the slices that one can rent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tools.offer_rows import SHARED, Accelerators, OfferRow, plain, price
from tools.regions import GCP_COUNTRY

Prices = Mapping[str, Mapping[str, Mapping[str, object]]]

_AS_OF: Final = "2024-12-23"
_SOURCE: Final = "dstackai/gpuhunt, resources/tpu_pricing.json (typed from Google's price page)"
_ON_DEMAND: Final = "On Demand (USD)"
_SPOT: Final = "Spot (USD)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slice:
    """A rentable slice: its name, its chips and, where the list's project records them, its host."""

    name: str
    accelerators: Accelerators
    vcpus: str = ""
    ram_gib: str = ""


def _slice(name: str, device: str, chips: int, host: tuple[str, str] = ("", "")) -> _Slice:
    return _Slice(
        name=name,
        accelerators=Accelerators(device=device, count=chips),
        vcpus=host[0],
        ram_gib=host[1],
    )


# The list prices one chip. A "device" is the smallest slice of v2 and v3, a "pod" every larger one.
_SLICES: Final[Mapping[str, tuple[_Slice, ...]]] = {
    "TPU v6e": (
        _slice("v6e-1", "google-tpu-v6e", 1, ("44", "176")),
        _slice("v6e-4", "google-tpu-v6e", 4, ("180", "720")),
        _slice("v6e-8", "google-tpu-v6e", 8, ("180", "1440")),
    ),
    "TPU v5p": (_slice("v5p-8", "google-tpu-v5p", 4, ("208", "448")),),
    "TPU v5e": (
        _slice("v5litepod-1", "google-tpu-v5e", 1, ("24", "48")),
        _slice("v5litepod-4", "google-tpu-v5e", 4, ("112", "192")),
        _slice("v5litepod-8", "google-tpu-v5e", 8, ("224", "384")),
    ),
    "TPU v4 pod": (_slice("v4-8", "google-tpu-v4", 4),),
    "TPU v3 pod": (_slice("v3-32", "google-tpu-v3", 16),),
    "TPU v3 device": (_slice("v3-8", "google-tpu-v3", 4, ("96", "334")),),
    "TPU v2 pod": (_slice("v2-32", "google-tpu-v2", 16),),
    "TPU v2 device": (_slice("v2-8", "google-tpu-v2", 4, ("96", "334")),),
}


def tpu_offers(prices: Prices) -> Iterator[OfferRow]:
    """Each slice in each region. A spot price above the on-demand price is an error and is left out."""
    for kind, regions in prices.items():
        for region, cells in regions.items():
            for piece in _SLICES[kind]:
                yield _row(region, piece, cells)


def _row(region: str, piece: _Slice, cells: Mapping[str, object]) -> OfferRow:
    chips = piece.accelerators.count
    chip_usd = Decimal(str(cells[_ON_DEMAND]))
    spot_usd = Decimal(str(cells[_SPOT]))
    note = f"{chips} x {plain(chip_usd)} USD a chip-hour; the list dates from December 2024."
    if spot_usd > chip_usd:
        note += " Its spot price stands above on-demand and is left out as wrong."
    return OfferRow(
        provider="gcp",
        region=region,
        residency=GCP_COUNTRY[region],
        instance=piece.name,
        tenancy=SHARED,
        device=piece.accelerators.device,
        count=str(chips),
        memory_each_gb=piece.accelerators.memory_each_gb,
        memory_total_gb=piece.accelerators.memory_total_gb,
        vcpus=piece.vcpus,
        ram_gib=piece.ram_gib,
        on_demand_usd_per_hour=price(str(chip_usd * chips)),
        spot_usd_per_hour="" if spot_usd > chip_usd else price(str(spot_usd * chips)),
        as_of=_AS_OF,
        source=_SOURCE,
        note=note,
    )
