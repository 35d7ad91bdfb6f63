"""What can go wrong at the HTTP door, beside what the service raises itself.

ServiceError
└── HttpError
    ├── Unauthorized      no key, or a wrong one: 401
    ├── PayloadTooLarge   the body is larger than allowed: 413
    └── AnswerTimeout     an answer took too long: 504
"""

from __future__ import annotations

from service.errors import ServiceError


class HttpError(ServiceError):
    """The root of the errors of the HTTP door."""

    code = "http_error"


class Unauthorized(HttpError):
    """No key, or a wrong one."""

    code = "unauthorized"

    def __init__(self) -> None:
        super().__init__("send the service's key as `Authorization: Bearer <key>`")


class PayloadTooLarge(HttpError):
    """The body is larger than allowed."""

    code = "payload_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            f"the body is larger than {max_bytes} bytes; shorten the question or the conversation"
        )


class AnswerTimeout(HttpError):
    """An answer took too long."""

    code = "answer_timeout"

    def __init__(self, timeout_s: float) -> None:
        super().__init__(
            f"no answer within {timeout_s:g} s; ask a narrower question or try again later"
        )
