"""The official client of OpenAI's protocol against a real server with the real engine over true spec sheets."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event, Thread

import pytest
import uvicorn

from service.http.app import Equipment, create_app
from service.http.chat_content import content_of
from service.types import Question
from tests.service.http.conftest import answer_of, ready_state, wait_until_ready

openai = pytest.importorskip("openai", reason="the extra llm is not installed")

MEMORY = "How much memory does the H100 PCIe have?"
CHAT = "/v1/chat/completions"


def asking(*questions: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": question} for question in questions]


@pytest.fixture
def serve(sheet_engine) -> Iterator[Callable[..., str]]:
    """Starts services over the sheets; gives the address below which the protocol lies."""
    running: list[tuple[uvicorn.Server, Thread]] = []

    def start(*, api_key: str | None = None) -> str:
        app = create_app(
            ready_state(sheet_engine),
            equipment=Equipment(public_url="https://rigwise.example.org/"),
            api_key=api_key,
        )
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            Event().wait(0.01)
        return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def chat(serve):
    with openai.OpenAI(base_url=serve(), api_key="none", max_retries=0) as made:
        yield made


def test_the_answer_comes_with_its_citations_as_annotations(chat):
    reply = chat.chat.completions.create(model="rigwise", messages=asking(MEMORY))
    message = reply.choices[0].message

    assert "80 GB of HBM2e" in message.content
    assert reply.choices[0].finish_reason == "stop"
    assert message.annotations
    for annotation in message.annotations:
        cited = annotation.url_citation
        assert re.fullmatch(r"\[\d+\]", message.content[cited.start_index : cited.end_index])
        assert cited.url.startswith("https://")
        assert cited.title in message.content


def test_a_stream_is_the_same_answer_in_pieces(chat):
    whole = chat.chat.completions.create(model="rigwise", messages=asking(MEMORY))
    chunks = list(
        chat.chat.completions.create(
            model="rigwise",
            messages=asking(MEMORY),
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    deltas = [chunk.choices[0] for chunk in chunks if chunk.choices]
    told = "".join(each.delta.content or "" for each in deltas)

    assert told == whole.choices[0].message.content
    assert deltas[0].delta.role == "assistant"
    assert deltas[-1].finish_reason == "stop"
    assert chunks[-1].usage == whole.usage
    assert whole.usage.prompt_tokens == len(MEMORY.split())
    assert whole.usage.completion_tokens == len(told.split())
    noted = [each.delta.annotations for each in deltas if hasattr(each.delta, "annotations")]
    assert noted == [[each.model_dump() for each in whole.choices[0].message.annotations]]


def test_the_asynchronous_client_gets_the_same(serve):
    url = serve()

    async def ask() -> str:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            reply = await client.chat.completions.create(model="rigwise", messages=asking(MEMORY))
            return str(reply.choices[0].message.content)

    assert "80 GB of HBM2e" in asyncio.run(ask())


def test_a_follow_up_is_understood_from_the_messages_before(chat):
    messages = [
        {"role": "system", "content": "You are a pirate."},
        *asking(MEMORY),
        {"role": "assistant", "content": "It has 7,000 GB."},
        *asking("And the A40?"),
    ]
    told = chat.chat.completions.create(model="rigwise", messages=messages).choices[0].message

    assert told.content.startswith("Understood as: ")
    assert "48 GB" in told.content
    assert "7,000" not in told.content


def test_a_document_without_an_address_is_linked_here(index):
    answer = answer_of(index, Question(text=MEMORY))
    plain = replace(answer, citations=(replace(answer.citations[0], url=""),))
    content = content_of(plain, public_url="http://127.0.0.1:8080")
    [cited] = [each.url_citation for each in content.annotations]

    assert content.text[cited.start_index : cited.end_index] == "[1]"
    assert cited.url == f"http://127.0.0.1:8080/v1/passages/{answer.citations[0].passage_id}"


def test_the_models_are_one(chat):
    assert [model.id for model in chat.models.list()] == ["rigwise"]
    assert chat.models.retrieve("rigwise").id == "rigwise"


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"model": "gpt-4"}, openai.NotFoundError, "'gpt-4'"),
        ({"n": 2}, openai.UnprocessableEntityError, "leave n out"),
        (
            {"response_format": {"type": "json_object"}},
            openai.UnprocessableEntityError,
            "leave response_format out",
        ),
        ({"messages": asking("  ")}, openai.UnprocessableEntityError, "no message of the role"),
        ({"messages": asking("x" * 5000)}, openai.UnprocessableEntityError, "4000"),
    ],
)
def test_what_cannot_be_answered_is_the_error_of_the_client(chat, changed, error, told):
    with pytest.raises(error) as caught:
        chat.chat.completions.create(**{"model": "rigwise", "messages": asking(MEMORY), **changed})

    assert told in caught.value.message


def test_a_wrong_key_is_the_error_of_the_client(serve):
    url = serve(api_key="k" * 40)
    with (
        openai.OpenAI(base_url=url, api_key="wrong", max_retries=0) as client,
        pytest.raises(openai.AuthenticationError) as caught,
    ):
        client.models.list()

    assert caught.value.code == "unauthorized"


def test_an_error_in_the_middle_of_a_stream_is_raised(client, engine):
    engine.fault = RuntimeError("the disk is gone")
    body = {"model": "rigwise", "messages": asking("Acme One?"), "stream": True}
    events = client.post(CHAT, json=body).text.strip().split("\n\n")
    last = json.loads(events[-1].removeprefix("data: "))

    assert last["error"]["code"] == "internal_error"
    assert "disk" not in last["error"]["message"]


def test_a_problem_stays_one_for_others(make_client):
    client = make_client()
    wait_until_ready(client)
    reply = client.post(CHAT, json={"model": "other", "messages": asking(MEMORY)})

    assert reply.status_code == 404
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert int(reply.headers["Content-Length"]) == len(reply.content)
    assert reply.json()["code"] == reply.json()["error"]["code"] == "no_such_model"
