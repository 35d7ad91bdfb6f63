"""Each method against the real application, blocking and not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, assert_type
from uuid import uuid4

import pytest

from rigwise.client import AsyncClient, Client, Workload, errors
from rigwise.client.browsing import DeviceFilters, OfferFilters
from rigwise.client.events import Done, Retrieved, Said, Understood
from service.http.queries import DeviceQuery, OfferQuery
from service.http.schemas import AskResponse
from tests.rigwise.waiting_for_tests import until

MEMORY = "How much memory does the Acme One have?"
SMALL = Workload(task="inference", params_b=1, precision="bf16")


def test_a_question_is_answered_with_citations(use):
    answer = use("ask", MEMORY)

    assert answer.kind == "answer"
    assert "80 GB" in answer.text
    passage = use("passage", answer.citations[0].passage_id)
    assert answer.citations[0].quote in passage.text


def test_a_conversation_goes_on_where_it_was(use):
    name = uuid4().hex
    use("ask", MEMORY, conversation_id=name)

    followed = use("ask", "And the Acme Two?", conversation_id=name)
    told = use("ask", "And the Acme Two?", conversation=[MEMORY])

    assert "24" in followed.text
    assert followed.rewritten == told.rewritten != ""
    assert use("forget", name).deleted


def test_a_stream_ends_with_the_whole_answer(use):
    events = use("stream", MEMORY)

    kinds = [type(event) for event in events]
    assert kinds[:2] == [Understood, Retrieved]
    assert Said in kinds
    assert kinds[-1] is Done
    assert events[-1].answer.text == use("ask", MEMORY).text


def test_a_stream_may_be_left(address):
    with Client(address, key="a-key-for-tests") as client:
        events = client.stream(MEMORY)
        first = next(events)
        events.close()  # type: ignore[attr-defined]

    assert isinstance(first, Understood)


def test_a_workload_is_sized_and_advised(use):
    need = use("estimate", workload=SMALL).need
    advice = use("recommend", workload=SMALL)

    assert need["total_gib"] > 1.86  # 1e9 parameters of two bytes
    assert advice.recommendation["need"] == need
    assert use("estimate", "inference with 1B parameters in bf16").need["total_gib"] > 1.86


def test_what_is_known_can_be_browsed(use):
    found = use("search", "ECC memory", limit=2)
    devices = use("devices", vendor="acme", min_memory_gb=50)
    offers = use("offers", max_usd_per_hour=0.8)
    page = use("documents", limit=1, offset=1)
    document = use("document", page.items[0].id)

    assert len(found.hits) == 2
    assert [device["id"] for device in devices.items] == ["acme-one-80gb"]
    assert [offer["instance"] for offer in offers.items] == ["two.large"]
    assert (page.next_offset, len(page.items)) == (2, 1)
    assert document.text


def test_an_answer_can_be_judged_and_seen_again(use):
    answer = use("ask", MEMORY)
    until(lambda: _kept(use, answer.id))

    assert use("answer", answer.id) == answer
    assert use("feedback", answer.id, "down", reason="outdated", comment="Old.").id


def test_a_document_is_stored_indexed_and_removed(use):
    name = f"notes/{uuid4().hex} &c.md"
    stored = use("upload", name, b"# Cooling\n\nThe quokka rack is cooled by water.\n")
    until(lambda: use("job", stored.job.id).state == "done")

    found = use("search", "quokka rack cooled by water", limit=1).hits[0]
    assert "quokka" in found.text
    assert use("remove", name).path == name


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (("ask", "a" * 301), errors.BadRequest, "bad_question"),
        (("passage", "nowhere"), errors.NotFound, "not_found"),
        (("upload", "a.exe", b"x"), errors.BadRequest, "bad_path"),
        (("answer", "nowhere"), errors.NotFound, "answer_not_found"),
    ],
)
def test_a_problem_is_an_error_of_its_class(use, call, kind, code):
    with pytest.raises(kind) as caught:
        use(*call)

    assert caught.value.code == code
    assert caught.value.detail
    assert caught.value.request_id


@pytest.mark.parametrize("name", ["", "../../metrics", "a/../b.md", "a//b.md", "."])
def test_an_id_never_leads_to_another_address(use, name):
    with pytest.raises(ValueError, match="is no id"):
        use("passage", name)


def test_fields_at_fault_are_named(use):
    with pytest.raises(errors.BadRequest) as caught:
        use("search", "memory", limit=0)

    assert caught.value.errors[0]["where"] == "query.limit"


def test_without_a_key_nothing_is_allowed(flavour, address):
    for method in ("ask", "stream"):
        with pytest.raises(errors.NotAllowed, match="send a key"):
            flavour(address)(method, MEMORY)


def test_the_filters_are_those_of_the_routes():
    assert DeviceFilters.__optional_keys__ == DeviceQuery.model_fields.keys()
    assert OfferFilters.__optional_keys__ == OfferQuery.model_fields.keys()


def test_both_clients_are_typed():
    if TYPE_CHECKING:

        async def held(client: AsyncClient) -> None:
            assert_type(await client.ask(MEMORY), AskResponse)

        assert_type(Client().ask(MEMORY), AskResponse)
    assert Client.ask(MEMORY).json == {"question": MEMORY, "conversation": []}


def test_the_client_loads_nothing_of_the_engine():
    heavy = "{'numpy', 'faiss', 'onnxruntime', 'fastapi', 'sqlalchemy'}"
    program = f"import sys, rigwise.client; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run(  # noqa: S603 - the interpreter that runs this test
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ran.stdout == "[]\n"


def _kept(use, answer_id):
    try:
        return use("answer", answer_id)
    except errors.NotFound:
        return None
