"""An answer whole, in Markdown: the file under a message that could not hold it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def answer_markdown(answer: Mapping[str, Any]) -> str:
    """Question, statements with marks, tables and all sources with their quotes."""
    return "\n\n".join(part for part in _parts(answer) if part) + "\n"


def _parts(answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {' '.join(answer['question'].split())}"
    for statement in answer["statements"]:
        yield f"{statement['text']} {_marks(statement['citations'])}".strip()
    reason = answer["abstention"]
    if reason is not None:
        yield f"{reason['why']} {reason['ask']}".strip()
    table = answer["table"]
    if table is not None:
        rows = ([*row["cells"], _marks(row["citations"])] for row in table["rows"])
        yield "\n".join(_table([*table["header"], "Sources"], rows))
    for warning in (answer["recommendation"] or {}).get("warnings", ()):
        yield f"Warning: {warning['text']}"
    for citation in answer["citations"]:
        document = citation["document"]
        yield f"[{citation['n']}] {document['title']} ({document['path']}) {document['url']}\n\n> {' '.join(citation['quote'].split())}"
    yield f"Index {answer['generation']}, request {answer['id']}"


def _table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield _row(header)
    yield "|" + "---|" * len(header)
    for row in rows:
        yield _row(row)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def _marks(numbers: Iterable[int]) -> str:
    return "".join(f"[{n}]" for n in numbers)
