"""Lambda, Nebius, Verda and RunPod: prices typed from a public catalog whose exact date is not stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tools.offer_rows import SHARED, Accelerators, OfferRow, Raw, price
from tools.regions import NEOCLOUD_COUNTRY

PROVIDERS: Final = ("lambda", "nebius", "verda", "runpod")
_DEVICES: Final[Mapping[tuple[str, str], str]] = {
    ("A100-40GB", "PCIe"): "nvidia-a100-pcie-40gb",
    ("A100-40GB", "SXM4"): "nvidia-a100-sxm-40gb",
    ("A100-80GB", "PCIe"): "nvidia-a100-pcie-80gb",
    ("A100-80GB", "SXM4"): "nvidia-a100-sxm-80gb",
    ("A100-80GB", ""): "nvidia-a100-sxm-80gb",
    ("B200", "SXM"): "nvidia-b200-sxm-180gb",
    ("B200", "SXM6"): "nvidia-b200-sxm-180gb",
    ("B200", ""): "nvidia-b200-sxm-180gb",
    ("B300", ""): "nvidia-b300-sxm-288gb",
    ("GH200", "SXM"): "nvidia-gh200-96gb",
    ("H100", "PCIe"): "nvidia-h100-pcie-80gb",
    ("H100", "SXM"): "nvidia-h100-sxm-80gb",
    ("H100", "SXM5"): "nvidia-h100-sxm-80gb",
    ("H100", ""): "nvidia-h100-sxm-80gb",
    ("H200", "SXM"): "nvidia-h200-sxm-141gb",
    ("H200", ""): "nvidia-h200-sxm-141gb",
    ("L4", "PCIe"): "nvidia-l4",
    ("L40S", "PCIe"): "nvidia-l40s",
    ("RTX 6000 Ada", ""): "nvidia-rtx-6000-ada",
    ("RTX A6000", "PCIe"): "nvidia-rtx-a6000",
    ("RTX PRO 6000", ""): "nvidia-rtx-pro-6000-server",
    ("V100", "SXM2"): "nvidia-v100-sxm2-16gb",
    ("V100", ""): "nvidia-v100-sxm2-16gb",
}
_ASSUMED: Final[Mapping[str, str]] = {
    "A100-80GB": "The catalog does not name the form factor; SXM4 is assumed.",
    "H100": "The catalog does not name the form factor; SXM5 is assumed.",
    "H200": "The catalog does not name the form factor; SXM is assumed.",
    "RTX PRO 6000": "The catalog does not name the edition; the Server Edition is assumed.",
    "V100": "The catalog does not name the form factor; SXM2 is assumed.",
}
_DATED: Final = re.compile(r"\((\d{4})(?:-(\d{4}))?, exact date not stored(?:; sample only)?\)")


def neocloud_offers(rows: Iterable[Raw], provider: str) -> Iterator[OfferRow]:
    """The rows of one provider."""
    for raw in rows:
        if raw["provider"] == provider:
            yield _row(raw)


def _row(raw: Raw) -> OfferRow:
    device = _DEVICES[raw["accelerator"], raw["form_factor"]]
    accelerators = Accelerators(device=device, count=int(raw["accelerator_count"]))
    region = _region(raw)
    dated = _DATED.search(raw["source"])
    if dated is None:
        raise ValueError(f"no year in the source of {raw['instance_type']}: {raw['source']!r}")
    years = f"{dated[1]} or {dated[2]}" if dated[2] else dated[1]
    notes = [f"The catalog was read in {years}; the exact date of the price is not known."]
    if not raw["form_factor"]:
        notes += [_ASSUMED[raw["accelerator"]]] if raw["accelerator"] in _ASSUMED else []
    return OfferRow(
        provider=raw["provider"],
        region=region,
        residency=NEOCLOUD_COUNTRY.get((raw["provider"], region), ""),
        instance=raw["instance_type"],
        tenancy=SHARED,
        device=device,
        count=raw["accelerator_count"],
        memory_each_gb=accelerators.memory_each_gb,
        memory_total_gb=accelerators.memory_total_gb,
        vcpus=raw["vcpus"],
        ram_gib=raw["memory_gib"],
        on_demand_usd_per_hour=price(raw["ondemand_usd_hr"]),
        spot_usd_per_hour=price(raw["spot_usd_hr"]) if raw["spot_usd_hr"] else "",
        as_of=dated[1],
        source=_DATED.sub("", raw["source"]).strip(),
        note=" ".join(notes),
    )


def _region(raw: Raw) -> str:
    return raw["region"] if re.fullmatch(r"[\w-]+", raw["region"]) else "all listed regions"
