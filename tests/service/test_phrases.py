"""Typed facts as sentences that keep their qualifiers."""

from __future__ import annotations

import pytest

from indexer.types import DeviceId
from service.phrases import amount, number, say
from service.snapshot import Snapshot


def told(snapshot: Snapshot, device: str, name: str, **qualifiers: str) -> str:
    sheet = snapshot.index.catalog.by_id[DeviceId(device)]
    fact = sheet.find(name, **qualifiers)
    assert fact is not None
    return say(sheet, fact).text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3350.0, "3,350"),
        (989.4, "989.4"),
        (0.8048, "0.8048"),
        (6.88, "6.88"),
        (24.0, "24"),
        (1e12, "1,000,000,000,000"),
        (0.00001, "1e-05"),
        (2.5, "2.5"),
    ],
)
def test_numbers_for_reading(value, shown):
    assert number(value) == shown


def test_memory_names_type_basis_and_ecc(snapshot):
    text = told(snapshot, "nvidia-h100-sxm-80gb", "memory")
    assert "80 GB of HBM3" in text
    assert "nominal" in text
    assert "with ECC" in text


def test_usable_memory_is_shown_in_gib_too(snapshot):
    # 81,559 MiB / 1,024 = 79.65 GiB
    assert "81,559 MiB (= 79.65 GiB)" in told(snapshot, "nvidia-h100-sxm-80gb", "memory_usable")


def test_a_dense_peak_names_precision_and_accumulate_type(snapshot):
    text = told(snapshot, "nvidia-h100-sxm-80gb", "peak", sparsity="dense")
    assert "989.4 TFLOPS in BF16" in text
    assert "dense" in text
    assert "FP32" in text


def test_a_sparse_peak_says_that_it_is_not_for_dense_matrices(snapshot):
    text = told(snapshot, "nvidia-h100-sxm-80gb", "peak", sparsity="sparse")
    assert "sparsity" in text
    assert "does not hold for dense" in text


def test_power_names_its_term(snapshot):
    assert "TDP of 700 W" in told(snapshot, "nvidia-h100-sxm-80gb", "power")
    assert "TBP of 750 W" in told(snapshot, "amd-mi300x", "power")


def test_a_link_names_itself_and_its_direction(snapshot):
    text = told(snapshot, "nvidia-h100-sxm-80gb", "interconnect_bandwidth")
    assert "900 GB/s over NVLink 4, both directions together" in text


def test_a_price_has_its_kind_and_date(snapshot):
    text = told(snapshot, "nvidia-rtx-4090", "price")
    assert "launch price (MSRP) of 1,599 USD as of 2024-09-01" in text


def test_what_is_not_supported_is_said_to_be_not(snapshot):
    assert "do not support FP8" in told(snapshot, "nvidia-a100-sxm-40gb", "precisions")


def test_an_amount_is_number_and_unit(snapshot):
    fact = snapshot.index.catalog.by_id[DeviceId("nvidia-rtx-4090")].find("memory_bandwidth")
    assert amount(fact) == "1,008 GB/s"
