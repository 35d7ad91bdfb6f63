"""A first-time user's path works as it is shown in the documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.web.conftest import watched
from tools.film import PICTURES, SIZE, walk

DOCUMENT = Path(__file__).parents[3] / "docs" / "page.md"


@pytest.mark.model
def test_the_path_can_be_walked_and_each_step_has_its_picture(chromium, whole_site):
    with watched(chromium, whole_site, viewport=SIZE, reduced_motion="reduce") as page:
        steps = list(walk(page, whole_site))

    sizes = {path.stem: path.stat().st_size for path in PICTURES.glob("*.png")}
    assert sorted(sizes) == steps
    assert max(sizes.values()) < 150_000
    assert all(f"(page/{step}.png)" in DOCUMENT.read_text(encoding="utf-8") for step in steps)
