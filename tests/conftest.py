"""A small corpus, indexed once by the shipped test embedder, for all tests that need an index."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog

from indexer.embedders.hashing import HashingEmbedder
from indexer.generation import GenerationStore, OpenIndex
from indexer.pipeline import build_generation
from rigwise.wiring import build_index, embedder_of, wire
from service.engine import Engine
from service.settings import ServiceSettings

ROOT = Path(__file__).parent.parent

ARTICLE = """\
---
title: What ECC memory does for training
topic: memory
as_of: 2026-12-01
sources:
  primer: {title: "A primer on ECC", url: "https://example.org/ecc", as_of: 2026-03-01}
---

# What ECC memory does for training

## Whether training needs ECC memory

ECC memory corrects a single flipped bit in a word.[^primer]
Training on a card without ECC memory can run for weeks without a visible fault.[^primer]

## How ECC memory is switched on

ECC memory of a data-center card is on from the factory.[^primer]
"""

SHEET = """\
---
id: {id}
vendor: {vendor}
name: {name}
family: {family}
aliases: [{alias}]
variant: "{variant}"
kind: gpu
segment: {segment}
form_factor: PCIe
architecture: Example
scope: device
released: 2024-01
status: current
acquire: [rent, buy]
sources:
  sheet: {{title: "{name} datasheet", publisher: {vendor}, url: "https://example.org/{id}", as_of: 2024-09-01}}
facts:
  - {{fact: memory, value: {memory}, basis: nominal, memory_type: HBM3, ecc: "yes", source: sheet, as_of: 2024-09-01, level: vendor}}
  - {{fact: power, value: 300 W, term: TDP, source: sheet, as_of: 2024-09-01, level: vendor}}
---

# {name}

## What the {name} is for

The {name} is a card for examples. The {name} trains small models.
"""

OFFERS = """\
provider,region,residency,instance,tenancy,device,count,memory_each_gb,memory_total_gb,vcpus,ram_gib,local_nvme_gb,on_demand_usd_per_hour,spot_usd_per_hour,as_of,source,note
acme,north-1,US,one.large,shared,acme-one-80gb,1,80,80,8,64,,2.50,1.00,2026-07-20,example price list,
acme,south-1,DE,two.large,shared,acme-two-24gb,1,24,24,8,32,,0.75,,2026-07-20,example price list,
acme,south-1,DE,cpu.large,shared,,,,,48,96,,,,2026-07-20,example price list,
"""

SOURCES = """\
[offers."acme.csv"]
title = "Prices of Acme on 20 July 2026"
publisher = "Acme"
url = "https://example.org/prices"
licence = "CC-BY-4.0"
as_of = "2026-07-20"
description = "On-demand and spot prices in USD an hour."
"""


def _sheet(**words: str) -> str:
    return SHEET.format(**words)


def write_corpus(root: Path) -> Path:
    """One article, two spec sheets and a table of three offers."""
    files = {
        "guidance/memory/ecc-memory.md": ARTICLE,
        "hardware/acme/acme-one-80gb.md": _sheet(
            id="acme-one-80gb",
            vendor="Acme",
            name="Acme One 80 GB",
            family="One",
            alias="Acme One PCIe",
            variant="PCIe, 80 GB",
            segment="datacenter",
            memory="80 GB",
        ),
        "hardware/acme/acme-two-24gb.md": _sheet(
            id="acme-two-24gb",
            vendor="Acme",
            name="Acme Two 24 GB",
            family="Two",
            alias="Acme Two PCIe",
            variant="PCIe, 24 GB",
            segment="workstation",
            memory="24 GiB",
        ),
        "offers/acme.csv": OFFERS,
        "sources.toml": SOURCES,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="session", autouse=True)
def plain_logs() -> None:
    """Tracebacks in logs without the values of variables, which takes seconds to render."""
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()]
    )


@pytest.fixture(scope="session")
def corpus(tmp_path_factory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def store(corpus, tmp_path_factory) -> GenerationStore:
    made = GenerationStore(tmp_path_factory.mktemp("index"))
    report = build_generation([corpus], made, HashingEmbedder())
    assert report.rejected == ()
    return made


@pytest.fixture(scope="session")
def index(store: GenerationStore) -> OpenIndex:
    return store.open_current()


@pytest.fixture(scope="session")
def real_engine() -> Engine:
    """The engine over the whole corpus with the real model, from the index of `make index` (built when missing)."""
    settings = ServiceSettings(index_root=ROOT / "var" / "index")
    embedder = embedder_of(settings)
    build_index(settings, embedder)
    return wire(settings, embedder).engine
