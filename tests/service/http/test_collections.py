"""No route tells of a document that the caller may not see, and none lets him change one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from indexer.parsing import is_document
from service.access import Caller
from service.http.app import Equipment, create_app
from service.http.documents import Managed
from service.http.policy import POLICY
from service.http.uploads import DocumentFolder
from tests.service.http.conftest import ready_state, wait_until_ready
from tests.service.http.test_documents import Noted
from tests.service.test_collections import folders, whole

__all__ = ["folders", "whole"]
SECRETS = ("zebra", "z900", "penguin", "collections/", "999 gb", "broken.pdf")
PATHS = ("collections/finance/zebra.md", "collections/law/contract.md", "a.md")


class Names:
    """Knows people by tokens like `ann:finance`; all may read, ask and write."""

    async def caller(self, token: str) -> Caller | None:
        name, _, seen = token.partition(":")
        collections = frozenset(seen.split(",")) - {""}
        return Caller(
            name=name, scopes=frozenset({"ask", "read", "write"}), collections=collections
        )


class Reporting(Noted):
    """Its jobs name documents of all collections."""

    def jobs(self):
        rejected = {"path": "collections/finance/broken.pdf", "line": 1, "reason": "no PDF"}
        report = {"added": [*PATHS], "stale": [*PATHS], "rejected": [rejected]}
        return [replace(job, report=report) for job in super().jobs()]


@pytest.fixture
def client(whole, tmp_path):
    (tmp_path / "own/collections/finance").mkdir(parents=True)
    (tmp_path / "own/collections/finance/zebra.md").write_text("# Z\n")
    folder = DocumentFolder(tmp_path / "own", shipped=None, accepts=is_document, max_bytes=1000)
    equipment = Equipment(managed=Managed(rebuilder=Reporting(), folder=folder), gates=[Names()])
    with TestClient(create_app(ready_state(whole), equipment=equipment)) as client:
        wait_until_ready(client)
        yield client


def as_(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {name}"}


ADDRESSES = (
    "/v1/documents?limit=200",
    "/v1/devices?limit=200",
    "/v1/offers",
    "/v1/index",
    "/v1/index/documents",
    "/v1/index/generations",
    "/v1/index/jobs",
    "/v1/index/jobs/job-1",
    "/v1/search?q=rack+machines+contract+memory&limit=100",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_list_names_what_is_hidden(client, address):
    hidden = client.get(address, headers=as_("ann")).text.casefold()
    shown = client.get(address, headers=as_("root:finance,law")).text.casefold()

    assert [word for word in SECRETS if word in hidden.replace(address, "")] == []
    if address not in ("/v1/offers", "/v1/index/generations"):  # nothing hidden is in them
        assert [word for word in SECRETS if word in shown]


def test_every_route_that_lists_is_looked_at():
    looked_at = {address.split("?")[0] for address in ADDRESSES}
    lists = {
        route.split(" ")[1]
        for route, policy in POLICY.items()
        if route.startswith("GET /v1/") and policy in ("read", "write") and "{" not in route
    }

    assert lists <= looked_at


@pytest.mark.parametrize("question", ["What does the zebra rack hold?", "Memory of the Z900?"])
def test_an_answer_draws_on_nothing_that_is_hidden(client, question):
    reply = client.post("/v1/ask", json={"question": question}, headers=as_("ann")).json()

    told = str([reply["text"], reply["citations"], reply["retrieved"]]).casefold()
    assert "12 machines" not in told
    assert "collections/" not in told
    assert "999" not in told


def test_a_hidden_passage_and_document_are_not_found(client, whole):
    [passage] = [each for each in whole.index().passages if "penguin" in each.text]
    addresses = (f"/v1/passages/{passage.id}", f"/v1/documents/{passage.document_id}")

    seen = [client.get(each, headers=as_("eve:law")).status_code for each in addresses]
    hidden = [client.get(each, headers=as_("ann:finance")).status_code for each in addresses]

    assert (seen, hidden) == ([200, 200], [404, 404])


@pytest.mark.parametrize(
    "path",
    [
        "collections/finance/zebra.md",
        "collections/finance/new.md",
        "collections//finance/new.md",
        "./collections/finance/new.md",
    ],
)
def test_who_does_not_see_a_collection_changes_nothing_in_it(client, tmp_path, path):
    put = client.put(f"/v1/documents/{path}", content=b"# New\n", headers=as_("ann:law"))
    deleted = client.delete(f"/v1/documents/{path}", headers=as_("ann:law"))

    assert put.status_code in (403, 404, 422)
    assert deleted.status_code in (403, 404, 422)
    kept = [each.name for each in (tmp_path / "own").rglob("*.md")]
    assert kept == ["zebra.md"]
    assert (tmp_path / "own/collections/finance/zebra.md").read_text() == "# Z\n"


def test_who_sees_a_collection_may_write_to_it(client, tmp_path):
    path = "collections/finance/new.md"

    reply = client.put(f"/v1/documents/{path}", content=b"# New\n", headers=as_("ann:finance"))

    assert reply.status_code == 201
    assert (tmp_path / "own" / path).is_file()
