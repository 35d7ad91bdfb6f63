"""The address of the Model Context Protocol, whether or not the extra that serves it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.http.errors import McpMissing

if TYPE_CHECKING:
    from service.http.mcp_door import McpDoor

PATH: Final = "/mcp"
router = APIRouter()


@router.post(PATH, include_in_schema=False)  # the protocol describes itself
async def call(request: Request) -> Response:
    """A message of the protocol."""
    door: McpDoor | None = request.app.state.mcp
    if door is None:
        raise McpMissing
    return await door.reply(request)
