"""A recommendation in the browser: cards, table, chart, and controls that ask for another one."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.service.web.conftest import asked, faults_of, watched

QUESTION = "Which GPU should I rent to fine-tune a 70B model with QLoRA for under 500 dollars?"
pytestmark = pytest.mark.model


@pytest.fixture
def page(chromium, whole_site):
    with watched(chromium, whole_site) as page:
        page.goto(whole_site)
        asked(page, QUESTION)
        page.locator(".controls").wait_for()
        yield page


def test_the_first_machine_stands_on_a_card_with_its_price(page):
    card = page.locator(".option").first

    expect(card).to_contain_text(re.compile(r"1 × .* GB"))
    expect(card).to_contain_text(re.compile(r"\$\d+\.\d\d an hour"))
    card.get_by_text("Why").click()
    card.locator(".cite").first.click()
    expect(page.locator(".card-source mark")).to_contain_text("USD/h")


def test_the_parts_of_the_memory_fill_the_bar(page):
    widths = page.locator(".need .bar rect").evaluate_all(
        "rects => rects.map(rect => Number(rect.getAttribute('width')))"
    )

    # 70e9 weights of 4.127 bits are most of it; gaps of 2 stand between the parts.
    assert widths[0] > 750
    assert sum(widths) == pytest.approx(1000 - 2 * len(widths), abs=2)
    expect(page.locator(".legend")).to_contain_text("weights in nf4_dq: 36.5 GiB")


def test_a_change_asks_anew_and_only_the_latest_counts(page):
    sent = []
    page.on("request", lambda request: sent.append(request.post_data) if _asks(request) else None)
    budget = page.get_by_label("Budget in USD")

    for usd in ("400", "300", "1"):
        budget.fill(usd)
    page.get_by_label("Million tokens to train on").fill("100")

    expect(page.locator(".facts")).to_contain_text("at most $1.00")
    expect(page.locator(".facts")).to_contain_text("100M tokens to train on")
    workloads = [json.loads(each)["workload"] for each in sent]
    assert len(workloads) < 4
    assert (workloads[-1]["budget_usd"], workloads[-1]["tokens"]) == (1, 100e6)
    assert workloads[-1]["params_b"] == 70


def test_the_chart_shows_price_against_time_with_the_front(page):
    expect(page.get_by_text("Price against time is drawn here once")).to_be_visible()

    page.get_by_label("Million tokens to train on").fill("100")

    chart = page.locator("svg.chart")
    expect(chart).to_have_attribute("aria-label", re.compile("Price of the run against Time"))
    prices, times = _figures(page)
    beaten = [
        any(
            p <= price and t <= time and (p, t) != (price, time)
            for p, t in zip(prices, times, strict=True)
        )
        for price, time in zip(prices, times, strict=True)
    ]
    filled = chart.locator(".point").evaluate_all("all => all.map(g => g.matches('.best'))")
    assert filled == [not each for each in beaten]
    assert True in filled


def test_a_machine_that_serves_stands_at_the_price_of_a_million_tokens(page):
    answer = asked(page, "Which GPU should I rent to run Llama-3.1-8B for 20 users?")

    row = answer.locator(".sortable tbody tr").first.inner_text()
    [hourly] = re.findall(r"\$([\d.]+) an hour", row)
    [speed] = re.findall(r"([\d.]+) tokens/s", row)
    title = answer.locator("svg.chart .point title").first.text_content()
    million_usd = float(title.split("$")[1])
    assert million_usd == pytest.approx(float(hourly) * 1e6 / float(speed) / 3600, rel=0.02)


def test_the_table_sorts_by_a_heading(page):
    page.get_by_role("button", name="Price").click()
    prices = _column(page, 4)
    page.get_by_role("button", name="Price").click()

    assert len(prices) > 2
    assert prices == sorted(prices)
    assert _column(page, 4) == sorted(prices, reverse=True)
    expect(page.get_by_role("columnheader", name="Price")).to_have_attribute(
        "aria-sort", "descending"
    )


def test_a_longer_context_by_the_keyboard_is_worked_out_anew(page):
    context = page.get_by_label("Context")
    context.focus()
    context.press("End")

    expect(page.locator(".told").first).to_have_text("131,072 tokens")
    expect(page.locator(".recommendation .status")).to_contain_text(re.compile("First now|Nothing"))
    expect(page.locator(".facts")).to_contain_text("131,072 tokens of context")


def test_what_is_ruled_out_says_why(page):
    page.get_by_text(re.compile(r"Ruled out \(\d+\)")).click()

    expect(page.locator("article")).to_contain_text(
        re.compile(r"is ruled out by memory: .* are needed and .* are usable")
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_recommendation_is_accessible(chromium, whole_site, scheme, width):
    view = {"width": width, "height": 800}
    with watched(chromium, whole_site, color_scheme=scheme, viewport=view) as page:
        page.goto(whole_site)
        asked(page, QUESTION)
        page.get_by_label("Million tokens to train on").fill("100")
        page.locator("svg.chart").wait_for()
        for each in page.locator("summary").all():
            each.click()

        assert faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width


def _asks(request) -> bool:
    return bool(request.url.endswith("/v1/recommend"))


def _column(page, place) -> list[float]:
    cells = page.locator(f".sortable tbody td:nth-child({place})").all_inner_texts()
    return [float(re.sub(r"[^\d.]", "", cell)) for cell in cells]


def _figures(page) -> tuple[list[float], list[float]]:
    """Price and time of the points as they are drawn: right is slower, down is cheaper."""
    places = page.locator("svg.chart .point circle").evaluate_all(
        "all => all.map(c => [-Number(c.getAttribute('cy')), Number(c.getAttribute('cx'))])"
    )
    return [price for price, _ in places], [time for _, time in places]
