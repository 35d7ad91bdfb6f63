"""Pages to a document: headings, paragraphs, tables stitched over pages, footnotes tied to their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from indexer.parsing.footnotes import Note, marks_in, note_of
from indexer.parsing.geometry import PageLayout
from indexer.parsing.grid import Grid, Row, guess_header, make_grid, with_notes
from indexer.parsing.pdftable import FoundTable
from indexer.parsing.reading import Item, Paragraph, edge_lines, is_heading, read_items
from indexer.parsing.writer import Writer

_SAMPLED: Final = 40
_SAME_EDGE: Final = 12.0
_LEVELS: Final = 4


@dataclass(slots=True)
class _Table:
    """A table that may go on over the next page."""

    grid: Grid
    edges: tuple[float, ...]
    page: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What holds for a whole document: the body's font size, sizes of headings from large to small, running heads."""

    body: float
    sizes: tuple[float, ...]
    running: frozenset[str]

    def level(self, paragraph: Paragraph) -> int:
        """1 for the largest; headings of the body's size are the lowest."""
        larger = sum(1 for size in self.sizes if size > paragraph.size + 0.4)
        return min(larger + 1, _LEVELS)


def measure(pages: int, read: Callable[[int], PageLayout]) -> Style:
    """Look at some pages all over the document."""
    step = max(1, pages // _SAMPLED)
    layouts = [read(index) for index in range(0, pages, step)]
    letters: Counter[float] = Counter()
    edges: Counter[str] = Counter()
    for layout in layouts:
        for word in layout.words:
            letters[round(word.size * 2) / 2] += len(word.text)
        edges.update(set(edge_lines(layout)))
    body = letters.most_common(1)[0][0] if letters else 10.0
    running = frozenset(
        key for key, count in edges.items() if count >= 2 and count * 5 >= len(layouts) * 2
    )
    sizes: set[float] = set()
    for layout in layouts:
        sizes |= {
            round(i.size * 2) / 2
            for i in read_items(layout, without=running)
            if isinstance(i, Paragraph) and is_heading(i, body)
        }
    return Style(body=body, sizes=tuple(sorted(sizes, reverse=True)), running=running)


def write_pages(writer: Writer, layouts: Iterable[PageLayout], style: Style) -> str:
    """Write all pages; gives back the title: the largest heading of the first page that has one."""
    title, largest = "", 0.0
    open_table: _Table | None = None
    for number, layout in enumerate(layouts):
        items = read_items(layout, without=style.running)
        notes = _notes(items)
        for position, item in enumerate(items):
            if isinstance(item, FoundTable):
                open_table = _take(
                    writer,
                    item,
                    open_table,
                    layout.number,
                    first=not any(isinstance(i, FoundTable) for i in items[:position]),
                )
                if open_table:
                    open_table.grid = with_notes(open_table.grid, notes)
                continue
            if (open_table and open_table.page < layout.number) or (
                open_table and _ends_table(item, open_table.grid)
            ):
                _close(writer, open_table)
                open_table = None
            if number == 0 and item.size > largest and is_heading(item, style.body):
                title, largest = item.text, item.size
            _write(writer, item, style, layout.number)
    _close(writer, open_table)
    return title


def _ends_table(item: Paragraph, grid: Grid) -> bool:
    """A footnote of the table does not end it: the table may go on on the next page."""
    note = note_of(item.text)
    return note is None or note.mark not in {
        mark for row in grid.rows for cell in row.cells for mark in marks_in(cell)
    }


def _write(writer: Writer, item: Paragraph, style: Style, page: int) -> None:
    if is_heading(item, style.body):
        writer.heading(style.level(item), item.text)
    else:
        writer.prose(item.text, page=page)


def _notes(items: Sequence[Item]) -> list[Note]:
    return [note for item in items if isinstance(item, Paragraph) and (note := note_of(item.text))]


def _take(
    writer: Writer, found: FoundTable, before: _Table | None, page: int, *, first: bool
) -> _Table | None:
    """Continue the table of the page before, or write that and begin a new one."""
    if before and first and page == before.page + 1 and _same_columns(before, found):
        rows = _continued(before.grid, found)
        return _Table(
            grid=replace(before.grid, rows=(*before.grid.rows, *rows)),
            edges=before.edges,
            page=page,
        )
    _close(writer, before)
    grid = _grid(found, page)
    return _Table(grid=grid, edges=found.edges, page=page) if grid else None


def _close(writer: Writer, table: _Table | None) -> None:
    if table:
        if table.grid.caption:
            writer.heading(2, table.grid.caption)
        writer.table(table.grid)


def _same_columns(before: _Table, found: FoundTable) -> bool:
    same = len(before.edges) == len(found.edges) and len(before.grid.rows[0].cells) == len(
        found.edges
    )
    return same and all(
        abs(a - b) < _SAME_EDGE for a, b in zip(before.edges, found.edges, strict=True)
    )


def _continued(grid: Grid, found: FoundTable) -> list[Row]:
    """The rows of a continuation, without a repeated header or title."""
    rows: list[Row] = []
    for cells in found.rows:
        repeated = grid.header and tuple(cells) == grid.header
        title = (
            grid.caption
            and cells[0].casefold().startswith(grid.caption.casefold())
            and not any(cells[1:])
        )
        if not repeated and not title:
            section = rows[-1].section if rows else grid.rows[-1].section
            rows.append(Row(cells=tuple(cells), page=_next_page(grid), section=section))
    return rows


def _next_page(grid: Grid) -> int:
    return (grid.rows[-1].page or 0) + 1


def _grid(found: FoundTable, page: int) -> Grid | None:
    """A grid with the title rows on top as caption and bold or recognized rows as header."""
    rows, bold = list(found.rows), list(found.bold)
    caption = ""
    while (
        len(rows) > 2
        and rows[0][0]
        and not any(cell and cell != rows[0][0] for cell in rows[0][1:])
    ):
        caption = f"{caption} {rows.pop(0)[0]}".strip()
        bold.pop(0)
    heads = next((position for position, strong in enumerate(bold) if not strong), len(bold))
    heads = heads if 0 < heads <= 3 and heads < len(rows) else guess_header(rows)
    grid = make_grid(rows, header_rows=heads, caption=caption)
    if grid is None:
        return None
    return replace(grid, rows=tuple(replace(row, page=page) for row in grid.rows))
