"""How long a recommendation over the full catalog takes, beside ten query embeddings on the same machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter

from indexer.embedders import Embedder
from service.advisor.answers import Desk
from service.advisor.recommend import recommend
from service.advisor.types import Stated, Workload

EMBEDDINGS = 10
# Questions of the usual length, embedded one at a time as a service does.
QUESTIONS = (
    "Which card for QLoRA of an 8B model at home, at most 800 dollars?",
    "Does Llama 3.1 70B in Q4_K_M with 8k context fit on two RTX 3090?",
    "How many days does pretraining of 7B parameters on one trillion tokens take?",
    "XGBoost on 50 million rows by 200 columns: GPU server or CPU server?",
    "How much memory does LoRA on a 13B model need at 2,048 tokens?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceTime:
    """Medians of both, in milliseconds."""

    recommendation_ms: float
    embeddings_ms: float

    @property
    def ratio(self) -> float:
        """The recommendation's share of the time of ten embeddings; the aim is below 1."""
        return self.recommendation_ms / self.embeddings_ms


def workloads() -> tuple[Workload, ...]:
    """Workloads that look at the whole catalog: served, adapted, trained."""

    def of(**fields: object) -> Workload:
        return Workload(**{name: Stated(value=value) for name, value in fields.items()})  # type: ignore[arg-type]

    return (
        of(task="inference", model="Llama-3.1-70B", seq_len=8192, concurrency=4),
        of(task="qlora", model="Llama-3.1-8B", seq_len=2048, batch=2),
        of(task="full_finetune", model="Llama-2-13b-hf", seq_len=2048),
    )


def time_advice(
    desk: Desk,
    embedder: Embedder,
    *,
    repeats: int = 5,
    clock: Callable[[], float] = perf_counter,
) -> AdviceTime:
    """Measure both in turn, so that both see the same load of the machine."""
    recommended: list[float] = []
    embedded: list[float] = []
    for _ in range(repeats):
        recommended.extend(
            _ms(partial(recommend, workload, desk.shelf, today=desk.today), clock)
            for workload in workloads()
        )
        embedded.append(_ms(lambda: _embed(embedder, QUESTIONS), clock))
    return AdviceTime(recommendation_ms=median(recommended), embeddings_ms=median(embedded))


def _embed(embedder: Embedder, questions: Sequence[str]) -> None:
    for place in range(EMBEDDINGS):
        embedder.embed_queries([questions[place % len(questions)]])


def _ms(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return (clock() - start) * 1000
