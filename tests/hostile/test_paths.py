"""Paths that lead elsewhere, and files that are not what they say."""

from __future__ import annotations

import io
import zipfile

import pytest

from indexer.parsing import is_document

_PATHS = (
    "../out.md",
    "..%2fout.md",
    "%2e%2e/out.md",
    "%2e%2e%2fout.md",
    "..%252fout.md",
    "a/../../out.md",
    "/etc/out.md",
    "//host/out.md",
    "C:%5Cout.md",
    "a%5C..%5Cout.md",
    "a%00.md",
    "a%0d%0aSet-Cookie:x.md",
    ".hidden.md",
    "a/.git/out.md",
    "a//b.md",
    "a/.",
    "con%3a.md",
    "a%20/b.md",
    "x" * 300 + ".md",
    "\u202egpj.md ",
)


@pytest.mark.parametrize("path", _PATHS)
def test_no_path_leads_out_of_the_folder(client, folder, path):
    client.put(f"/v1/documents/{path}", content=b"# Title\n\nText.\n")

    outside = {item.name for item in folder.parent.rglob("*") if folder not in item.parents}
    assert outside == {folder.name}
    assert [item for item in folder.rglob("*") if item.name.startswith(".")] == []


@pytest.mark.parametrize(
    "path", ["../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "%2fetc%2fpasswd"]
)
@pytest.mark.parametrize("route", ["documents", "passages", "devices"])
def test_no_path_is_read_from_the_disk(client, route, path):
    reply = client.get(f"/v1/{route}/{path}")

    assert reply.status_code == 404
    assert "root:" not in reply.text


def test_a_link_out_of_the_folder_is_not_followed(client, folder, tmp_path):
    (tmp_path / "secret").mkdir()
    (folder / "way").symlink_to(tmp_path / "secret")

    reply = client.put("/v1/documents/way/out.md", content=b"# Title\n")

    assert (reply.status_code, reply.json()["code"]) == (422, "bad_path")
    assert list((tmp_path / "secret").iterdir()) == []


@pytest.mark.parametrize("name", ["a.py", "a.sh", "a.so", "a.pkl", "a.exe", "a.dll", "a"])
def test_what_is_no_document_is_not_stored(client, folder, name):
    assert not is_document(name)
    assert client.put(f"/v1/documents/{name}", content=b"x").status_code == 422
    assert list(folder.iterdir()) == []


def test_an_upload_beyond_the_limit_leaves_nothing(client, folder):
    reply = client.put("/v1/documents/large.md", content=(b"x" * 1000 for _ in range(20)))

    assert (reply.status_code, reply.json()["code"]) == (413, "upload_too_large")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["bomb.docx", "bomb.xlsx"])
def test_an_archive_that_unpacks_to_gigabytes_is_stored_packed(client, folder, name):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * 4_000_000)
    assert len(packed.getvalue()) < 10_000

    client.put(f"/v1/documents/{name}", content=packed.getvalue())

    assert sum(item.stat().st_size for item in folder.rglob("*") if item.is_file()) < 10_000
