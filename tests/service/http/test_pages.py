"""What the shells and files of the page are served with; no browser is needed for that."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def stranger(make_client):
    """A client without the key that the service wants."""
    return make_client(api_key="open-sesame")


def test_the_page_needs_no_key_and_what_it_asks_does(stranger):
    page = stranger.get("/")

    assert page.status_code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert stranger.get("/v1/index").status_code == 401


def test_nothing_but_files_of_its_own_may_run(client):
    page = client.get("/")
    policy = dict(
        part.split(" ", 1) for part in page.headers["Content-Security-Policy"].split("; ")
    )

    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"


def test_the_page_has_no_code_within_and_no_other_address(client):
    text = client.get("/").text

    assert (
        re.findall(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?://|href=\"//", text)
        == []
    )


def test_every_file_that_the_page_names_is_there(client):
    files = re.findall(r"(?:src|href)=\"(assets/[^\"]+)\"", client.get("/").text)

    assert len(files) > 3
    assert {client.get(f"/{name}").status_code for name in files} == {200}


def test_a_file_is_sent_again_only_when_it_changed(client):
    first = client.get("/assets/api.js")
    again = client.get("/assets/api.js", headers={"If-None-Match": first.headers["ETag"]})

    assert (first.status_code, again.status_code) == (200, 304)
    assert first.headers["Content-Type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "path", ["../pages.py", "..%2fpages.py", "%2e%2e%2fpages.py", "nothing.js", "", ".", "%00"]
)
def test_no_other_file_is_served(client, path):
    assert client.get(f"/assets/{path}").status_code == 404


def test_the_page_takes_reading_alone(client):
    assert client.post("/", content=b"x").status_code == 405
    assert client.options("/assets/api.js").headers["Allow"] == "GET, HEAD, OPTIONS"
