"""Starts Rigwise in a process of its own and prints what that took, for `rigwise eval speed`."""

from __future__ import annotations

import json
from time import perf_counter

_QUESTIONS = ("How much memory does an H200 have?", "CPU or GPU for gradient boosting on tables?")


def main() -> None:
    """Load application, model and index, answer, and print seconds and resident memory as JSON."""
    start = perf_counter()
    from eval.speed.machine import resident_mb
    from rigwise.hosting import application, state_of
    from rigwise.wiring import embedder_of, wire
    from service.settings import load_settings
    from service.types import Question

    settings = load_settings()
    application(settings, state_of(settings))
    embedder = embedder_of(settings)
    model_s = perf_counter() - start
    engine = wire(settings, embedder).engine
    index_s = perf_counter() - start
    for text in _QUESTIONS:
        engine.answer(Question(text=text))
    answer_s = perf_counter() - start
    found = {
        "model_s": model_s,
        "index_s": index_s,
        "answer_s": answer_s,
        "resident_mb": resident_mb(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
