"""Tokens of a real issuer on loopback: an RSA key, a JWKS endpoint, and what can be wrong with a token."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.testclient import TestClient

from service.http.app import Equipment, create_app
from service.oidc import OidcGate, OidcOptions, OidcUnavailable
from tests.service.http.conftest import FakeEngine, ready_state, wait_until_ready

ISSUER = "https://login.example.org"


@dataclass
class Issuer:
    """Signs tokens, and serves its public keys."""

    url: str = ""
    fetched: int = 0
    keys: dict[str, rsa.RSAPrivateKey] = field(default_factory=dict)

    def add(self, kid: str) -> None:
        self.keys[kid] = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def jwks(self) -> bytes:
        self.fetched += 1
        public = [
            {**RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig"}
            for kid, key in self.keys.items()
        ]
        return json.dumps({"keys": public}).encode()

    def token(self, kid: str = "k1", **changed: Any) -> str:
        claims = {
            "iss": ISSUER,
            "aud": "rigwise",
            "sub": "ann",
            "exp": 4_000_000_000,
            "scope": "openid rigwise:ask rigwise:unknown other:admin",
        }
        kept = {name: value for name, value in (claims | changed).items() if value is not None}
        return jwt.encode(kept, self.keys[kid], algorithm="RS256", headers={"kid": kid})


@pytest.fixture
def issuer():
    """An issuer with one key."""
    issuer = Issuer()
    issuer.add("k1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(issuer.jwks())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.url = f"http://127.0.0.1:{server.server_address[1]}/jwks"
    Thread(target=server.serve_forever, daemon=True).start()
    yield issuer
    server.shutdown()
    server.server_close()


def gate_of(issuer: Issuer, **changed: Any) -> OidcGate:
    given = {"issuer": ISSUER, "audience": "rigwise", "jwks_url": issuer.url}
    return OidcGate(OidcOptions(**(given | changed)))


def who(gate: OidcGate, token: str):
    return asyncio.run(gate.caller(token))


def test_a_good_token_tells_who_it_is_and_what_he_may(issuer):
    caller = who(gate_of(issuer), issuer.token())

    assert (caller.name, caller.scopes) == ("oidc:ann", {"ask"})


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example.org"},
        {"aud": "another service"},
        {"exp": 1_700_000_000},
        {"nbf": 4_000_000_000},
        {"exp": None},
        {"sub": None},
        {"sub": "x" * 200},
    ],
)
def test_a_token_that_is_not_for_us_is_nobodys(issuer, changed):
    assert who(gate_of(issuer), issuer.token(**changed)) is None


def test_a_token_of_another_key_or_none_is_nobodys(issuer):
    gate = gate_of(issuer)
    forger = Issuer()
    forger.add("k1")
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})

    assert who(gate, forger.token()) is None
    assert who(gate, jwt.encode(claims, "", algorithm="none", headers={"kid": "k1"})) is None
    assert who(gate, jwt.encode(claims, "x" * 64, headers={"kid": "k1"})) is None  # HS256
    assert who(gate, "a.b.c") is None
    assert who(gate, "rgw_no-token") is None


@pytest.mark.parametrize(
    ("scope", "collections"),
    [
        ("rigwise:ask", set()),
        ("rigwise:ask rigwise:collection:law", {"law"}),
        ("rigwise:ask rigwise:collection:*", None),
        ("rigwise:admin", None),
    ],
)
def test_collections_are_read_from_the_claim_as_well(issuer, scope, collections):
    assert who(gate_of(issuer), issuer.token(scope=scope)).visible == collections


@pytest.mark.parametrize(
    ("claim", "changed", "scopes"),
    [
        ("roles", {"roles": ["rigwise:admin", 7, "x"]}, {"admin"}),
        ("realm_access.roles", {"realm_access": {"roles": ["rigwise:read"]}}, {"read"}),
        ("roles", {}, set()),
        ("scope.deeper", {}, set()),
    ],
)
def test_scopes_are_read_from_the_claim_that_is_set(issuer, claim, changed, scopes):
    assert who(gate_of(issuer, claim=claim), issuer.token(**changed)).scopes == scopes


def test_a_new_key_is_fetched_and_unknown_ones_do_not_flood_the_issuer(issuer):
    gate = gate_of(issuer)
    gate._keys.cooldown_duration = 0
    who(gate, issuer.token())
    issuer.add("k2")

    assert who(gate, issuer.token("k2")).name == "oidc:ann"
    issuer.add("k3")
    token = issuer.token("k3")
    gate._keys.cooldown_duration = 30
    assert [who(gate, token) for _ in range(20)] == [None] * 20
    assert issuer.fetched == 2


def test_while_the_issuer_is_down_known_keys_stay_good(issuer):
    gate = gate_of(issuer)
    gate._keys.cooldown_duration = 0
    token = issuer.token()
    who(gate, token)
    gate._keys.uri = "http://127.0.0.1:1/jwks"
    issuer.add("k2")

    for _ in range(2):
        with pytest.raises(OidcUnavailable):
            who(gate, issuer.token("k2"))
    assert who(gate, token).name == "oidc:ann"


def test_a_token_opens_the_service(issuer, index):
    app = create_app(ready_state(FakeEngine(index)), equipment=Equipment(gates=[gate_of(issuer)]))
    ask = {"question": "How much memory does the Acme One have?"}
    with TestClient(app) as client:
        wait_until_ready(client)

        def status(token: str, path: str = "/v1/ask") -> int:
            headers = {"Authorization": f"Bearer {token}"}
            return int(client.post(path, json=ask, headers=headers).status_code)

        assert status(issuer.token()) == 200
        assert status(issuer.token(), "/v1/index/rebuild") == 403
        assert status(issuer.token(aud="other")) == 401
