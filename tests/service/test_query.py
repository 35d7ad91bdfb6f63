"""Questions understood: intent, asked properties, spelling, and hostile input."""

from __future__ import annotations

import time

import pytest

from service.errors import BadQuestion
from service.properties import asked_of
from service.query import Query, Speller, parse_question
from service.types import Question

NO_WORDS = Speller({}, common=1)


def understood(text: str, lexicon, *, speller: Speller = NO_WORDS) -> Query:
    return parse_question(Question(text=text), lexicon=lexicon, speller=speller, max_chars=4000)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("How much memory does the H100 have?", "lookup"),
        ("H100 SXM or A100: which has more memory bandwidth?", "compare"),
        ("What is the difference between the A40 and the MI300X?", "compare"),
        ("Which GPU should I buy for fine-tuning?", "recommend"),
        ("How much VRAM do I need to fine-tune a 7B model?", "size"),
        ("Will a 13B model fit?", "size"),
        ("What is ECC good for?", "guidance"),
    ],
)
def test_intent(text, intent, lexicon):
    assert understood(text, lexicon).intent == intent


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("memory bandwidth of the H100", {"memory_bandwidth"}),
        ("how fast is its HBM3", {"memory_bandwidth", "memory"}),
        ("how many gigabytes", {"memory"}),
        ("TDP in watts", {"power"}),
        ("bf16 TFLOPS", {"peak"}),
        ("what does nvidia-smi show", {"memory_usable"}),
        ("price per hour", {"price", "rental"}),
        ("compute capability", {"compute_capability"}),
        ("how many MIG slices", {"mig_instances"}),
        ("when was it released", {"released"}),
        ("does it have ECC", {"ecc"}),
    ],
)
def test_asked_properties(text, properties):
    assert properties <= set(asked_of(text).properties)


@pytest.mark.parametrize(
    ("text", "precisions", "accumulate"),
    [
        ("dense bfloat16 peak", ("bf16",), ""),
        ("half-precision", ("fp16",), ""),
        ("FP16 with FP32 accumulation", ("fp16",), "fp32"),
        ("fp16 peak accumulating in 32 bits", ("fp16",), "fp32"),
        ("NVFP4", ("fp4",), ""),
        ("fp8 and int8", ("fp8", "int8"), ""),
    ],
)
def test_asked_precisions(text, precisions, accumulate):
    asked = asked_of(text)
    assert asked.precisions[: len(precisions)] == precisions
    assert asked.accumulate == accumulate


def test_memory_bandwidth_is_not_link_bandwidth():
    assert "memory_bandwidth" not in asked_of("interconnect bandwidth").properties


def test_a_misspelt_word_is_mended_to_a_common_one():
    speller = Speller({"memory": 50, "bandwidth": 50}, common=25)
    assert speller.mend("the memroy bandwith") == "the memory bandwidth"


@pytest.mark.parametrize("word", ["memory", "MEMROY", "café", "gpu", "zzzzzz"])
def test_known_names_and_far_words_stay(word):
    assert Speller({"memory": 50}, common=25).mend(word) == word


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\t", "x" * 4001], ids=["none", "blank", "lines", "long"]
)
def test_an_empty_or_long_question_is_refused(text, lexicon):
    with pytest.raises(BadQuestion):
        understood(text, lexicon)


@pytest.mark.parametrize(
    "text", ["😀" * 100, "١٢٣", "\u202eכמה זיכרון", "12345", "\x00\x01", "((((", "ＲＴＸ ４０９０"]
)
def test_odd_input_is_understood_without_a_crash(text, lexicon):
    assert understood(text, lexicon).intent in {"guidance", "lookup"}


def test_full_width_letters_name_a_device(lexicon):
    assert understood("ＲＴＸ ４０９０ memory", lexicon).devices == ("nvidia-rtx-4090",)


@pytest.mark.parametrize(
    "unit",
    [
        "do ",
        "which gpu ",
        "how much memory ",
        "support ",
        "will it ",
        "do i need ",
        "1",
        "1 ",
        "in ",
        "fit ",
        "instance ",
        "how much does ",
        "accumulate ",
        "ab-",
        "?",
        "(",
    ],
)
def test_hostile_questions_are_understood_in_milliseconds(unit, lexicon):
    text = (unit * 4000)[:4000]
    start = time.process_time()
    understood(text, lexicon)
    assert time.process_time() - start < 2
