from __future__ import annotations

import pytest

from service.http import schemas


def _ids(response) -> list[str]:
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["acme-one-80gb", "acme-two-24gb"]),
        ("?vendor=ACME", ["acme-one-80gb", "acme-two-24gb"]),
        ("?vendor=other", []),
        ("?segment=workstation", ["acme-two-24gb"]),
        ("?min_memory_gb=24.1", ["acme-one-80gb", "acme-two-24gb"]),
        ("?min_memory_gb=25.8", ["acme-one-80gb"]),
        ("?q=one%20pcie", ["acme-one-80gb"]),
        ("?kind=tpu", []),
        ("?status=current&limit=1&offset=1", ["acme-two-24gb"]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_devices_are_filtered(client, query, found):
    assert _ids(client.get(f"/v1/devices{query}")) == found


def test_a_page_says_where_the_next_begins(client):
    page = client.get("/v1/devices?limit=1").json()

    assert (page["total"], page["next_offset"]) == (2, 1)
    assert client.get("/v1/devices?limit=1&offset=1").json()["next_offset"] is None


def test_an_unknown_filter_is_refused(client):
    response = client.get("/v1/devices?vender=Acme")

    assert (response.status_code, response.json()["errors"][0]["where"]) == (422, "query.vender")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "offset=-1", "min_memory_gb=nan", "kind=x"]
)
def test_a_filter_out_of_range_is_refused(client, query):
    assert client.get(f"/v1/devices?{query}").status_code == 422


def test_a_device_has_its_facts_with_source_date_and_level(client):
    device = client.get("/v1/devices/acme-one-80gb").json()

    fact = device["facts"][0]
    assert (fact["value"], fact["unit"], fact["qualifiers"]["basis"]) == (80.0, "GB", "nominal")
    assert (fact["source"], fact["as_of"], fact["level"]) == ("sheet", "2024-09-01", "vendor")


@pytest.mark.parametrize(
    ("query", "instances"),
    [
        ("", ["two.large", "one.large", "cpu.large"]),
        ("?device=acme-one-80gb", ["one.large"]),
        ("?region=south-1", ["two.large", "cpu.large"]),
        ("?max_usd_per_hour=1", ["two.large", "one.large"]),
        ("?provider=acme&max_usd_per_hour=0.8", ["two.large"]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_offers_are_filtered_and_the_cheapest_comes_first(client, query, instances):
    items = client.get(f"/v1/offers{query}").json()["items"]

    assert [item["instance"] for item in items] == instances


def test_documents_are_listed_without_their_text(client, index):
    page = client.get("/v1/documents").json()

    schemas.DocumentPage.model_validate(page)
    assert page["total"] == len(index.documents)


def test_a_document_has_its_text_and_passages(client, index):
    document_id = index.passages[0].document_id

    document = client.get(f"/v1/documents/{document_id}").json()

    schemas.DocumentBody.model_validate(document)
    assert index.passages[0].id in document["passage_ids"]


def test_a_passage_is_a_span_of_its_document(client, index):
    passage = client.get(f"/v1/passages/{index.passages[0].id}").json()

    schemas.PassageBody.model_validate(passage)
    document = client.get(f"/v1/documents/{passage['document']['id']}").json()
    assert document["text"][passage["start"] : passage["end"]] == passage["text"]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/v1/passages/x", "find them at /v1/search"),
        ("/v1/documents/x/y", "list them at /v1/documents"),
        ("/v1/devices/x", "list them at /v1/devices"),
    ],
)
def test_what_is_not_there_is_a_404_that_says_where_to_look(client, path, where):
    response = client.get(path)

    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert where in response.json()["detail"]


def test_search_gives_passages_with_their_text(client):
    found = client.get("/v1/search", params={"q": "memory", "limit": 2}).json()

    schemas.SearchResponse.model_validate(found)
    assert len(found["hits"]) == 2


def test_search_wants_words(client):
    assert client.get("/v1/search?q=").status_code == 422


def test_the_index_tells_what_it_holds(client, index):
    shown = client.get("/v1/index").json()

    schemas.IndexBody.model_validate(shown)
    assert (shown["generation"], shown["counts"]["devices"]) == (index.id, 2)
