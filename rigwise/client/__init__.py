"""A client of the HTTP API, typed, blocking (`Client`) and not (`AsyncClient`). Needs the extra `client`.

with Client("http://127.0.0.1:8080") as rigwise:
print(rigwise.ask("How much memory does an H200 have?").text)
"""

from __future__ import annotations

try:
    from rigwise.client.clients import AsyncClient, Client
except ModuleNotFoundError as error:
    if error.name not in {"httpx2", "stamina"}:
        raise
    raise ImportError(
        "the extra `client` is not installed; pip install 'rigwise[client]'"
    ) from error
from rigwise.client.errors import ClientError, Problem, Unreachable
from service.http.advice_bodies import PlanBody as Plan
from service.http.advice_bodies import WorkloadBody as Workload

__all__ = ["AsyncClient", "Client", "ClientError", "Plan", "Problem", "Unreachable", "Workload"]
