"""The modals and the home tab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from service.slack.mrkdwn import escape
from service.slack.notes import EXAMPLES
from service.slack.room import Block, mrkdwn, plain, section

REASON_VIEW: Final = "rigwise_reason"
DETAIL_VIEW: Final = "rigwise_detail"
CHANNEL_VIEW: Final = "rigwise_channel"
OPEN_CHANNEL: Final = "rigwise_open_channel"
_REASONS: Final = {
    "wrong": "It is wrong",
    "incomplete": "Something is missing",
    "outdated": "It is out of date",
    "unclear": "It is hard to understand",
    "no_answer": "There should be an answer",
    "other": "Something else",
}


def reason_view(answer_id: str) -> Block:
    """Asks why an answer did not help."""
    options = [{"text": plain(label), "value": name} for name, label in _REASONS.items()]
    return _form(
        REASON_VIEW,
        "What went wrong?",
        answer_id,
        [
            _input("reason", "Reason", {"type": "radio_buttons", "options": options}),
            _input("comment", "What would have been right?", _text(lines=True), optional=True),
        ],
    )


def detail_view(answer: Mapping[str, Any], place: str) -> Block:
    """Asks for the detail that an answer wants. `place` says where to go on."""
    wanted = (answer["abstention"] or {}).get("ask") or "What should I know?"
    fields = [section(escape(wanted)[:3000]), _input("detail", "Detail", _text(lines=False))]
    return _form(DETAIL_VIEW, "Add a detail", place, fields)


def channel_view(channel: str, settings: Mapping[str, Any]) -> Block:
    """The settings of a channel, as they are now."""
    follow = {"text": plain("Answer follow-ups in my threads without a mention"), "value": "follow"}
    boxes: Block = {"type": "checkboxes", "options": [follow]}
    if settings.get("follow", True):
        boxes["initial_options"] = [follow]
    scope = _text(lines=False)
    if settings.get("scope"):
        scope["initial_value"] = ", ".join(settings["scope"])
    label = "Documents that this channel may see (paths, commas between; empty: all)"
    return _form(
        CHANNEL_VIEW,
        "Channel settings",
        channel,
        [
            section(f"Settings of <#{channel}>"),
            _input("follow", "Threads", boxes, optional=True),
            _input("scope", label, scope, optional=True),
        ],
    )


def home_view(state: str) -> Block:
    """The home tab: what to ask, how the index is, and the settings."""
    examples = "\n".join(f"• {escape(example)}" for example in EXAMPLES)
    return {
        "type": "home",
        "blocks": [
            {"type": "header", "text": plain("Hardware questions, answered with sources")},
            section(f"For example:\n{examples}"),
            section(
                "Mention me, write to me, or use `/hardware` for an answer that you alone see."
            ),
            {"type": "context", "elements": [mrkdwn(escape(state))]},
            {
                "type": "actions",
                "elements": [
                    {
                        "type": "conversations_select",
                        "action_id": OPEN_CHANNEL,
                        "placeholder": plain("Settings of a channel"),
                    }
                ],
            },
        ],
    }


def prompts() -> list[dict[str, str]]:
    """The suggestions of the messages tab, four at most."""
    return [{"title": example[:75], "message": example} for example in EXAMPLES[:4]]


def value_of(view: Mapping[str, Any], name: str) -> Any:
    """What was put into a field: a text, a choice, or a list of them."""
    field = view["state"]["values"][name][name]
    chosen = field.get("selected_options")
    if chosen is not None:
        return [each["value"] for each in chosen]
    option = field.get("selected_option")
    return option["value"] if option else field.get("value") or field.get("selected_conversation") or ""  # fmt: skip


def _form(callback: str, title: str, kept: str, blocks: list[Block]) -> Block:
    return {
        "type": "modal",
        "callback_id": callback,
        "title": plain(title),
        "submit": plain("Send"),
        "close": plain("Cancel"),
        "private_metadata": kept,
        "blocks": blocks,
    }


def _input(name: str, label: str, element: Block, *, optional: bool = False) -> Block:
    return {
        "type": "input",
        "block_id": name,
        "label": plain(label),
        "optional": optional,
        "element": {**element, "action_id": name},
    }


def _text(*, lines: bool) -> Block:
    return {"type": "plain_text_input", "multiline": lines, "max_length": 1000}
