"""Feedback as cases: what people approved must stay, what they did not is asked again to be read."""

from __future__ import annotations

from typing import Any

from service.store.types import Feedback, StoredAnswer

_TO_READ = "to_read"


def case_of(answer: StoredAnswer, given: Feedback) -> dict[str, Any]:
    """A case in the form of `eval.cases.Case`.

    An approved answer is expected to have its kind, and its cited numbers, again. Of another one nothing is expected:
    its `kind` is none, so it is answered and read; `reason` and `comment` say what was wrong.
    """
    told = answer.answer
    approved = given.verdict == "up"
    abstention = told.get("abstention") or {}
    return {
        "id": given.id,
        "category": f"feedback-{given.verdict}",
        "question": told.get("rewritten") or told.get("question") or answer.question,
        "kind": told.get("kind", _TO_READ) if approved else _TO_READ,
        "abstention_code": abstention.get("code") if approved else None,
        "key_facts": _facts(told) if approved else [],
        "reason": given.reason,
        "comment": given.comment,
        "answer_id": answer.id,
        "generation": told.get("generation", ""),
    }


def _facts(told: Any) -> list[dict[str, Any]]:
    """Each number of the statements that a source states, once."""
    facts: dict[tuple[float, str], dict[str, Any]] = {}
    for statement in told.get("statements", ()):
        for number in statement["numbers"]:
            if number["origin"] == "cited":
                fact = {"text": statement["text"], "value": number["value"], "unit": number["unit"]}
                facts.setdefault((number["value"], number["unit"]), fact)
    return list(facts.values())
