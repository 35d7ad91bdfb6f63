"""`rigwise ask` and `rigwise search`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from rigwise.terminal import build_progress, show_answer, show_hits, show_json
from service.settings import load_settings
from service.types import Question

NO_ANSWER: Final = 3
AsJson = Annotated[bool, typer.Option("--json", help="Print the object that POST /v1/ask sends.")]


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    as_json: AsJson = False,
) -> None:
    """Answer a question with cited passages.

    The index is built first when there is none. Exit code 3: there is no answer, and the reason is shown.

    Example: rigwise ask "How much memory does an H200 have?"
    """
    from rigwise.wiring import embedder_of, wire
    from service.render import answer_object

    settings = load_settings()
    embedder = embedder_of(settings)
    with build_progress() as progress:
        engine = wire(settings, embedder, progress).engine
    answer = engine.answer(Question(text=question))
    if as_json:
        show_json(answer_object(answer))
    else:
        show_answer(answer)
    if answer.kind != "answer":
        raise typer.Exit(NO_ANSWER)


def search(
    text: Annotated[str, typer.Argument(help="Words or a question, in quotes.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="Passages at most.")] = 10,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the object that GET /v1/search sends.")
    ] = False,
) -> None:
    """Find passages, without an answer.

    Example: rigwise search "ECC memory for training" --limit 5
    """
    from rigwise.wiring import embedder_of, wire
    from service.render import hit_object

    settings = load_settings()
    embedder = embedder_of(settings)
    with build_progress() as progress:
        engine = wire(settings, embedder, progress).engine
    hits = engine.search(text, limit=limit)
    if as_json:
        show_json(
            {
                "query": text,
                "hits": [hit_object(hit) for hit in hits],
                "generation": engine.index().id,
            }
        )
    else:
        show_hits(hits)
