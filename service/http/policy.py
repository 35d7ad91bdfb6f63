"""Who may use which route: one table, and a refusal for what it does not name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from fastapi import Request
from starlette.routing import compile_path

from service.access import Caller, Scope
from service.http.errors import Forbidden

Policy = Scope | Literal["public", "any"]

# `public` wants no key, `any` a key with whatever scope.
POLICY: Final[Mapping[str, Policy]] = {
    "GET /livez": "public",
    "GET /readyz": "public",
    "GET /": "public",
    "GET /catalog": "public",
    "GET /owner": "public",
    "GET /assets/{name}": "public",
    "POST /slack/events": "public",  # signed by Slack
    "GET /slack/install": "public",
    "GET /slack/oauth_redirect": "public",
    "GET /metrics": "read",
    "GET /openapi.json": "any",
    "POST /v1/ask": "ask",
    "POST /v1/chat/completions": "ask",
    "GET /v1/models": "any",
    "GET /v1/models/{model}": "any",
    "GET /v1/answers/{answer_id}": "ask",
    "GET /v1/questions/unanswered": "admin",
    "POST /v1/feedback": "ask",
    "DELETE /v1/conversations/{conversation_id}": "ask",
    "POST /v1/recommend": "ask",
    "POST /v1/estimate": "ask",
    "POST /mcp": "any",  # each tool looks at the scope itself
    "GET /v1/search": "read",
    "GET /v1/passages/{passage_id}": "read",
    "GET /v1/documents": "read",
    "GET /v1/documents/{document_id:path}": "read",
    "GET /v1/devices": "read",
    "GET /v1/devices/{device_id}": "read",
    "GET /v1/offers": "read",
    "GET /v1/index": "read",
    "GET /v1/index/documents": "read",
    "PUT /v1/documents/{document_id:path}": "write",
    "DELETE /v1/documents/{document_id:path}": "write",
    "GET /v1/index/generations": "write",
    "POST /v1/index/rebuild": "write",
    "GET /v1/index/jobs": "write",
    "GET /v1/index/jobs/{job_id}": "write",
    "DELETE /v1/index/jobs/{job_id}": "write",
    "POST /v1/index/rollback": "admin",
}


def _pattern(path: str) -> re.Pattern[str]:
    return compile_path(path)[0]


_PUBLIC: Final = tuple(
    _pattern(route.split(" ")[1]) for route, policy in POLICY.items() if policy == "public"
)


def is_public(path: str) -> bool:
    """Whether an address wants no key, whatever the method."""
    return any(pattern.match(path) for pattern in _PUBLIC)


def route_of(request: Request) -> str:
    """Method and template of the route, as the table names it."""
    return f"{request.method} {request.scope['route'].path}"


async def check_scope(request: Request) -> None:
    """Stand before every route.

    Raises:
        Forbidden: the caller lacks the scope, or the table does not name the route.
    """
    caller: Caller = request.state.caller
    match POLICY.get(route_of(request)):
        case None:
            raise Forbidden("of a route that has no policy yet")
        case "public" | "any":
            return
        case scope if not caller.may(scope):
            raise Forbidden(scope)
