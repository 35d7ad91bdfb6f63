"""`rigwise serve`."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from rigwise.logs import configure_logs
from rigwise.terminal import errors
from service.settings import ServiceSettings, load_settings

_GRACE_S: Final = 10
# How long a thread that computes may keep the interpreter while the event loop waits; 5 ms as Python has it lets
# eight answers keep the loop from /livez for tens of milliseconds.
_SWITCH_S: Final = 0.0005


def serve(
    host: Annotated[str | None, typer.Option(help="Address instead of RIGWISE_HOST.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port instead of RIGWISE_PORT.")
    ] = None,
) -> None:
    """Serve the HTTP API. The port opens at once; model and index load behind it.

    Example: rigwise serve --port 8080
    """
    import uvicorn

    from rigwise.hosting import address_of, application, state_of

    settings = _with(load_settings(), host=host, port=port)
    app = application(settings, state_of(settings))
    configure_logs(settings.log_level)
    shown = address_of(settings)
    errors().print(f"Rigwise serves {shown} (ask: POST /v1/ask, schema: /openapi.json)")
    sys.setswitchinterval(_SWITCH_S)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=_GRACE_S,
    )


def _with(settings: ServiceSettings, *, host: str | None, port: int | None) -> ServiceSettings:
    given = {"host": host, "port": port}
    return settings.model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
