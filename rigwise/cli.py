"""The command line: one application made of groups of commands, each in a module of its own.

Exit codes: 0 an answer or success, 1 an error, 2 wrong usage, 3 no answer (abstention or a question back).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from eval.errors import EvalError
from indexer.errors import IndexerError
from rigwise import (
    ask,
    chat,
    corpus,
    doctor,
    eval_speed,
    index,
    keys,
    mcp,
    recommend,
    serve,
    slack,
    store,
)
from rigwise.eval import app as eval_app
from rigwise.logs import configure_logs
from rigwise.terminal import complain
from service.errors import ServiceError

app = typer.Typer(
    name="rigwise",
    help="Cited, checked answers to hardware questions for machine learning, offline.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("ask")(ask.ask)
app.command("search")(ask.search)
app.command("chat")(chat.chat)
app.command("recommend")(recommend.recommend)
app.command("estimate")(recommend.estimate)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("doctor")(doctor.doctor)
app.add_typer(index.app, name="index")
app.add_typer(corpus.app, name="corpus")
app.add_typer(keys.app, name="keys")
app.add_typer(slack.app, name="slack")
app.add_typer(store.app, name="store")
eval_app.command("speed")(eval_speed.speed)
eval_app.command("compare")(eval_speed.compare)
app.add_typer(eval_app, name="eval")


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"rigwise {installed('rigwise')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error that we know is one line on standard error and exit code 1."""
    configure_logs("warning")
    try:
        app(args=None if arguments is None else list(arguments))
    except (IndexerError, ServiceError, EvalError, OSError) as error:
        complain(error)
        sys.exit(1)
