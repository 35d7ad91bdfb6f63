"""An answer as the content of a chat message: pieces of Markdown in order, and where in them each citation stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from service.http.chat_replies import Annotation, UrlCitation
from service.render import place_of, short_quote, table_markdown
from service.types import Answer, Citation

_GAP: Final = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The pieces joined are the content; the annotations count characters of the whole."""

    pieces: tuple[str, ...]
    annotations: tuple[Annotation, ...]

    @property
    def text(self) -> str:
        """The whole content."""
        return "".join(self.pieces)


def content_of(answer: Answer, *, public_url: str) -> Content:
    """The answer as Markdown. A citation links to its document, or to its passage here where the document has no address."""
    parts = [f"Understood as: {answer.rewritten}"] if answer.rewritten else []
    said = sum(len(part) + len(_GAP) for part in parts)
    parts.extend(answer.text.split(_GAP))
    if answer.table is not None:
        parts.append(table_markdown(answer.table))
    before = sum(len(part) + len(_GAP) for part in parts)
    lines = [f"- [{each.n}] {place_of(each)}: “{short_quote(each)}”" for each in answer.citations]
    if lines:
        parts.append("\n".join(("Sources:", "", *lines)))
    marks = [*_marks_in_text(answer, said)]
    seen = {n for n, _ in marks}
    start = before + len("Sources:\n\n")
    for each, line in zip(answer.citations, lines, strict=True):
        if each.n not in seen:  # stands behind a row of the table
            marks.append((each.n, start + len("- ")))
        start += len(line) + 1
    by_number = {each.n: each for each in answer.citations}
    return Content(
        pieces=tuple(part if not i else _GAP + part for i, part in enumerate(parts)),
        annotations=tuple(_annotation(by_number[n], place, public_url) for n, place in marks),
    )


def _marks_in_text(answer: Answer, offset: int) -> Iterator[tuple[int, int]]:
    """Each mark of a statement with its place; a mark that a quoted text brings along is none."""
    end = 0
    for statement, own in zip(answer.statements, answer.marks, strict=False):
        tail = "".join(f"[{n}]" for n in own)
        start = answer.text.find(f"{statement.text} {tail}", end) if own else -1
        if start < 0:
            continue
        place = start + len(statement.text) + 1
        for n in own:
            yield n, offset + place
            place += len(f"[{n}]")
        end = place


def _annotation(citation: Citation, start: int, public_url: str) -> Annotation:
    here = f"{public_url}/v1/passages/{citation.passage_id}"
    link = citation.url if citation.url.startswith(("https://", "http://")) else here
    return Annotation(
        url_citation=UrlCitation(
            start_index=start,
            end_index=start + len(f"[{citation.n}]"),
            title=citation.title,
            url=link,
        )
    )
