"""Power is lost after every step of a publication; the controls leave flushes out and must lose something."""

from __future__ import annotations

import random
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from indexer.errors import GenerationCorrupt, GenerationNotFound
from indexer.generation import GenerationStore
from tests.indexer.lifecycle.power import Disk, RecordingFiles, Step
from tests.indexer.lifecycle.worlds import build, write_article, write_articles

pytestmark = pytest.mark.slow
_CHANCES = 10


@dataclass(frozen=True)
class Publication:
    """The disk before, the steps, and the step behind which the new generation was acknowledged."""

    before: Path
    steps: list[Step]
    acknowledged: int
    old: str | None
    new: str


def _recorded(tmp_path: Path, *, first: bool) -> Publication:
    docs, top = write_articles(tmp_path / "docs"), tmp_path / "disk"
    top.mkdir()
    old = None
    if not first:
        old = build(docs, GenerationStore(top / "index")).generation
        write_article(docs, "guidance/memory/article-1.md", "Card 1 has other memory.")
    shutil.copytree(top, tmp_path / "before")
    files = RecordingFiles()
    new = build(docs, GenerationStore(top / "index", files=files)).generation
    rebased = [_rebased(step, top, tmp_path / "before") for step in files.steps]
    pointed = [at for at, step in enumerate(rebased) if step.other and step.other.name == "CURRENT"]
    # The flush of the root behind the rename of CURRENT is the last step before `publish` returns.
    return Publication(tmp_path / "before", rebased, pointed[0] + 2, old, new)


def _rebased(step: Step, old: Path, new: Path) -> Step:
    other = new / step.other.relative_to(old) if step.other else None
    return Step(step.kind, new / step.path.relative_to(old), step.content, other)


def _left(publication: Publication, steps: list[Step], target: Path, chance: int) -> str | None:
    """What opens after the steps and a loss of power. Chances 0 and 1 are the two extremes, the others are mixed."""
    disk = Disk(publication.before)
    for step in steps:
        disk.apply(step)
    shutil.rmtree(target, ignore_errors=True)
    choice = random.Random(chance) if chance > 1 else None  # noqa: S311
    disk.survive(target, choice, eager=chance == 1)
    try:
        return GenerationStore(target / "index").open_current().id
    except (GenerationNotFound, GenerationCorrupt):
        return None


@pytest.mark.parametrize("first", [True, False], ids=["first build", "change"])
def test_no_loss_of_power_loses_an_acknowledged_publication(first, tmp_path, capsys):
    publication = _recorded(tmp_path, first=first)

    cases = 0
    for count in range(len(publication.steps) + 1):
        for chance in range(_CHANCES):
            left = _left(publication, publication.steps[:count], tmp_path / "left", chance)
            acknowledged = count >= publication.acknowledged
            allowed = {publication.new} if acknowledged else {publication.old, publication.new}
            assert left in allowed, (count, chance, publication.steps[count - 1])
            cases += 1
    with capsys.disabled():
        sys.stdout.write(f"\npower lost in {cases} cases, 0 bad\n")


def test_control_without_flushing_folders_the_publication_is_lost(tmp_path):
    publication = _recorded(tmp_path, first=False)
    steps = publication.steps[: publication.acknowledged]

    left = _left(
        publication, [s for s in steps if s.kind != "flush folder"], tmp_path / "left", chance=0
    )

    assert left == publication.old


def test_control_without_any_flush_the_publication_is_lost_even_if_the_names_are_there(tmp_path):
    publication = _recorded(tmp_path, first=False)
    steps = [s for s in publication.steps[: publication.acknowledged] if "flush" not in s.kind]

    left = {_left(publication, steps, tmp_path / "left", chance) for chance in (0, 1)}

    assert publication.new not in left
