"""How large a model a memory holds at a number format: the arithmetic of size turned round."""

from __future__ import annotations

from typing import Literal

from service.advisor.formula import computed
from service.advisor.parts import given
from service.advisor.precision import FORMATS, Format
from service.types import Number

CACHE_GIB = 1.5
# The runtime's own memory on one device, as in `memory.py`.
CONTEXT_GIB = 0.7


def largest_parameters(
    gib: float,
    form: Format = FORMATS["q4_k_m"],
    *,
    basis: Literal["cited", "question"] = "cited",
) -> Number:
    """The parameters that fit, with room for the cache of one user and the runtime."""
    return computed(
        "(gib - context - cache)*2**30*8/bits/1e9",
        "billion parameters",
        given("gib", gib, "GiB", basis=basis),
        given("context", CONTEXT_GIB, "GiB", basis="assumed"),
        given(
            "cache", CACHE_GIB, "GiB", basis="assumed", note="cache and working space of one user"
        ),
        given("bits", form.bits, "bit", basis="assumed", note=form.source),
        source=form.source,
    )
