"""Errors as `application/problem+json` (RFC 9457): one table of codes, one shape, one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from indexer.errors import IndexerError
from service.errors import NotReady, Overloaded, ServiceError
from service.http.errors import RateLimited
from service.oidc import OidcUnavailable
from service.store.errors import StoreUnavailable

MEDIA_TYPE: Final = "application/problem+json"
RETRY_WHEN_LOADING_S: Final = 2
INTERNAL: Final = "internal_error"

# Status and title by code. A code that is missing here is a fault of ours: 500.
PROBLEMS: Final[Mapping[str, tuple[int, str]]] = {
    "bad_question": (422, "The question cannot be taken"),
    "invalid_request": (422, "The request does not have the documented form"),
    "unauthorized": (401, "A key is needed"),
    "forbidden": (403, "The key may not do this"),
    "host_refused": (421, "The request was sent to another name"),
    "origin_refused": (403, "A page from elsewhere sent the request"),
    "mcp_missing": (404, "The Model Context Protocol is not installed"),
    "slack_missing": (404, "The bot in Slack is not set up"),
    "not_found": (404, "Nothing has that id"),
    "answer_not_found": (404, "No answer of that id is kept"),
    "no_such_model": (404, "There is no such model"),
    "no_such_route": (404, "There is no such address"),
    "method_not_allowed": (405, "The address does not take this method"),
    "body_timeout": (408, "The body did not come in time"),
    "payload_too_large": (413, "The body is too large"),
    "rate_limited": (429, "Too many requests"),
    "overloaded": (429, "Every place for an answer is taken"),
    "bad_path": (422, "The path of the document cannot be taken"),
    "no_document_folder": (409, "There is no folder for documents"),
    "upload_too_large": (413, "The document is too large"),
    "read_only": (409, "This service does not change its index"),
    "nothing_kept": (409, "This service keeps no answers"),
    "http_error": (400, "The request cannot be taken"),
    "not_ready": (503, "The service is still loading"),
    "store_unavailable": (503, "The store cannot be used now"),
    "oidc_unavailable": (503, "The issuer of the token cannot be asked now"),
    "store_too_new": (503, "The store belongs to a newer version"),
    "generation_not_found": (503, "There is no index yet"),
    "index_locked": (503, "Another process is writing the index"),
    "generation_corrupt": (503, "The index is damaged"),
    "embedder_mismatch": (503, "The index belongs to another embedder"),
    "answer_timeout": (504, "The answer took too long"),
    "uncited_claim": (500, "An answer could not be supported"),
    INTERNAL: (500, "Something went wrong"),
}
_BY_STATUS: Final = {404: "no_such_route", 405: "method_not_allowed", 413: "payload_too_large"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error as it is sent. `errors` names the fields at fault of an invalid request."""

    code: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)
    errors: Sequence[Mapping[str, str]] = ()

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return PROBLEMS.get(self.code, PROBLEMS[INTERNAL])[0]

    def response(self, request_id: str) -> JSONResponse:
        """The problem as a response."""
        body: dict[str, object] = {
            "type": f"urn:rigwise:problem:{self.code}",
            "title": PROBLEMS.get(self.code, PROBLEMS[INTERNAL])[1],
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "request_id": request_id,
        }
        if self.errors:
            body["errors"] = list(self.errors)
        return JSONResponse(body, self.status, headers=dict(self.headers), media_type=MEDIA_TYPE)


def problem_of(error: Exception) -> Problem:
    """The problem that an error is sent as. What is not known is hidden behind `internal_error`."""
    if isinstance(error, ServiceError | IndexerError):
        if PROBLEMS.get(error.code, PROBLEMS[INTERNAL])[0] == HTTPStatus.INTERNAL_SERVER_ERROR:
            return Problem(code=error.code if error.code in PROBLEMS else INTERNAL, detail=_HIDDEN)
        return Problem(code=error.code, detail=str(error), headers=_headers(error))
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException):
        code = _BY_STATUS.get(error.status_code, "http_error")
        return Problem(code=code, detail=str(error.detail), headers=error.headers or {})
    return Problem(code=INTERNAL, detail=_HIDDEN)


_HIDDEN: Final = "the service failed; its log holds the reason under this request_id"


async def handle(request: Request, error: Exception) -> JSONResponse:
    """The one exception handler of the application."""
    return problem_of(error).response(request.state.request_id)


def _headers(error: Exception) -> dict[str, str]:
    if isinstance(error, Overloaded | RateLimited):
        return {"Retry-After": str(error.retry_after_s)}
    if isinstance(error, NotReady | StoreUnavailable | OidcUnavailable):
        return {"Retry-After": str(RETRY_WHEN_LOADING_S)}
    if isinstance(error, ServiceError) and error.code == "unauthorized":
        return {"WWW-Authenticate": "Bearer"}
    return {}


def _invalid(error: RequestValidationError) -> Problem:
    """Which field, what is wrong with it; never the value, which may be private."""
    faults = [
        {"where": ".".join(str(step) for step in fault["loc"]), "problem": str(fault["msg"])}
        for fault in error.errors()
    ]
    first = faults[0] if faults else {"where": "body", "problem": "it cannot be read"}
    return Problem(
        code="invalid_request", detail=f"{first['where']}: {first['problem']}", errors=faults
    )
