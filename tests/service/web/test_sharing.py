"""An answer is shared, judged and found again in the browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from service.http.app import create_app
from tests.service.http.conftest import ready_state
from tests.service.web.conftest import asked, faults_of, serving, watched

MEMORY = "How much memory does the H100 SXM have?"


def shared_link(page) -> str:
    page.get_by_role("button", name="Share").click()
    return str(page.get_by_label("Link to share").input_value())


def test_a_shared_link_shows_the_answer_as_it_was_given(chromium, site, page):
    answer = asked(page, MEMORY)
    words = answer.locator(".statement").all_inner_texts()
    link = shared_link(page)

    with watched(chromium, site) as other:
        other.goto(link)
        other.locator(".checks").wait_for()

        expect(other.locator("article h2")).to_have_text(MEMORY)
        expect(other.locator("article")).to_contain_text("which is the one in use")
        assert other.locator(".statement").all_inner_texts() == words
        other.locator(".cite").first.click()
        expect(other.locator(".card-source mark")).to_contain_text("fact: memory")


def test_where_nothing_is_kept_the_link_holds_the_question(chromium, sheet_engine):
    with (
        serving(create_app(ready_state(sheet_engine))) as site,
        watched(chromium, site) as page,
    ):
        page.goto(site)
        asked(page, MEMORY)
        link = shared_link(page)
        page.goto("about:blank")
        page.goto(link)

        expect(page.get_by_label("Your question")).to_have_value(MEMORY)
        expect(page.locator("article")).to_have_count(0)


def test_a_link_to_an_answer_that_is_not_kept_says_so(page, site):
    page.goto(f"{site}#answer=nothing")

    expect(page.locator("#status")).to_contain_text("nothing")
    expect(page.locator("article")).to_have_count(0)


def test_feedback_reaches_the_service_with_its_reason(page):
    asked(page, MEMORY)
    page.get_by_role("button", name="Not helpful").click()
    page.get_by_label("What is wrong with it?").select_option("outdated")
    page.get_by_label("In your own words").fill("There is a newer sheet.")

    with page.expect_response(lambda reply: reply.url.endswith("/v1/feedback")) as sent:
        page.get_by_role("button", name="Send").click()

    assert sent.value.status == 202
    body = sent.value.request.post_data_json
    assert (body["verdict"], body["reason"]) == ("down", "outdated")
    expect(page.get_by_text("Thank you, it is noted.")).to_be_visible()


def test_earlier_questions_are_found_again_and_can_be_deleted(page):
    asked(page, MEMORY)
    page.reload()
    page.get_by_text("Asked earlier (1)").click()
    page.get_by_role("button", name=MEMORY, exact=True).click()
    expect(page.locator("article")).to_contain_text("This answer was given earlier")

    page.get_by_role("button", name=f"Delete: {MEMORY}").click()

    expect(page.locator("#history")).to_be_hidden()
    assert page.evaluate("localStorage.getItem('rigwise.history')") == "[]"


def test_beginning_anew_forgets_the_talk(page, site):
    asked(page, MEMORY)
    page.get_by_role("button", name="Begin anew").click()

    expect(page.locator("article")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()


def test_sharing_and_judging_are_accessible(page):
    asked(page, MEMORY)
    shared_link(page)
    faults = faults_of(page)
    page.get_by_role("button", name="Not helpful").click()
    page.get_by_text(re.compile("Asked earlier")).click()

    assert faults + faults_of(page) == []
