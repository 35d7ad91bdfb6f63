"""Document to passages: structure first, size by the embedder's own tokenizer, ids from content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from indexer.text import sentence_spans
from indexer.types import Block, Document, Passage, PassageId

CountTokens = Callable[[str], int]
Span = tuple[int, int]

# Bumped when passages of the same document would come out differently.
CHUNKER_VERSION = 2
# Tokens that headings and table headers always leave for the text.
_LEAST_ROOM = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    block: Block
    span: Span
    shown: str


def chunk_document(
    document: Document, count_tokens: CountTokens, *, max_tokens: int
) -> list[Passage]:
    """Cut a document into passages in reading order; none is longer than `max_tokens` as embedded.

    A passage never crosses a heading. Prose is packed by paragraphs, and split at sentences (then at words) where
    one paragraph is too long. Table rows and fact lines are packed whole, each group with the table's header; a
    single row that is too long is split at words.
    """
    passages: list[Passage] = []
    seen: dict[str, int] = {}
    for blocks in _sections(document):
        kind, path, page = blocks[0].kind, blocks[0].heading_path, blocks[0].page
        for draft in _pack(document, blocks, count_tokens, max_tokens=max_tokens):
            start, end = draft.span
            text = document.text[start:end]
            head = _head(document, draft.block, count_tokens, max_tokens=max_tokens)
            embedded = f"{head}\n{draft.shown}"
            key = "\0".join((document.id, *path, embedded, text))
            seen[key] = seen.get(key, 0) + 1
            digest = hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()
            passages.append(
                Passage(
                    id=PassageId(digest[:16]),
                    document_id=document.id,
                    kind=kind,
                    start=start,
                    end=end,
                    text=text,
                    embedded=embedded,
                    heading_path=path,
                    page=page,
                    tokens=count_tokens(embedded),
                )
            )
    return passages


def _sections(document: Document) -> Iterator[list[Block]]:
    """Runs of blocks of one kind under one heading; a heading of the same name again begins another run."""
    run: list[Block] = []
    for block in document.blocks:
        if run and (
            (block.kind, block.heading_path, block.page)
            != (run[-1].kind, run[-1].heading_path, run[-1].page)
            or document.text[run[-1].end : block.start].strip()
        ):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _head(document: Document, block: Block, count_tokens: CountTokens, *, max_tokens: int) -> str:
    """Title, headings (each once) and lead, so that a passage is found by what it is about.

    Where they would leave less than `_LEAST_ROOM` for the text, the outer headings go first, then the end is cut.
    """
    heads = list(dict.fromkeys((document.title, *block.heading_path)))
    lead = [block.lead] if block.lead else []
    most = max_tokens - _LEAST_ROOM
    head = "\n".join([" - ".join(heads), *lead])
    while count_tokens(head) > most and len(heads) > 1:
        del heads[0]
        head = "\n".join([" - ".join(heads), *lead])
    while count_tokens(head) > most and head:
        head = head[: len(head) * 3 // 4]
    return head


def _pack(
    document: Document, blocks: Sequence[Block], count_tokens: CountTokens, *, max_tokens: int
) -> Iterator[_Draft]:
    """Join neighbouring pieces while they fit; the budget is what headings and lead leave."""
    for block, pieces in _pieces(document, blocks, count_tokens, max_tokens=max_tokens):
        room = _room(document, block, count_tokens, max_tokens)
        group: list[tuple[Span, str]] = []
        used = 0
        for piece in pieces:
            cost = count_tokens(piece[1])
            if group and used + cost > room:
                yield _draft(block, group)
                group, used = [], 0
            group.append(piece)
            used += cost
        if group:
            yield _draft(block, group)


def _draft(block: Block, group: Sequence[tuple[Span, str]]) -> _Draft:
    return _Draft(
        block=block,
        span=(group[0][0][0], group[-1][0][1]),
        shown="\n".join(shown for _, shown in group),
    )


def _pieces(
    document: Document, blocks: Sequence[Block], count_tokens: CountTokens, *, max_tokens: int
) -> Iterator[tuple[Block, list[tuple[Span, str]]]]:
    if blocks[0].kind == "prose":
        pieces = [
            piece
            for block in blocks
            for piece in _split(
                document,
                (block.start, block.end),
                count_tokens,
                room=_room(document, block, count_tokens, max_tokens),
            )
        ]
        yield blocks[0], pieces
        return
    for block in blocks:
        room = _room(document, block, count_tokens, max_tokens)
        rows: list[tuple[Span, str]] = []
        for position, span in enumerate(block.rows or ((block.start, block.end),)):
            shown = block.found_by[position] if block.found_by else document.text[slice(*span)]
            if count_tokens(shown) <= room:
                rows.append((span, shown))
            else:
                rows.extend(_split(document, span, count_tokens, room=room))
        yield block, rows


def _room(document: Document, block: Block, count_tokens: CountTokens, max_tokens: int) -> int:
    head = _head(document, block, count_tokens, max_tokens=max_tokens)
    return max_tokens - count_tokens(f"{head}\n")


def _split(
    document: Document, span: Span, count_tokens: CountTokens, *, room: int
) -> list[tuple[Span, str]]:
    """A span whole if it fits, else its sentences, else runs of words."""
    text = document.text[slice(*span)]
    if count_tokens(text) <= room:
        return [(span, text)]
    pieces: list[tuple[Span, str]] = []
    for start, end in sentence_spans(text):
        sentence = (span[0] + start, span[0] + end)
        if count_tokens(text[start:end]) <= room:
            pieces.append((sentence, text[start:end]))
        else:
            pieces.extend(_halve(document, sentence, count_tokens, room=room))
    return pieces


def _halve(
    document: Document, span: Span, count_tokens: CountTokens, *, room: int
) -> list[tuple[Span, str]]:
    """Cut in two near the middle, at white space if there is any, until each part fits."""
    start, end = span
    text = document.text[start:end]
    if count_tokens(text) <= room or len(text) < 2:
        return [(span, text)]
    middle = len(text) // 2
    cut = text.rfind(" ", 1, middle) + 1 or middle
    return [
        *_halve(document, (start, start + cut), count_tokens, room=room),
        *_halve(document, (start + cut, end), count_tokens, room=room),
    ]
