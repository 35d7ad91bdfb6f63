"""Records that are simple enough to compare."""

from __future__ import annotations

from service.store.types import Feedback, StoredAnswer
from tests.service.store.conftest import NOON


def stored(n: int = 1, *, at=NOON, **changed) -> StoredAnswer:
    given = {
        "id": f"a{n}",
        "created_at": at,
        "answer": {"id": f"a{n}", "generation": "g1", "kind": "answer", "text": f"text {n}"},
        "question": f"question {n}",
        "asker": "ann",
    }
    return StoredAnswer(**(given | changed))


def judged(n: int = 1, *, at=NOON, **changed) -> Feedback:
    given = {
        "id": f"f{n}",
        "created_at": at,
        "answer_id": "a1",
        "verdict": "up",
        "asker": "ann",
    }
    return Feedback(**(given | changed))
