"""`rigwise slack`."""

from __future__ import annotations

import asyncio
import signal
from importlib.util import find_spec
from typing import Annotated

import typer

from rigwise.doctor import report
from rigwise.logs import configure_logs
from rigwise.terminal import errors
from service.http.errors import SlackMissing
from service.settings import BadSettings, ServiceSettings, load_settings

app = typer.Typer(help="The bot in Slack, over Socket Mode.")


@app.callback(invoke_without_command=True)
def slack(context: typer.Context) -> None:
    """Answer in Slack until stopped. Nothing has to be reachable from outside; `rigwise serve` does it as well.

    Example: rigwise slack
    """
    if context.invoked_subcommand is not None:
        return
    settings = load_settings()
    if not (settings.slack_wanted and settings.slack_app_token.get_secret_value()):
        raise BadSettings(
            "set RIGWISE_SLACK_BOT_TOKEN (xoxb-…) and RIGWISE_SLACK_APP_TOKEN (xapp-…); docs/slack.md says where they are"
        )
    configure_logs(settings.log_level)
    # Nothing is listened on, so an address of the settings needs no key here.
    asyncio.run(_run(settings.model_copy(update={"host": "127.0.0.1"})))


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check tokens, scopes, clock, socket, address and events; exit code 1 when something is bad.

    Example: rigwise slack doctor
    """
    if find_spec("slack_bolt") is None:
        raise SlackMissing("RIGWISE_SLACK_BOT_TOKEN")
    from rigwise.slack_checks import slack_findings

    report(asyncio.run(slack_findings(load_settings())), as_json=as_json)


async def _run(settings: ServiceSettings) -> None:
    """The application that `rigwise serve` runs, without a port, so that limits and store are the same."""
    from rigwise.hosting import application, state_of

    application_ = application(settings, state_of(settings))
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with application_.router.lifespan_context(application_):
        errors().print("Rigwise answers in Slack; stop it with Ctrl-C")
        await stopped.wait()
