"""Whether a text denies: a statement may neither lose nor gain a "not"."""

from __future__ import annotations

import re

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|unsupported|impossible)\b|n't\b",
    re.IGNORECASE,
)
# Remarks that belong to a phrase and deny nothing of its claim.
_REMARKS = re.compile(
    r"it does not hold for dense matrices|sparsity not stated|no source was read|not known here|no price is known here|at no price for the device|"
    r"and not measured|there is no native hardware for it|since modules are not sold as single cards|"
    r"which is not known|\(interconnect: [^)]*\)|and no accelerator|such as NVLink|, with(?:out)? ECC",
    re.IGNORECASE,
)
_LEADING = re.compile(r"\s*(?:yes|no),\s+", re.IGNORECASE)


def negations(text: str) -> int:
    """How often a text denies, a leading "Yes," or "No," and fixed remarks aside."""
    if not _NEGATION.search(text):
        return 0
    plain = _REMARKS.sub(" ", _LEADING.sub("", text, count=1))
    return sum(1 for _ in _NEGATION.finditer(plain))


_DENIED_FIGURE = re.compile(
    r"\b(?:not (?!fit\b|enough\b)|(?:no|never) )(?:[a-z]+ ){0,3}\d[\d.,]* ?(?!x )[A-Za-z%]",
    re.IGNORECASE,
)
_NEED = re.compile(r"\b(?:needs?|takes?)(?: about)? ([\d.,]+) GiB")
_HAVE = re.compile(
    r"\b(?:offers|has at most|up to|card such as the .{3,60}? with|of) ([\d.,]+) GiB"
)
_FITS = re.compile(r"\bfits\b|\bdoes fit\b|\bis enough\b|\bcomfortable fit\b|\btight fit\b")
_FITS_NOT = re.compile(r"\bnot fit\b|\bnot enough\b|\btoo small\b")


def denies_figure(text: str) -> bool:
    """Whether a calculation is told with a "not" in front of its result."""
    if not _NEGATION.search(text):
        return False
    return _DENIED_FIGURE.search(_REMARKS.sub(" ", _LEADING.sub("", text, count=1))) is not None


def misjudges(text: str) -> bool:
    """Whether the verdict on a fit contradicts the need and the capacity beside it."""
    fits, fits_not = _FITS.search(text) is not None, _FITS_NOT.search(text) is not None
    need, have = _NEED.search(text), _HAVE.search(text)
    if "not ruled out" in text or re.search(r"remain: .* may fit\b", text):
        return True
    if need is None or have is None or not (fits or fits_not):
        return False
    if "missing" in text and fits:
        return True
    wanted, held = (float(each.group(1).replace(",", "")) for each in (need, have))
    return (wanted > held) != fits_not or (fits and fits_not)
