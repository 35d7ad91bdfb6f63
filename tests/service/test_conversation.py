from __future__ import annotations

import pytest

from indexer.types import Catalog, Device, DeviceId, DocumentId
from service.conversation import resolve
from service.lexicon import Lexicon, build_lexicon


def device(name: str, family: str = "") -> Device:
    return Device(
        id=DeviceId(name.lower().replace(" ", "-")),
        vendor="NVIDIA",
        name=name,
        family=family,
        aliases=(),
        variant="",
        kind="gpu",
        segment="datacenter",
        form_factor="PCIe" if "PCIe" in name else "SXM5",
        architecture="",
        scope="device",
        released="",
        status="current",
        acquire=(),
        document_id=DocumentId("hardware/x"),
    )


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    devices = (
        device("H100 SXM", "H100"),
        device("H100 PCIe", "H100"),
        device("H200"),
        device("A100"),
        device("MI300X"),
        device("RTX 4090"),
    )
    return build_lexicon(Catalog(devices=devices, by_id={each.id: each for each in devices}))


@pytest.mark.parametrize(
    ("earlier", "text", "written_out"),
    [
        ("Can I run a 70B model in fp16 on two RTX 4090s?", "and with 4-bit?", "Can I run a 70B model in 4-bit on two RTX 4090s?"),
        ("How much memory does the H100 SXM have?", "and the PCIe one?", "How much memory does the H100 PCIe have?"),
        ("How much memory does an H200 have?", "and the MI300X?", "How much memory does an MI300X have?"),
        ("How much memory does an H200 have?", "How fast is it?", "How fast is the H200?"),
        ("How much memory does an H200 have?", "and its power draw?", "What is the H200's power draw?"),
        ("A100 or H200 for training?", "which one is cheaper?", "Which one is cheaper, the A100 or the H200?"),
        ("What does an 8x H200 machine cost on AWS per hour?", "on Azure?", "What does an 8x H200 machine cost on Azure per hour?"),
        ("How much VRAM for Llama 3.1 8B inference?", "and for 70B?", "How much VRAM for Llama 3.1 70B inference?"),
        ("How much VRAM for Llama 3.1 8B inference?", "and Mixtral 8x7B?", "How much VRAM for Mixtral 8x7B inference?"),
        ("Which GPU should I rent to fine-tune an 8B model?", "what about AMD?", "Which GPU should I rent to fine-tune an 8B model from AMD?"),
        ("How much memory for a 13B model?", "with batch 8?", "How much memory for a 13B model with batch 8?"),
        ("H200 or A100 for inference?", "and for training?", "H200 or A100 for training?"),
    ],
)  # fmt: skip
def test_a_follow_up_is_written_out(lexicon, earlier, text, written_out):
    assert resolve(text, [earlier], lexicon) == written_out


@pytest.mark.parametrize(
    "text",
    [
        "What is the dense BF16 peak of the A100?",
        "Is ECC memory needed for deep learning?",
        "thanks",
        "",
        "I have a long story to tell about a machine that I bought and that does not do what I want it to do",
    ],
)
def test_a_question_that_stands_alone_is_left_alone(lexicon, text):
    assert resolve(text, ["How much memory does an H200 have?"], lexicon) == ""


def test_without_earlier_questions_nothing_is_written_out(lexicon):
    assert resolve("and with 4-bit?", [], lexicon) == ""


def test_it_leans_on_the_newest_question_and_the_newest_devices(lexicon):
    earlier = ["How much memory does an H200 have?", "Is that enough for a 70B model in fp8?"]

    assert resolve("How fast is it?", earlier, lexicon) == "How fast is the H200?"


def test_written_out_questions_can_be_followed_up_again(lexicon):
    first = resolve("and the MI300X?", ["How much memory does an H200 have?"], lexicon)

    assert resolve("and the A100?", [first], lexicon) == "How much memory does an A100 have?"
