"""Pipe tables of users' Markdown as lines that can be quoted alone, as the tables of all other formats are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from indexer.parsing.grid import Grid, Row, lead_of, row_line, row_pieces
from indexer.types import Block, Document

_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP: Final = re.compile(r"\*\*|__|`|<br\s*/?>")


def with_table_lines(document: Document) -> Document:
    """The document with each table written as one line a row; the spans of all blocks follow."""
    parts: list[str] = []
    blocks: list[Block] = []
    length = done = 0
    for block in sorted(document.blocks, key=lambda block: block.start):
        before = document.text[done : block.start]
        parts.append(before)
        length += len(before)
        if block.kind == "table" and block.header:
            written, lines = _rewritten(block, length)
        else:
            written, lines = _moved(block, length), document.text[block.start : block.end]
        blocks.append(written)
        parts.append(lines)
        length += len(lines)
        done = max(done, block.end)
    return replace(document, text="".join([*parts, document.text[done:]]), blocks=tuple(blocks))


def _moved(block: Block, start: int) -> Block:
    shift = start - block.start
    rows = tuple((first + shift, last + shift) for first, last in block.rows)
    return replace(block, start=start, end=block.end + shift, rows=rows)


def _rewritten(block: Block, start: int) -> tuple[Block, str]:
    header = tuple(_plain(name) for name in block.header)
    rows = (Row(cells=tuple(_plain(cell) for cell in cells)) for cells in block.cells if any(cells))
    grid = Grid(header=header, rows=tuple(row for row in rows if len(row.cells) == len(header)))
    pieces = [piece for row in grid.rows for piece in row_pieces(grid, row)]
    lines = [row_line(grid, piece) for piece in pieces]
    spans, at = [], start
    for line in lines:
        spans.append((at, at + len(line)))
        at += len(line) + 1
    text = "\n".join(lines)
    cells = tuple(piece.cells for piece in pieces)
    moved = replace(
        block,
        start=start,
        end=start + len(text),
        rows=tuple(spans),
        header=header,
        cells=cells,
        lead=lead_of(grid),
    )
    return moved, text


def _plain(cell: str) -> str:
    return " ".join(_MARKUP.sub(" ", _LINK.sub(r"\1", cell)).split())
