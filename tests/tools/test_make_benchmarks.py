"""Benchmark rows are closed-division results, tied to a spec sheet where the part is known."""

from __future__ import annotations

import pytest

from tools.make_benchmarks import TRAINING_COLUMNS, device_id, inference_rows, training_rows

TRAINING = {
    "round": "training v5.1",
    "submitter": "Acme",
    "system": "x",
    "benchmark": "llama2_70b_lora",
    "accelerator": "NVIDIA H100-SXM5-80GB",
    "accelerators_per_node": "8",
    "nodes": "4",
    "status": "Available cloud",
    "division": "closed",
    "framework": "PyTorch",
    "n_runs": "10",
    "n_success": "9",
    "time_to_train_min": "7.5",
    "global_batch": "8",
    "source": "logs",
}


@pytest.mark.parametrize(
    ("spelling", "device"),
    [
        ("NVIDIA Blackwell GPU (B200-SXM-180GB)", "nvidia-b200-sxm-180gb"),
        ("NVIDIA Blackwell GPU (GB200)", "nvidia-gb200"),
        ("NVIDIA H200-NVL-141GB", "nvidia-h200-nvl-141gb"),
        ("AMD Instinct MI300X 192GB HBM3 (x32), AMD Instinct MI325X 256GB HBM3e (x16)", ""),
        ("[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo", ""),
        ("NVIDIA RTX-2000E-Ada-16GB", ""),
    ],
)
def test_spelling_leads_to_its_variant_or_to_none(spelling, device):
    assert device_id(spelling) == device


def test_training_row_counts_all_accelerators_and_says_who_computed():
    (row,) = training_rows([TRAINING])

    assert set(row) == set(TRAINING_COLUMNS)
    assert row["accelerators_total"] == "32"
    assert "not an official MLPerf figure" in row["note"]


def test_open_division_is_left_out():
    assert list(training_rows([TRAINING | {"division": "open"}])) == []
    assert list(inference_rows([{"division": "open"}])) == []
