from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from indexer.errors import GenerationNotFound
from indexer.manifest import Rejection
from indexer.parsing import is_document
from indexer.types import GenerationId
from service.http.app import Equipment, create_app
from service.http.documents import Managed, states_of
from service.http.jobs import Job, RolledBack
from service.http.uploads import DocumentFolder
from tests.service.http.conftest import ready_state, wait_until_ready

_BODY = b"# Cooling\n\nOur rack is cooled by water.\n"
_NOWHERE = Path("nowhere")


@dataclass
class Noted:
    """Notes what is asked for, and builds nothing."""

    asked: list[str] = field(default_factory=list)
    full: bool = False

    def request(self, trigger, *, full=False):
        self.asked.append(trigger)
        self.full = full
        return _job(f"job-{len(self.asked)}", trigger)

    def jobs(self):
        return [_job("job-1", "request")]

    def cancel(self, job_id):
        return replace(_job(job_id, "request"), state="cancelled") if job_id == "job-1" else None

    def generations(self):
        return []

    def roll_back(self, generation):
        if generation == "0" * 16:
            raise GenerationNotFound("no generation", _NOWHERE)
        return RolledBack(
            before=GenerationId("b" * 16), generation=GenerationId(generation or "a" * 16)
        )


def _job(job_id, trigger):
    return Job(id=job_id, trigger=trigger, state="queued", created_at="2026-12-01T00:00:00+00:00")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


@pytest.fixture
def noted():
    return Noted()


@pytest.fixture
def client(engine, folder, noted, corpus):
    managed = Managed(
        rebuilder=noted,
        folder=DocumentFolder(folder, shipped=corpus, accepts=is_document, max_bytes=100_000),
    )
    with TestClient(
        create_app(ready_state(engine), equipment=Equipment(managed=managed)),
        raise_server_exceptions=False,
    ) as client:
        wait_until_ready(client)
        yield client


def test_a_new_document_is_stored_and_a_job_begins(client, folder, noted):
    response = client.put("/v1/documents/notes/cooling.md", content=_BODY)

    assert (response.status_code, response.json()["job"]["state"]) == (201, "queued")
    assert (folder / "notes/cooling.md").read_bytes() == _BODY
    assert noted.asked == ["upload"]


def test_a_document_that_is_there_is_replaced(client, folder):
    client.put("/v1/documents/cooling.md", content=b"old")

    response = client.put("/v1/documents/cooling.md", content=_BODY)

    assert response.status_code == 200
    assert [path.name for path in folder.iterdir()] == ["cooling.md"]


def test_a_body_above_the_limit_is_refused_as_it_streams(client, folder, noted):
    def endless():
        for _ in range(1000):
            yield b"x" * 1000

    response = client.put("/v1/documents/big.md", content=endless())

    assert (response.status_code, response.json()["code"]) == (413, "upload_too_large")
    assert (list(folder.iterdir()), noted.asked) == ([], [])


def test_an_upload_may_be_larger_than_a_question(client):
    assert client.put("/v1/documents/a.md", content=b"x" * 90_000).status_code == 201


@pytest.mark.parametrize(
    "path",
    [
        "..%2fescape.md",
        "a/..%2f..%2fescape.md",
        "%2fetc/escape.md",
        "a%2f%2fb.md",
        ".hidden.md",
        ".git/config.md",
        "a%5c..%5cescape.md",
        "a%00.md",
        "c:escape.md",
        "trailing.md.",
        "a" * 130 + ".md",
        "%2e%2e/escape.md",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(client, folder, noted, path):
    response = client.put(f"/v1/documents/{path}", content=_BODY)

    assert response.status_code in {404, 405, 422}
    assert (list(folder.iterdir()), noted.asked) == ([], [])
    assert not (folder.parent / "escape.md").exists()


def test_links_are_refused_on_every_step(client, folder, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "a.md").symlink_to(tmp_path / "outside/a.md")

    for path in ("link/b.md", "a.md"):
        assert client.put(f"/v1/documents/{path}", content=_BODY).status_code == 422
        assert client.delete(f"/v1/documents/{path}").status_code == 422

    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["a.md"]
    assert (tmp_path / "outside/a.md").read_text() == "secret"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("program.exe", "not read"),
        ("guidance/memory/ecc-memory.md", "shipped corpus"),
    ],
)
def test_a_file_that_would_not_be_indexed_is_refused(client, path, reason):
    response = client.put(f"/v1/documents/{path}", content=_BODY)

    assert (response.status_code, response.json()["code"]) == (422, "bad_path")
    assert reason in response.json()["detail"]


def test_a_file_and_a_folder_cannot_have_one_name(client):
    client.put("/v1/documents/a.md", content=_BODY)

    response = client.put("/v1/documents/a.md/b.md", content=_BODY)

    assert response.json()["code"] == "bad_path"


def test_what_a_dead_process_left_of_an_upload_is_cleared(folder):
    (folder / ".upload-1").write_bytes(b"half")
    (folder / "a.md").write_bytes(_BODY)

    DocumentFolder(folder, shipped=None, accepts=is_document, max_bytes=1).clear()

    assert [path.name for path in folder.iterdir()] == ["a.md"]


def test_a_document_is_removed(client, folder, noted):
    client.put("/v1/documents/notes/cooling.md", content=_BODY)

    response = client.delete("/v1/documents/notes/cooling.md")

    assert (response.status_code, noted.asked) == (200, ["upload", "delete"])
    assert not (folder / "notes/cooling.md").exists()
    assert client.delete("/v1/documents/notes/cooling.md").json()["code"] == "not_found"


def test_without_a_folder_nothing_is_taken(engine, noted):
    folder = DocumentFolder(None, shipped=None, accepts=is_document, max_bytes=1)
    app = create_app(
        ready_state(engine), equipment=Equipment(managed=Managed(rebuilder=noted, folder=folder))
    )
    with TestClient(app) as client:
        wait_until_ready(client)
        response = client.put("/v1/documents/a.md", content=_BODY)

    assert (response.status_code, response.json()["code"]) == (409, "no_document_folder")


def test_without_a_builder_the_index_is_read_only(make_client):
    client = make_client()

    for response in (
        client.put("/v1/documents/a.md", content=_BODY),
        client.post("/v1/index/rebuild", json={}),
        client.get("/v1/index/jobs"),
        client.post("/v1/index/rollback", json={}),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "read_only")


def test_a_rebuild_is_a_job(client, noted):
    response = client.post("/v1/index/rebuild", json={"full": True})

    assert (response.status_code, response.json()["id"], noted.full) == (202, "job-1", True)
    assert client.get("/v1/index/jobs/job-1").json()["state"] == "queued"
    assert client.get("/v1/index/jobs").json()["items"][0]["id"] == "job-1"
    assert client.delete("/v1/index/jobs/job-1").json()["state"] == "cancelled"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_job_that_never_was_is_not_found(client, method):
    assert client.request(method, "/v1/index/jobs/other").status_code == 404


def test_a_page_elsewhere_cannot_begin_a_rebuild_or_go_back(client, noted):
    for path in ("/v1/index/rebuild", "/v1/index/rollback"):
        response = client.post(path, content=b"{}", headers={"Content-Type": "text/plain"})
        assert response.status_code == 422
        assert client.post(path).status_code == 422

    assert noted.asked == []


def test_going_back_names_both_generations(client):
    response = client.post("/v1/index/rollback", json={"generation": "c" * 16})

    assert response.json() == {"before": "b" * 16, "generation": "c" * 16}
    assert client.post("/v1/index/rollback", json={}).json()["generation"] == "a" * 16
    assert client.post("/v1/index/rollback", json={"generation": "../x"}).status_code == 422


def test_every_file_has_its_state(client, index):
    rows = client.get("/v1/index/documents").json()["items"]

    assert {row["state"] for row in rows} == {"indexed"}
    assert len(rows) == len(index.documents)


def test_stale_and_rejected_files_have_their_reason(index):
    first = index.manifest.documents[0]
    manifest = msgspec.structs.replace(
        index.manifest,
        documents=(msgspec.structs.replace(first, stale=True), *index.manifest.documents[1:]),
        rejected=(
            Rejection(path=first.path, line=3, reason="not UTF-8"),
            Rejection(path="zzz.pdf", line=1, reason="encrypted"),
        ),
    )

    rows = {row["path"]: row for row in states_of(replace(index, manifest=manifest))}

    assert (rows[first.path]["state"], rows[first.path]["reason"]) == ("stale", "not UTF-8")
    assert (rows["zzz.pdf"]["state"], rows["zzz.pdf"]["id"]) == ("rejected", None)


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/v1/documents/notes/cooling.md", "DELETE, GET, HEAD, OPTIONS, PUT"),
        ("/v1/index/jobs/job-1", "DELETE, GET, HEAD, OPTIONS"),
    ],
)
def test_options_names_the_methods_of_all_routes_of_an_address(client, path, methods):
    assert client.options(path).headers["Allow"] == methods
    assert client.patch(path).headers["Allow"] == methods


def test_going_back_to_a_generation_that_is_not_there_is_no_fault_of_the_service(client):
    reply = client.post("/v1/index/rollback", json={"generation": "0" * 16})

    assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
