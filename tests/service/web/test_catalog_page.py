"""The catalog in the browser: filters, and devices side by side."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.service.web.conftest import faults_of, watched


@pytest.fixture
def page(chromium, site):
    with watched(chromium, site) as page:
        page.goto(f"{site}catalog")
        page.locator("#devices tr").first.wait_for()
        yield page


def names(page) -> list[str]:
    return list(page.locator("#devices th").all_inner_texts())


def test_filters_leave_what_passes_all_of_them(page):
    everything = names(page)

    page.get_by_label("Maker").fill("amd")
    page.get_by_label("Memory from, GB").fill("100")
    expect(page.locator("#devices").get_by_text("NVIDIA H100 SXM 80 GB")).to_have_count(0)

    assert names(page) == ["AMD Instinct MI300X"]
    assert len(everything) > 5


def test_a_filter_that_nothing_passes_says_so(page):
    page.get_by_label("Name").fill("no such device")

    expect(page.locator("#told")).to_have_text("0 devices pass these filters.")


def test_two_devices_stand_side_by_side_with_their_passages(page):
    page.get_by_label("Compare NVIDIA H100 SXM 80 GB").check()
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_disabled()
    page.get_by_label("Compare AMD Instinct MI300X").check()
    page.get_by_role("button", name="Compare", exact=True).click()

    row = page.get_by_role("row", name="memory 80 GB")
    expect(row.get_by_role("cell")).to_contain_text(["80 GB", "192 GB"])
    row.locator(".cite").last.click()
    expect(page.locator(".card-source mark")).to_contain_text("value: 192 GB")


def test_a_comparison_has_an_address_of_its_own(chromium, site):
    with watched(chromium, site) as page:
        page.goto(f"{site}catalog#compare=nvidia-h100-sxm-80gb,amd-mi300x")

        expect(page.locator("#comparison-title")).to_be_focused()
        expect(page.locator("#comparison-title")).to_have_text(
            "NVIDIA H100 SXM 80 GB and AMD Instinct MI300X"
        )
        page.get_by_role("button", name="Close").first.click()
        expect(page.locator("#comparison")).to_be_hidden()


def test_more_than_four_are_not_compared(page):
    for box in page.locator("#devices input").all()[:5]:
        box.check()

    expect(page.locator("#bar")).to_contain_text("5 chosen, four at most")
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_disabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_catalog_is_accessible(chromium, site, scheme, width):
    view = {"width": width, "height": 800}
    with watched(chromium, site, color_scheme=scheme, viewport=view) as page:
        page.goto(f"{site}catalog")
        page.locator("#devices input").first.check()
        page.get_by_role("button", name="NVIDIA H100 SXM 80 GB").click()
        page.locator("#comparison-table .cite").first.click()

        assert faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
