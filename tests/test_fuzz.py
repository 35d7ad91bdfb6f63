from __future__ import annotations

import pytest

from tools.fuzz import main


@pytest.mark.slow
def test_a_short_fuzzing_of_the_whole_api_finds_nothing():
    assert main(6, "--generation-deterministic") == 0
