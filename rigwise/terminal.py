"""How things look in a terminal: answers, hits, progress, errors. Results go to standard output, all else to the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from service.render import answer_text, place_of, short_quote
from service.types import Answer, Citation, Hit, Table

if TYPE_CHECKING:
    from indexer.manifest import Rejection


def show_json(value: object) -> None:
    """One JSON document with two spaces of indentation."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def show_answer(answer: Answer) -> None:
    """Text with its marks, the table if there is one, and the sources with their quotes.

    What goes into a file or a pipe is the plain text, without line breaks of a screen.
    """
    console = _console()
    if not console.is_terminal:
        print(answer_text(answer), end="")
        return
    if answer.kind == "answer":
        console.print(Text(answer.text))
    else:
        _show_refusal(console, answer)
    if answer.table is not None:
        console.print()
        console.print(_grid(answer.table))
    if answer.citations:
        console.print()
        console.print(Text("Sources", style="bold"))
        for citation in answer.citations:
            _show_source(console, citation)


def show_hits(hits: Sequence[Hit]) -> None:
    """Passages, best first, each with its id and score."""
    console = _console()
    for rank, hit in enumerate(hits, start=1):
        console.print(Text(f"{rank}. {hit.passage.document_id}", style="bold"), end=" ")
        console.print(Text(f"{hit.passage.id} {hit.score:.2f}", style="dim"))
        if hit.passage.heading_path:
            console.print(Text("   " + " > ".join(hit.passage.heading_path), style="dim"))
        console.print(Text("   " + " ".join(hit.passage.text.split())))
    if not hits:
        console.print("Nothing was found.")


def show_pairs(pairs: dict[str, Any]) -> None:
    """Names and values in two columns."""
    grid = Grid.grid(padding=(0, 2))
    for name, value in pairs.items():
        grid.add_row(Text(name, style="dim"), Text(str(value)))
    _console().print(grid)


def show_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Rows of the same names as a table; lists with commas."""
    grid = Grid(*(rows[0] if rows else ()))
    for row in rows:
        cells = (", ".join(cell) if isinstance(cell, list) else str(cell) for cell in row.values())
        grid.add_row(*map(Text, cells))
    _console().print(grid)


def show_rejected(rejected: Sequence[Rejection]) -> None:
    """Files that could not be used, on standard error."""
    for item in rejected:
        errors().print(Text(f"refused {item.path}:{item.line}: {item.reason}", style="yellow"))


def complain(error: Exception) -> None:
    """An error's message and its code, without a traceback."""
    code = getattr(error, "code", "os_error")
    errors().print(Text.assemble(("error: ", "bold red"), f"{error} ({code})"))


def errors() -> Console:
    """The console of all that is not a result."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


@contextmanager
def build_progress() -> Iterator[BuildBars]:
    """Bars on standard error while an index is built; nothing where that is no terminal."""
    console = errors()
    columns = (
        TextColumn("{task.description:>8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bars:
        yield BuildBars(bars)


class BuildBars:
    """A bar for each stage of a build."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._advance: Callable[[int], None] = lambda _: None

    def start(self, stage: str, total: int) -> None:
        """A stage begins."""
        task = self._bars.add_task(stage, total=total)
        self._advance = lambda steps: self._bars.advance(task, steps)

    def advance(self, steps: int) -> None:
        """Some steps of the running stage are done."""
        self._advance(steps)


def _console() -> Console:
    return Console(highlight=False, soft_wrap=False)


def _show_refusal(console: Console, answer: Answer) -> None:
    abstention = answer.abstention
    if abstention is None:
        console.print(Text(answer.text))
        return
    console.print(Text.assemble(("No answer", "bold yellow"), f" ({abstention.code})"))
    console.print(Text(abstention.why))
    if abstention.ask:
        console.print(Text.assemble(("What would help: ", "bold"), abstention.ask))
    for passage in abstention.nearest:
        console.print(Text(f"nearest passage: {passage}", style="dim"))


def _grid(table: Table) -> Grid:
    grid = Grid(title=table.caption or None, title_justify="left")
    for name in table.header:
        grid.add_column(name)
    for cells in table.cells:
        grid.add_row(*(Text(cell) for cell in cells))
    return grid


def _show_source(console: Console, citation: Citation) -> None:
    console.print(Text(f"[{citation.n}] {place_of(citation)}"))
    if citation.url:
        console.print(Text(f"    {citation.url}", style="dim"))
    console.print(Text(f'    "{short_quote(citation)}"', style="italic"))
