"""Who asks, and what he may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

Scope = Literal["ask", "read", "write", "admin"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody who was let in. What he asks is kept under `name`; it is empty where nobody needs a key."""

    name: str
    scopes: frozenset[Scope]

    def may(self, scope: Scope) -> bool:
        """Whether he has the scope; `admin` has all."""
        return "admin" in self.scopes or scope in self.scopes

    @property
    def sees_all(self) -> bool:
        """Whether he sees what others asked as well."""
        return self.may("admin")


ANYBODY: Final = Caller(name="", scopes=frozenset(SCOPES))


class Gate(Protocol):
    """Knows the bearer of a token."""

    async def caller(self, token: str) -> Caller | None:
        """Whose token it is; None: it is none of this gate's, or no longer good.

        Raises:
            StoreUnavailable: nobody can tell now.
        """
        ...
