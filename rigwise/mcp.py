"""`rigwise mcp`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from rigwise.logs import configure_logs
from service.http.errors import McpMissing
from service.settings import ServiceSettings, load_settings

_BUILD_S: Final = 600.0  # a first call may come while the index is being built


def mcp() -> None:
    """Serve the Model Context Protocol on standard input and output, for a host that starts its servers itself.

    Tools: ask, recommend, estimate, search, passage. Ends when the host closes the input.

    Example: rigwise mcp
    """
    import asyncio

    if find_spec("mcp") is None:
        raise McpMissing
    settings = load_settings()
    configure_logs(settings.log_level)
    # Nothing is listened on, so an address of the settings needs no key here.
    asyncio.run(_serve(settings.model_copy(update={"host": "127.0.0.1"})))


async def _serve(settings: ServiceSettings) -> None:
    """The tools over the same application that `rigwise serve` runs, so that limits and store are the same."""
    from rigwise.hosting import application, state_of
    from service.http.mcp_tools import server_of

    app = application(settings, state_of(settings))
    async with app.router.lifespan_context(app):
        await server_of(app.state, version=app.version, patience_s=_BUILD_S).run_stdio_async()
