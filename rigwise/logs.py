"""Where events go: one JSON object a line on standard error, so that results on standard output stay clean."""

from __future__ import annotations

import logging
import sys
from typing import Final

import structlog

_LEVELS: Final = {
    name: getattr(logging, name.upper()) for name in ("debug", "info", "warning", "error")
}


class StderrLogger:
    """Writes to what standard error is now, also after somebody has redirected it."""

    def msg(self, message: str) -> None:
        """Write one line."""
        sys.stderr.write(f"{message}\n")

    debug = info = warning = error = critical = exception = msg


def configure_logs(level: str) -> None:
    """Log events of that level and above."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=lambda *_: StderrLogger(),
        cache_logger_on_first_use=False,
    )
