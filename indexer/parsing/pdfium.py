"""Reads pages with PDFium: characters into words, drawn paths into rules."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.geometry import PageLayout, Rule, Word

_THIN: Final = 2.5
_MOST_CHARACTERS: Final = 60_000
_MOST_PATHS: Final = 8_000
_BOLD: Final = re.compile(rb"bold|black|heavy|semi|demi|[-,]bd", re.IGNORECASE)
# PDFium writes this where a hyphen ends a line.
_LINE_HYPHEN: Final = 2
_ERRORS: Final = {
    4: "encrypted; save it without a password",
    3: "damaged or cut off: no PDF structure is found",
}


@dataclass(slots=True)
class _Char:
    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool


def open_pdf(source: SourceFile) -> Any:
    """Open a PDF.

    Raises:
        CorpusError: encrypted or damaged.
    """
    import pypdfium2 as pdfium

    try:
        return pdfium.PdfDocument(source.content)
    except pdfium.PdfiumError as error:
        reason = _ERRORS.get(getattr(error, "err_code", 0), f"the PDF cannot be opened: {error}")
        raise CorpusError(source.path, 1, reason) from error


def read_page(document: Any, index: int) -> PageLayout:
    """Words and rules of a page; rotated text (the axes of charts) is left out."""
    page = document[index]
    try:
        left, bottom, right, top = (
            page.get_mediabox() if page.get_rotation() else page.get_cropbox()
        )
        text = page.get_textpage()
        try:
            words = tuple(_words(text.raw, left, top))
        finally:
            text.close()
        across, down = _rules(page, left, top)
        return PageLayout(
            number=index + 1,
            width=right - left,
            height=top - bottom,
            words=words,
            across=across,
            down=down,
        )
    finally:
        page.close()


def _words(raw: Any, left: float, top: float) -> Iterator[Word]:
    current: list[_Char] = []
    glued = False
    for char in _characters(raw, left, top):
        if char is None or (current and _parts(current[-1], char)):
            if current:
                yield _word(current, glued=glued)
            glued = char is not None and bool(current) and _touches(current[-1], char)
            current = [char] if char else []
        else:
            current.append(char)
    if current:
        yield _word(current, glued=glued)


def _characters(raw: Any, left: float, top: float) -> Iterator[_Char | None]:
    """Characters in the order of the file; None for white space and for text that is not upright."""
    import pypdfium2.raw as c

    box = c.FS_RECTF()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    for index in range(min(c.FPDFText_CountChars(raw), _MOST_CHARACTERS)):
        shown = _character(c.FPDFText_GetUnicode(raw, index))
        if not shown or not _is_upright(c.FPDFText_GetCharAngle(raw, index)):
            yield None
        elif c.FPDFText_GetLooseCharBox(raw, index, ctypes.byref(box)):
            c.FPDFText_GetFontInfo(raw, index, name, 128, ctypes.byref(flags))
            yield _Char(
                text=shown, left=box.left - left, right=box.right - left, top=top - box.top, bottom=top - box.bottom,
                size=_size(c.FPDFText_GetFontSize(raw, index), box.top - box.bottom), bold=bool(_BOLD.search(name.value)),
            )  # fmt: skip


def _character(code: int) -> str:
    if code == _LINE_HYPHEN:
        return "-"
    shown = (
        chr(code)
        if (32 < code < 0xFFFE and not 0xD800 <= code < 0xE000) or 0x10000 <= code < 0x110000
        else ""
    )
    return "" if shown.isspace() or shown == "\u00ad" else shown


def _is_upright(angle: float) -> bool:
    return min(abs(angle), abs(angle - 2 * math.pi)) < 0.1


def _size(named: float, height: float) -> float:
    """The font's size; documents that scale a font of size 1 tell it by the height of the box alone."""
    return named if 0.5 * height < named < 2 * height else max(1.0, height / 1.2)


def _parts(before: _Char, char: _Char) -> bool:
    """Whether a new word begins: a gap, another line, or a raised small mark behind larger text."""
    gap = char.left - before.right
    size = max(before.size, char.size, 1.0)
    apart = abs((before.top + before.bottom) - (char.top + char.bottom)) / 2 > 0.9 * size
    return gap > 0.25 * size or gap < -1.2 * size or apart or _raised(before, char)


def _raised(before: _Char, char: _Char) -> bool:
    return (
        char.size < 0.78 * before.size
        and char.bottom < before.bottom - 0.1 * before.size
        and char.text.isalnum()
    )


def _touches(before: _Char, char: _Char) -> bool:
    return -0.5 * before.size < char.left - before.right < 0.1 * before.size and _raised(
        before, char
    )


def _word(chars: list[_Char], *, glued: bool) -> Word:
    text = "".join(char.text for char in chars)
    if glued and len(text) <= 2:
        text = f" [{text}]"
    size = max(char.size for char in chars)
    middle = (min(c.top for c in chars) + max(c.bottom for c in chars)) / 2
    half = max(size * 0.5, (max(c.bottom for c in chars) - min(c.top for c in chars)) / 2)
    return Word(
        text=text, left=min(c.left for c in chars), right=max(c.right for c in chars), top=middle - half, bottom=middle + half,
        size=size, bold=all(c.bold for c in chars), glued=glued,
    )  # fmt: skip


def _rules(page: Any, left: float, top: float) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    import pypdfium2.raw as c

    across: list[Rule] = []
    down: list[Rule] = []
    for number, item in enumerate(page.get_objects(filter=[c.FPDF_PAGEOBJ_PATH], max_depth=4)):
        if number >= _MOST_PATHS:
            break
        x0, y0, x1, y1 = item.get_bounds()
        _add_rules(
            across,
            down,
            (x0 - left, top - y1, x1 - left, top - y0),
            simple=c.FPDFPath_CountSegments(item.raw) <= 6,
        )
    return tuple(across), tuple(down)


def _add_rules(
    across: list[Rule], down: list[Rule], box: tuple[float, float, float, float], *, simple: bool
) -> None:
    """A thin path is a rule; a plain rectangle has four, since shaded rows have no lines of their own."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if height <= _THIN and width > 8:
        across.append(Rule(at=(y0 + y1) / 2, start=x0, end=x1))
    elif width <= _THIN and height > 4:
        down.append(Rule(at=(x0 + x1) / 2, start=y0, end=y1))
    elif simple and width > 20 and height > 5:
        across += [Rule(at=y0, start=x0, end=x1), Rule(at=y1, start=x0, end=x1)]
        down += [Rule(at=x0, start=y0, end=y1), Rule(at=x1, start=y0, end=y1)]
