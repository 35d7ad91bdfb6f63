"""Offers keep the published prices and none of the raw tables' known errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tools.make_offers import offers_by_table
from tools.offer_rows import OfferRow, write_offers
from tools.offers_aws import aws_offers
from tools.offers_azure import azure_offers
from tools.offers_gcp import gcp_offers
from tools.offers_neocloud import neocloud_offers
from tools.offers_tpu import tpu_offers

AWS = """region,instance_type,vcpus,memory_mib,accelerator_name,accelerator_count,accelerator_memory_mib_each,local_nvme_gb,ondemand_usd_hr,price_as_of,source
us-east-1,p5.48xlarge,192,2097152,h100,8,81920,30400,55.04,2026-07-20,karpenter
us-east-1,p5.4xlarge,16,262144,h100,1,81920,3800,6.88,2026-07-20,karpenter
us-east-1,g6.xlarge,4,16384,l4,1,22888,250,0.8048,2026-07-20,karpenter
us-east-1,g6f.large,2,8192,l4,0,2861,,0.202,2026-07-20,karpenter
us-gov-west-1,g4dn.xlarge,4,16384,t4,1,16384,125,0.663,2026-07-20,karpenter
us-east-1,g4dn.metal,96,393216,t4,8,16384,1800,7.824,2026-07-20,karpenter
us-east-1,p2.8xlarge,,,,,,,7.2,2026-07-20,karpenter
us-east-1,p2.xlarge,,,,,,,0.9,2026-07-20,karpenter
us-east-1,m7i.xlarge,4,16384,,,,,0.2016,2026-07-20,karpenter
us-gov-west-1,m7i.xlarge,4,16384,,,,,0.2541,2026-07-20,karpenter
"""
AZURE = """region,instance_type,ondemand_usd_hr,price_as_of,source
eastus,Standard_ND96isr_H100_v5  ,98.32,2026-06-18,karpenter
westus,Standard_ND96isr_H100_v5,0.0,2026-06-18,karpenter
eastus,Standard_NV6ads_A10_v5,0.454,2026-06-18,karpenter
eastus,Standard_ND96amsr_A100_v4,32.77,2026-06-18,karpenter
eastus,Standard_NC40ads_H100_v5,6.98,2026-06-18,karpenter
eastus,Standard_E96s_v5,6.048,2026-06-18,karpenter
westus,Standard_E96s_v5,6.72,2026-06-18,karpenter
"""
AZURE_SIZES = """instance_type,vcpus,ram_gib,accelerator_count,accelerator,acc_memory_as_printed_gb,commit
Standard_ND96isr_H100_v5,96,1900,8,H100 SXM,640,02773904
Standard_NV6ads_A10_v5,6,55,0.1667,A10,4,2bc777fd
Standard_ND96amsr_A100_v4,96,1900,8,A100 SXM 80GB,80,05e75b14
Standard_NC40ads_H100_v5,40,320,1,H100 NVL,94,
"""
GCP = """region,instance_type,vcpus,memory_gib,accelerator_name,accelerator_count,ondemand_usd_hr,spot_usd_hr,price_as_of
us-central1,a3-highgpu-8g,208,1872.00,H100-80GB,8,88.4899999025753,50.6095408219178,2026-08-03
us-central1,a2-highgpu-1g,12,85.00,A100-40GB,1,3.673385,1.92802,2026-08-03
us-east1,a2-highgpu-1g,12,85.00,A100-40GB,1,0.739,0.2,2026-08-03
us-central1,g4-standard-6,6,22.00,RTX-PRO-6000,0.125,0.55955625,0.2238035,2026-08-03
us-central1,n2-standard-8,8,32.00,,,0.388472,0.1,2026-08-03
us-central1,n2-highmem-8,8,64.00,,,0.524048,0.1,2026-08-03
us-west4,n2-standard-8,8,32.00,,,0.437,0.1,2026-08-03
"""
TPU = {
    "TPU v5e": {"us-central1": {"On Demand (USD)": 1.2, "Spot (USD)": 0.63}},
    "TPU v3 device": {"europe-west4": {"On Demand (USD)": 2.2, "Spot (USD)": 2.244}},
}
NEOCLOUD = """provider,region,instance_type,accelerator,form_factor,accelerator_count,accelerator_memory_mib_each,vcpus,memory_gib,ondemand_usd_hr,spot_usd_hr,source
lambda,(same price in all listed regions),gpu_1x_gh200,GH200,SXM,1,98304,64,432,2.29,,"skypilot/lambda@2c3d7ea7 (2026, exact date not stored)"
verda,FIN-01,1A100.22V,A100-80GB,,1,81920,22,120,1.29,0.4515,"skypilot/verda@000c1d0b (2026, exact date not stored)"
"""


def rows(text: str) -> list[dict[str, str]]:
    return [
        {key: value.strip() for key, value in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


def by_place(offers) -> dict[tuple[str, str], OfferRow]:
    return {(offer.instance, offer.region): offer for offer in offers}


@pytest.fixture(scope="module")
def aws():
    return by_place(aws_offers(rows(AWS)))


@pytest.fixture(scope="module")
def azure():
    return by_place(azure_offers(rows(AZURE), rows(AZURE_SIZES)))


@pytest.fixture(scope="module")
def gcp():
    return by_place(gcp_offers(rows(GCP)))


@pytest.mark.parametrize(
    ("instance", "usd", "device", "count"),
    [
        ("p5.48xlarge", "55.04", "nvidia-h100-sxm-80gb", "8"),
        ("p5.4xlarge", "6.88", "nvidia-h100-sxm-80gb", "1"),
        ("g6.xlarge", "0.8048", "nvidia-l4", "1"),
        ("m7i.xlarge", "0.2016", "", ""),
    ],
)
def test_aws_prices_are_the_published_ones(aws, instance, usd, device, count):
    offer = aws[instance, "us-east-1"]

    assert (offer.on_demand_usd_per_hour, offer.device, offer.count) == (usd, device, count)


def test_aws_memory_is_nominal_though_the_table_says_22888_mib(aws):
    assert aws["g6.xlarge", "us-east-1"].memory_each_gb == "24"


def test_aws_leaves_out_slices_and_half_boards(aws):
    assert ("g6f.large", "us-east-1") not in aws
    assert ("p2.xlarge", "us-east-1") not in aws


def test_aws_counts_k80_boards_not_dies(aws):
    offer = aws["p2.8xlarge", "us-east-1"]

    assert (offer.count, offer.memory_total_gb, offer.vcpus) == ("4", "96", "32")


def test_aws_tenancy_and_cpu_regions(aws):
    assert aws["g4dn.xlarge", "us-gov-west-1"].tenancy == "government"
    assert aws["g4dn.metal", "us-east-1"].tenancy == "dedicated"
    assert ("m7i.xlarge", "us-gov-west-1") not in aws


def test_azure_price_is_the_published_one_and_the_name_is_stripped(azure):
    offer = azure["Standard_ND96isr_H100_v5", "eastus"]

    assert (offer.on_demand_usd_per_hour, offer.memory_each_gb, offer.memory_total_gb) == (
        "98.32",
        "80",
        "640",
    )


def test_azure_total_is_right_where_the_page_prints_one_gpu(azure):
    assert azure["Standard_ND96amsr_A100_v4", "eastus"].memory_total_gb == "640"


def test_azure_leaves_out_zero_prices_and_fractions(azure):
    assert ("Standard_ND96isr_H100_v5", "westus") not in azure
    assert ("Standard_NV6ads_A10_v5", "eastus") not in azure


def test_azure_nc_h100_is_the_nvl(azure):
    assert azure["Standard_NC40ads_H100_v5", "eastus"].device == "nvidia-h100-nvl-94gb"


def test_azure_cpu_machines_are_listed_in_main_regions_only(azure):
    assert azure["Standard_E96s_v5", "eastus"].ram_gib == "672"
    assert ("Standard_E96s_v5", "westus") not in azure


def test_gcp_price_loses_the_noise_of_binary_fractions(gcp):
    offer = gcp["a3-highgpu-8g", "us-central1"]

    assert (offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == ("88.49", "50.609541")


def test_gcp_host_without_its_gpu_is_dropped(gcp):
    assert gcp["a2-highgpu-1g", "us-central1"].on_demand_usd_per_hour == "3.673385"
    assert ("a2-highgpu-1g", "us-east1") not in gcp


def test_gcp_fractions_are_left_out_and_cpu_machines_kept_in_main_regions(gcp):
    assert ("g4-standard-6", "us-central1") not in gcp
    assert ("n2-standard-8", "us-central1") in gcp
    assert ("n2-standard-8", "us-west4") not in gcp


def test_tpu_slice_costs_its_chips():
    offer = by_place(tpu_offers(TPU))["v5litepod-8", "us-central1"]

    assert (offer.count, offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == (
        "8",
        "9.6",
        "5.04",
    )


def test_tpu_spot_above_on_demand_is_dropped_with_a_note():
    offer = by_place(tpu_offers(TPU))["v3-8", "europe-west4"]

    assert (offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == ("8.8", "")
    assert "above on-demand" in offer.note


def test_neocloud_rows_say_what_is_assumed():
    (offer,) = neocloud_offers(rows(NEOCLOUD), "verda")

    assert (offer.device, offer.residency, offer.as_of) == ("nvidia-a100-sxm-80gb", "FI", "2026")
    assert "SXM4 is assumed" in offer.note


def test_price_for_all_regions_has_no_residency():
    (offer,) = neocloud_offers(rows(NEOCLOUD), "lambda")

    assert (offer.region, offer.residency) == ("all listed regions", "")


def test_all_tables_are_made_from_a_folder(tmp_path: Path):
    files = {
        "aws_ondemand_2026-07-20.csv": AWS,
        "azure_ondemand_2026-06-18.csv": AZURE,
        "azure_gpu_instance_specs.csv": AZURE_SIZES,
        "gcp_ondemand_spot_2026-08-03.csv": GCP,
        "gpuhunt_tpu_pricing.json": json.dumps(TPU),
        "neocloud_prices_transcribed.csv": NEOCLOUD,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    counts = {name: len(list(offers)) for name, offers in offers_by_table(tmp_path).items()}

    assert counts == {
        "aws": 7,
        "azure": 4,
        "gcp": 4,
        "gcp-tpu": 4,
        "lambda": 1,
        "nebius": 0,
        "verda": 1,
        "runpod": 0,
    }


def test_same_rows_make_the_same_bytes(tmp_path: Path):
    offers = list(aws_offers(rows(AWS)))

    write_offers(tmp_path / "a.csv", offers)
    write_offers(tmp_path / "b.csv", reversed(offers))

    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
