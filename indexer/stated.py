"""What one value of a spec table states: kind of fact, qualifiers, figure and unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from indexer.labels import Meaning, engine_of, names_tensor, sparsity_of
from indexer.parsing.footnotes import marks_in, without_marks
from indexer.quantities import Written, plausible, quantities_in, spelled
from indexer.spectable import SpecCell, meaning_of_cell

_MEMORY_TYPE: Final = re.compile(r"\b(HBM\d?[eE]?|GDDR\d?X?|LPDDR\d?[xX]?|DDR\d)\b")
_COUNTED: Final = {"gpu_cores": "cores", "tensor_cores": "tensor cores"}
_WORDS: Final = frozenset({"pcie", "compute_capability"})
_NO_FACTS: Final = frozenset({"form_factor", "architecture", "memory_type"})
# How far behind a figure its own words reach, where a cell holds several figures.
_REACH: Final = 24
_BEFORE_LINK: Final = re.compile(r"[:;,]|\d\s?[GT]B/s")
_BOTH_WAYS: Final = re.compile(r"bi-?direction|total|aggregate")
_ONE_WAY: Final = re.compile(r"uni-?direction|each (?:way|direction)|per direction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A fact without its document: `written` is None for a fact in words; `sure` when nothing had to be assumed."""

    kind: str
    qualifiers: dict[str, str]
    text: str
    written: Written | None
    sure: bool

    @property
    def unit(self) -> str:
        """The unit as the facts of the corpus spell it."""
        if self.written is None:
            return ""
        return _COUNTED.get(self.kind, self.written.quantity.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a value takes from the rest of its table: the memory's type, the precisions that tensor rows state."""

    memory_type: str
    tensor: frozenset[str]


def memory_type_of(cells: Sequence[SpecCell]) -> str:
    """The type of memory that any value names, or an empty string."""
    for cell in cells:
        what = meaning_of_cell(cell)
        if what and what.kind in {"memory_type", "memory"}:
            found = _MEMORY_TYPE.search(f"{cell.label} {cell.value}")
            if found:
                return found[1]
    return ""


def tensor_precisions(cells: Sequence[SpecCell]) -> frozenset[str]:
    """The precisions for which a label names tensor or matrix engines."""
    named = (meaning_of_cell(cell) for cell in cells if names_tensor(cell.label))
    return frozenset(precision for what in named if what for precision in what.precisions)


def statements(cell: SpecCell, around: Around) -> Iterator[Stated]:
    """All that a value states, in its order; nothing where its label is not in the lexicon or its figure is absurd."""
    what = meaning_of_cell(cell)
    if what is None or what.kind in _NO_FACTS:
        return
    if what.kind == "pcie" and any(
        plausible("interconnect_bandwidth", written.quantity)
        for written in quantities_in(cell.value, cell.unit)
    ):
        what = Meaning(kind="interconnect_bandwidth")
    if what.kind in _WORDS:
        text = without_marks(cell.value)
        yield Stated(kind=what.kind, qualifiers={}, text=text, written=None, sure=True)
    elif what.kind == "peak":
        yield from _peaks(cell, what, around)
    else:
        found = _figures(cell, what.kind)
        for written in found if what.kind == "interconnect_bandwidth" else found[:1]:
            yield Stated(
                kind=what.kind,
                qualifiers=_qualifiers(cell, what.kind, written, around.memory_type),
                text=_text(cell, what.kind, written),
                written=written,
                sure=not written.implied or bool(cell.unit),
            )


def _figures(cell: SpecCell, kind: str) -> list[Written]:
    found = quantities_in(cell.value, cell.unit)
    return [w for w in found if kind in _COUNTED or plausible(kind, w.quantity)]


def _peaks(cell: SpecCell, what: Meaning, around: Around) -> Iterator[Stated]:
    """One fact a precision and figure; of two figures the second counts where its words or mark tell what it is."""
    found = _figures(cell, "peak")[:2]
    elsewhere = not names_tensor(cell.label)
    for number, written in enumerate(found):
        sparsity, told = sparsity_of(_words_of(cell, written, alone=len(found) == 1))
        if number == 1 and not told:
            continue
        for precision in what.precisions:
            other = elsewhere and precision in around.tensor
            engine, clear = engine_of(cell.label, precision, tensor_elsewhere=other)
            yield Stated(
                kind="peak",
                qualifiers={"precision": precision, "sparsity": sparsity, "engine": engine},
                text=spelled(written.quantity),
                written=written,
                sure=told or clear,
            )


def _words_of(cell: SpecCell, written: Written, *, alone: bool) -> str:
    """The label, the words around a figure, and the footnotes of both.

    A label's mark holds for all figures of its row, unless the figures carry marks of their own.
    """
    own = cell.value if alone else cell.value[written.start : written.end + _REACH]
    marks = marks_in(cell.value) if alone else written.marks
    if alone or not marks_in(cell.value):
        marks = (*marks_in(cell.label), *marks)
    return " ".join([cell.label, own, *(cell.notes.get(mark, "") for mark in marks)])


def _qualifiers(cell: SpecCell, kind: str, written: Written, memory_type: str) -> dict[str, str]:
    words = f"{cell.label} {cell.value}".casefold()
    if kind == "memory":
        own = _MEMORY_TYPE.search(f"{cell.value} {cell.label}")
        found = own[1] if own else memory_type
        return {"basis": "nominal", **({"memory_type": found} if found else {})}
    if kind == "power":
        return {"term": _term(words)}
    if kind == "interconnect_bandwidth":
        return {"link": _link(cell, written), "direction": _direction(words)}
    return {"term": "MSRP", "new": "yes"} if kind == "price" else {}


def _term(words: str) -> str:
    term = next((word.upper() for word in ("tdp", "tgp", "tbp") if word in words), "")
    if term:
        return term
    return "TDP" if "thermal design" in words else "TBP" if "board" in words else "maximum"


def _link(cell: SpecCell, written: Written) -> str:
    """The words before a figure, as in "NVLink: 900 GB/s, PCIe: 128 GB/s"; else the label."""
    before = cell.value[: written.start].strip(" :;,")
    named = _BEFORE_LINK.split(before)[-1].strip() if before else ""
    return named or without_marks(cell.label)


def _direction(words: str) -> str:
    if _ONE_WAY.search(words):
        return "each"
    return "total" if _BOTH_WAYS.search(words) else "unstated"


def _text(cell: SpecCell, kind: str, written: Written) -> str:
    if kind in _COUNTED:
        return f"{written.quantity.value:.0f} {_COUNTED[kind]}"
    return without_marks(cell.value) if written.ranged else spelled(written.quantity)
