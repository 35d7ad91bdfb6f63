"""Messages that are no answers: what went wrong, how to ask, thanks."""

from __future__ import annotations

from typing import Final

from service.slack.blocks import Message
from service.slack.mrkdwn import atoms, escape, pack
from service.slack.room import mrkdwn, section

EXAMPLES: Final = (
    "How much memory does an H200 have?",
    "Compare H100 and H200 memory bandwidth",
    "What should I rent to fine-tune Llama 3.1 8B with LoRA under $5/h?",
    "When does training need ECC memory?",
)
_WAYS: Final = (
    "Mention me in a channel, write to me directly, or use `/hardware` for an answer that you alone see. "
    "I answer follow-ups in my threads without another mention."
)


def help_message() -> Message:
    """How to ask, with examples."""
    lines = "\n".join(f"• {escape(example)}" for example in EXAMPLES)
    text = f"Ask me about hardware for machine learning, for example:\n{lines}\n\n{_WAYS}"
    return Message(text=text, blocks=(section(text),))


def failure(code: str, detail: str, *, request_id: str) -> Message:
    """What went wrong, in words that help, with the id under which the logs have it."""
    pieces = [f"I could not answer that ({escape(code)}): ", *atoms(detail)]
    text = (pack(pieces, 2500) or ("I could not answer that.",))[0]
    small = mrkdwn(f"Ask again, or give this id to who runs me: request {escape(request_id)}")
    return Message(
        text=f"{text} (request {escape(request_id)})",
        blocks=(section(text), {"type": "context", "elements": [small]}),
    )
