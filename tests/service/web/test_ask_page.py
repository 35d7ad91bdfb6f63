"""Asking in the browser: the answer streams in, and each citation opens its passage."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from service.http.app import create_app
from tests.service.http.conftest import ready_state
from tests.service.web.conftest import asked, faults_of, serving, watched

MEMORY = "How much memory does the H100 SXM have?"


def test_a_question_is_answered_with_a_citation_that_opens_its_passage(page):
    answer = asked(page, MEMORY)
    mark = answer.get_by_role("button", name=re.compile("Source 1: NVIDIA H100 SXM 80 GB")).first

    mark.click()

    expect(answer).to_contain_text("80 GB")
    card = page.get_by_role("group", name="Source 1")
    expect(card.locator("mark")).to_contain_text("fact: memory, value: 80 GB")
    expect(card).to_contain_text("As of 2024-09-01")
    expect(card.get_by_role("link", name="NVIDIA H100 SXM 80 GB datasheet")).to_have_attribute(
        "href", "https://example.org/nvidia-h100-sxm-80gb"
    )


def test_the_whole_document_opens_at_the_quote(page):
    answer = asked(page, MEMORY)

    answer.locator(".cite").first.click()
    page.get_by_role("button", name="Open the document").click()

    paper = page.get_by_role("region", name="Text of the document")
    expect(paper).to_contain_text("The H100 SXM trains large models.")
    expect(paper.locator("mark")).to_contain_text("fact: memory, value: 80 GB")
    expect(paper.locator("mark")).to_be_in_viewport()


def test_pointing_at_a_citation_shows_its_card_and_leaving_hides_it(page):
    answer = asked(page, MEMORY)

    answer.locator(".cite").first.hover()
    expect(page.locator(".card-source")).to_be_visible()
    page.mouse.move(5, 5)

    expect(page.locator(".card-source")).to_have_count(0)


def test_the_keyboard_alone_asks_opens_and_closes(page):
    page.get_by_label("Your question").focus()
    page.keyboard.type(MEMORY)
    page.keyboard.press("Enter")
    page.locator(".checks").wait_for()
    mark = page.locator(".cite").first

    page.get_by_label("Your question").focus()
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if mark.evaluate("mark => mark === document.activeElement"):
            break
    expect(mark).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")

    expect(mark).to_be_focused()
    expect(mark).to_have_attribute("aria-expanded", "false")


def test_the_state_is_told_to_those_who_do_not_see_it(page):
    asked(page, MEMORY)

    expect(page.locator("#status")).to_contain_text(
        re.compile(r"The answer is ready: \d+ statements? from \d+ sources?")
    )


def test_an_abstention_says_why_and_a_choice_asks_again(page):
    answer = asked(page, "How much memory does the H900 have?")
    expect(answer).to_contain_text("This part is not known here")
    expect(answer.locator("code")).to_have_text("unknown_entity")

    answer.get_by_role("list", name="Choices").get_by_role("button").first.click()

    expect(page.locator("article.answer")).to_have_count(2)
    expect(page.locator("article.answer h2").last).not_to_contain_text("H900")


def test_an_example_is_asked_by_a_click(page):
    page.get_by_role("button", name="Compare the H100 SXM and the MI300X").click()

    page.locator(".checks").wait_for()
    table = page.locator("article.answer table")
    expect(table).to_be_visible()
    row = table.get_by_role("row", name="Memory 80 GB (HBM3) 192 GB (HBM3)")
    row.locator(".cite").last.click()
    expect(page.locator(".card-source mark")).to_contain_text("value: 192 GB")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Memory: 80 GB (HBM3)")).to_be_hidden()
    page.get_by_text("The table in words").click()
    expect(page.get_by_text("Memory: 80 GB (HBM3)")).to_be_visible()


def test_a_computed_number_shows_its_formula_and_inputs(page):
    answer = asked(page, "Compare the H100 SXM and the MI300X")

    answer.get_by_text(re.compile(r"numbers? computed")).first.click()

    expect(answer.locator(".computed li").first).to_have_text(
        "2.4 times = larger memory / smaller memory "
        "with nvidia-h100-sxm-80gb = 80 GB, amd-mi300x = 192 GB"
    )


def test_an_error_of_the_service_is_told_in_its_words(page):
    page.evaluate("document.getElementById('question').removeAttribute('maxlength')")
    page.get_by_label("Your question").fill("GPU " * 1500)
    with page.expect_response(lambda reply: reply.url.endswith("/v1/ask")):
        page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("characters, 4000 are allowed")


def test_a_key_is_asked_for_only_where_the_service_wants_one(chromium, sheet_engine):
    with (
        serving(create_app(ready_state(sheet_engine), api_key="open-sesame")) as site,
        watched(chromium, site) as page,
    ):
        page.goto(site)
        page.get_by_label("Key", exact=True).fill("open-sesame")
        page.get_by_role("button", name="Use the key").click()
        expect(page.locator("#key")).to_be_hidden()

        expect(asked(page, MEMORY)).to_contain_text("80 GB")
        assert "open-sesame" not in page.evaluate("JSON.stringify(localStorage)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_accessible(chromium, site, scheme, width):
    view = {"width": width, "height": 800}
    with watched(chromium, site, color_scheme=scheme, viewport=view) as page:
        page.goto(site)
        faults = [faults_of(page)]
        asked(page, MEMORY).locator(".cite").first.click()
        page.locator(".card-source").wait_for()
        faults.append(faults_of(page))
        asked(page, "How much memory does the H900 have?")
        faults.append(faults_of(page))
        wide = page.evaluate("document.documentElement.scrollWidth")

    assert faults == [[], [], []]
    assert wide == width
