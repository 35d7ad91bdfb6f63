"""The page's shells and files. They hold no data, so they need no key: the scripts ask /v1 for that, with the key.

Nothing is loaded from elsewhere, and nothing runs that is not a file of ours: the policy of every page says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from fastapi import APIRouter, Request
from fastapi.templating import Jinja2Templates
from starlette.responses import Response
from starlette.staticfiles import StaticFiles


class Page(NamedTuple):
    """A page: its name in the navigation, and the template of its shell."""

    name: str
    template: str


POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",  # text that becomes markup is refused by the browser
        "trusted-types 'none'",
    )
)
_ASSETS: Final = "/assets/"
_PAGES: Final = {
    "/": Page("Ask", "ask.html"),
    "/catalog": Page("Catalog", "catalog.html"),
    "/owner": Page("Documents", "owner.html"),
}
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_HERE: Final = Path(__file__).parent
_templates: Final = Jinja2Templates(_HERE / "templates")
_files: Final = StaticFiles(directory=_HERE / "static")

router = APIRouter(include_in_schema=False)


def _shell(request: Request) -> Response:
    page = _PAGES[request.scope["path"]]
    context = {
        "here": page.name,
        "pages": {path[1:] or "./": each.name for path, each in _PAGES.items()},
    }
    return _templates.TemplateResponse(request, page.template, context, headers=dict(_HEADERS))


for _path in _PAGES:
    router.get(_path)(_shell)


@router.get(_ASSETS + "{name}")
async def asset(name: str, request: Request) -> Response:
    """A script, a style or a picture of the page; the browser asks each time whether it changed."""
    response = await _files.get_response(name, request.scope)
    response.headers["Cache-Control"] = "no-cache"
    return response
