"""What can go wrong with a call.

ClientError
├── Unreachable      no reply came: no connection, or not in time
├── BadReply         the reply is not what the API documents; the address is perhaps another service's
└── Problem          the service refused or failed, with a stable `code` (docs/http.md)
    ├── BadRequest   400, 405, 422: the request itself
    ├── NotAllowed   401, 403, 421: no key, or none that may
    ├── NotFound     404
    ├── Conflict     409: this service does not do that
    ├── TooLarge     413
    ├── Busy         429: come back after `retry_after_s`
    ├── TimedOut     408, 504
    ├── Unavailable  503: not ready, or a part is away
    └── Failed       500: the log of the service has the reason under `request_id`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


class ClientError(Exception):
    """The root of the errors of the client."""


class Unreachable(ClientError):
    """No reply came. `sent`: the request may have reached the service all the same."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(f"no reply: {reason}")
        self.sent = sent


class BadReply(ClientError):
    """The reply is not what the API documents."""


class Problem(ClientError):
    """The service refused or failed. `errors` names the fields at fault."""

    def __init__(self, body: Mapping[str, Any], *, retry_after_s: float | None = None) -> None:
        super().__init__(f"{body['code']}: {body['detail']}")
        self.code: str = body["code"]
        self.status: int = body["status"]
        self.detail: str = body["detail"]
        self.request_id: str = body["request_id"]
        self.errors: list[dict[str, str]] = body.get("errors") or []
        self.retry_after_s = retry_after_s


class BadRequest(Problem):
    """The request itself is at fault."""


class NotAllowed(Problem):
    """No key, or none that may do this."""


class NotFound(Problem):
    """Nothing has that id or address."""


class Conflict(Problem):
    """This service does not do that."""


class TooLarge(Problem):
    """The body is larger than the service takes."""


class Busy(Problem):
    """Too many ask at once."""


class TimedOut(Problem):
    """The service ended the work or the waiting for the body."""


class Unavailable(Problem):
    """The service is not ready, or a part of it is away."""


class Failed(Problem):
    """The service failed."""


_BY_STATUS: Final[Mapping[int, type[Problem]]] = {
    400: BadRequest,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    405: BadRequest,
    408: TimedOut,
    409: Conflict,
    413: TooLarge,
    421: NotAllowed,
    422: BadRequest,
    429: Busy,
    500: Failed,
    503: Unavailable,
    504: TimedOut,
}


def problem_from(body: object, *, retry_after: str | None = None) -> ClientError:
    """The error that a problem of the service is raised as; of a status that is not known, `Problem` itself."""
    if not isinstance(body, dict) or not {"code", "status", "detail", "request_id"} <= body.keys():
        return BadReply("the reply is an error without the form of a problem")
    seconds = float(retry_after) if retry_after is not None and retry_after.isdecimal() else None
    return _BY_STATUS.get(body["status"], Problem)(body, retry_after_s=seconds)
