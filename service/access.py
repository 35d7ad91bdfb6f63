"""Who asks, and what he may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from indexer.belonging import is_open

Scope = Literal["ask", "read", "write", "admin"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody who was let in. What he asks is kept under `name`; it is empty where nobody needs a key.

    `collections` are those whose documents he sees beside the documents that are in none; None: all.
    """

    name: str
    scopes: frozenset[Scope]
    collections: frozenset[str] | None = frozenset()

    def may(self, scope: Scope) -> bool:
        """Whether he has the scope; `admin` has all."""
        return "admin" in self.scopes or scope in self.scopes

    @property
    def visible(self) -> frozenset[str] | None:
        """The collections that he sees; None: all, as for `admin`."""
        return None if self.may("admin") else self.collections

    def sees(self, path: str) -> bool:
        """Whether a document at that path is for him."""
        seen = self.visible
        return seen is None or is_open(path, seen)

    @property
    def sees_all(self) -> bool:
        """Whether he sees what others asked as well."""
        return self.may("admin")


ANYBODY: Final = Caller(name="", scopes=frozenset(SCOPES), collections=None)


class Gate(Protocol):
    """Knows the bearer of a token."""

    async def caller(self, token: str) -> Caller | None:
        """Whose token it is; None: it is none of this gate's, or no longer good.

        Raises:
            StoreUnavailable: nobody can tell now.
        """
        ...
