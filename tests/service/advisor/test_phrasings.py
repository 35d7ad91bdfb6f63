"""The same fields in other words and languages, what is taken for granted, and what gives way; all phrasings are our own."""

from __future__ import annotations

import pytest

from service.advisor.estimate import estimate
from service.advisor.recommend import recommend
from service.advisor.types import Stated, Workload
from service.advisor.understand import Missing, Understood, understand
from service.advisor.understand.assume import limits, with_preferences
from service.advisor.understand.words import spaced
from service.lexicon import find_devices


@pytest.fixture
def read(desk):
    def read(text):
        text = spaced(text)
        return understand(
            text, mentions=find_devices(text, desk.lexicon), vocabulary=desk.vocabulary
        )

    return read


FIELDS = [
    # Lengths and batches.
    ("LoRA of Mistral 7B, seq 4096 batch size 8", {"seq_len": 4096, "batch": 8}),
    ("QLoRA Qwen2.5 14B, seqlen 2048, bs 4", {"seq_len": 2048, "batch": 4}),
    ("LoRA on Mistral 7B at 4k seq", {"seq_len": 4096}),
    ("LoRA on Mistral 7B, 1024 seq len", {"seq_len": 1024}),
    ("LoRA on Mistral 7B at 8192 length", {"seq_len": 8192}),
    ("batch_size=16, max_seq_length=1024 LoRA for Llama 3.2 3B", {"seq_len": 1024, "batch": 16}),
    ("ejecutar Llama 3.1 8B con 8k de contexto", {"seq_len": 8192}),
    ("用 LoRA 微调 Qwen2.5 7B，序列长度 4096", {"task": "lora", "seq_len": 4096}),
    ("serve Phi-4 to 20 sequences at once", {"concurrency": 20}),
    # Methods.
    ("full fine tuning of Llama 3.1 405B", {"task": "full_finetune"}),
    ("full finetuning of a 7B on 4090s", {"task": "full_finetune"}),
    ("complete fine-tuning of Gemma 2 9B", {"task": "full_finetune"}),
    ("fine-tuning completo de Llama 3.1 70B", {"task": "full_finetune"}),
    ("全量微调 Qwen2.5 7B", {"task": "full_finetune"}),
    ("train a 1.3B model on 26B tokens", {"task": "pretraining", "tokens": 26e9}),
    (
        "entraîner un modèle 1B sur 20B tokens en trois jours",
        {"task": "pretraining", "deadline_hours": 72},
    ),
    ("a 13B model trained with ZeRO-3 over 128 GPUs", {"task": "pretraining"}),
    ("fine-tune a 7B with ZeRO-3 over 64 GPUs, all weights", {"task": "full_finetune"}),
    (
        "two small CNNs and a BERT for my thesis, what should I buy?",
        {"task": "training", "model": "bert-base-uncased"},
    ),
    ("edge box that runs object detection", {"task": "inference"}),
    ("quero treinar com LoRA o Mistral 7B", {"task": "lora"}),
    # Deadlines.
    ("pretrain a 3B model on 60B tokens within two weeks", {"deadline_hours": 336}),
    ("LoRA of Llama 3 8B this weekend", {"deadline_hours": 48}),
    ("LoRA of Llama 3 8B, done tonight", {"deadline_hours": 12}),
    ("LoRA of Llama 3 8B overnight on a rented card", {"deadline_hours": 12}),
    ("can I train a 1B model on 20B tokens in a week?", {"deadline_hours": 168}),
    ("LoRA von Llama 3 8B bis morgen", {"deadline_hours": 12}),
    ("LoRA von Llama 3 8B innerhalb von drei Tagen", {"deadline_hours": 72}),
    ("entrenar un modelo de 3B en menos de dos semanas", {"deadline_hours": 336}),
    ("LoRA de Llama 3 8B este fin de semana", {"deadline_hours": 48}),
    ("两周内训练 1B 模型", {"deadline_hours": 336}),
    ("rent for 20 hours a day, LoRA of a 7B", {"deadline_hours": None, "hours_per_month": 600}),
    # Makers and devices that are not wanted.
    ("something other than NVIDIA for Llama 3.1 8B", {"vendors_excluded": ("NVIDIA",)}),
    ("anything but Apple for a 70B in 4 bit", {"vendors_excluded": ("Apple",)}),
    ("besides AMD, what runs Llama 3.1 8B?", {"vendors_excluded": ("AMD",)}),
    ("an alternative to NVIDIA for serving a 13B", {"vendors_excluded": ("NVIDIA",)}),
    ("sauf NVIDIA, pour servir Llama 3.1 8B", {"vendors_excluded": ("NVIDIA",)}),
    # Numbers of devices.
    (
        "M3 Ultra vs 2x 4090 for a 70B",
        {
            "device_count": None,
            "devices_wanted": ("apple-m3-ultra", "nvidia-rtx-4090", "nvidia-rtx-4090"),
        },
    ),
    (
        "1x 4090 or 2x 3090 for a 70B at q4?",
        {"devices_wanted": ("nvidia-rtx-4090", "nvidia-rtx-3090", "nvidia-rtx-3090")},
    ),
    ("8x H100 or H200 for Llama 3.1 405B in fp8", {"device_count": 8}),
    (
        "I own two RTX 3090 and want a 70B; is an A100 80GB better?",
        {"device_count": None, "devices_owned": ("nvidia-rtx-3090",) * 2},
    ),
    ("QLoRA of a 70B on a single 48 GB card", {"device_count_max": 1}),
    ("which card serves Phi-4?", {"device_count_max": 1}),
    ("how many cards does Llama 3.1 70B in bf16 take?", {"device_count_max": None}),
    ("serve Llama 3.1 405B in bf16", {"device_count_max": None}),
    ("how many GPUs fit one workstation for BERT-size models?", {"device_count_max": 4}),
    # Formats that are taken for granted.
    ("QLoRA of Gemma 2 9B", {"precision": "nf4_dq", "checkpointing": True}),
    ("pretrain a 1B model on 30B tokens", {"precision": "bf16"}),
    ("full fine-tune of a 3B, mixed precision AdamW", {"precision": "bf16"}),
    ("fp16 KV cache of Llama 3.1 70B at 32k tokens", {"precision": "fp16"}),
    ("which Mac for a 70B?", {"precision": "q4_k_m"}),
    ("LoRA of a 7B with no checkpointing", {"checkpointing": False}),
    ("LoRA of a 7B", {"checkpointing": True}),
    ("why do two guides differ on LoRA of a 7B?", {"checkpointing": False}),
    # Places.
    ("LoRA of a 7B on Azure", {"placement": "cloud"}),
    ("which Lambda machine for Phi-4?", {"placement": "cloud"}),
    ("AWS or on premises for Phi-4?", {"placement": None}),
    ("patient records can't leave the building, serve Phi-4", {"placement": "onprem"}),
    ("my RTX 4090 and a 13B in 4 bit", {"placement": "local"}),
    ("quero rodar Llama 3.1 8B em casa", {"placement": "local"}),
    # Tables and other kinds of models.
    ("LightGBM with 8 million rows x 300 columns", {"model": "LightGBM"}),
    ("train CatBoost on 3 million rows and 40 features", {"model": "CatBoost"}),
    ("train a YOLO model on 100k images", {"task": "training", "model": "yolov8m"}),
    ("distil-bert fine-tuning", {"model": "distilbert-base-uncased"}),
    ("embed documents with bge-m3", {"devices_wanted": None}),
]


@pytest.mark.parametrize(("text", "wanted"), FIELDS)
def test_fields_in_other_words(read, text, wanted):
    assert values_of(read(text), wanted) == wanted


def values_of(found, names):
    assert isinstance(found, Understood), found
    fields = {name: getattr(found.workload, name) for name in names}
    return {name: field.value if field else None for name, field in fields.items()}


@pytest.mark.parametrize(
    ("text", "size", "owned"),
    [
        ("does SDXL fit in 8 GB?", 8, False),
        ("will a 13B at q4 run with 12gb?", 12, False),
        ("is 16 GB enough for LoRA of a 7B?", 16, False),
        ("reichen 24 GB für QLoRA eines 13B-Modells?", 24, False),
        ("faire tourner un 32B en Q4_K_M sur une carte de 24 Go", 24, False),
        ("I only have a CPU server with 256 GB RAM. can I serve an 8B LLM?", 256, False),
        ("my EPYC box with 1 TB of RAM, no GPU: DeepSeek R1 in 4 bit?", 1024, True),
    ],
)
def test_bare_sizes(read, text, size, owned):
    found = read(text)
    assert [(each.value, each.owned) for each in found.capacities] == [(size, owned)]


@pytest.mark.parametrize(
    "text", ["fine-tune a 7B on 5 GB of text", "serve a 7B in a box with 64 GB of RAM and a 4090"]
)
def test_other_sizes_are_no_cards(read, text):
    assert read(text).capacities == ()


def test_a_detector_without_a_name_is_not_asked_for_lora(read):
    found = read("What card does my model need to train a Faster R-CNN on images?")
    assert isinstance(found, Missing)
    assert "LoRA" not in found.ask


def test_an_assumed_number_gives_way_where_one_device_cannot_hold_it(read, desk):
    asked = read("serve Llama 3.1 70B in bf16 in the cloud, NVIDIA only, on A100 80GB").workload
    assert (asked.device_count_max.value, asked.device_count_max.origin) == (1, "assumed")
    result = recommend(limits(asked), desk.shelf, today=desk.today)
    assert any(option.count > 1 for option in result.options)
    assert with_preferences(result.workload, asked).device_count_max == asked.device_count_max


def test_where_owned_devices_stand_does_not_forbid_to_rent(read, desk):
    asked = read("I own an RTX 3060 12 GB; serve Llama 3.1 70B in bf16").workload
    assert asked.placement.value == "local"
    result = recommend(limits(asked), desk.shelf, today=desk.today)
    assert any(option.where == "rent" for option in result.options)


def test_adapters_need_less_with_the_default_than_without_checkpointing(desk):
    plain = Workload(task=Stated(value="lora"), model=Stated(value="Llama-3.1-8B"))
    off = Workload(
        task=Stated(value="lora"),
        model=Stated(value="Llama-3.1-8B"),
        checkpointing=Stated(value=False),
    )
    models = desk.shelf.models
    with_it = estimate(plain, models=models).device_gib or 0.0
    assert 0 < with_it < (estimate(off, models=models).device_gib or 0.0)
    assert any("checkpointing on" in each for each in estimate(plain, models=models).assumptions)


def test_further_streams_of_a_speech_model_take_memory(desk):
    def need(streams):
        return estimate(
            Workload(
                task=Stated(value="inference"),
                model=Stated(value="whisper-large-v3"),
                concurrency=Stated(value=streams),
            ),
            models=desk.shelf.models,
        )

    # 2 x 32 layers x 1,280 values x (1,500 + 448) positions x 2 bytes for each stream beyond the first.
    each = 2 * 32 * 1280 * (1500 + 448) * 2 / 2**30
    assert need(50).total_gib - need(1).total_gib == pytest.approx(49 * each)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("do 2x 24GB cards suffice for Llama 3.3 70B?", {"device_count": 2}),
        ("a spot GPU for a 20 hour QLoRA run of Llama 3.1 8B", {"hours": 20, "spot": True}),
        ("pré-entraîner un modèle de 350M sur 7B tokens", {"params_b": 0.35, "tokens": 7e9}),
        ("pretrain a 124M GPT on 10B tokens", {"tokens": 10e9, "task": "pretraining"}),
        ("nothing may go outside our network: Phi-4 for the clinic", {"placement": "onprem"}),
        ("serve Phi-4 on AWS eu-central-1", {"region": "eu-central-1", "placement": "cloud"}),
        ("预算 2 万元人民币，在本地运行 32B 模型 4bit", {"currency": "CNY", "placement": "local"}),
        ("a laptop with an RTX 4070 and 8 GB: QLoRA of a 7B", {"device_count_max": 1}),
    ],
)
def test_more_fields_in_other_words(read, text, wanted):
    assert values_of(read(text), wanted) == wanted
