"""`rigwise recommend` and `rigwise estimate`."""

from __future__ import annotations

import unicodedata
from dataclasses import fields
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from rigwise.terminal import build_progress, show_json
from service.advisor.estimate import estimate as estimate_need
from service.advisor.recommend import recommend as recommend_for
from service.advisor.types import ModelShape, Need, Option, Recommendation, Stated, Workload
from service.settings import load_settings

NO_ANSWER: Final = 3
_BAR: Final = 48
_COLORS: Final = ("cyan", "magenta", "yellow", "green", "blue", "red")
AsJson = Annotated[bool, typer.Option("--json", help="Print the values as JSON.")]
InWords = Annotated[str, typer.Argument(help="The workload in words, in quotes.")]


def recommend(workload: InWords, as_json: AsJson = False) -> None:
    """Recommend machines for a workload: what fits, at which price, what is ruled out and why.

    Exit code 3: a detail is missing, or nothing fits.

    Example: rigwise recommend "QLoRA on Llama-3.1-8B, 2,048 tokens, at most 1 dollar an hour"
    """
    from rigwise.wiring import embedder_of, wire
    from service.http.advice import desk_of
    from service.render import plain

    settings = load_settings()
    with build_progress() as progress:
        engine = wire(settings, embedder_of(settings), progress).engine
    desk = desk_of(engine.index())
    understood = _understood(workload, desk)
    found = recommend_for(understood, desk.shelf, today=desk.today)
    if as_json:
        show_json(plain(found))
    else:
        _show(found)
    if not found.options:
        raise typer.Exit(NO_ANSWER)


def estimate(workload: InWords, as_json: AsJson = False) -> None:
    """Estimate what a workload needs, with a bar of its parts.

    Exit code 3: a detail is missing.

    Example: rigwise estimate "Llama-3.1-70B in Q4_K_M with 8k context"
    """
    from rigwise.wiring import embedder_of, wire
    from service.http.advice import desk_of
    from service.render import plain

    settings = load_settings()
    with build_progress() as progress:
        engine = wire(settings, embedder_of(settings), progress).engine
    desk = desk_of(engine.index())
    need = estimate_need(_understood(workload, desk), models=desk.shelf.models)
    if as_json:
        show_json(plain(need))
    else:
        show_need(Console(highlight=False), need)
    if need.total_gib is None:
        raise typer.Exit(NO_ANSWER)


def _understood(text: str, desk: object) -> Workload:
    from service.advisor.answers import Desk, workload_in_words

    if not isinstance(desk, Desk):
        raise TypeError("a desk is needed")
    plain_text = " ".join(unicodedata.normalize("NFKC", text).split())
    found, ask = workload_in_words(plain_text, desk)
    if found is None:
        typer.echo(ask, err=True)
        raise typer.Exit(NO_ANSWER)
    return found


def show_need(console: Console, need: Need) -> None:
    """The total, a bar in proportion to the parts, and a line for each part."""
    if need.total_gib is None or need.low_gib is None or need.high_gib is None:
        console.print(f"The need cannot be computed: {', '.join(need.missing)}.")
        return
    whole = need.total_gib + need.context_gib
    console.print(
        f"Needs about {whole:.1f} GiB ({whole * 2**30 / 1e9:.1f} GB), between {need.low_gib:.1f} and {need.high_gib:.1f} GiB"
    )
    rows = [(part.name, part.gib) for part in need.parts] + [("runtime", need.context_gib)]
    rows = sorted((row for row in rows if row[1] > 0), key=lambda row: -row[1])
    bar = Text()
    for place, (_, gib) in enumerate(rows):
        bar.append("█" * max(1, round(_BAR * gib / whole)), style=_COLORS[place % len(_COLORS)])
    console.print(bar)
    for place, (name, gib) in enumerate(rows):
        mark = Text("█ ", style=_COLORS[place % len(_COLORS)])
        console.print(mark + Text(f"{gib:8.2f} GiB  {name}"))


def _show(found: Recommendation) -> None:
    console = Console(highlight=False)
    console.print(_fields(found.workload))
    show_need(console, found.need)
    grid = Grid(title=f"Order: {found.order}", title_justify="left")
    for name in ("#", "machine", "where", "usable GiB", "left GiB", "fit", "USD", "as of"):
        grid.add_column(
            name, justify="right" if name in {"#", "usable GiB", "left GiB"} else "left"
        )
    for option in found.options:
        grid.add_row(*_cells(option))
    console.print(grid if found.options else "Nothing known here fits within the stated limits.")
    for title, lines in (
        ("Ruled out", [each.statement.text for each in found.rejected]),
        ("What would change it", [each.statement.text for each in found.sensitivity]),
        ("Assumed", [each.text for each in found.assumptions]),
        ("Mind", [each.text for each in found.warnings]),
    ):
        if lines:
            console.print(Text(title, style="bold"))
            console.print("\n".join(f"- {line}" for line in lines), markup=False)


def _fields(workload: Workload) -> Grid:
    """What was understood, a field a line, and the words that say so."""
    grid = Grid(title="Understood", title_justify="left")
    for name in ("field", "value", "from"):
        grid.add_column(name)
    for field in fields(workload):
        value = getattr(workload, field.name)
        if isinstance(value, Stated) and not isinstance(value.value, ModelShape):
            shown = ", ".join(value.value) if isinstance(value.value, tuple) else str(value.value)
            words = f"“{value.words}”" if value.origin == "question" else f"assumed: {value.words}"
            grid.add_row(Text(field.name), Text(shown), Text(words))
    return grid


def _cells(option: Option) -> tuple[str, ...]:
    place = " ".join(
        each for each in (option.where, option.provider, option.instance, option.region) if each
    )
    cost = option.cost
    price = "none"
    if cost is not None and cost.usd_per_hour is not None:
        price = f"{cost.usd_per_hour:,.4g} an hour"
    elif cost is not None and cost.total_usd is not None:
        price = f"{cost.total_usd:,.0f}"
    elif option.where == "buy":
        price = "not known"
    return (
        str(option.rank),
        f"{option.count} x {option.device}",
        place,
        f"{option.fit.available_gib:.1f}",
        f"{option.fit.headroom_gib:.1f}",
        option.fit.verdict,
        price,
        cost.as_of if cost is not None else "",
    )
