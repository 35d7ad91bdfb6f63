"""What the page does while an answer is on its way, when it fails, and with the theme."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from service.http.app import create_app
from tests.service.http.conftest import FakeEngine, ready_state
from tests.service.web.conftest import serving, watched


@pytest.fixture
def engine(index) -> FakeEngine:
    return FakeEngine(index)


@pytest.fixture
def page(chromium, engine):
    with serving(create_app(ready_state(engine))) as site, watched(chromium, site) as page:
        page.goto(site)
        yield page
        engine.gate.set()


def ask(page) -> None:
    page.get_by_label("Your question").fill("How much memory does the Acme One have?")
    page.get_by_role("button", name="Ask", exact=True).click()


def test_an_answer_that_takes_long_can_be_stopped(page, engine):
    engine.gate.clear()
    ask(page)
    expect(page.locator("#status")).to_contain_text("Found 1 passage, now checking")
    expect(page.locator("article")).to_have_attribute("aria-busy", "true")

    page.get_by_role("button", name="Stop").click()

    expect(page.locator("article")).to_contain_text("Stopped.")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def test_a_failure_in_the_middle_of_an_answer_is_told_and_can_be_tried_again(page, engine):
    engine.fault = RuntimeError("broken in /srv/secret")
    ask(page)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("internal_error")
    expect(alert).not_to_contain_text("secret")

    engine.fault = None
    alert.get_by_role("button", name="Ask again").click()

    expect(page.locator("article").last).to_contain_text("The Acme One has 80 GB of HBM3 memory")


def test_a_service_that_is_gone_is_told(page, engine):
    page.context.set_offline(True)
    ask(page)

    expect(page.get_by_role("alert")).to_contain_text("The service cannot be reached")


def test_a_chosen_theme_stays(page):
    button = page.get_by_role("button", name="Theme")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    button.click()
    button.click()
    page.reload()

    expect(button).to_have_text("Theme: dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
