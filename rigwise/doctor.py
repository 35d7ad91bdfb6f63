"""`rigwise doctor`: looks at what the service stands on, and says of each part what to do."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

import typer

import indexer
from indexer.errors import IndexerError
from rigwise.hosting import disk_fault
from rigwise.wiring import embedder_of, store_of
from service.errors import ServiceError
from service.settings import ServiceSettings, load_settings

_PYTHON: Final = (3, 11)
_DAY_S: Final = 86_400
_CONNECT_S: Final = 2.0
_EXTRAS: Final = {
    "torch": "sentence_transformers",
    "ocr": "rapidocr",
    "llm": "openai",
    "client": "stamina",
    "mcp": "mcp",
    "postgres": "psycopg",
    "slack": "slack_bolt",
    "oidc": "jwt",
    "otel": "opentelemetry.sdk",
    "redis": "redis",
}
State = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found of one part, and what to do about it; `remedy` is empty where nothing is to do."""

    part: str
    state: State
    found: str
    remedy: str = ""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check what the service stands on; exit code 1 when something is bad.

    Example: rigwise doctor
    """
    report(findings(), as_json=as_json)


def report(found: Sequence[Finding], *, as_json: bool) -> None:
    """Print findings; exit code 1 when one is bad."""
    if as_json:
        print(json.dumps([asdict(finding) for finding in found], indent=2))
    else:
        for finding in found:
            print(f"{finding.state:4}  {finding.part}: {finding.found}")
            if finding.remedy:
                print(f"      {finding.remedy}")
    if any(finding.state == "bad" for finding in found):
        raise typer.Exit(1)


def findings() -> list[Finding]:
    """All findings; without settings that can be read, only those that need none."""
    found = [check_python(sys.version_info[:2]), check_clock(datetime.now(UTC))]
    try:
        settings = load_settings()
    except ServiceError as error:
        return [*found, _bad("settings", str(error), "correct the variable that is named")]
    found.append(Finding(part="settings", state="ok", found="every variable is known and fits"))
    return found + [_kept(part, check, settings) for part, check in _CHECKS] + list(_extras())


def check_python(version: tuple[int, int]) -> Finding:
    """Whether this Python is new enough."""
    told = ".".join(map(str, version))
    if version < _PYTHON:
        return _bad("python", told, "use Python 3.11 or newer")
    return Finding(part="python", state="ok", found=told)


def check_clock(now: datetime) -> Finding:
    """Whether the clock stands before the day on which these files were written."""
    written_s = Path(indexer.__path__[0]).stat().st_mtime
    if now.timestamp() < written_s - _DAY_S:
        return _bad("clock", now.isoformat(), "set the clock: it is before the installation")
    return Finding(part="clock", state="ok", found=now.isoformat(timespec="seconds"))


def check_index(settings: ServiceSettings) -> Finding:
    """Whether the model loads with its pinned hash, the published generation is whole, and both belong together."""
    embedder = embedder_of(settings)
    store = store_of(settings)
    current = store.current()
    if current is None:
        return _bad("index", f"none in {settings.index_root}", "rigwise index build")
    manifest = store.verify(current)
    if manifest.fingerprint != embedder.spec.fingerprint():
        told = f"{current} was built with {manifest.embedder.model}"
        return _bad("index", told, "rigwise index build, or set RIGWISE_MODEL back")
    told = f"{current}, {len(manifest.documents)} documents, model {embedder.spec.model}"
    if manifest.rejected:
        remedy = "rigwise index status lists them with reasons"
        told = f"{told}, {len(manifest.rejected)} files rejected"
        return Finding(part="index", state="note", found=told, remedy=remedy)
    return Finding(part="index", state="ok", found=told)


def check_disk(settings: ServiceSettings) -> Finding:
    """Whether another generation has room."""
    fault = disk_fault(settings.index_root)
    if fault:
        return _bad("disk", fault, "make room on the disk of RIGWISE_INDEX_ROOT")
    return Finding(part="disk", state="ok", found="room for another generation")


def check_store(settings: ServiceSettings) -> Finding:
    """Whether the database of the store is there, and in a form that this version can use; nothing is changed."""
    from rigwise.keeping import spool_of, sql_of
    from service.store.migrate import newest_revision, revision_of

    waiting = spool_of(settings).count()
    told = f", {waiting} rows wait in the spool" if waiting else ""
    store = sql_of(settings)
    if store.database.file is not None and not store.database.file.exists():
        return Finding(part="store", state="ok", found=f"made at the first start{told}")
    try:
        revision = revision_of(store.database)
    finally:
        store.close()
    if revision not in ("", newest_revision()):
        remedy = "the next start migrates it, if it is older; make a back-up first"
        return Finding(part="store", state="note", found=f"{revision}{told}", remedy=remedy)
    return Finding(
        part="store", state="ok", found=f"reachable, revision {revision or 'none'}{told}"
    )


def check_address(settings: ServiceSettings) -> Finding:
    """Whether the service may listen there, and whether the port is free."""
    settings.check_binding()
    told = f"{settings.host}:{settings.port}"
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            remedy = "no fault if that is Rigwise itself; else set RIGWISE_PORT"
            return Finding(
                part="address", state="note", found=f"{told}: {error.strerror}", remedy=remedy
            )
    return Finding(part="address", state="ok", found=f"{told} is free")


def check_language_model(settings: ServiceSettings) -> Finding:
    """Whether something listens at the address of the language model, where one is set."""
    if settings.llm_url is None:
        return Finding(part="language model", state="ok", found="none is set, none is needed")
    parts = urlsplit(settings.llm_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    told = f"{parts.hostname}:{port}"
    try:
        socket.create_connection((parts.hostname or "", port), _CONNECT_S).close()
    except OSError as error:
        remedy = "start it or correct RIGWISE_LLM_URL; answers go on without it"
        found = f"{told}: {error}"
        return Finding(part="language model", state="note", found=found, remedy=remedy)
    return Finding(part="language model", state="ok", found=f"{told} listens")


_CHECKS: Final[tuple[tuple[str, Callable[[ServiceSettings], Finding]], ...]] = (
    ("index", check_index),
    ("disk", check_disk),
    ("store", check_store),
    ("address", check_address),
    ("language model", check_language_model),
)


def _kept(
    part: str, check: Callable[[ServiceSettings], Finding], settings: ServiceSettings
) -> Finding:
    try:
        return check(settings)
    except (IndexerError, ServiceError) as error:
        return _bad(part, f"{error.code}: {error}", "docs/operations.md tells what helps")
    except OSError as error:
        return _bad(part, str(error), "look at the rights of the folder that is named")


def _extras() -> Iterator[Finding]:
    for extra, module in _EXTRAS.items():
        there = _is_there(module)
        told = "installed" if there else "not installed"
        remedy = "" if there else f"pip install 'rigwise[{extra}]' if you want it"
        yield Finding(part=f"extra {extra}", state="ok", found=told, remedy=remedy)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor what it is a part of
        return False


def _bad(part: str, found: str, remedy: str) -> Finding:
    return Finding(part=part, state="bad", found=found, remedy=remedy)
