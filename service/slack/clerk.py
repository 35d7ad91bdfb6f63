"""Serves one question: from its text to the message that answers it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from service.render import answer_object
from service.slack.actions import quoted
from service.slack.asks import Ask
from service.slack.blocks import Message, answer_message
from service.slack.digest import Digests
from service.slack.notes import failure, help_message
from service.slack.ports import Answers, Records, asker
from service.slack.replies import PRIVATE, Replier
from service.slack.workspaces import Workspace
from service.store.store import Store
from service.store.types import InboxItem
from service.turns import turn_of
from service.types import Answer, Citation, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class ClerkOptions:
    """After how long a sign of life is shown, how often it moves, and what links to passages begin with, if any do."""

    quick_s: float = 1.5
    sign_s: float = 15.0
    links: str = ""


class Clerk:
    """Answers a question and keeps what was said."""

    def __init__(
        self,
        store: Store,
        records: Records,
        *,
        answers: Answers,
        replier: Replier,
        digests: Digests,
        options: ClerkOptions,
    ) -> None:
        self._store = store
        self._records = records
        self._answers = answers
        self._replier = replier
        self._digests = digests
        self._options = options

    async def serve(self, item: InboxItem, ask: Ask) -> str:
        """Reply, in the message of an earlier attempt if there is one; the time stamp of the reply."""
        workspace = await self._replier.workspaces.of(ask.team, ask.enterprise)
        former = item.reply_ts
        if item.attempts > 1 and not former:
            former = await self._replier.left_behind(workspace, ask)
        if item.attempts > 1 and former:
            await self._replier.close_stream(workspace, ask, former)
        if ask.text and ask.way not in ("share", "digest") and not ask.refused:
            return await self._answered(workspace, item, ask, former)
        message = await self._ready_made(ask)
        if message is None:
            return ""
        return await self._replier.reply(workspace, ask, message, former=former)

    async def _ready_made(self, ask: Ask) -> Message | None:
        """What needs no answer of the engine; None: there is nothing to say."""
        if ask.refused:
            return failure("overloaded", "Too many questions wait.", request_id=ask.request_id)
        if ask.way == "digest":
            return await asyncio.to_thread(self._digests.message, ask.text)
        return await self._shared(ask) if ask.way == "share" else help_message()

    async def _shared(self, ask: Ask) -> Message:
        """An answer that its asker alone saw, for all to see. Its id is the text."""
        found = await asyncio.to_thread(
            self._records.find, ask.text, caller=asker(ask.team, ask.user)
        )
        heading = f"<@{ask.user}> asked: {quoted(found.question)}"
        return answer_message(found.answer, links=self._options.links, heading=heading)

    async def _answered(self, workspace: Workspace, item: InboxItem, ask: Ask, former: str) -> str:
        kept = self._records.conversations
        turns = await asyncio.to_thread(kept.turns, ask.conversation)
        said = item.attempts > 1 and bool(turns) and turns[-1].question == ask.text
        question = Question(
            text=ask.text,
            id=ask.request_id,
            conversation=tuple(turn.asked for turn in (turns[:-1] if said else turns)),
        )
        work = asyncio.ensure_future(self._answers.answer(question))
        try:
            former = await self._with_signs(workspace, item, ask, work=work, former=former)
            answer = await work
        finally:
            work.cancel()
        self._records.record(
            answer, asker=asker(ask.team, ask.user).name, conversation=ask.conversation
        )
        ts = await self._shown(workspace, ask, answer, former)
        if not said:
            await asyncio.to_thread(kept.add, ask.conversation, turn_of(answer))
        return ts

    async def _with_signs(
        self, workspace: Workspace, item: InboxItem, ask: Ask, *, work: asyncio.Future[Answer], former: str
    ) -> str:  # fmt: skip
        """Wait for the answer; when it takes long, show that work goes on. The message that shows it, if any."""
        await asyncio.wait({work}, timeout=self._options.quick_s)
        if work.done() or ask.response_url or former:
            await asyncio.wait({work})
            return former
        sign = self._replier.sign(workspace, ask)
        shown = await sign.begin()
        if not shown:
            await asyncio.wait({work})
            return former
        await asyncio.to_thread(self._store.inbox.replying, item.id, reply_ts=shown)
        while not work.done():
            await asyncio.wait({work}, timeout=self._options.sign_s)
            if not work.done():
                await sign.go_on()
        await sign.end()
        return shown

    async def _shown(self, workspace: Workspace, ask: Ask, answer: Answer, former: str) -> str:
        """Reply; to the asker alone when the channel must not see a document that the answer stands on."""
        settings = await asyncio.to_thread(
            self._store.channels.get, team=ask.team, channel=ask.channel
        )
        hidden = not all(_within(each, settings.get("scope", ())) for each in answer.citations)
        private = bool(ask.response_url)
        message = answer_message(
            answer_object(answer), links=self._options.links, private=private and not hidden
        )
        if not hidden or private:
            return await self._replier.reply(workspace, ask, message, former=former)
        if former and former != PRIVATE:
            text = "Answered in private: this channel may not see its sources."
            await self._replier.reply(workspace, ask, Message(text=text, blocks=()), former=former)
        return await self._replier.whisper(workspace, ask, message)


def _within(citation: Citation, scope: list[str]) -> bool:
    """Whether a document lies in one of the folders, or is one of the files; no scope: everything does."""
    path = citation.path
    return not scope or any(path == each or path.startswith(f"{each}/") for each in scope)
