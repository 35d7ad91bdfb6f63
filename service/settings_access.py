"""The settings of who may come in."""

from __future__ import annotations

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings


class AccessSettings(BaseSettings):
    """A part of the settings; `service.settings` reads them."""

    api_key: SecretStr | None = Field(
        default=None,
        description="The administrator's key. When set, every route but /livez and /readyz wants this key, or one of "
        "`rigwise keys create`, as a bearer token.",
    )
    require_key: bool = Field(
        default=False,
        description="Whether every route but /livez and /readyz wants a key of `rigwise keys create`, also without "
        "RIGWISE_API_KEY. One of both is needed for an address that is not loopback.",
    )

    oidc_issuer: str | None = Field(
        default=None,
        description="Issuer of OpenID Connect whose tokens are taken as well as keys, exactly as it stands in the claim "
        "`iss` (extra `oidc`).",
    )
    oidc_audience: str = Field(
        default="",
        description="What the claim `aud` of a token has to name; needed with RIGWISE_OIDC_ISSUER.",
    )
    oidc_jwks_url: str = Field(
        default="",
        pattern=r"^(|https://\S+|http://(127\.0\.0\.1|localhost)[:/]\S*)$",
        description="Where the issuer's public keys are: `jwks_uri` of its `/.well-known/openid-configuration`; needed "
        "with RIGWISE_OIDC_ISSUER.",
    )
    oidc_scope_claim: str = Field(
        default="scope",
        description="Claim that holds the scopes, a text with spaces or a list; dots lead into objects, such as "
        "`realm_access.roles`.",
    )
    oidc_scope_prefix: str = Field(
        default="rigwise:",
        description="What a value of that claim begins with when it means a scope, such as `rigwise:ask`.",
    )

    rate_per_key: str = Field(
        default="600/minute",
        description="How many requests a key or token may send, such as `10/second;600/minute`; empty: any number.",
    )
    rate_per_address: str = Field(
        default="",
        description="How many requests an address may send, with a key or without (of IPv6: its /64 network); empty: "
        "any number. Behind a proxy set RIGWISE_TRUSTED_PROXIES first.",
    )
    rate_store: SecretStr = Field(
        default=SecretStr(""),
        description="Redis that counts for several processes, `redis://HOST:PORT/0` (extra `redis`); empty: each process "
        "counts for itself.",
    )
    trusted_proxies: str = Field(
        default="127.0.0.1,::1",
        description="Addresses or networks of proxies whose `X-Forwarded-For` is believed, with commas between.",
    )

    @field_validator("rate_per_key", "rate_per_address")
    @classmethod
    def _readable(cls, rate: str) -> str:
        from limits import parse_many

        if rate:
            parse_many(rate)
        return rate

    @field_validator("rate_store")
    @classmethod
    def _redis(cls, address: SecretStr) -> SecretStr:
        text = address.get_secret_value()
        if text and not text.startswith(("redis://", "rediss://")):
            raise ValueError("an address of Redis begins with redis:// or rediss://")
        return address

    @model_validator(mode="after")
    def _complete(self) -> AccessSettings:
        if self.oidc_issuer is not None and not (self.oidc_audience and self.oidc_jwks_url):
            raise ValueError("oidc_issuer: set RIGWISE_OIDC_AUDIENCE and RIGWISE_OIDC_JWKS_URL too")
        return self

    @property
    def wants_key(self) -> bool:
        """Whether nobody comes in without a key or token."""
        return self.api_key is not None or self.require_key or self.oidc_issuer is not None
