from __future__ import annotations

import pytest

from service.slack.asks import clean, is_talk, of_event


def body(**fields):
    given = {"type": "message", "user": "U1", "channel": "C1", "ts": "5.1", "text": "Power?"}
    return {"event_id": "Ev1", "team_id": "T1", "event": given | fields}


@pytest.mark.parametrize(
    "text", ["thanks!", "ok great", "Thank you, that helps", "lol", "👍", "Yes, it makes sense."]
)
def test_thanks_and_agreement_are_no_question(text):
    assert is_talk(text)


@pytest.mark.parametrize(
    "text",
    ["and power?", "H200", "is it ok for Llama?", "80 GB", "yes, the SXM", "メモリは？", "right?"],
)
def test_what_may_be_a_question_is_one(text):
    assert not is_talk(text)


def test_thanks_in_a_thread_are_for_nobody_and_with_a_mention_for_us():
    in_thread = of_event(body(text="thanks!", thread_ts="4.1"), bot_user="UBOT")
    mentioned = of_event(body(text="<@UBOT> thanks!", thread_ts="4.1"), bot_user="UBOT")

    assert in_thread is None
    assert mentioned is not None
    assert mentioned.text == ""


@pytest.mark.parametrize(
    ("fields", "way"),
    [
        ({"text": "<@UBOT> Power?"}, "mention"),
        ({"channel": "D1", "channel_type": "im"}, "direct"),
        ({"thread_ts": "4.1"}, "thread"),
        ({}, None),
        ({"thread_ts": "4.1", "text": "<@U2> Power?"}, None),
        ({"channel": "D1", "channel_type": "im", "bot_id": "B2"}, None),
        ({"channel": "D1", "channel_type": "im", "user": "UBOT"}, None),
        ({"channel": "D1", "channel_type": "im", "subtype": "message_changed"}, None),
        ({"channel": "D1", "channel_type": "im", "subtype": "file_share"}, "direct"),
    ],
    ids=str,
)
def test_who_is_meant(fields, way):
    found = of_event(body(**fields), bot_user="UBOT")

    assert (found.way if found else None) == way


def test_a_thread_is_a_conversation_and_so_is_all_that_one_person_is_told_alone():
    def conversation(**fields):
        found = of_event(body(text="<@UBOT> Power?", **fields), bot_user="UBOT")
        assert found is not None
        return found.conversation

    assert conversation(thread_ts="4.1") == conversation(thread_ts="4.1", user="U2", ts="6.1")
    assert conversation(thread_ts="4.1") != conversation(thread_ts="4.2")
    assert conversation(channel="D1") == conversation(channel="D1", ts="6.1") == "T1/U1/D1"


def test_a_text_is_read_as_a_person_reads_it():
    text = "<@UBOT> see <https://x.org/a|this> in <#C2|hardware>, 5 &lt; 6 &amp; <@U2>"

    assert clean(text, bot_user="UBOT") == "see this in #hardware, 5 < 6 & someone"
