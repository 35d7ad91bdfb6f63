"""Routes that change what is indexed: upload and removal of documents, jobs, going back.

A job builds in the background; the service answers from the old generation until the new one is published.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from indexer.errors import GenerationNotFound
from indexer.generation import OpenIndex
from indexer.manifest import Rejection
from indexer.types import GenerationId
from service.access import Caller
from service.errors import NotFound
from service.http import managing
from service.http.errors import BodyTimeout, Forbidden, ReadOnly
from service.http.jobs import Job, Rebuilder
from service.http.routes import Index, problems
from service.http.uploads import DocumentFolder
from service.render import plain

_FAULTS: Final = ("bad_path", "no_document_folder", "read_only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """What the routes need to change the index."""

    rebuilder: Rebuilder
    folder: DocumentFolder


def _managed(request: Request) -> Managed:
    managed: Managed | None = request.app.state.managed
    if managed is None:
        raise ReadOnly
    return managed


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


Tools = Annotated[Managed, Depends(_managed)]
Asking = Annotated[Caller, Depends(_caller)]
router = APIRouter(prefix="/v1")


@router.put(
    "/documents/{document_id:path}",
    tags=["documents"],
    response_model=managing.StoredBody,
    responses=problems(*_FAULTS, "upload_too_large", "no_such_route")
    | {201: {"model": managing.StoredBody, "description": "There was no document of this path."}},
)
async def put_document(
    document_id: str, request: Request, tools: Tools, caller: Asking
) -> JSONResponse:
    """Store the body as a document in your own folder, and index it. The id is its path with the ending."""
    _check_collection(caller, document_id)
    upload = await run_in_threadpool(tools.folder.upload, document_id)
    try:
        async for content in _paced(request):
            await run_in_threadpool(upload.write, content)
        new = await run_in_threadpool(upload.finish)
    finally:
        await run_in_threadpool(upload.abandon)
    job = tools.rebuilder.request("upload")
    return JSONResponse({"path": document_id, "job": job_object(job, caller)}, 201 if new else 200)


@router.delete(
    "/documents/{document_id:path}",
    tags=["documents"],
    response_model=managing.StoredBody,
    responses=problems(*_FAULTS, "not_found"),
)
def delete_document(document_id: str, tools: Tools, caller: Asking) -> JSONResponse:
    """Remove a document from your own folder, and from the index. It is gone from answers when the job is done."""
    _check_collection(caller, document_id)
    if not tools.folder.delete(document_id):
        raise NotFound("document", document_id)
    job = tools.rebuilder.request("delete")
    return JSONResponse({"path": document_id, "job": job_object(job, caller)})


@router.get(
    "/index/documents",
    tags=["index"],
    response_model=managing.DocumentStates,
    responses=problems(),
)
def document_states(index: Index, request: Request) -> JSONResponse:
    """Every file of the generation in use: indexed, stale (its newest version was refused), or rejected."""
    managed: Managed | None = request.app.state.managed
    rows = states_of(index)
    for row in rows:
        row["own"] = managed is not None and managed.folder.holds(str(row["path"]))
    return JSONResponse({"items": rows, "generation": index.id})


@router.post(
    "/index/rebuild",
    tags=["index"],
    status_code=202,
    response_model=managing.JobBody,
    responses=problems("read_only"),
)
def rebuild(body: managing.RebuildRequest, tools: Tools, caller: Asking) -> JSONResponse:
    """Bring the index up to date. Requests made before a waiting job begins share it."""
    return JSONResponse(job_object(tools.rebuilder.request("request", full=body.full), caller), 202)


@router.get(
    "/index/jobs",
    tags=["index"],
    response_model=managing.JobList,
    responses=problems("read_only"),
)
def jobs(tools: Tools, caller: Asking) -> JSONResponse:
    """The last jobs, newest first, with their reports and errors."""
    return JSONResponse({"items": [job_object(job, caller) for job in tools.rebuilder.jobs()]})


@router.get(
    "/index/jobs/{job_id}",
    tags=["index"],
    response_model=managing.JobBody,
    responses=problems("read_only", "not_found"),
)
def job(job_id: str, tools: Tools, caller: Asking) -> JSONResponse:
    """One job: how far it is, what it did, what went wrong."""
    found = next((item for item in tools.rebuilder.jobs() if item.id == job_id), None)
    if found is None:
        raise NotFound("job", job_id)
    return JSONResponse(job_object(found, caller))


@router.delete(
    "/index/jobs/{job_id}",
    tags=["index"],
    response_model=managing.JobBody,
    responses=problems("read_only", "not_found"),
)
def cancel(job_id: str, tools: Tools, caller: Asking) -> JSONResponse:
    """Tell a job to stop between two steps; nothing of it is published. A job that has ended stays as it is."""
    found = tools.rebuilder.cancel(job_id)
    if found is None:
        raise NotFound("job", job_id)
    return JSONResponse(job_object(found, caller))


@router.get(
    "/index/generations",
    tags=["index"],
    response_model=managing.GenerationList,
    responses=problems("read_only"),
)
def generations(tools: Tools) -> JSONResponse:
    """The generations on the disk, newest first, with the one that answers now."""
    return JSONResponse({"items": plain(list(tools.rebuilder.generations()))})


@router.post(
    "/index/rollback",
    tags=["index"],
    response_model=managing.RolledBackBody,
    responses=problems("read_only", "index_locked", "not_found"),
)
def roll_back(body: managing.RollbackRequest, tools: Tools) -> JSONResponse:
    """Serve an earlier generation. Watching does not publish the one that was left until the files change."""
    wanted = None if body.generation is None else GenerationId(body.generation)
    try:
        return JSONResponse(plain(tools.rebuilder.roll_back(wanted)))
    except GenerationNotFound as error:
        raise NotFound("generation", wanted or "the one before") from error


async def _paced(request: Request) -> AsyncIterator[bytes]:
    """The pieces of the body; a pause that is too long ends it."""
    idle_s: float = request.app.state.body_timeout_s
    pieces = aiter(request.stream())
    while True:
        try:
            async with asyncio.timeout(idle_s):
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise BodyTimeout(idle_s) from error
        yield piece


def job_object(job: Job, caller: Caller) -> dict[str, Any]:
    """A job as it is sent; of its report only the documents that the caller may see."""
    shown: dict[str, Any] = plain(job)
    report = dict(shown["report"])
    for name in {"added", "changed", "removed", "stale"} & report.keys():
        report[name] = [path for path in report[name] if caller.sees(path)]
    if "rejected" in report:
        report["rejected"] = [item for item in report["rejected"] if caller.sees(item["path"])]
    shown["report"] = report
    return shown


def _check_collection(caller: Caller, path: str) -> None:
    if not caller.sees(path):
        raise Forbidden(f"write and the collection of {path!r}")


def states_of(index: OpenIndex) -> list[dict[str, Any]]:
    """One row a file by path; a stale document has the reason why its newest version was refused."""
    manifest = index.manifest
    reasons = {item.path: item for item in manifest.rejected}
    rows = []
    for entry in manifest.documents:
        why = reasons.pop(entry.path, None) if entry.stale else None
        state = "stale" if entry.stale else "indexed"
        rows.append(_row(entry.path, state, why, document_id=entry.id, passages=entry.passages))
    rows += [_row(item.path, "rejected", item) for item in reasons.values()]
    return sorted(rows, key=lambda row: (str(row["path"]), str(row["state"])))


def _row(
    path: str,
    state: str,
    why: Rejection | None,
    *,
    document_id: str | None = None,
    passages: int = 0,
) -> dict[str, Any]:
    return {
        "path": path,
        "id": document_id,
        "state": state,
        "passages": passages,
        "reason": why.reason if why else "",
        "line": why.line if why else None,
    }
