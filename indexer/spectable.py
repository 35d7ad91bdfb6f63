"""The values of a foreign spec table, by whichever way it is turned: devices in columns, in rows, or in the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from indexer.labels import Meaning, meaning_of
from indexer.names import product_of
from indexer.parsing.footnotes import note_of, without_marks
from indexer.parsing.units import split_corner, split_unit, with_unit
from indexer.types import Block, Document

_LONGEST_SPAN: Final = 420
_NAME_COLUMN: Final = re.compile(
    r"^(?:hardware |device |accelerator |product |gpu |chip |card )?(?:name|model|accelerator|device|gpu|chip|product|card|processor)(?: name)?\b",
    re.IGNORECASE,
)
_NO_NAME: Final = re.compile(
    r"^(?:values?|specifications?|details?|description|feature|notes?|unit|units|improvement.*|.*\bfactor|comparison|.*vs\.? .*)$",
    re.IGNORECASE,
)
_VARIANT: Final = re.compile(
    r"^(?:pcie|sxm\d?|nvl\d*|oam|\d+ ?gb|hbm\w*|ultra|max|pro|air|liquid)\b", re.IGNORECASE
)
_MARKUP: Final = re.compile(r"\*\*|__|`|(?<=\])\([^)]*\)|[\[\]](?=\(|$)")
_LEAST_LABELS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecCell:
    """One value: the device it is of, its label with unit, the words around it, and the row that states it."""

    device: str
    label: str
    unit: str
    value: str
    context: str
    notes: dict[str, str]
    span: tuple[int, int]


def read_cells(document: Document, block: Block) -> Iterator[SpecCell]:
    """The values of a table, by whichever way it is turned."""
    notes = {note.mark: note.text for line in block.lead.split("\n") if (note := note_of(line))}
    rows = [tuple(_MARKUP.sub("", cell).strip() for cell in row) for row in block.cells]
    header = tuple(_MARKUP.sub("", name).strip() for name in block.header)
    if not rows:
        return
    labels_down = sum(1 for row in rows if meaning_of(*_labelled(row[0], " ".join(row[1:]))))
    labels_across = sum(
        1 for name in header[1:] if meaning_of(*_labelled(name, split_corner(header[0])[1]))
    )
    if labels_across >= _LEAST_LABELS and labels_across * len(rows) > labels_down * len(header):
        yield from _by_row(document, block, header, rows, notes)
    elif labels_down:
        yield from _by_column(
            document, block, header or ("", *[""] * (len(rows[0]) - 1)), rows, notes
        )


def _labelled(label: str, sample: str) -> tuple[str, str]:
    """A label without unit and marks, and the unit with the sample of values."""
    bare, unit = split_unit(label)
    return without_marks(bare), f"{unit} {sample}"


def _by_row(
    document: Document, block: Block, header: Sequence[str], rows: Sequence[Sequence[str]], notes: dict[str, str]
) -> Iterator[SpecCell]:  # fmt: skip
    column = next((position for position, name in enumerate(header) if _NAME_COLUMN.match(name)), 0)
    corner = split_corner(header[column])[1]
    for row, span in zip(rows, block.rows, strict=True):
        name = without_marks(row[column])
        for label, value in zip(header, row, strict=True):
            bare, unit = split_unit(label)
            if value and name and label != header[column]:
                yield SpecCell(
                    device=name, label=bare, unit=unit or corner, value=value, context=f"{label} {value}", notes=notes,
                    span=_span(document, span, f"{bare}: {with_unit(value, unit)}"),
                )  # fmt: skip


def _by_column(
    document: Document, block: Block, header: Sequence[str], rows: Sequence[Sequence[str]], notes: dict[str, str]
) -> Iterator[SpecCell]:  # fmt: skip
    title = _subject(document, rows)
    for row, span in zip(rows, block.rows, strict=True):
        bare, unit = split_unit(row[0])
        for name, value in zip(header[1:], row[1:], strict=True):
            device = _column_device(name, title)
            if device and value:
                yield SpecCell(
                    device=device, label=bare, unit=unit, value=value, context=f"{row[0]} {value} {name}", notes=notes,
                    span=_span(document, span, f"{name}: {with_unit(value, unit)}"),
                )  # fmt: skip


def _subject(document: Document, rows: Sequence[Sequence[str]]) -> str:
    """What a table without device names speaks of: a row that names a model, else the product in the title."""
    named = next(
        (
            row[1]
            for row in rows
            if re.search(
                r"accelerator model|gpu model|^(?:product|model)(?: name)?$", row[0], re.IGNORECASE
            )
            and row[1]
        ),
        "",
    )
    return without_marks(named or product_of(document.title))


def _column_device(name: str, title: str) -> str:
    """The device of a column: its name, the title's product with it where it only tells a variant, or the product."""
    bare = without_marks(name)
    if not bare:
        return title
    if _NO_NAME.match(bare):
        return title if re.match(r"values?|spec|details?|desc", bare, re.IGNORECASE) else ""
    return f"{title} {bare}" if _VARIANT.match(bare) else bare


def _span(document: Document, row: tuple[int, int], shown: str) -> tuple[int, int]:
    """The row's span; of a very long row only the pair of label and value."""
    if row[1] - row[0] <= _LONGEST_SPAN:
        return row
    at = document.text.find(shown, *row)
    return (at, at + len(shown)) if at >= 0 else row


def meaning_of_cell(cell: SpecCell) -> Meaning | None:
    """What the label of a value means."""
    return meaning_of(without_marks(cell.label), f"{cell.unit} {cell.value}")
