from __future__ import annotations

import pytest

from indexer.types import DocumentId, PassageId
from service.slack import actions, forms
from service.types import Abstention, Citation
from tests.service.slack.rig_for_tests import Rig, echo, rig, until
from tests.slack_fake.events import command, mention, press, said, sent

pytestmark = pytest.mark.anyio


async def asked(it: Rig, text: str = "How much memory?") -> tuple[str, str, str]:
    """A question that was answered: the reply's time stamp, the thread's, the id of the answer."""
    first = mention(it.fake, text)[0]
    await it.deliver(first)
    reply = (await it.settled(1))[-1]
    return reply["ts"], first["event"]["ts"], it.engine.asked[-1].id


def feedback(verdict: str, answer_id: str) -> dict[str, str]:
    return {"action_id": actions.FEEDBACK, "value": f"{verdict}:{answer_id}"}


async def test_a_thumb_up_is_kept(tmp_path):
    async with rig(tmp_path) as it:
        ts, _, answer = await asked(it)

        await it.deliver(press(it.fake, feedback("up", answer), ts=ts), kind="interactive")
        await until(lambda: it.records.feedback)

    kept = it.records.feedback[0]
    assert (kept.answer_id, kept.verdict, kept.asker) == (answer, "up", "T1/U1")


async def test_a_thumb_down_is_kept_and_asks_for_the_reason(tmp_path):
    async with rig(tmp_path) as it:
        ts, _, answer = await asked(it)
        await it.deliver(press(it.fake, feedback("down", answer), ts=ts), kind="interactive")
        await until(lambda: it.records.feedback)

        fields = {"reason": "outdated", "comment": "Prices of 2023."}
        await it.deliver(sent(it.fake.views[-1], fields), kind="interactive")

    told = [(each.verdict, each.reason, each.comment) for each in it.records.feedback]
    assert told == [("down", "", ""), ("down", "outdated", "Prices of 2023.")]


async def test_a_choice_is_answered_once_in_the_thread_however_often_it_is_pressed(tmp_path):
    async with rig(tmp_path) as it:
        choices = ("H100 SXM", "H100 PCIe")
        it.engine.answers["Power of H100?"] = unclear("Which one?", choices)
        ts, thread, _ = await asked(it, "Power of H100?")
        action = {"action_id": f"{actions.CHOICE}:1", "value": "H100 PCIe"}

        for _ in range(2):
            body = press(it.fake, action, ts=ts, thread=thread)
            await it.deliver(body, kind="interactive")
        replies = await it.settled(2)

    assert [(each["text"], each["thread_ts"]) for each in replies[1:]] == [
        ("Echo: H100 PCIe", thread)
    ]
    assert it.engine.asked[1].conversation == ("Power of H100?",)


async def test_the_missing_detail_goes_on_with_the_conversation(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.answers["What to rent?"] = unclear("For which model?", ())
        ts, thread, answer = await asked(it, "What to rent?")
        action = {"action_id": actions.ADD_DETAIL, "value": answer}
        await it.deliver(press(it.fake, action, ts=ts, thread=thread), kind="interactive")
        await until(lambda: it.fake.views)

        fields = {"detail": "Llama 3.1 8B"}
        await it.deliver(sent(it.fake.views[-1], fields), kind="interactive")
        replies = await it.settled(2)

    assert (replies[1]["text"], replies[1]["thread_ts"]) == ("Echo: Llama 3.1 8B", thread)
    assert it.engine.asked[1].conversation == ("What to rent?",)


async def test_reasons_open_in_a_modal(tmp_path):
    async with rig(tmp_path) as it:
        ts, _, answer = await asked(it)
        action = {"action_id": actions.DETAILS, "value": answer}

        await it.deliver(press(it.fake, action, ts=ts), kind="interactive")
        await until(lambda: it.fake.views)

    assert it.fake.views[0]["title"]["text"] == "Why these machines"


async def test_a_trigger_that_expired_is_told_to_who_pressed(tmp_path):
    async with rig(tmp_path) as it:
        ts, _, answer = await asked(it)
        body = press(it.fake, {"action_id": actions.DETAILS, "value": answer}, ts=ts)
        it.fake.triggers[body["trigger_id"]] -= 4

        await it.deliver(body, kind="interactive")
        await until(lambda: it.fake.private)

    assert it.fake.private[0]["text"] == "That took too long; press the button again."


async def test_what_was_private_is_shared_once_and_by_its_asker_alone(tmp_path):
    async with rig(tmp_path) as it:
        await it.deliver(command(it.fake, "Power of an L4?"), kind="slash_commands")
        await it.settled(0)
        action = {"action_id": actions.SHARE, "value": it.engine.asked[0].id}

        for user in ("U2", "U1", "U1"):
            body = press(it.fake, action, ts="1765000000.000009", user=user, private=True)
            await it.deliver(body, kind="interactive")
        replies = await it.settled(1)
        await until(lambda: len(it.fake.private) == 2)

    assert [each["text"] for each in replies] == ["Echo: Power of an L4?"]
    assert "<@U1> asked: Power of an L4?" in str(replies[0]["blocks"][0])
    assert "no answer" in it.fake.private[-1]["text"]


async def test_only_admins_change_the_settings_of_a_channel(tmp_path):
    async with rig(tmp_path) as it:
        view = forms.channel_view("C1", {})
        fields = {"follow": [], "scope": "guidance, hardware/nvidia"}

        refused = await it.deliver(sent(view, fields), kind="interactive")
        it.fake.admins.add("U1")
        taken = await it.deliver(sent(view, fields), kind="interactive")

    assert "admins" in refused[0]["payload"]["errors"]["follow"]
    assert taken[0].get("payload", {}) == {}
    assert it.store.channels.get(team="T1", channel="C1") == {
        "follow": False,
        "scope": ["guidance", "hardware/nvidia"],
    }


async def test_the_settings_of_a_channel_open_as_they_are(tmp_path):
    async with rig(tmp_path) as it:
        kept = {"follow": False, "scope": ["guidance", "offers"]}
        it.store.channels.put(kept, team="T1", channel="C7", now=it.now())
        action = {"action_id": forms.OPEN_CHANNEL, "selected_conversation": "C7"}

        await it.deliver(press(it.fake, action, ts="1.1"), kind="interactive")
        await until(lambda: it.fake.views)

    _, follow, scope = it.fake.views[0]["blocks"]
    assert it.fake.views[0]["private_metadata"] == "C7"
    assert "initial_options" not in follow["element"]
    assert scope["element"]["initial_value"] == "guidance, offers"


async def test_a_channel_may_ask_not_to_be_followed(tmp_path):
    async with rig(tmp_path) as it:
        _, thread, _ = await asked(it)
        it.store.channels.put({"follow": False}, team="T1", channel="C1", now=it.now())

        await it.deliver(said(it.fake, "And power?", thread=thread))
        await it.settled(1)

    assert len(it.engine.asked) == 1


async def test_what_a_channel_may_not_see_is_shown_to_the_asker_alone(tmp_path):
    async with rig(tmp_path) as it:
        it.store.channels.put({"scope": ["guidance"]}, team="T1", channel="C1", now=it.now())
        it.engine.answers["Secret?"] = echo("Secret?", citations=(cited("offers/ours.csv"),))
        it.engine.answers["Open?"] = echo("Open?", citations=(cited("guidance/ecc.md"),))

        for text in ("Secret?", "Open?"):
            await it.deliver(mention(it.fake, text)[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: Open?"]
    assert [(each["user"], each["text"]) for each in it.fake.private] == [("U1", "Echo: Secret?")]
    assert actions.SHARE not in str(it.fake.private)


def unclear(ask: str, choices: tuple[str, ...]):
    reason = Abstention(code="needs_detail", why="There are several.", ask=ask, choices=choices)
    return echo("", kind="abstain", statements=(), abstention=reason)


def cited(path: str) -> Citation:
    return Citation(
        n=1,
        passage_id=PassageId("p"),
        document_id=DocumentId("d"),
        title="A document",
        path=path,
        url="",
        kind="guidance",
        as_of="",
        heading_path=(),
        page=None,
        quote="quoted",
        start=0,
        end=6,
    )
