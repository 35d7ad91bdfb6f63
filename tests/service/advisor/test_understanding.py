"""Workloads out of words: many phrasings, none of them from a question set."""

from __future__ import annotations

import pytest

from service.advisor.understand import Missing, Understood, understand
from service.advisor.understand.words import spaced
from service.lexicon import find_devices

GIB = 2**30


@pytest.fixture
def read(desk):
    def read(text):
        text = spaced(text)
        found = understand(
            text, mentions=find_devices(text, desk.lexicon), vocabulary=desk.vocabulary
        )
        assert isinstance(found, Understood), found
        return found

    return read


def value(workload, name):
    field = getattr(workload, name)
    return None if field is None else field.value


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Can I QLoRA Qwen2.5 14B on my card?", "qlora"),
        ("LoRA of Mistral 7B with rank 16", "lora"),
        ("full fine-tune of Gemma 2 9B with AdamW", "full_finetune"),
        ("full-parameter training of Llama 3.1 8B, not LoRA", "full_finetune"),
        ("pretrain a 3B model from scratch on 60B tokens", "pretraining"),
        ("serve Llama 3.3 70B to 20 users at once", "inference"),
        ("Welche Karte für ein 13B-Modell, lokal ausführen?", "inference"),
        ("quiero ejecutar un modelo 7B en casa", "inference"),
        ("我想微调 Qwen2.5 7B 用 QLoRA", "qlora"),
        ("LightGBM on 20 million rows and 80 columns", "gradient_boosting"),
        ("random forests in scikit-learn on 3 GB of CSV data", "classical_ml"),
        ("Spark joins over 4 TB of logs", "data_preparation"),
        ("train ResNet-101 on 224 px images", "training"),
        ("embed documents with bge-large-en-v1.5", "embedding"),
    ],
)
def test_the_task_follows_from_cue_words(read, text, task):
    assert read(text).workload.task.value == task


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("run llama3 8b", "Llama-3-8B"),
        ("run Llama-2-13B chat", "Llama-2-13b-hf"),
        ("run the 13B Llama 2", "Llama-2-13b-hf"),
        ("run that Llama 3.1 with 8 billion parameters", "Llama-3.1-8B"),
        ("run lama3 8bilion", "Llama-3-8B"),
        ("run meta-llama/Llama-3.1-70B-Instruct", "Llama-3.1-70B"),
        ("run Mixtral", "Mixtral-8x7B-v0.1"),
        ("run Qwen3-30B-A3B", "Qwen3-30B-A3B"),
        ("run gpt-oss-20b", "gpt-oss-20b"),
        ("train YOLOv8l", "yolov8l"),
        ("transcribe with Whisper large-v3", "whisper-large-v3"),
    ],
)
def test_models_are_found_in_their_spellings(read, text, model):
    assert read(text).workload.model.value == model


def test_a_bare_size_is_a_size_and_amounts_of_other_things_are_none(read):
    found = read("pretrain a 2.5B model on 100B tokens").workload
    assert (value(found, "params_b"), value(found, "tokens")) == (2.5, 100e9)


def test_a_family_without_a_size_is_marked_as_assumed(read):
    model = read("fine-tune BERT for 3 epochs").workload.model
    assert (model.origin, model.words) == ("assumed", "BERT")


@pytest.mark.parametrize(
    ("words", "precision"),
    [
        ("in bf16", "bf16"),
        ("in 16 bit", "bf16"),
        ("unquantised", "bf16"),
        ("as a Q5_K_M file", "q5_k_m"),
        ("in 4-bit", "q4_k_m"),
        ("in int8", "int8"),
        ("with AWQ", "awq"),
        ("in fp8", "fp8"),
    ],
)
def test_number_formats(read, words, precision):
    assert read(f"serve Llama 3.1 8B {words}").workload.precision.value == precision


def test_four_bits_are_nf4_for_qlora(read):
    assert read("QLoRA of a 7B model in 4 bit").workload.precision.value == "nf4_dq"


def test_weights_as_published_take_the_release_precision(read):
    assert read("serve gpt-oss-20b with weights as published").workload.precision.value == "mxfp4"


def test_a_format_of_the_cache_is_not_one_of_the_weights(read):
    found = read("serve Llama 3.1 8B in bf16 with an fp8 KV cache").workload
    assert (value(found, "precision"), value(found, "kv_precision")) == ("bf16", "fp8")


def test_the_optimizer_in_eight_bits_is_no_precision(read):
    found = read("full fine-tune of a 7B model with 8-bit Adam").workload
    assert value(found, "optimizer") == "adamw8bit"
    assert found.precision.origin == "assumed"


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        ("8k context", 8192),
        ("1.5k tokens", 1500),
        ("sequence length 4096", 4096),
        ("32,000 tokens", 32000),
        ("128k context", 131072),
        ("two thousand tokens", 2000),
    ],
)
def test_lengths(read, words, tokens):
    assert read(f"run Llama 3.1 8B with {words}").workload.seq_len.value == tokens


@pytest.mark.parametrize(
    ("words", "on"),
    [
        ("with gradient checkpointing", True),
        ("checkpointing switched on", True),
        ("without activation checkpointing", False),
        ("no checkpointing", False),
        ("checkpointing off", False),
    ],
)
def test_checkpointing_and_its_negation(read, words, on):
    assert read(f"LoRA of Llama 3.1 8B, {words}").workload.checkpointing.value is on


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("for twelve doctors at once", 12),
        ("for 300 users", 300),
        ("with 16 concurrent requests", 16),
        ("for one user", 1),
    ],
)
def test_concurrency(read, words, count):
    assert read(f"serve Llama 3.1 8B {words}").workload.concurrency.value == count


@pytest.mark.parametrize(
    ("words", "name", "amount"),
    [
        ("at most 1,800 dollars", "budget_usd", 1800),
        ("budget of $5k", "budget_usd", 5000),
        ("under 3 USD per hour", "usd_per_hour_max", 3),
        ("up to 400 dollars a month", "usd_per_month_max", 400),
        ("no more than 1,000 euros", "budget_usd", 1100),
    ],
)
def test_budgets(read, words, name, amount):
    found = read(f"run a 7B model, {words}").workload
    assert value(found, name) == pytest.approx(amount)


def test_a_price_that_is_only_mentioned_is_no_budget(read):
    found = read("run a 7B model; my colleague rents at 4 USD per hour elsewhere").workload
    assert found.usd_per_hour_max is None


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("in the cloud", "cloud"),
        ("on AWS in us-west-2", "cloud"),
        ("at home on my desk", "local"),
        ("in our server room", "onprem"),
        ("the data may not leave the hospital", "onprem"),
        ("nothing in the cloud", "local"),
        ("buy or rent", None),
    ],
)
def test_places(read, words, place):
    assert value(read(f"run a 7B model, {words}").workload, "placement") == place


def test_regions_providers_and_residency(read):
    found = read("run a 7B model on Google Cloud in europe-west4 in Germany").workload
    assert value(found, "providers") == ("gcp",)
    assert value(found, "region") == "europe-west4"
    assert value(found, "residency") == "DE"


def test_owned_devices_are_counted_and_wishes_are_not_owned(read):
    found = read("I own three RTX 3090 and look at an RTX 5090; run a 70B model").workload
    assert value(found, "devices_owned") == ("nvidia-rtx-3090",) * 3
    assert value(found, "devices_wanted") == ("nvidia-rtx-5090",)


def test_excluded_makers(read):
    found = read("run a 7B model at home, no Apple please").workload
    assert value(found, "vendors_excluded") == ("Apple",)


def test_a_circuit_carries_eighty_percent(read):
    assert read("a box for a 7B model on a 120 V, 20 A circuit").workload.watts_max.value == 1920


def test_stated_memory_is_taken_at_its_word_in_its_unit(read):
    binary = read("Does a checkpoint that is exactly 16 GiB fit?").workload
    decimal = read("Does a model that needs 16 GB fit?").workload
    assert value(binary, "stated_memory_gib") == pytest.approx(16)
    assert value(decimal, "stated_memory_gib") == pytest.approx(16e9 / GIB)


def test_tables_rows_by_columns(read):
    found = read("XGBoost on 12 million rows by 55 float32 features").workload
    assert (value(found, "dataset_rows"), value(found, "dataset_columns")) == (12e6, 55)


def test_of_images_now_and_later_the_larger_number_counts(read):
    found = read("train YOLOv8m on 8,000 images now, maybe 40,000 later, 3 MB each").workload
    assert (value(found, "dataset_images"), value(found, "dataset_gb")) == (40000, 120)


def test_bare_cards_are_capacities_with_their_number(read):
    found = read("Do two 16 GB cards hold a 13B model in bf16?")
    assert [(each.value, each.unit, each.count) for each in found.capacities] == [(16, "GB", 2)]


def test_further_sizes_and_formats_become_further_cases(read):
    found = read("run Llama-2 7B and 70B in bf16 or in Q4_K_M")
    assert {each.model.value for each in found.others if each.model} >= {"Llama-2-70b-hf"}
    assert "q4_k_m" in {each.precision.value for each in found.others}


def test_every_stated_field_carries_words_of_the_question(read):
    text = "I own two RTX 3090 and run Llama 3.1 70B in Q4_K_M with 4k context for five users at once, at most 900 dollars"
    found = read(text).workload
    lowered = text.casefold()
    for name in ("model", "precision", "seq_len", "concurrency", "budget_usd", "devices_owned"):
        words = getattr(found, name).words
        assert words
        assert words.casefold() in lowered


def test_a_model_without_a_name_is_asked_for(desk):
    found = understand(
        "How much VRAM does my model need for fine-tuning?",
        mentions=(),
        vocabulary=desk.vocabulary,
    )
    assert isinstance(found, Missing)
    assert "parameters" in found.ask


@pytest.mark.parametrize(
    "text", ["What is ECC memory?", "RAID 6 or RAID 10?", "Which PSU for a 5090?"]
)
def test_questions_without_a_workload_give_none(desk, text):
    assert (
        understand(text, mentions=find_devices(text, desk.lexicon), vocabulary=desk.vocabulary)
        is None
    )


def test_a_limit_by_the_hour_is_one_on_rent_unless_the_text_speaks_of_own_rooms(read):
    rented = read("Fine-tune Llama-3.1-8B with QLoRA for at most $2 an hour").workload
    either = read(
        "Fine-tune Llama-3.1-8B with QLoRA: buy a card, or rent for at most $2 an hour?"
    ).workload

    assert value(rented, "usd_per_hour_max") == 2
    assert value(rented, "placement") == "cloud"
    assert value(either, "placement") is None
