from __future__ import annotations

from service.errors import UncitedClaim
from service.http.schemas import AskResponse
from service.types import Question

ASK = {"question": "How much memory does the Acme One have?"}


def test_an_answer_follows_the_contract(client):
    response = client.post("/v1/ask", json=ASK)

    assert response.status_code == 200
    AskResponse.model_validate(response.json())


def test_a_quote_is_the_span_of_the_document(client):
    citation = client.post("/v1/ask", json=ASK).json()["citations"][0]

    document = client.get(f"/v1/documents/{citation['document']['id']}").json()

    assert document["text"][citation["start"] : citation["end"]] == citation["quote"]


def test_a_cited_passage_can_be_opened(client):
    citation = client.post("/v1/ask", json=ASK).json()["citations"][0]

    passage = client.get(f"/v1/passages/{citation['passage_id']}")

    assert passage.json()["document"] == citation["document"]


def test_a_number_names_the_citation_that_states_it(client):
    number = client.post("/v1/ask", json=ASK).json()["statements"][0]["numbers"][0]

    assert (number["citation"], number["qualifiers"]["basis"]) == (1, "nominal")


def test_the_engine_gets_question_conversation_and_id(client, engine):
    client.post(
        "/v1/ask", json={**ASK, "conversation": ["Earlier?"]}, headers={"X-Request-ID": "abc-1"}
    )

    assert engine.asked == [Question(text=ASK["question"], id="abc-1", conversation=("Earlier?",))]


def test_an_unknown_field_is_refused_by_name(client):
    response = client.post("/v1/ask", json={**ASK, "modle": "x"})

    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
    assert response.json()["errors"][0]["where"] == "body.modle"


def test_a_number_is_no_question(client):
    response = client.post("/v1/ask", json={"question": 7})

    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


def test_an_invalid_body_is_never_sent_back(client):
    response = client.post("/v1/ask", json={"question": 4711})

    assert "4711" not in response.text


def test_broken_json_is_an_invalid_request(client):
    response = client.post("/v1/ask", content=b"{", headers={"Content-Type": "application/json"})

    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


def test_a_long_question_is_refused_with_its_length(client):
    response = client.post("/v1/ask", json={"question": "x" * 4001})

    assert (response.status_code, response.json()["code"]) == (422, "bad_question")
    assert "4001" in response.json()["detail"]


def test_an_unsupported_answer_is_hidden_behind_a_code(client, engine):
    engine.fault = UncitedClaim("private words")

    response = client.post("/v1/ask", json=ASK)

    assert (response.status_code, response.json()["code"]) == (500, "uncited_claim")
    assert "private words" not in response.text


def test_an_unexpected_fault_is_a_problem_with_a_request_id(client, engine):
    engine.fault = KeyError("private words")

    response = client.post("/v1/ask", json=ASK)

    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
    assert response.json()["request_id"] == response.headers["X-Request-ID"]
    assert "private words" not in response.text
