"""A process of its own: cold start until the first answer, and resident memory with the corpus loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Final

from eval.speed.rows import Row, single

_TIMEOUT_S: Final = 180
_SERVE: Final = """
import json
from time import perf_counter
start = perf_counter()
from rigwise.wiring import embedder_of, state_of, application, wire
from service.settings import load_settings
from service.types import Question
from eval.speed.machine import resident_mb
settings = load_settings()
application(settings, state_of(settings))
embedder = embedder_of(settings)
model = perf_counter()
engine = wire(settings, embedder).engine
index = perf_counter()
for text in ("How much memory does an H200 have?", "CPU or GPU for gradient boosting on tables?"):
    engine.answer(Question(text=text))
print(json.dumps({"model_s": model - start, "index_s": index - start,
    "answer_s": perf_counter() - start, "resident_mb": resident_mb()}))
"""
_NAMES: Final = {
    "model_s": "cold start, model loaded",
    "index_s": "cold start, index opened",
    "answer_s": "cold start, two questions answered",
}


def measure_process(told: Callable[[str], object]) -> list[Row]:
    """Start Rigwise with the settings of this process; the index must have been built before."""
    told("process: cold start and memory")
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and text
            [sys.executable, "-c", _SERVE],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = f"skipped: {type(error).__name__}"
        return [Row(group="process", name="resident memory", unit="MB", skipped=reason)]
    found = json.loads(done.stdout.splitlines()[-1])
    rows = [
        single(Row(group="process", name=name, unit="s", higher_is_better=False), float(found[key]))
        for key, name in _NAMES.items()
    ]
    memory = Row(
        group="process",
        name="resident memory",
        unit="MB",
        higher_is_better=False,
        note="10^6 bytes, web application and engine loaded, after two answers",
    )
    if found["resident_mb"] is None:
        return [*rows, memory.model_copy(update={"skipped": "skipped: the system does not tell"})]
    return [*rows, single(memory, float(found["resident_mb"]))]
