"""Writes the text of a document piece by piece and notes the span of each."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath
from typing import Final

from indexer.parsing import SourceFile, kind_of
from indexer.parsing.encodings import without_controls
from indexer.parsing.grid import Grid, lead_of, row_line, row_pieces
from indexer.types import Block, Document, DocumentId

# How much of a document's title stands before a pair of label and value.
_SUBJECT: Final = 60


class Writer:
    """Collects headings, paragraphs and tables in reading order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above what comes next, outermost first."""
        return tuple(name for _, name in self._path)

    def heading(self, level: int, text: str) -> None:
        """A heading: it ends those of its level and below."""
        name = " ".join(without_controls(text).split())
        if not name:
            return
        self._path = [entry for entry in self._path if entry[0] < level]
        self._path.append((level, name))
        self._add(name, gap="\n\n")

    def prose(self, text: str, *, page: int | None = None) -> None:
        """A paragraph or a list; its own line ends are kept."""
        words = without_controls(text).strip()
        if words:
            start, end = self._add(words, gap="\n\n")
            self._blocks.append(
                Block(kind="prose", start=start, end=end, heading_path=self.headings, page=page)
            )

    def table(self, grid: Grid) -> None:
        """A table: one line a row; rows on different pages become blocks of their own with the same lead."""
        if grid.caption and grid.caption not in self.headings:
            self._add(without_controls(grid.caption), gap="\n")
        subject = self.headings[0][:_SUBJECT] if self.headings else ""
        for page, rows in groupby(grid.rows, key=lambda row: row.page):
            kept = [piece for row in rows for piece in row_pieces(grid, row)]
            spans = [
                self._add(without_controls(row_line(grid, row, subject)), gap="\n") for row in kept
            ]
            self._blocks.append(
                Block(
                    kind="table",
                    start=spans[0][0],
                    end=spans[-1][1],
                    heading_path=self.headings,
                    page=page,
                    rows=tuple(spans),
                    header=grid.header,
                    cells=tuple(row.cells for row in kept),
                    lead=lead_of(grid),
                )
            )
        self._add("", gap="\n")

    def document(
        self,
        source: SourceFile,
        media_type: str,
        *,
        title: str = "",
        as_of: str = "",
        url: str = "",
    ) -> Document:
        """The document; without a title the outermost first heading or the file's name is it."""
        name = PurePosixPath(source.path)
        first = next((block.heading_path[0] for block in self._blocks if block.heading_path), "")
        shown = (
            " ".join(without_controls(title).split())
            or first
            or name.stem.replace("_", " ").replace("-", " ")
        )
        return Document(
            # The ending stays: a data sheet and its web page may share a name.
            id=DocumentId(source.path),
            path=source.path,
            title=shown,
            kind=kind_of(source.path),
            text="".join(self._parts),
            as_of=as_of,
            url=url,
            media_type=media_type,
            blocks=tuple(
                replace(block, heading_path=block.heading_path or (shown,))
                for block in self._blocks
            ),
        )

    def _add(self, text: str, *, gap: str) -> tuple[int, int]:
        start = self._length
        self._parts += [text, gap]
        self._length += len(text) + len(gap)
        return start, start + len(text)
