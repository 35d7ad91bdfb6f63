"""A gate for bearer tokens of an OpenID Connect issuer: signed JWTs whose claims say who it is and what he may do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

import structlog

from service.access import SCOPES, Caller, Scope
from service.errors import ServiceError

if TYPE_CHECKING:
    from jwt import PyJWK, PyJWKClient

# Asymmetric ones only: with a shared secret whoever checks a token could also make one.
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")  # fmt: skip
_LEEWAY_S: Final = 30
_TIMEOUT_S: Final = 3.0
_KEEP_S: Final = 3600
_PAUSE_S: Final = 5.0
_DOTS: Final = 2
_LONGEST: Final = 190
_COLLECTION: Final = "collection:"
_log = structlog.get_logger()


class OidcUnavailable(ServiceError):
    """The issuer's keys cannot be read, or the extra is not installed."""

    code = "oidc_unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcOptions:
    """Whose tokens are taken. `claim` may lead into objects with dots; of its values those with `prefix` are scopes."""

    issuer: str
    audience: str
    jwks_url: str
    claim: str = "scope"
    prefix: str = "rigwise:"


class OidcGate:
    """Checks signature, issuer, audience and times. The issuer's keys are fetched when a token needs them, and kept.

    Raises:
        OidcUnavailable: the extra `oidc` is not installed.
    """

    def __init__(self, options: OidcOptions, *, clock: Callable[[], float] = monotonic) -> None:
        self._options = options
        self._keys = _client(options.jwks_url)
        self._clock = clock
        self._down_until = clock()

    async def caller(self, token: str) -> Caller | None:
        """Whose token it is; None for one that is no JWT, or not good for this service.

        Raises:
            OidcUnavailable: the issuer's keys cannot be fetched.
        """
        if token.count(".") != _DOTS:
            return None
        claims = await asyncio.to_thread(self._claims, token)
        return _caller(claims, self._options) if claims is not None else None

    def _claims(self, token: str) -> Mapping[str, Any] | None:
        import jwt

        try:
            return jwt.decode(
                token,
                self._key(jwt.get_unverified_header(token).get("kid", "")),
                algorithms=_ALGORITHMS,
                audience=self._options.audience,
                issuer=self._options.issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            _log.info("oidc.token_refused", reason=type(error).__name__)
            return None

    def _key(self, kid: str) -> PyJWK:
        """The issuer's key: one that is held at once, another one only while the issuer can be asked."""
        from jwt import PyJWKClientConnectionError

        cache = self._keys.jwk_set_cache
        held = cache.get() if cache is not None else None
        for key in held.keys if held is not None else ():
            if key.key_id == kid and key.public_key_use in ("sig", None):
                return key
        if self._clock() < self._down_until:
            raise OidcUnavailable("the keys of the issuer could not be fetched a moment ago")
        try:
            return self._keys.get_signing_key(kid)
        except (PyJWKClientConnectionError, ValueError) as error:
            self._down_until = self._clock() + _PAUSE_S
            _log.warning("oidc.keys_not_fetched", url=self._options.jwks_url)
            raise OidcUnavailable("the keys of the issuer cannot be fetched") from error


def _client(url: str) -> PyJWKClient:
    try:
        import cryptography
        from jwt import PyJWKClient
    except ImportError as error:
        raise OidcUnavailable("install the extra: pip install 'rigwise[oidc]'") from error
    del cryptography  # only has to be there
    return PyJWKClient(url, timeout=_TIMEOUT_S, lifespan=_KEEP_S)


def _caller(claims: Mapping[str, Any], options: OidcOptions) -> Caller | None:
    """A `/` in a subject is written as `%2F`, since one separates the caller from his conversations."""
    name = f"oidc:{quote(str(claims['sub']), safe='@|.:-_')}"
    if len(name) > _LONGEST:
        return None
    words = {word.removeprefix(options.prefix) for word in _words(claims, options)}
    seen = {word.removeprefix(_COLLECTION) for word in words if word.startswith(_COLLECTION)}
    return Caller(
        name=name,
        scopes=cast("frozenset[Scope]", words & set(SCOPES)),
        collections=None if "*" in seen else frozenset(seen),
    )


def _words(claims: Mapping[str, Any], options: OidcOptions) -> Iterable[str]:
    """What the claim holds under our prefix: words of a text, or texts of a list."""
    found: Any = claims
    for step in options.claim.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    words = found.split() if isinstance(found, str) else found if isinstance(found, list) else ()
    return (word for word in words if isinstance(word, str) and word.startswith(options.prefix))
