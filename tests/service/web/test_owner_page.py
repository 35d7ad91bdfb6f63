"""The owner's page in the browser, before a service in one piece that builds for real."""

from __future__ import annotations

import re

import httpx2
import pytest
from playwright.sync_api import expect

from rigwise.hosting import application, state_of
from service.settings import ServiceSettings
from tests.conftest import write_corpus
from tests.rigwise.waiting_for_tests import until
from tests.service.web.conftest import asked, faults_of, serving, watched

NOTE = b"# Cooling of our rack\n\n## Water\n\nThe rack of the zebra team is cooled by water.\n"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "own").mkdir()
    settings = ServiceSettings(
        corpus=write_corpus(tmp_path / "corpus"),
        documents=tmp_path / "own",
        index_root=tmp_path / "index",
        embedder="hashing",
        refresh_s=0.05,
    )
    with serving(application(settings, state_of(settings))) as site:
        yield site


@pytest.fixture
def page(chromium, home):
    with watched(chromium, home) as page:
        page.goto(f"{home}owner")
        page.locator("#generations tr").first.wait_for()
        yield page


def upload(page, name: str, content: bytes) -> None:
    """Choose a file, and wait for the build."""
    files = page.get_by_label("Choose files")
    files.set_input_files({"name": name, "mimeType": "", "buffer": content})
    expect(page.locator("#jobs .state").first).to_have_text("done")
    expect(page.get_by_role("row", name=f"own/{name}")).to_be_visible()


def test_an_uploaded_file_is_indexed_and_can_be_deleted_again(page):
    upload(page, "cooling.md", NOTE)
    row = page.get_by_role("row", name="own/cooling.md")
    expect(row.locator(".state")).to_have_text("indexed")

    row.get_by_role("button", name="Delete own/cooling.md").click()
    page.get_by_role("button", name="Yes").click()

    expect(row).to_have_count(0)


def test_a_dropped_file_that_cannot_be_read_is_rejected_with_its_reason(page):
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["PK no document"], "broken.docx"));
            document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data}));
        }"""
    )

    row = page.get_by_role("row", name="own/broken.docx")
    expect(row.locator(".state")).to_have_text("rejected")
    assert len(row.get_by_role("cell").nth(2).inner_text()) > 10


def test_a_file_of_a_kind_that_is_not_read_is_refused_in_the_words_of_the_service(page):
    files = page.get_by_label("Choose files")
    files.set_input_files({"name": "virus.exe", "mimeType": "", "buffer": b"MZ"})

    expect(page.locator("#uploads")).to_contain_text("files of this kind are not read")
    expect(page.locator("#upload-told")).to_have_text("Nothing was stored.")


def test_shipped_files_cannot_be_deleted(page):
    expect(page.locator("#states")).to_contain_text("hardware/acme/acme-one-80gb.md")
    expect(page.get_by_role("button", name=re.compile("^Delete"))).to_have_count(0)


def test_an_earlier_generation_answers_again(page):
    before = page.locator("#generations code").first.inner_text()
    upload(page, "cooling.md", NOTE)
    expect(page.locator("#generations tr")).to_have_count(2)

    page.get_by_role("button", name=f"Go back to {before}").click()
    page.get_by_role("button", name="Yes").click()

    expect(page.locator("#generations-told")).to_have_text(f"Generation {before} answers now.")
    expect(page.get_by_role("row", name=before)).to_contain_text("in use")
    expect(page.locator("#states")).not_to_contain_text("own/cooling.md")


def test_questions_without_an_answer_are_listed(page, home):
    page.goto(home)
    answer = asked(page, "How much memory does an RTX 9999 have?")
    expect(answer.locator("code")).to_have_text("unknown_entity")
    until(lambda: httpx2.get(f"{home}v1/questions/unanswered").json()["items"])
    page.goto(f"{home}owner")

    expect(page.locator("#unanswered")).to_contain_text(
        "How much memory does an RTX 9999 have? unknown_entity, 1 time"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_accessible(chromium, home, scheme, width):
    view = {"width": width, "height": 800}
    with watched(chromium, home, color_scheme=scheme, viewport=view) as page:
        page.goto(f"{home}owner")
        upload(page, "cooling.md", NOTE)
        faults = faults_of(page)
        page.get_by_role("button", name="Delete own/cooling.md").click()

        assert faults + faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
