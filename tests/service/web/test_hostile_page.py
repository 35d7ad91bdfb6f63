"""Markup in questions, documents and addresses is shown as the text that it is, and never runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from indexer.embedders.hashing import HashingEmbedder
from indexer.generation import GenerationStore
from indexer.pipeline import build_generation
from service.engine import Engine
from service.http.app import create_app
from service.snapshot import SnapshotHolder
from tests.conftest import write_corpus
from tests.service.http.conftest import ready_state
from tests.service.web.conftest import asked, serving, watched

MARKUP = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
DOCUMENT = f"""\
---
title: 'Zebra {MARKUP.replace("'", "''")}'
topic: memory
as_of: 2026-12-01
sources:
  trap: {{title: 'Trap <b>bold</b>', url: "javascript:document.title='run'", as_of: 2026-03-01}}
---

# Zebra {MARKUP}

## Whether zebra memory needs cooling

Zebra memory needs cooling by water <b onmouseover="document.title='run'">always</b> {MARKUP}.[^trap]
"""


@pytest.fixture(scope="module")
def trap(tmp_path_factory):
    """A service over documents that want to run code in the browser."""
    folder = tmp_path_factory.mktemp("trap")
    corpus = write_corpus(folder / "corpus")
    (corpus / "guidance" / "memory" / "zebra.md").write_text(DOCUMENT, encoding="utf-8")
    store, embedder = GenerationStore(folder / "index"), HashingEmbedder(dimensions=256)
    assert build_generation([corpus], store, embedder).rejected == ()
    holder = SnapshotHolder(store, fingerprint=embedder.spec.fingerprint())
    app = create_app(ready_state(Engine(holder=holder, embedder=embedder)))
    with serving(app) as site:
        yield site


@pytest.fixture
def page(chromium, trap):
    with watched(chromium, trap) as page:
        page.goto(trap)
        yield page


def untouched(page) -> bool:
    """Whether nothing ran, and nothing became an element."""
    inside = page.locator("main :is(script, iframe, object, b, img, [onerror], [onmouseover])")
    return bool(page.title() == "Ask - Rigwise" and inside.count() == 0)


def test_markup_in_a_question_is_shown_as_text(page):
    answer = asked(page, f"{MARKUP} and how much memory does the Acme One have?")

    expect(answer.get_by_role("heading", level=2)).to_contain_text(MARKUP)
    page.reload()
    page.get_by_text("Asked earlier").click()
    expect(page.locator("#history-list")).to_contain_text(MARKUP)
    assert untouched(page)


def test_markup_in_a_document_is_shown_as_text_and_its_address_is_no_link(page):
    answer = asked(page, "Why does zebra memory need cooling for training?")
    answer.locator(".cite").first.click()
    card = page.locator(".card-source")

    expect(card.locator("mark")).to_contain_text("Zebra memory needs cooling")
    expect(card).to_contain_text("Source: Trap <b>bold</b>")
    assert card.get_by_role("link").count() == 0
    page.get_by_role("button", name="Open the document").click()
    expect(page.locator("#document-text")).to_contain_text(MARKUP)
    expect(page.locator("#document-title")).to_contain_text("Zebra <img")
    assert untouched(page)


@pytest.mark.parametrize("link", ["#answer=%3Cscript%3E", "#answer=../index", f"#ask={MARKUP}"])
def test_markup_in_an_address_is_text_or_nothing(chromium, trap, link):
    with watched(chromium, trap) as page:
        page.goto(trap + link)
        page.locator("#about").filter(has_text="document").wait_for()

        expect(page.locator("article")).to_have_count(0)
        assert untouched(page)


def test_the_browser_refuses_text_that_becomes_markup(chromium, trap):
    page = chromium.new_page()
    page.goto(trap)

    refused = page.evaluate(
        """() => { try { document.body.insertAdjacentHTML("beforeend", "<i>x</i>"); return ""; }
                   catch (error) { return error.name; } }"""
    )

    page.close()
    assert refused == "TypeError"
