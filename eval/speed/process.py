"""A process of its own: cold start until the first answer, and resident memory with the corpus loaded."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from typing import Final

from eval.speed.rows import Row, single

_TIMEOUT_S: Final = 180
_NAMES: Final = {
    "model_s": "cold start, model loaded",
    "index_s": "cold start, index opened",
    "answer_s": "cold start, two questions answered",
}


def measure_process(probe: Sequence[str], *, told: Callable[[str], object]) -> list[Row]:
    """Run the command `probe`, which starts Rigwise, answers, and prints what it took as one JSON object.

    It has the settings of this process; the index must have been built before.
    """
    told("process: cold start and memory")
    try:
        done = subprocess.run(  # noqa: S603 - the caller's own command
            list(probe),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = f"skipped: {type(error).__name__}"
        return [Row(group="process", name="resident memory", unit="MB", skipped=reason)]
    found = json.loads(done.stdout.splitlines()[-1])
    rows = [
        single(Row(group="process", name=name, unit="s", higher_is_better=False), float(found[key]))
        for key, name in _NAMES.items()
    ]
    memory = Row(
        group="process",
        name="resident memory",
        unit="MB",
        higher_is_better=False,
        note="10^6 bytes, web application and engine loaded, after two answers",
    )
    if found["resident_mb"] is None:
        return [*rows, memory.model_copy(update={"skipped": "skipped: the system does not tell"})]
    return [*rows, single(memory, float(found["resident_mb"]))]
