"""Devices by name: exact boundaries, variants kept apart, look-alikes refused, unknown parts noticed."""

from __future__ import annotations

import time

import pytest

from service.lexicon import Lexicon, find_devices, unknown_parts

H100 = ("nvidia-h100-pcie-80gb", "nvidia-h100-sxm-80gb")
A100 = ("nvidia-a100-sxm-40gb", "nvidia-a100-sxm-80gb")


def named(text: str, lexicon: Lexicon) -> list[tuple[str, ...]]:
    return [mention.devices for mention in find_devices(text, lexicon)]


def unknown(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    return unknown_parts(text, find_devices(text, lexicon), lexicon)


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("an H100 SXM", ("nvidia-h100-sxm-80gb",)),
        ("H100-SXM5-80GB", ("nvidia-h100-sxm-80gb",)),
        ("H100 PCIe, not SXM", ("nvidia-h100-pcie-80gb",)),
        ("the SXM version of the H100", ("nvidia-h100-sxm-80gb",)),
        ("an H100", H100),
        ("two H100s", H100),
        ("the H100's memory", H100),
        ("8xH100", H100),
        ("h-100", H100),
        ("A100", A100),
        ("A-100", A100),
        ("A100 80GB", ("nvidia-a100-sxm-80gb",)),
        ("A100-40G", ("nvidia-a100-sxm-40gb",)),
        ("a 40 GB A100", ("nvidia-a100-sxm-40gb",)),
        ("RTX4090", ("nvidia-rtx-4090",)),
        ("rtx-4090", ("nvidia-rtx-4090",)),
        ("my 4090", ("nvidia-rtx-4090",)),
        ("RTX 4O9O", ("nvidia-rtx-4090",)),
        ("RTX 4090 laptop", ("nvidia-rtx-4090-laptop",)),
        ("4090 mobile", ("nvidia-rtx-4090-laptop",)),
        ("RTX 3080Ti", ("nvidia-rtx-3080-ti",)),
        ("MI-300X", ("amd-mi300x",)),
        ("A40", ("nvidia-a40",)),
        ("显卡RTX 4090有多少显存", ("nvidia-rtx-4090",)),
    ],
)
def test_a_name_means_exactly_these_variants(text, devices, lexicon):
    assert named(text, lexicon) == [devices]


@pytest.mark.parametrize(
    "text",
    [
        "a 40 GB file",
        "p99 latency",
        "batch size b32",
        "in fp16 or bf16",
        "1080p video",
        "MLPerf v5.1",
        "PCIe x16",
        "a 4090 W supply",
        "4090 tokens",
        "an M.2 slot",
        "an m2 SSD",
        "H264 video",
        "GPT-4",
        "Llama 3.1 405B",
        "32 GB 2133 MHz RAM",
        "cards of the RTX 40 series",
        "",
        "😀",
    ],
)
def test_these_are_no_devices_and_no_unknown_parts(text, lexicon):
    assert named(text, lexicon) == []
    assert unknown(text, lexicon) == ()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("memory of the H150", "H150"),
        ("an RTX 6090", "RTX 6090"),
        ("the MI377X", "MI377X"),
        ("A100X cards", "A100X"),
        ("an RTX 4090D", "RTX 4090D"),
        ("an RTX 4090 D", "RTX 4090 D"),
        ("a 4090 Ti", "4090 Ti"),
        ("RTX 3080 Ti Super", "RTX 3080 Ti Super"),
        ("RTX 3080", "RTX 3080"),
        ("an RTX 3080 Ti laptop", "RTX 3080 Ti laptop"),
        ("Gaudi 9", "Gaudi 9"),
        ("TPU v9", "TPU v9"),
    ],
)
def test_a_part_without_a_sheet_is_unknown_and_never_its_look_alike(text, part, lexicon):
    assert named(text, lexicon) == []
    assert unknown(text, lexicon) == (part,)


def test_each_name_takes_the_capacity_that_stands_with_it(lexicon):
    assert named("A100 40GB and A100 80GB", lexicon) == [
        ("nvidia-a100-sxm-40gb",),
        ("nvidia-a100-sxm-80gb",),
    ]


def test_a_variant_named_by_its_qualifier_alone_is_a_mention(lexicon):
    assert named("H100 SXM or PCIe", lexicon) == [
        ("nvidia-h100-sxm-80gb",),
        ("nvidia-h100-pcie-80gb",),
    ]


def test_a_mention_shows_the_words_of_the_text(lexicon):
    text = "How fast is the RTX-4090?"
    (mention,) = find_devices(text, lexicon)
    assert text[mention.start : mention.end] == mention.words == "RTX-4090"


@pytest.mark.parametrize("unit", ["H100 ", "8xH", "m1 pro ", "rtx 4090 ", "not ", "A", "0O", "汉"])
def test_hostile_lengths_do_not_stall(unit, lexicon):
    text = (unit * 4000)[:4000]
    start = time.process_time()
    unknown(text, lexicon)
    assert time.process_time() - start < 2
