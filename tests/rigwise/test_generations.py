"""What is on the disk is listed, with the generation that answers and the files that one may remove."""

from __future__ import annotations

from starlette.testclient import TestClient

from rigwise.hosting import application, state_of
from service.settings import ServiceSettings
from tests.conftest import write_corpus
from tests.rigwise.waiting_for_tests import until

_NOTE = b"# Cooling of our rack\n\n## Water\n\nThe rack of the zebra team is cooled by water.\n"


def test_the_generations_are_listed_with_the_one_that_answers(tmp_path):
    (tmp_path / "own").mkdir()
    settings = ServiceSettings(
        corpus=write_corpus(tmp_path / "corpus"),
        documents=tmp_path / "own",
        index_root=tmp_path / "index",
        embedder="hashing",
        refresh_s=0.05,
    )
    with TestClient(application(settings, state_of(settings))) as client:
        until(lambda: client.get("/readyz").status_code == 200)
        before = client.get("/v1/index").json()["generation"]
        job = client.put("/v1/documents/notes/cooling.md", content=_NOTE).json()["job"]["id"]
        until(lambda: client.get(f"/v1/index/jobs/{job}").json()["state"] == "done")

        newest, oldest = client.get("/v1/index/generations").json()["items"]
        rows = client.get("/v1/index/documents").json()["items"]

    assert (newest["current"], oldest["current"], oldest["id"]) == (True, False, before)
    assert newest["documents"] == oldest["documents"] + 1
    assert [row["path"] for row in rows if row["own"]] == ["notes/cooling.md"]
