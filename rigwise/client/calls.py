"""A call as a value: which request it is, and how its reply is read. Nothing here sends anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ValidationError

from rigwise.client.errors import BadReply, problem_from

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """A request, and `read`, which makes the result of a good reply's body."""

    method: str
    path: str
    read: Callable[[bytes], T]
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    content: bytes | None = None
    accept: str = "application/json"

    def request(self, http: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        """The request, as the transport sends it."""
        return http.build_request(
            self.method,
            self.path,
            params={name: value for name, value in self.params.items() if value is not None},
            json=self.json,
            content=self.content,
            headers={"Accept": self.accept},
        )

    def result(self, reply: httpx2.Response) -> T:
        """The result of a reply whose body has been read.

        Raises:
            ClientError: the service refused or failed, or the reply is not what is documented.
        """
        check(reply)
        return self.read(reply.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A call whose reply comes as a stream of events."""

    call: Call[Any]


def check(reply: httpx2.Response) -> None:
    """Raise what a reply whose body has been read says went wrong."""
    if reply.is_success:
        return
    try:
        body = reply.json()
    except ValueError:
        body = None
    raise problem_from(body, retry_after=reply.headers.get("Retry-After"))


def reading(model: type[M]) -> Callable[[bytes | str], M]:
    """Reads JSON as a model; what a newer service has added is left out."""

    def read(body: bytes | str) -> M:
        try:
            return model.model_validate_json(body, extra="ignore")
        except ValidationError as error:
            raise BadReply(f"the reply is no {model.__name__}: {error}") from error

    return read


def segment(name: str) -> str:
    """An id as a part of an address; ids of documents are paths.

    Raises:
        ValueError: it would lead to another address.
    """
    if {"", ".", ".."} & set(name.split("/")):
        raise ValueError(f"{name!r} is no id: it is empty, or has an empty part, `.` or `..`")
    return quote(name, safe="/")
