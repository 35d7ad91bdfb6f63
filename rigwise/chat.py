"""`rigwise chat`: questions one after another, each understood in the light of those before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigwise.terminal import build_progress, complain, errors, show_answer
from service.settings import load_settings
from service.types import Question

if TYPE_CHECKING:
    from service.engine import Engine

_END = frozenset({"exit", "quit", "bye", ":q"})
_FORGET = frozenset({"forget", "new", "reset"})
_KEPT = 20


def chat() -> None:
    """Ask several questions in a row; a follow-up such as "and with 4-bit?" leans on the one before.

    `forget` begins anew, `exit` or the end of the input ends. Questions can be piped in, one a line.

    Example: rigwise chat
    """
    from rigwise.wiring import embedder_of, wire

    settings = load_settings()
    embedder = embedder_of(settings)
    with build_progress() as progress:
        engine = wire(settings, embedder, progress).engine
    talk(engine, _lines())


def talk(engine: Engine, lines: Iterator[str]) -> None:
    """Answer each line; the questions so far go along, written out in full."""
    from service.errors import ServiceError

    earlier: list[str] = []
    for line in lines:
        text = line.strip()
        if text.casefold() in _END:
            return
        if text.casefold() in _FORGET:
            earlier.clear()
            errors().print("Forgotten.")
            continue
        if not text:
            continue
        try:
            answer = engine.answer(Question(text=text, conversation=tuple(earlier)))
        except ServiceError as error:
            complain(error)
            continue
        if answer.rewritten and sys.stdout.isatty():
            errors().print(f"Understood as: {answer.rewritten}", style="dim", markup=False)
        show_answer(answer)
        earlier = [*earlier, answer.rewritten or text][-_KEPT:]


def _lines() -> Iterator[str]:
    """What is typed or piped in, until it ends."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    errors().print("Ask about hardware for machine learning; `exit` ends.", markup=False)
    while True:
        try:
            yield errors().input("> ")
        except (EOFError, KeyboardInterrupt):
            return
