"""The country (ISO 3166 alpha-2) in which each region of a provider lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _by_region(groups: Mapping[str, str]) -> Mapping[str, str]:
    return {region: country for country, names in groups.items() for region in names.split()}


AWS_COUNTRY: Final = _by_region({"US": "us-east-1 us-gov-west-1 us-gov-east-1"})
AZURE_COUNTRY: Final = _by_region(
    {
        "AE": "uaecentral uaenorth",
        "AT": "austriaeast",
        "AU": "australiacentral australiacentral2 australiaeast australiasoutheast",
        "BR": "brazilsouth brazilsoutheast",
        "CA": "canadacentral canadaeast",
        "CH": "switzerlandnorth switzerlandwest",
        "CL": "chilecentral",
        "DE": "germanynorth germanywestcentral",
        "ES": "spaincentral",
        "FR": "francecentral francesouth",
        "GB": "uksouth ukwest",
        "HK": "eastasia",
        "ID": "indonesiacentral",
        "IE": "northeurope",
        "IL": "israelcentral",
        "IN": "centralindia jioindiacentral jioindiawest southindia westindia",
        "IT": "italynorth",
        "JP": "japaneast japanwest",
        "KR": "koreacentral koreasouth",
        "MX": "mexicocentral",
        "MY": "malaysiawest",
        "NL": "westeurope",
        "NO": "norwayeast norwaywest",
        "NZ": "newzealandnorth",
        "PL": "polandcentral",
        "QA": "qatarcentral",
        "SE": "swedencentral swedensouth",
        "SG": "southeastasia",
        "US": (
            "centralus eastus eastus2 northcentralus southcentralus westcentralus westus westus2 westus3"
        ),
        "ZA": "southafricanorth southafricawest",
    }
)
GCP_COUNTRY: Final = _by_region(
    {
        "AU": "australia-southeast1 australia-southeast2",
        "BE": "europe-west1",
        "BR": "southamerica-east1",
        "CA": "northamerica-northeast1 northamerica-northeast2",
        "CH": "europe-west6",
        "CL": "southamerica-west1",
        "DE": "europe-west3 europe-west10",
        "ES": "europe-southwest1",
        "FI": "europe-north1",
        "FR": "europe-west9",
        "GB": "europe-west2",
        "HK": "asia-east2",
        "ID": "asia-southeast2",
        "IL": "me-west1",
        "IN": "asia-south1 asia-south2",
        "IT": "europe-west8 europe-west12",
        "JP": "asia-northeast1 asia-northeast2",
        "KR": "asia-northeast3",
        "MX": "northamerica-south1",
        "NL": "europe-west4",
        "PL": "europe-central2",
        "QA": "me-central1",
        "SA": "me-central2",
        "SE": "europe-north2",
        "SG": "asia-southeast1",
        "TH": "asia-southeast3",
        "TW": "asia-east1",
        "US": (
            "us-central1 us-central2 us-east1 us-east4 us-east5 us-south1 "
            "us-west1 us-west2 us-west3 us-west4"
        ),
        "ZA": "africa-south1",
    }
)
NEOCLOUD_COUNTRY: Final[Mapping[tuple[str, str], str]] = {
    ("nebius", "eu-north1"): "FI",
    ("nebius", "us-central1"): "US",
    ("verda", "FIN-01"): "FI",
    ("verda", "FIN-02"): "FI",
    ("verda", "FIN-03"): "FI",
}
