"""The query strings of the browsing routes. An unknown parameter is refused, so that a typing error is noticed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["gpu", "tpu", "asic", "cpu", "soc", "superchip", "system"]
Segment = Literal["datacenter", "workstation", "consumer", "laptop", "embedded", "cloud"]
Status = Literal["current", "previous", "legacy", "announced"]


class Paging(BaseModel):
    """Which part of a list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: int = Field(default=50, ge=1, le=200, description="Rows a page.")
    offset: int = Field(default=0, ge=0, description="Rows to leave out before the page.")


class SearchQuery(BaseModel):
    """What to search for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    q: str = Field(
        min_length=1, description="Words or a question.", examples=["ECC memory for training"]
    )
    limit: int = Field(default=10, ge=1, le=100, description="Passages at most.")


class DeviceQuery(Paging):
    """Filters of devices; all that are given have to hold."""

    vendor: str | None = Field(default=None, description="Maker, in any case.", examples=["NVIDIA"])
    kind: Kind | None = Field(default=None, description="What sort of device it is.")
    segment: Segment | None = Field(default=None, description="Which market it is made for.")
    status: Status | None = Field(
        default=None, description="Whether it is still sold and supported."
    )
    min_memory_gb: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Nominal memory at least, in decimal GB.",
    )
    q: str | None = Field(
        default=None, max_length=200, description="Words of the name, id or aliases."
    )


class OfferQuery(Paging):
    """Filters of machines for rent; all that are given have to hold."""

    device: str | None = Field(
        default=None, description="Id of a device.", examples=["nvidia-h100-sxm-80gb"]
    )
    provider: str | None = Field(default=None, description="Provider, in any case.")
    region: str | None = Field(default=None, description="Region as the provider names it.")
    max_usd_per_hour: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="On-demand or spot price at most, in USD an hour.",
    )


class UnansweredQuery(BaseModel):
    """How many of the questions that no document answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: int = Field(default=50, ge=1, le=200, description="Questions at most.")
