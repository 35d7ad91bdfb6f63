"""Words cut into runs of letters and runs of digits, so that "RTX4090" and "rtx 4090" are one name."""

from __future__ import annotations

import re
from dataclasses import dataclass

# CJK characters end a word: a part number stands among them without blanks.
_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_PART = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_LETTER_O = re.compile(r"(?<=\d)[oO]+(?=[\doO]{0,6}\b)")
_POSSESSIVE = re.compile(r"['’][sS]\b")
# The x of "8xH100".
_COUNT_X = re.compile(r"(?<=\d)[xX×](?=[A-Za-z]+\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run of letters or of digits. `first`/`last`: it begins or ends a word of the text."""

    text: str
    start: int
    end: int
    first: bool
    last: bool


def _zeros(letters: re.Match[str]) -> str:
    return "0" * len(letters.group())


def parts_of(text: str) -> list[Part]:
    """Cut a text into runs of letters and runs of digits; a letter O within digits counts as zero."""
    mended = _POSSESSIVE.sub("  ", _COUNT_X.sub(" ", _LETTER_O.sub(_zeros, text)))
    parts = []
    for word in _WORD.finditer(mended):
        runs = list(_PART.finditer(word.group()))
        for position, run in enumerate(runs):
            parts.append(
                Part(
                    text=run.group().casefold(),
                    start=word.start() + run.start(),
                    end=word.start() + run.end(),
                    first=position == 0,
                    last=position == len(runs) - 1,
                )
            )
    return parts
