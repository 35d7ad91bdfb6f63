"""The buttons under a message. Their values carry the id of the answer, never its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from service.slack.limits import BUTTON_TEXT, BUTTON_VALUE, units
from service.slack.mrkdwn import escape
from service.slack.room import Block, plain

DETAILS: Final = "rigwise_details"
SHARE: Final = "rigwise_share"
CHOICE: Final = "rigwise_choice"
ADD_DETAIL: Final = "rigwise_add_detail"
FEEDBACK: Final = "rigwise_feedback"
_CHOICES: Final = 8
_QUOTED: Final = 300


def buttons(answer: Mapping[str, Any], *, private: bool) -> list[Block]:
    """What a reader can do with an answer: see reasons, name what is meant, share it."""
    found = []
    advice, reason = answer["recommendation"], answer["abstention"]
    if advice is not None and (advice["options"] or advice["rejected"]):
        found.append(button(DETAILS, "Why these, and what is ruled out", answer["id"]))
    if reason is not None:
        fitting = [
            each for each in reason["choices"] if each.strip() and units(each) <= BUTTON_TEXT
        ][:_CHOICES]
        found += [button(f"{CHOICE}:{place}", each, each) for place, each in enumerate(fitting)]
        if reason["ask"]:
            found.append(button(ADD_DETAIL, "Add the detail", answer["id"]))
    if private:
        found.append(button(SHARE, "Share in channel", answer["id"]))
    return found


def button(action: str, label: str, value: str) -> Block:
    """A button."""
    return {
        "type": "button",
        "action_id": action,
        "text": plain(label),
        "value": value[:BUTTON_VALUE],
    }


def feedback(answer_id: str) -> Block:
    """Thumbs up and down; the second asks for a reason."""
    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": FEEDBACK,
                "positive_button": {
                    "text": plain("Helpful"),
                    "value": f"up:{answer_id}"[:BUTTON_VALUE],
                },
                "negative_button": {
                    "text": plain("Not helpful"),
                    "value": f"down:{answer_id}"[:BUTTON_VALUE],
                },
            }
        ],
    }


def quoted(text: str) -> str:
    """A question on one line, cut for a heading."""
    line = " ".join(text.split())
    return escape(line if len(line) <= _QUOTED else line[: _QUOTED - 1].rstrip() + "…")
