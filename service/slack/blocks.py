"""A message of blocks from the answer object of every door, within Slack's limits.

What does not fit goes with everything else into a file, and the message says how much that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.slack import actions
from service.slack.document import answer_markdown
from service.slack.limits import BLOCKS, FALLBACK, MESSAGE_CHARS, MODAL_BLOCKS, units
from service.slack.mrkdwn import atoms, escape, link, pack
from service.slack.room import Block, Room, contexts, mrkdwn, plain, sections
from service.slack.tables import Shown, answer_table, option_table

Object = Mapping[str, Any]
_TAIL_CHARS: Final = 1500  # kept for buttons, small print and the count of what is left out
_TAIL_BLOCKS: Final = 6
_QUOTE: Final = 280
_FALLBACK_NOTE: Final = "\n… the rest stands in the message."


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as Slack takes it. `whole` is the answer in Markdown; it goes along as a file when the blocks are `cut`."""

    text: str
    blocks: tuple[Block, ...]
    whole: str = ""
    cut: bool = False


def answer_message(
    answer: Object, *, links: str = "", private: bool = False, heading: str = ""
) -> Message:
    """The answer as a message, under a heading in Slack's markup; a private one gains a button that shares it.

    A citation links to its document, or to its passage below `links` where the document has no address.
    """
    urls = _urls(answer, links)
    room = Room(chars=MESSAGE_CHARS - _TAIL_CHARS, blocks=BLOCKS - _TAIL_BLOCKS)
    shown, _ = _split(answer)
    blocks = sections([[heading]] if heading else [], room, kind="statement")
    blocks += _alerts(answer, urls, room)
    blocks += sections([_paragraph(each, urls) for each in shown], room, kind="statement")
    blocks += _reply(answer, room)
    blocks += _table(answer, urls, room)
    said = (*shown, *_warned(answer), *_rows(answer))
    used = {n for each in said for n in each["citations"]}
    cited = [each for each in answer["citations"] if each["n"] in used or not shown]
    blocks += contexts([list(_source(each, urls)) for each in cited], room, kind="source")
    blocks += _tail(answer, room.told(), private=private)
    return Message(
        text=fallback(answer),
        blocks=tuple(blocks),
        whole=answer_markdown(answer),
        cut=bool(room.told()),
    )


def details_view(answer: Object, *, links: str = "") -> Block:
    """The modal with what speaks for each machine, what is ruled out, and their sources."""
    urls = _urls(answer, links)
    hidden = _split(answer)[1]
    room = Room(chars=10 * MESSAGE_CHARS, blocks=MODAL_BLOCKS - 2)
    blocks = sections([_paragraph(each, urls) for each in hidden], room, kind="statement")
    used = {n for each in hidden for n in each["citations"]}
    cited = [each for each in answer["citations"] if each["n"] in used]
    blocks += contexts([list(_source(each, urls)) for each in cited], room, kind="source")
    if room.told():
        blocks.append(_small(f"{room.told()}: ask for one machine by name to see them."))
    return {
        "type": "modal",
        "title": plain("Why these machines"),
        "close": plain("Close"),
        "blocks": blocks or [_small("Nothing more was computed.")],
    }


def fallback(answer: Object) -> str:
    """The message as a text, for notifications and screen readers."""
    whole = escape(answer["text"]).strip() or "Rigwise has answered."
    if units(whole) <= FALLBACK:
        return whole
    pieces = pack(atoms(answer["text"]), FALLBACK - units(_FALLBACK_NOTE))
    return (pieces[0] if pieces else "A long answer.") + _FALLBACK_NOTE


def _split(answer: Object) -> tuple[Sequence[Object], Sequence[Object]]:
    """The statements that stand in the message, and those behind the button."""
    advice = answer["recommendation"]
    if advice is None:
        return answer["statements"], ()
    warned = {each["text"] for each in advice["warnings"]}
    behind = tuple(f"Option {option['rank']}: " for option in advice["options"])
    ruled_out = {each["statement"]["text"] for each in advice["rejected"]}
    hidden = [
        each
        for each in answer["statements"]
        if each["text"].startswith(behind or ("\0",)) or each["text"] in ruled_out
    ]
    shown = [
        each for each in answer["statements"] if each not in hidden and each["text"] not in warned
    ]
    return shown, hidden


def _urls(answer: Object, links: str) -> dict[int, str]:
    return {
        each["n"]: each["document"]["url"] or _passage(each, links) for each in answer["citations"]
    }


def _passage(citation: Object, links: str) -> str:
    return f"{links}/v1/passages/{citation['passage_id']}" if links else ""


def _paragraph(statement: Object, urls: Mapping[int, str]) -> list[str]:
    return [*atoms(statement["text"]), *_marks(statement["citations"], urls)]


def _marks(numbers: Sequence[int], urls: Mapping[int, str]) -> Iterator[str]:
    for place, n in enumerate(numbers):
        before = " " if place == 0 else ""
        yield before + (link(urls[n], f"[{n}]") if urls.get(n) else f"[{n}]")


def _warned(answer: Object) -> Sequence[Object]:
    """The warnings as statements, with their citations."""
    texts = {each["text"] for each in (answer["recommendation"] or {}).get("warnings", ())}
    return [each for each in answer["statements"] if each["text"] in texts]


def _alerts(answer: Object, urls: Mapping[int, str], room: Room) -> list[Block]:
    """What a reader must not miss: how a follow-up was understood, and warnings."""
    blocks = []
    if answer["rewritten"]:
        blocks += contexts(
            [list(atoms(f"Understood as: {answer['rewritten']}"))], room, kind="statement"
        )
    for warning in _warned(answer):
        parts = pack(_paragraph(warning, urls), 3000)
        if parts is None or len(parts) > 1:
            room.leave("warning")
        elif parts and room.take("warning", chars=units(parts[0])):
            blocks.append({"type": "alert", "level": "warning", "text": mrkdwn(parts[0])})
    return blocks


def _reply(answer: Object, room: Room) -> list[Block]:
    """Why there is no answer, and what would help."""
    reason = answer["abstention"]
    if reason is None:
        return []
    texts = [text for text in (reason["why"], reason["ask"]) if text]
    return sections([list(atoms(text)) for text in texts], room, kind="statement")


def _table(answer: Object, urls: Mapping[int, str], room: Room) -> list[Block]:
    """One table, which is all that a message may hold; the machines go first."""
    advice, table = answer["recommendation"], answer["table"]
    shown = Shown(block=None, chars=0, left_out=0)
    if advice is not None and advice["options"]:
        shown = option_table(advice["options"], room=room.chars)
        room.leave("row", len(table["rows"]) if table else 0)
    elif table is not None:
        shown = answer_table(table, urls, room=room.chars)
    room.leave("row", shown.left_out)
    if shown.block is None:
        return []
    room.chars -= shown.chars
    room.blocks -= 1
    return [shown.block]


def _rows(answer: Object) -> Sequence[Object]:
    return answer["table"]["rows"] if answer["table"] else ()


def _source(citation: Object, urls: Mapping[int, str]) -> Iterator[str]:
    """A source: number, place, date, and the quote, cut for reading."""
    document = citation["document"]
    place = " › ".join(dict.fromkeys((document["title"], *citation["heading_path"])))
    yield f"[{citation['n']}] "
    url = urls[citation["n"]]
    yield link(url, place) if url else escape(place)
    page = f", page {citation['page']}" if citation["page"] is not None else ""
    date = f", as of {document['as_of']}" if document["as_of"] else ""
    yield escape(f" ({document['path']}{page}{date}) ")
    quote = " ".join(citation["quote"].split())
    yield escape(quote if len(quote) <= _QUOTE else quote[: _QUOTE - 1].rstrip() + "…")


def _tail(answer: Object, left_out: str, *, private: bool) -> Iterator[Block]:
    """The count of what is left out, the buttons, and the small print."""
    if left_out:
        yield _small(f"{left_out}: see the file answer.md.")
    buttons = actions.buttons(answer, private=private)
    if buttons:
        yield {"type": "actions", "elements": buttons}
    yield actions.feedback(answer["id"])
    yield _small(f"Index {answer['generation'][:20]} · request {answer['id'][:100]}")


def _small(text: str) -> Block:
    return {"type": "context", "elements": [mrkdwn(escape(text))]}
