"""Pictures of text to words and rules: the models of PP-OCR, which the optional package carries."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from indexer.errors import CorpusError
from indexer.parsing.geometry import PageLayout, Rule, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

_LEAST_SCORE: Final = 0.6
# Words of this trade whose letters look alike.
_CONFUSED: Final = {"PCle": "PCIe", "Al": "AI"}
_DARK: Final = 150
_SHORTEST_RULE: Final = 0.12


def read_picture(path: str, picture: Picture, *, number: int, scale: float) -> PageLayout:
    """The words of a picture [height, width, channels] with their places in points, and its long dark lines.

    Raises:
        CorpusError: the package that reads pictures is not installed.
    """
    result = _reader(path)(picture, return_word_box=True)
    words: list[Word] = []
    if result.boxes is not None:
        for corners, text, pieces in zip(
            result.boxes, result.txts, result.word_results, strict=True
        ):
            words += _words(corners / scale, text, pieces, scale)
    words = _leveled(words)
    height, width = picture.shape[:2]
    gray = picture.mean(axis=2) if picture.ndim == 3 else picture
    return PageLayout(
        number=number,
        width=width / scale,
        height=height / scale,
        words=tuple(words),
        across=tuple(_rules(gray, scale)),
        down=tuple(_rules(gray.T, scale)),
    )


@cache
def _load() -> Any:
    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(params={"Global.log_level": "error"})


def _reader(path: str) -> Any:
    try:
        return _load()
    except ImportError as error:
        reason = "pages are pictures without a text layer; install the extra `ocr` (pip install 'rigwise[ocr]') to read them"
        raise CorpusError(path, 1, reason) from error


def _words(corners: Any, text: str, pieces: Any, scale: float) -> list[Word]:
    """The words of a recognized line; its font size is told by its height. Upright text along an axis is left out."""
    left, top = (float(value) for value in corners.min(axis=0))
    right, bottom = (float(value) for value in corners.max(axis=0))
    if bottom - top > 1.5 * (right - left) and len(text) > 2:
        return []
    size = float(round(0.75 * (bottom - top)))
    words: list[Word] = []
    at = 0
    for shown, score, box in pieces:
        found = text.find(shown, at)
        glued = bool(words) and found == at
        at = found + len(shown) if found >= 0 else at
        if float(score) >= _LEAST_SCORE and shown.strip():
            places = [float(point[0]) / scale for point in box]
            words.append(
                Word(
                    text=_CONFUSED.get(shown, shown),
                    left=min(places),
                    right=max(places),
                    top=top,
                    bottom=bottom,
                    size=size,
                    glued=glued,
                )
            )
    return words


def _leveled(words: list[Word]) -> list[Word]:
    """Sizes near the usual one are made that one: a line's height depends on its letters."""
    usual = median(word.size for word in words) if words else 0.0
    return [
        replace(word, size=usual) if abs(word.size - usual) < 0.3 * usual else word
        for word in words
    ]


def _rules(gray: Any, scale: float) -> list[Rule]:
    """Runs of dark dots across the picture that are long and not more than a few dots thick."""
    import numpy as np

    dark = gray < _DARK
    least = int(_SHORTEST_RULE * dark.shape[1])
    rows = np.flatnonzero(dark.sum(axis=1) >= least)
    rules: list[Rule] = []
    for row in rows:
        edges = np.flatnonzero(np.diff(np.concatenate(([0], dark[row].astype(np.int8), [0]))))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if end - start >= least:
                rules.append(
                    Rule(at=float(row) / scale, start=float(start) / scale, end=float(end) / scale)
                )
    return rules
