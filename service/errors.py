"""What can go wrong while answering.

ServiceError
├── BadQuestion     the question cannot be taken (empty, too long): 422
├── Overloaded      every place for an answer is taken: 429
├── NotReady        no index or no model yet: 503
├── NotFound        no passage, document or device of that id: 404
├── UncitedClaim    an answer holds a statement that nothing supports: 500
└── UnsafeBinding   a public address without a key: refusal to start

Each class has a stable `code`; the message says what, which value, and what would help.
"""

from __future__ import annotations


class ServiceError(Exception):
    """The root of all errors of the service."""

    code = "service_error"


class BadQuestion(ServiceError):
    """The question cannot be taken."""

    code = "bad_question"


class Overloaded(ServiceError):
    """Every place for an answer is taken."""

    code = "overloaded"

    def __init__(self, places: int, retry_after_s: int) -> None:
        super().__init__(
            f"all {places} places for answers are taken; try again in {retry_after_s} s"
        )
        self.retry_after_s = retry_after_s


class NotReady(ServiceError):
    """The index or the model is not loaded."""

    code = "not_ready"


class NotFound(ServiceError):
    """Nothing of that kind has that id."""

    code = "not_found"

    def __init__(self, kind: str, key: str) -> None:
        remedy = "find them" if kind == "passage" else "list them"
        place = "search" if kind == "passage" else f"{kind}s"
        super().__init__(f"no {kind} {key!r} in the current generation; {remedy} at /v1/{place}")
        self.kind = kind
        self.key = key


class UncitedClaim(ServiceError):
    """An answer holds a statement that nothing supports; it is not sent."""

    code = "uncited_claim"

    def __init__(self, text: str) -> None:
        super().__init__(f"the statement {text!r} has neither a citation nor a computation")


class UnsafeBinding(ServiceError):
    """The service would be reachable from outside without a key."""

    code = "unsafe_binding"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"will not listen on {host} without a key; use 127.0.0.1, or set RIGWISE_API_KEY or RIGWISE_REQUIRE_KEY"
        )
