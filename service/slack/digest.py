"""What the keepers of the documents should know of a day: no answer, found wrong, documents that were refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Final

import structlog

from service.slack.asks import Ask
from service.slack.blocks import Message
from service.slack.intake import Intake
from service.slack.limits import BLOCKS, MESSAGE_CHARS
from service.slack.mrkdwn import atoms, escape
from service.slack.room import Block, Room, mrkdwn, section, sections
from service.store.errors import StoreError
from service.store.ledger import Ledger

Rejected = Callable[[], Sequence[tuple[str, str]]]
_LOOK_S: Final = 600.0
_HOUR_UTC: Final = 6  # a digest of yesterday comes from this hour on
_LONGEST: Final = 200
_TAIL: Final = 500
_MOST: Final = 1000
_log = structlog.get_logger()


class Digests:
    """Writes the digest of a day."""

    def __init__(self, ledger: Ledger, rejected: Rejected) -> None:
        self._ledger = ledger
        self._rejected = rejected

    def message(self, day: str) -> Message | None:
        """The digest of a day like 2026-12-01, which begins and ends in UTC; None: there is nothing to tell.

        Raises:
            StoreUnavailable: the store is away.
        """
        since = datetime.combine(datetime.fromisoformat(day), time(), UTC)
        until = since + timedelta(days=1)
        unanswered = [
            f"{_line(each.question)} ({each.code}, {each.times}×)"
            for each in self._ledger.unanswered(limit=_MOST, since=since, until=until)
        ]
        wrong = [
            " — ".join(
                _line(part) for part in (answer.question, given.reason, given.comment) if part
            )
            for answer, given in self._ledger.judged(since=since)
            if given.verdict == "down" and given.created_at < until
        ]
        refused = [f"{path} — {_line(reason)}" for path, reason in self._rejected()]
        parts = {"Without an answer": unanswered, "Found wrong": wrong, "Refused documents": refused}  # fmt: skip
        return _message(day, parts) if any(parts.values()) else None


class DailyDigest:
    """Asks for the digest of yesterday, once a day; the inbox knows what was asked already."""

    def __init__(self, intake: Intake, channel: str, *, now: Callable[[], datetime]) -> None:
        self._intake = intake
        self._channel = channel
        self._now = now

    async def run(self) -> None:
        """Ask each morning until cancelled."""
        while True:
            now = self._now().astimezone(UTC)
            if now.hour >= _HOUR_UTC:
                try:
                    await self._intake.take(digest_of(now, self._channel))
                except StoreError as error:
                    _log.warning("slack.no_digest", code=error.code)
            await asyncio.sleep(_LOOK_S)


def digest_of(now: datetime, channel: str) -> Ask:
    """The wish for the digest of the day before."""
    today = datetime.combine(now.date(), time(), UTC)
    return Ask(
        event_id=f"digest:{channel}:{today.date()}",
        team="",
        channel=channel,
        key=f"{int(today.timestamp())}:digest",
        user="",
        text=str((today - timedelta(days=1)).date()),
        way="digest",
    )


def _message(day: str, parts: dict[str, list[str]]) -> Message:
    room = Room(chars=MESSAGE_CHARS - _TAIL, blocks=BLOCKS - 2)
    heading = f"*Rigwise on {escape(day)}*"
    blocks: list[Block] = [section(heading)]
    for title, lines in parts.items():
        blocks += sections(list(_paragraphs(title, lines)), room, kind="row")
    if room.told():
        note = f"{room.told()}: `rigwise store export` and `rigwise store feedback` have all."
        blocks.append({"type": "context", "elements": [mrkdwn(escape(note))]})
    counts = ", ".join(f"{title.lower()}: {len(lines)}" for title, lines in parts.items())
    return Message(text=f"Rigwise on {day}: {counts}", blocks=tuple(blocks))


def _paragraphs(title: str, lines: Sequence[str]) -> Iterable[list[str]]:
    if lines:
        yield [f"*{escape(title)}* ({len(lines)})"]
    for line in lines:
        yield ["• ", *atoms(line)]


def _line(text: str) -> str:
    line = " ".join(text.split()) or "(its text is not kept)"
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"
