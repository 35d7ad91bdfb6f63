"""What can go wrong at the HTTP door, beside what the service raises itself.

ServiceError
└── HttpError
    ├── Unauthorized      no key, or a wrong one: 401
    ├── Forbidden         the key lacks a scope: 403
    ├── HostRefused       the request was sent to a name that is not ours: 421
    ├── OriginRefused     a page from elsewhere sent the request: 403
    ├── McpMissing        the extra `mcp` is not installed: 404
    ├── SlackMissing      the bot in Slack, or that way to it, is not set up: 404
    ├── RateLimited       too many requests of one address or key: 429
    ├── NoRedis           RIGWISE_RATE_STORE is set without the extra `redis`; ends the start
    ├── PayloadTooLarge   the body is larger than allowed: 413
    ├── BodyTimeout       the body did not come in time: 408
    ├── ModelNotFound     a chat names a model that is not `rigwise`: 404
    ├── AnswerTimeout     an answer took too long: 504
    ├── BadPath           a document cannot be put there, or removed from there: 422
    ├── NoDocumentFolder  the service has no folder that takes documents: 409
    ├── UploadTooLarge    a document is larger than allowed: 413
    ├── NothingKept       the service was started without a store: 409
    └── ReadOnly          the service was started without a builder: 409
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
        super().__init__("send a key as `Authorization: Bearer <key>`")


class Forbidden(HttpError):
    """The key lacks a scope."""

    code = "forbidden"

    def __init__(self, scope: str) -> None:
        super().__init__(f"this needs a key with the scope {scope}; ask whoever runs the service")


class HostRefused(HttpError):
    """The request was sent to a name that is not ours."""

    code = "host_refused"

    def __init__(self) -> None:
        super().__init__(
            "the header Host names another machine; set RIGWISE_PUBLIC_URL to the address that you use"
        )


class OriginRefused(HttpError):
    """A page from elsewhere sent the request."""

    code = "origin_refused"

    def __init__(self) -> None:
        super().__init__("pages of other addresses may not call this; leave out the header Origin")


class McpMissing(HttpError):
    """The extra `mcp` is not installed."""

    code = "mcp_missing"

    def __init__(self) -> None:
        super().__init__("the extra `mcp` is not installed; pip install 'rigwise[mcp]'")


class SlackMissing(HttpError):
    """The bot in Slack, or that way to it, is not set up."""

    code = "slack_missing"

    def __init__(self, setting: str) -> None:
        super().__init__(
            f"the bot in Slack takes nothing here; set {setting}, and `pip install 'rigwise[slack]'`"
        )


class RateLimited(HttpError):
    """Too many requests of one address or key."""

    code = "rate_limited"

    def __init__(self, by: str, quota: int, window_s: int, retry_after_s: int) -> None:
        super().__init__(
            f"this {by} may send {quota} requests in {window_s} s; try again in {retry_after_s} s"
        )
        self.retry_after_s = retry_after_s


class NoRedis(HttpError):
    """The limits are to be counted in Redis, and its client is not installed."""

    code = "no_redis"

    def __init__(self) -> None:
        super().__init__("RIGWISE_RATE_STORE needs its client: pip install 'rigwise[redis]'")


class PayloadTooLarge(HttpError):
    """The body is larger than allowed."""

    code = "payload_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            f"the body is larger than {max_bytes} bytes; shorten the question or the conversation"
        )


class BodyTimeout(HttpError):
    """The body did not come in time."""

    code = "body_timeout"

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"the body did not come within {timeout_s:g} s; send it without pauses")


class ModelNotFound(HttpError):
    """A chat names a model that is not here."""

    code = "no_such_model"

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no model {name[:80]!r}; the one model is 'rigwise'")


class AnswerTimeout(HttpError):
    """An answer took too long."""

    code = "answer_timeout"

    def __init__(self, timeout_s: float) -> None:
        super().__init__(
            f"no answer within {timeout_s:g} s; ask a narrower question or try again later"
        )


class BadPath(HttpError):
    """A document cannot be put there, or removed from there."""

    code = "bad_path"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path!r}: {reason}")


class NoDocumentFolder(HttpError):
    """The service has no folder that takes documents."""

    code = "no_document_folder"

    def __init__(self) -> None:
        super().__init__(
            "set RIGWISE_DOCUMENTS to a folder of your own, and start the service again"
        )


class UploadTooLarge(HttpError):
    """A document is larger than allowed."""

    code = "upload_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            f"the document is larger than {max_bytes} bytes; split it, or raise RIGWISE_MAX_UPLOAD_BYTES"
        )


class ReadOnly(HttpError):
    """The service was started without a builder."""

    code = "read_only"

    def __init__(self) -> None:
        super().__init__("this service does not change its index; use `rigwise index build`")


class NothingKept(HttpError):
    """The service was started without a store."""

    code = "nothing_kept"

    def __init__(self) -> None:
        super().__init__("this service was started without a store, so it keeps no answers")
