"""Make the tables of offers from the raw price tables.

Example: python -m tools.make_offers raw-tables corpus/offers
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from tools.offer_rows import OfferRow, read_raw, write_offers
from tools.offers_aws import aws_offers
from tools.offers_azure import azure_offers
from tools.offers_gcp import gcp_offers
from tools.offers_neocloud import PROVIDERS, neocloud_offers
from tools.offers_tpu import tpu_offers


def offers_by_table(raw: Path) -> dict[str, Iterable[OfferRow]]:
    """The rows of each table, by the table's name."""
    neocloud = list(read_raw(raw / "neocloud_prices_transcribed.csv"))
    tables: dict[str, Iterable[OfferRow]] = {
        "aws": aws_offers(read_raw(raw / "aws_ondemand_2026-07-20.csv")),
        "azure": azure_offers(
            read_raw(raw / "azure_ondemand_2026-06-18.csv"),
            read_raw(raw / "azure_gpu_instance_specs.csv"),
        ),
        "gcp": gcp_offers(read_raw(raw / "gcp_ondemand_spot_2026-08-03.csv")),
        "gcp-tpu": tpu_offers(json.loads((raw / "gpuhunt_tpu_pricing.json").read_text())),
    }
    return tables | {name: neocloud_offers(neocloud, name) for name in PROVIDERS}


def main(
    raw: Annotated[Path, typer.Argument(help="The folder of the raw tables.", exists=True)],
    out: Annotated[Path, typer.Argument(help="The folder to write to.")] = Path("corpus/offers"),
) -> None:
    """Make corpus/offers/*.csv; e.g. `python -m tools.make_offers raw-tables`."""
    for name, rows in offers_by_table(raw).items():
        count = write_offers(out / f"{name}.csv", rows)
        typer.echo(f"{name}.csv: {count} machines")


if __name__ == "__main__":
    typer.run(main)
