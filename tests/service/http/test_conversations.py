from __future__ import annotations

ASK = {"question": "How much memory does the Acme One have?", "conversation_id": "c-1"}


def test_the_questions_of_a_conversation_go_along(client, engine):
    client.post("/v1/ask", json=ASK)
    client.post("/v1/ask", json={**ASK, "question": "And its power?"})

    assert [asked.conversation for asked in engine.asked] == [(), (ASK["question"],)]


def test_a_stream_is_kept_as_well(client, engine):
    client.post("/v1/ask", json=ASK, headers={"Accept": "text/event-stream"})
    client.post("/v1/ask", json=ASK)

    assert engine.asked[-1].conversation == (ASK["question"],)


def test_conversations_do_not_hear_each_other(client, engine):
    client.post("/v1/ask", json=ASK)
    client.post("/v1/ask", json={**ASK, "conversation_id": "c-2"})

    assert engine.asked[-1].conversation == ()


def test_a_deleted_conversation_is_forgotten(client, engine):
    client.post("/v1/ask", json=ASK)

    first = client.delete("/v1/conversations/c-1").json()
    again = client.delete("/v1/conversations/c-1").json()
    client.post("/v1/ask", json=ASK)

    assert (first, again) == ({"deleted": True}, {"deleted": False})
    assert engine.asked[-1].conversation == ()


def test_an_id_with_odd_characters_is_refused(client):
    response = client.post("/v1/ask", json={**ASK, "conversation_id": "a/b"})

    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
