from __future__ import annotations

import pytest

KEY = "a-long-random-key"


@pytest.mark.parametrize("path", ["/v1/devices", "/openapi.json", "/nowhere"])
def test_every_other_address_wants_the_key(make_client, path):
    response = make_client(api_key=KEY).get(path)

    assert (response.status_code, response.json()["code"]) == (401, "unauthorized")
    assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_probes_are_open(make_client, path):
    assert make_client(api_key=KEY).get(path).status_code == 200


@pytest.mark.parametrize("value", [f"Bearer {KEY}", f"bearer {KEY}"])
def test_the_key_opens(make_client, value):
    response = make_client(api_key=KEY).get("/v1/devices", headers={"Authorization": value})

    assert response.status_code == 200


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer wrong", f"Basic {KEY}", KEY, f"Bearer {KEY}x"]
)
def test_anything_else_does_not(make_client, value):
    response = make_client(api_key=KEY).get("/v1/devices", headers={"Authorization": value})

    assert response.status_code == 401


def test_without_a_key_nothing_is_asked_for(client):
    assert client.get("/v1/devices").status_code == 200
