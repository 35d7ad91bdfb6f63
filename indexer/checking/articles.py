"""Checks of one guidance article: schema, sources, length and form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import PurePosixPath
from typing import Final

from pydantic import ValidationError

from indexer.checking.finding import Finding, future_dates, schema_findings, unreadable
from indexer.errors import CorpusError
from indexer.front_matter import FrontMatter, read_front_matter
from indexer.schema import ArticleFrontMatter

_WORDS: Final = (300, 900)
_CITED: Final = re.compile(r"\[\^([^\]\s]+)\]")
_MARKUP: Final = re.compile(
    r"\*\*[^*\n]+\*\*|(?<![\w*])\*[^*\s][^*\n]*\*(?!\w)|\]\(|(?<!\w)__[^_\n]+__"
)
_CODE: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_TITLE: Final = re.compile(r"^# (.+?)\s*$", re.MULTILINE)


def check_article(path: str, text: str, *, today: date | None) -> Iterator[Finding]:
    """All that one article shows by itself."""
    try:
        head = read_front_matter(path, text)
    except CorpusError as error:
        yield unreadable(error)
        return
    try:
        front = ArticleFrontMatter.model_validate(head.values)
    except ValidationError as error:
        yield from schema_findings(path, head, error)
        return
    folder = PurePosixPath(path).parent.name
    if folder not in (front.topic, "guidance"):
        yield Finding(
            path=path,
            line=head.line_of("topic"),
            value=front.topic,
            problem=f"the article lies in the folder {folder!r}",
            remedy="move the file into the folder of its topic, or correct the topic",
        )
    yield from future_dates(path, head, front, today=today)
    yield from _citations(path, text, head, front)
    yield from _title(path, text, head, front)
    yield from _form(path, text, head)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _citations(
    path: str, text: str, head: FrontMatter, front: ArticleFrontMatter
) -> Iterator[Finding]:
    cited = set()
    for match in _CITED.finditer(text, head.body_start):
        cited.add(match[1])
        if match[1] not in front.sources:
            yield Finding(
                path=path,
                line=_line(text, match.start()),
                value=match[0],
                problem="no source has this key",
                remedy=f"add it to sources, or use one of: {', '.join(front.sources) or '(none yet)'}",
            )
    for key in front.sources:
        if key not in cited:
            yield Finding(
                path=path,
                line=head.line_of("sources", key),
                value=key,
                problem="no sentence cites this source",
                remedy=f"put [^{key}] behind the sentence that rests on it, or take the source out",
                severity="warning",
            )


def _title(path: str, text: str, head: FrontMatter, front: ArticleFrontMatter) -> Iterator[Finding]:
    match = _TITLE.search(text, head.body_start)
    if match is None or match[1] != front.title:
        yield Finding(
            path=path,
            line=_line(text, match.start() if match else head.body_start),
            value=match[1] if match else "",
            problem="the first heading is not the title",
            remedy=f"begin the text with '# {front.title}'",
            severity="warning",
        )


def _form(path: str, text: str, head: FrontMatter) -> Iterator[Finding]:
    body = text[head.body_start :]
    words = len(_CITED.sub("", body).split())
    low, high = _WORDS
    if not low <= words <= high:
        yield Finding(
            path=path,
            line=_line(text, head.body_start),
            value=f"{words} words",
            problem=f"an article has {low} to {high} words",
            remedy="split it into two topics" if words > high else "answer the topic in full",
            severity="warning",
        )
    shown = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), body)
    for match in _MARKUP.finditer(shown):
        yield Finding(
            path=path,
            line=_line(text, head.body_start + match.start()),
            value=match[0],
            problem="bold, italics and links are not allowed in the text",
            remedy="take the markup out: a quote is shown as it stands",
            severity="warning",
        )
