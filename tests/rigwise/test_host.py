"""A serving process in one piece: documents change, models change, files rot, and it goes on answering."""

from __future__ import annotations

from threading import Event

import pytest
from starlette.testclient import TestClient

from indexer.embedders.hashing import HashingEmbedder
from indexer.errors import BuildCancelled, IndexerError
from indexer.generation import GenerationStore
from indexer.pipeline import BuildReport, build_generation
from indexer.types import GenerationId
from rigwise.host import Host
from rigwise.hosting import HostedState
from rigwise.rebuild import BackgroundRebuilder
from service.http.app import Equipment, create_app
from service.settings import ServiceSettings
from tests.conftest import write_corpus
from tests.rigwise.waiting_for_tests import until

_NOTE = b"# Cooling of our rack\n\n## Water\n\nThe rack of the zebra team is cooled by water.\n"


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "own").mkdir()
    return ServiceSettings(
        corpus=write_corpus(tmp_path / "corpus"),
        documents=tmp_path / "own",
        index_root=tmp_path / "index",
        embedder="hashing",
        poll=True,
    )


@pytest.fixture
def run(settings):
    """Starts hosts behind the real application; all are closed after the test."""
    opened = []

    def start(make=lambda _: HashingEmbedder(), **changes):
        changed = settings.model_copy(update=changes)
        state = HostedState(Host(changed, make=make), refresh_s=0.05)
        client = TestClient(
            create_app(state, equipment=Equipment(managed=state.host.managed)),
            raise_server_exceptions=False,
        )
        client.__enter__()
        opened.append(client)
        until(lambda: client.get("/readyz").status_code == 200)
        return client

    yield start
    for client in opened:
        client.__exit__(None, None, None)


def ended(client, job):
    """The job once it has ended."""
    address = f"/v1/index/jobs/{job['id']}"
    until(lambda: client.get(address).json()["state"] not in {"queued", "running"})
    return client.get(address).json()


def found(client) -> set[str]:
    hits = client.get("/v1/search", params={"q": "zebra rack water"}).json()["hits"]
    return {hit["document_id"] for hit in hits if hit["legs"].get("lexical")}


def test_an_uploaded_document_answers_when_its_job_is_done_and_a_deleted_one_does_not(run):
    client = run()

    stored = client.put("/v1/documents/notes/cooling.md", content=_NOTE).json()
    job = ended(client, stored["job"])
    assert (job["state"], job["report"]["added"]) == ("done", ["notes/cooling.md"])
    assert "notes/cooling" in found(client)

    removed = client.delete("/v1/documents/notes/cooling.md").json()
    assert ended(client, removed["job"])["report"]["removed"] == ["notes/cooling.md"]
    assert "notes/cooling" not in found(client)


def test_an_index_inside_the_documents_is_refused(settings):
    fields = settings.model_dump(exclude={"index_root", "api_key"})

    with pytest.raises(ValueError, match="lies in the documents"):
        ServiceSettings(**fields, index_root=settings.documents / "index")


def test_a_refused_document_has_its_reason(run):
    client = run()

    ended(client, client.put("/v1/documents/bad.csv", content=b"\x00\x01\x02").json()["job"])

    rows = client.get("/v1/index/documents").json()["items"]
    (bad,) = [row for row in rows if row["state"] == "rejected"]
    assert bad["path"] == "bad.csv"
    assert bad["reason"]


def test_a_watched_folder_is_followed(run, settings):
    client = run(watch=True)

    (settings.documents / "cooling.md").write_bytes(_NOTE)
    assert until(lambda: "cooling" in found(client))
    (settings.documents / "cooling.md").unlink()

    assert until(lambda: "cooling" not in found(client))


def test_going_back_is_not_undone_by_watching_but_by_asking(run, settings):
    client = run(watch=True, sweep_s=0.1)
    stored = client.put("/v1/documents/cooling.md", content=_NOTE).json()
    ended(client, stored["job"])

    client.post("/v1/index/rollback", json={})
    Event().wait(2.5)
    assert "cooling" not in found(client)

    ended(client, client.post("/v1/index/rebuild", json={}).json())
    assert "cooling" in found(client)


def test_a_damaged_generation_is_told_and_built_anew_while_the_last_good_one_answers(run, settings):
    client = run()
    stored = client.put("/v1/documents/cooling.md", content=_NOTE).json()
    ended(client, stored["job"])
    store = GenerationStore(settings.index_root)
    damaged = store.current()
    with store.writing():
        store.roll_back()
    until(lambda: client.get("/v1/index").json()["generation"] != damaged)
    (settings.index_root / "generations" / damaged / "passages.jsonl").write_bytes(b"")
    (settings.index_root / "CURRENT").write_text(f"{damaged}\n")

    until(lambda: client.get("/v1/index").json()["generation"] == damaged)

    assert client.get("/readyz").json()["status"] in {"ready", "stale"}
    until(lambda: client.get("/readyz").json()["status"] == "ready")
    assert "cooling" in found(client)
    assert (settings.index_root / "quarantine" / damaged).is_dir()


def test_when_nothing_can_be_built_the_service_is_stale_and_answers(run, settings):
    client = run()
    current = GenerationStore(settings.index_root).current()
    (settings.index_root / "CURRENT").write_text(f"{'0' * 16}\n")

    until(lambda: client.get("/readyz").json()["status"] == "stale")

    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["stages"]["index"]["code"]) == (
        200,
        "generation_not_found",
    )
    assert client.get("/v1/index").json()["generation"] == current


def test_another_model_is_built_in_the_shadow_of_the_old_one(run, settings):
    old = build_generation(
        list(settings.corpora), GenerationStore(settings.index_root), HashingEmbedder(32)
    )
    gate = Event()

    class Slow(HashingEmbedder):
        def embed_passages(self, texts, *, progress=None):
            assert gate.wait(20)
            return super().embed_passages(texts, progress=progress)

    def make(choice):
        return HashingEmbedder(32) if choice.model == "hashing" else Slow(64)

    client = run(make)
    answered = client.post("/v1/ask", json={"question": "Does training need ECC memory?"})
    assert (answered.status_code, answered.json()["generation"]) == (200, old.generation)

    gate.set()
    until(lambda: client.get("/v1/index").json()["generation"] != old.generation)
    assert client.get("/v1/index").json()["embedder"]["dimensions"] == 64
    assert client.post("/v1/ask", json={"question": "Does training need ECC?"}).status_code == 200


def test_a_former_model_that_is_gone_means_waiting_for_the_new_index(run, settings):
    build_generation(
        list(settings.corpora), GenerationStore(settings.index_root), HashingEmbedder(32)
    )

    class Gone(IndexerError):
        code = "gone_in_a_test"

    def make(choice):
        if choice.model == "hashing":
            raise Gone
        return HashingEmbedder(64)

    assert run(make).get("/v1/index").json()["embedder"]["dimensions"] == 64


class Work:
    """A build that waits for its gate, and fails when told to."""

    def __init__(self):
        self.gate, self.count, self.fault = Event(), 0, None

    def __call__(self, options, progress):
        self.count += 1
        assert self.gate.wait(10)
        progress.start("parse", 1)
        if self.fault:
            raise self.fault
        if options.cancelled():
            raise BuildCancelled
        return BuildReport(generation=GenerationId("a" * 16), published=True)


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def rebuilder(work, tmp_path):
    made = BackgroundRebuilder(
        GenerationStore(tmp_path / "index"), work, lambda: None, journal=tmp_path / "jobs.json"
    )
    made.start()
    yield made
    work.gate.set()
    made.close()


def test_requests_share_a_job_that_has_not_begun(rebuilder, work):
    first = rebuilder.request("request")
    until(lambda: work.count == 1)

    later = {rebuilder.request("watch").id for _ in range(20)}
    work.gate.set()

    assert rebuilder.wait_idle(10)
    assert (len(later), work.count) == (1, 2)
    assert first.id not in later


def test_a_failed_job_has_its_code_and_the_next_one_runs(rebuilder, work):
    work.gate.set()
    work.fault = OSError(28, "No space left on device")
    rebuilder.request("request")
    assert rebuilder.wait_idle(10)
    work.fault = None
    rebuilder.request("request")
    assert rebuilder.wait_idle(10)

    done, failed = rebuilder.jobs()
    assert (done.state, failed.state, failed.code) == ("done", "failed", "os_error")
    assert "No space left" in failed.detail


def test_a_job_is_cancelled_before_and_while_it_runs(rebuilder, work):
    running = rebuilder.request("request")
    until(lambda: work.count == 1)
    waiting = rebuilder.request("request")

    rebuilder.cancel(waiting.id)
    rebuilder.cancel(running.id)
    work.gate.set()

    assert rebuilder.wait_idle(10)
    assert [job.state for job in rebuilder.jobs()] == ["cancelled", "cancelled"]
    assert (work.count, rebuilder.cancel("other")) == (1, None)


def test_a_job_that_its_process_did_not_survive_is_told_and_asked_for_anew(
    rebuilder, work, tmp_path
):
    rebuilder.request("upload")
    until(lambda: work.count == 1 and (tmp_path / "jobs.json").exists())
    again = Work()
    again.gate.set()
    successor = BackgroundRebuilder(
        GenerationStore(tmp_path / "index"), again, lambda: None, journal=tmp_path / "jobs.json"
    )
    successor.start()
    assert successor.wait_idle(10)
    successor.close()

    assert [(job.trigger, job.state, job.code) for job in successor.jobs()] == [
        ("start", "done", ""),
        ("upload", "failed", "interrupted"),
    ]
