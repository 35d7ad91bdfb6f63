"""The settings of who may come in."""

from __future__ import annotations

from pydantic import Field, SecretStr
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

    @property
    def wants_key(self) -> bool:
        """Whether nobody comes in without a key."""
        return self.api_key is not None or self.require_key
