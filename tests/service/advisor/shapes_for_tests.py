"""Shapes and workloads that several tests use; figures from the models' released configurations."""

from service.advisor.types import ModelShape, Need, Stated, Task, Workload


def llama(name="Llama-3-8B", **changes) -> ModelShape:
    values = {
        "name": name,
        "family": "decoder",
        "params_b": 8.030261248,
        "layers": 32,
        "hidden": 4096,
        "heads": 32,
        "kv_heads": 8,
        "head_dim": 128,
        "ffn": 14336,
        "vocab": 128256,
        "context": 131072,
    }
    return ModelShape(**{**values, **changes})


LLAMA_8B = llama()
LLAMA_70B = llama(
    "Llama-3.1-70B", params_b=70.553706496, layers=80, hidden=8192, heads=64, ffn=28672
)
LLAMA_405B = llama(
    "Llama-3.1-405B", params_b=405.853388800, layers=126, hidden=16384, heads=128, ffn=53248
)
LLAMA_2_7B = llama("Llama-2-7B", params_b=6.738, kv_heads=32, ffn=11008, vocab=32000)
MIXTRAL = llama(
    "Mixtral-8x7B",
    params_b=46.703,
    vocab=32000,
    experts=8,
    experts_per_token=2,
    active_params_b=12.88,
)
DEEPSEEK_V3 = llama(
    "DeepSeek-V3",
    params_b=671.026,
    layers=61,
    hidden=7168,
    heads=128,
    kv_heads=128,
    ffn=18432,
    vocab=129280,
    experts=256,
    experts_per_token=8,
    shared_experts=1,
    moe_ffn=2048,
    active_params_b=37.5,
    kv_lora_rank=512,
    rope_dim=64,
)


def stated(task: Task, **fields) -> Workload:
    return Workload(
        task=Stated(value=task), **{name: Stated(value=value) for name, value in fields.items()}
    )


def sizes(need: Need) -> tuple[float, float, float, float]:
    """Low, likely, what a device must hold, and high."""
    assert need.low_gib is not None
    assert need.total_gib is not None
    assert need.device_gib is not None
    assert need.high_gib is not None
    return need.low_gib, need.total_gib, need.device_gib, need.high_gib
