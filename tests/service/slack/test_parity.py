"""The same question over HTTP and in Slack: the same statements, numbers and citations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.http.app import create_app
from service.http.state import ServiceState
from service.slack.blocks import details_view
from service.slack.mrkdwn import atoms, escape
from tests.service.slack.rig_for_tests import rig
from tests.slack_fake.events import mention
from tests.slack_fake.limits import texts

DEV = Path(__file__).resolve().parents[4] / "shared" / "questions" / "dev.jsonl"
QUESTIONS = 50
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.shared,
    pytest.mark.model,
    pytest.mark.skipif(not DEV.exists(), reason="no folder shared/ beside the checkout"),
    pytest.mark.timeout(600),
]


class Threaded:
    """The engine as the bot wants it."""

    def __init__(self, engine) -> None:
        self._engine = engine

    async def answer(self, question):
        return await asyncio.to_thread(self._engine.answer, question)


@pytest.fixture(scope="module")
def questions() -> list[str]:
    lines = DEV.read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines[:: len(lines) // QUESTIONS]][:QUESTIONS]


@pytest.fixture(scope="module")
def over_http(real_engine, questions) -> dict[str, Any]:
    state = ServiceState(lambda state: ready(state, real_engine))
    with TestClient(create_app(state)) as client:
        while client.get("/readyz").status_code != 200:
            pass
        return {text: client.post("/v1/ask", json={"question": text}).json() for text in questions}


async def test_slack_says_what_http_says(tmp_path, real_engine, questions, over_http):
    async with rig(tmp_path, engine=Threaded(real_engine)) as it:
        it.waited_s = 120
        for number, text in enumerate(questions):
            await it.deliver(mention(it.fake, escape(text), channel=f"C{number}")[0])
        for number in range(len(questions)):
            await it.settled(1, f"C{number}")

        kept = {each.question: each.answer for each in it.records.kept.values()}
        assert [plain(kept[text]) for text in questions] == [
            plain(over_http[text]) for text in questions
        ]
        for number, text in enumerate(questions):
            assert unsaid(over_http[text], it.fake.replies(f"C{number}")[0], it.fake.files) == []


def ready(state: ServiceState, engine):
    state.mark("model", "ready")
    state.mark("index", "ready")
    return engine


def plain(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Without what belongs to one request."""
    return {name: value for name, value in answer.items() if name not in ("id", "timings_ms")}


def unsaid(answer: Mapping[str, Any], message: Mapping[str, Any], files: list[str]) -> list[str]:
    """Statements, rows and sources that stand neither in the message nor behind its button nor in its file."""
    blocks = [*message["blocks"], *details_view(answer)["blocks"]]
    told = "\n".join(texts(blocks))
    file = next((each for each in files if answer["question"] in each), "")
    wanted = [each["text"] for each in answer["statements"]]
    wanted += [cell for row in (answer["table"] or {"rows": ()})["rows"] for cell in row["cells"]]
    wanted += [f"[{each['n']}]" for each in answer["citations"]]
    return [each for each in wanted if not said(each, told) and each not in file]


def said(text: str, told: str) -> bool:
    pieces = [piece for piece in atoms(text) if piece.strip()]
    return all(piece in told or piece.strip() in told for piece in pieces)
