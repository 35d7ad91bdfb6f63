"""Markdown with front matter: headings, paragraphs, lists, code and tables, each with its span."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from indexer.front_matter import Plain, has_front_matter, read_front_matter
from indexer.parsing import SourceFile, decode, kind_of
from indexer.parsing.mdtables import with_table_lines
from indexer.types import Block, Document, DocumentId, Source

if TYPE_CHECKING:
    from markdown_it.token import Token

_FACT_LINE = re.compile(r"^ *- \{(fact:.*)\} *$", re.MULTILINE)
_FACT_NOISE = re.compile(r", (?:source|as_of|level): [^,}]*")
_PROSE = {
    "paragraph_open",
    "bullet_list_open",
    "ordered_list_open",
    "fence",
    "code_block",
    "blockquote_open",
    "html_block",
}


def parse(source: SourceFile) -> Document:
    """Parse a Markdown file; spans count characters of the decoded file, front matter included.

    Raises:
        CorpusError: the file is not UTF-8 text, or its front matter is broken.
    """
    text = decode(source)
    front = read_front_matter(source.path, text) if has_front_matter(text) else None
    values = front.values if front else {}
    start = front.body_start if front else 0
    kind = kind_of(source.path)
    body = tuple(_blocks(text, start))
    title = _title(values, body, source.path)
    facts = tuple(_fact_block(text, start, title)) if kind == "hardware" else ()
    key = source.path.removesuffix(".md")
    document = Document(
        id=DocumentId(key),
        path=source.path,
        title=title,
        kind=kind,
        text=text,
        as_of=_word(values, "as_of") or _newest_date(values),
        url=_word(values, "url"),
        media_type="text/markdown",
        sources=_sources(values),
        blocks=facts + body,
    )
    return with_table_lines(document) if kind == "user" else document


def _word(values: dict[str, Plain], key: str) -> str:
    value = values.get(key, "")
    return value if isinstance(value, str) else ""


def _title(values: dict[str, Plain], blocks: tuple[Block, ...], path: str) -> str:
    headings = [block.heading_path[0] for block in blocks if block.heading_path]
    return (
        _word(values, "title")
        or _word(values, "name")
        or next(iter(headings), PurePosixPath(path).stem)
    )


def _newest_date(values: dict[str, Plain]) -> str:
    """The newest date of any fact, so that a spec sheet without a date of its own still has one."""
    facts = values.get("facts") or []
    return max((_word(fact, "as_of") for fact in facts if isinstance(fact, dict)), default="")


def _sources(values: dict[str, Plain]) -> tuple[Source, ...]:
    entries = values.get("sources")
    return tuple(
        Source(
            key=key,
            **{
                name: _word(entry, name)
                for name in ("title", "url", "publisher", "as_of", "licence")
            },
        )
        for key, entry in (entries.items() if isinstance(entries, dict) else ())
        if isinstance(entry, dict)
    )


def _fact_block(text: str, body: int, title: str) -> Iterator[Block]:
    matches = list(_FACT_LINE.finditer(text, 0, body))
    if matches:
        yield Block(
            kind="facts",
            start=matches[0].start(1),
            end=matches[-1].end(1),
            heading_path=(title, "Specifications"),
            rows=tuple(match.span(1) for match in matches),
            found_by=tuple(
                _FACT_NOISE.sub("", match.group(1)).removeprefix("fact: ") for match in matches
            ),
        )


def _blocks(text: str, body: int) -> Iterator[Block]:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(text[body:])
    lines = [
        body,
        *accumulate((len(line) for line in text[body:].splitlines(keepends=True)), initial=body),
    ][1:]
    path: list[tuple[int, str]] = []
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            level = int(token.tag[1:])
            path = [entry for entry in path if entry[0] < level]
            path.append((level, tokens[position + 1].content))
        if token.level or token.map is None or token.type not in _PROSE | {"table_open"}:
            continue
        start, end = lines[token.map[0]], lines[token.map[1]]
        end = start + len(text[start:end].rstrip())
        headings = tuple(name for _, name in path)
        if token.type == "table_open":
            yield _table(text, (start, end), headings, tokens[position:])
        elif end > start:
            yield Block(kind="prose", start=start, end=end, heading_path=headings)


def _table(
    text: str, span: tuple[int, int], headings: tuple[str, ...], tokens: list[Token]
) -> Block:
    """A pipe table: each row's span is its line; the header is repeated before each group of rows."""
    rows: list[list[str]] = []
    for position, token in enumerate(tokens):
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(tokens[position + 1].content)
    start, end = span
    offsets = list(
        accumulate((len(line) + 1 for line in text[start:end].split("\n")), initial=start)
    )
    body = tuple((offset, following - 1) for offset, following in pairwise(offsets[2:]))
    return Block(
        kind="table",
        start=start,
        end=end,
        heading_path=headings,
        rows=body,
        header=tuple(rows[0]) if rows else (),
        cells=tuple(tuple(row) for row in rows[1:]),
        lead=" | ".join(rows[0]) if rows else "",
    )
