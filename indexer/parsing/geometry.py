"""What stands where on a page: words, the lines that they form, and the rules drawn between them.

Lengths are points from the upper left corner of the page. A scanned page gives the same values as one with text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

# A gap wider than this many font sizes parts two segments of a line.
_GAP: Final = 0.9
_SAME_LINE: Final = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Halfway between top and bottom."""
        return (self.top + self.bottom) / 2

    def holds(self, other: Box) -> bool:
        """Whether the center of the other lies within."""
        center = (other.left + other.right) / 2
        return (
            self.left - 1 <= center <= self.right + 1
            and self.top - 1 <= other.middle <= self.bottom + 1
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Box):
    """A word with its font size; `glued` when no space parts it from the word before."""

    text: str
    size: float
    bold: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment(Box):
    """Words of one line without a wide gap between them."""

    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        """The words with spaces between."""
        return text_of(self.words)

    @property
    def size(self) -> float:
        """The font size that most of the segment has."""
        return median(word.size for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(word.bold for word in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A thin line: `start` to `end` along it, `at` across it."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLayout:
    """One page: `number` counts from 1."""

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    across: tuple[Rule, ...] = ()
    down: tuple[Rule, ...] = ()


def text_of(words: Iterable[Word]) -> str:
    """Words in their order, with spaces except where one is glued to the one before."""
    text = ""
    for word in words:
        text += word.text if word.glued or not text else f" {word.text}"
    return text


def around(boxes: Sequence[Box]) -> Box:
    """The smallest rectangle that holds all boxes."""
    return Box(
        left=min(box.left for box in boxes),
        top=min(box.top for box in boxes),
        right=max(box.right for box in boxes),
        bottom=max(box.bottom for box in boxes),
    )


def lines_of(words: Sequence[Word]) -> list[list[Word]]:
    """Words by line, from top to bottom, each from left to right; small raised marks belong to their line."""
    lines: list[list[Word]] = []
    middles: list[float] = []
    for word in sorted(words, key=lambda word: (word.middle, word.left)):
        for position in range(len(lines) - 1, max(-1, len(lines) - 6), -1):
            height = max(word.height, lines[position][0].height, 1.0)
            if abs(middles[position] - word.middle) < _SAME_LINE * height:
                lines[position].append(word)
                break
        else:
            lines.append([word])
            middles.append(word.middle)
    return [
        sorted(line, key=lambda word: word.left)
        for _, line in sorted(zip(middles, lines, strict=True), key=lambda item: item[0])
    ]


def segments_of(line: Sequence[Word], *, gap: float = _GAP) -> list[Segment]:
    """Cut a line at wide gaps."""
    groups = [[line[0]]]
    for before, word in pairwise(line):
        if word.left - before.right > gap * max(before.size, word.size, 1.0):
            groups.append([])
        groups[-1].append(word)
    return [_segment(group) for group in groups]


def _segment(words: Sequence[Word]) -> Segment:
    box = around(words)
    return Segment(
        left=box.left, top=box.top, right=box.right, bottom=box.bottom, words=tuple(words)
    )


def gutters(words: Sequence[Box], box: Box, *, least: float, crossings: int = 0) -> list[float]:
    """Middles of the vertical strips of at least `least` width that at most `crossings` of the words touch."""
    first, last = int(box.left), int(box.right) + 1
    cover = [0] * (last - first + 2)
    for word in words:
        left, right = max(first, int(word.left)), min(last, int(word.right) + 1)
        if right > left:
            cover[left - first] += 1
            cover[right - first] -= 1
    found, depth, start = [], 0, None
    for offset, change in enumerate(cover[: last - first + 1]):
        depth += change
        if depth <= crossings and start is None:
            start = offset
        if depth > crossings and start is not None:
            if offset - start >= least and start > 0:
                found.append(first + (start + offset) / 2)
            start = None
    return found
