"""Audit what is installed: every distribution has the locked version and a licence that may be shipped.

python -m tools.audit requirements.lock
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

_FORBIDDEN = re.compile(r"AGPL|Affero|SSPL|Server Side Public", re.IGNORECASE)
_OWN = frozenset({"rigwise", "pip", "setuptools", "wheel"})


def main(lock: Path) -> int:
    """Print what is wrong; the number of faults is the exit code's reason."""
    faults = [
        *wrong_versions(read_lock(lock.read_text(encoding="utf-8")), installed()),
        *forbidden_licences(),
    ]
    for fault in faults:
        print(fault)
    print(f"{len(installed())} distributions, {len(faults)} faults")
    return 1 if faults else 0


def read_lock(text: str) -> dict[str, str]:
    """Versions by normalized name."""
    pins = (line.split("#")[0].strip().split("==") for line in text.splitlines() if "==" in line)
    return {normalized(name): version for name, version in pins}


def installed() -> dict[str, str]:
    """Versions of all installed distributions by normalized name."""
    return {normalized(item.metadata["Name"]): item.version for item in distributions()}


def wrong_versions(pins: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Distributions whose version is not the locked one; a local build tag such as `+cpu` does not count."""
    for name in sorted(found.keys() - _OWN):
        if name in pins and found[name].split("+")[0] != pins[name]:
            yield f"{name} {found[name]} is installed, {pins[name]} is locked"


def forbidden_licences() -> Iterator[str]:
    """Distributions whose licence would bind whoever offers Rigwise as a service."""
    for item in sorted(distributions(), key=lambda found: found.metadata["Name"].lower()):
        licence = licence_of(item)
        if _FORBIDDEN.search(licence):
            yield f"{item.metadata['Name']} {item.version} has the licence {licence!r}"


def licence_of(item: Distribution) -> str:
    """The licence as the distribution states it: expression, classifiers, or the first line of the text."""
    stated = [_first(item, "License-Expression")]
    stated += [
        line for line in item.metadata.get_all("Classifier") or () if line.startswith("License ::")
    ]
    if not any(stated):
        stated.append(_first(item, "License").split("\n")[0])
    return "; ".join(part for part in stated if part)


def _first(item: Distribution, field: str) -> str:
    return next(iter(item.metadata.get_all(field) or ()), "")


def normalized(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
