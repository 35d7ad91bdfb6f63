"""Each fault of a corpus is found at its line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from indexer.corpus_check import Finding, check_corpus
from indexer.facts import OFFER_COLUMNS

TODAY = date(2026, 12, 1)
MEMORY = (
    'fact: memory, value: 80 GB, basis: nominal, memory_type: HBM3, ecc: "yes", '
    "source: sheet, as_of: 2024-09-01, level: vendor"
)
DENSE = (
    "fact: peak, value: 989 TFLOPS, precision: bf16, sparsity: dense, engine: tensor, "
    "source: sheet, as_of: 2024-09-01, level: vendor"
)
SPARSE = DENSE.replace("989", "1979").replace("dense", "sparse")
USABLE = "fact: memory_usable, value: 81559 MiB, basis: usable, source: sheet, as_of: 2024-09-01, level: vendor"
FIRST_FACT = 16
OFFER = {
    "provider": "acme",
    "region": "eu-1",
    "residency": "DE",
    "instance": "x1.large",
    "tenancy": "shared",
    "device": "acme-x1",
    "count": "8",
    "memory_each_gb": "80",
    "memory_total_gb": "640",
    "on_demand_usd_per_hour": "55.04",
    "spot_usd_per_hour": "20",
    "as_of": "2026-07-20",
    "source": "acme prices",
}
SOURCES = '[offers."acme.csv"]\ntitle = "ACME prices"\nas_of = "2026-07-20"\n'
ARTICLE = """---
title: RAID for training data
topic: storage
as_of: 2026-11-01
sources:
  primer: {title: "RAID primer", as_of: 2026-03-01}
---

# RAID for training data

RAID 6 loses two disks.[^primer]
"""


def sheet(*facts: str, **head: str) -> str:
    values = {
        "id": "acme-x1",
        "vendor": "ACME",
        "name": "ACME X1",
        "kind": "gpu",
        "segment": "datacenter",
        "scope": "device",
        "released": "2022-10",
        "status": "current",
        "acquire": "[rent]",
        "family": "X",
        "aliases": "[X1 80GB]",
    } | head
    lines = [f"{key}: {value}" for key, value in values.items()]
    sources = ["sources:", '  sheet: {title: "ACME X1 datasheet", as_of: 2024-09-01}', "facts:"]
    rows = [f"  - {{{fact}}}" for fact in facts or (MEMORY, USABLE, DENSE, SPARSE)]
    prose = "The ACME X1 trains models. " * 20
    return "\n".join(
        ["---", *lines, *sources, *rows, "---", "", f"# {values['name']}", "", prose, ""]
    )


def article(change: str = " => ") -> str:
    old, new = change.split(" => ")
    text = ARTICLE + "\nRAID 10 keeps half of all disks free for copies. " * 40
    return text.replace(old, new, 1) if old else text


def offers(*rows: dict[str, str]) -> str:
    lines = [
        ",".join((OFFER | row).get(name, "") for name in OFFER_COLUMNS) for row in rows or ({},)
    ]
    return "\n".join([",".join(OFFER_COLUMNS), *lines, ""])


def check(root: Path, files: dict[str, str]) -> tuple[Finding, ...]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return check_corpus(root, today=TODAY)


def check_sheet(root: Path, text: str) -> tuple[Finding, ...]:
    return check(root, {"hardware/acme/acme-x1.md": text})


def test_sound_corpus_has_no_findings(tmp_path):
    files = {
        "hardware/acme/acme-x1.md": sheet(),
        "offers/acme.csv": offers(),
        "guidance/storage/raid.md": article(),
        "models/m.csv": "model,aliases\nAcme-8B,acme 8b\n",
        "sources.toml": SOURCES + '[models."m.csv"]\ntitle = "Models"\nas_of = "2026"\n',
    }

    assert check(tmp_path, files) == ()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("source: sheet", "source: leaflet", "no source has this key"),
        ("80 GB", "80 W", "does not come in 'W'"),
        ("80 GB", "a lot", "not one number and one unit"),
        ("80 GB", "8000000 GB", "not plausible"),
        (', ecc: "yes"', "", "memory needs ecc"),
        ("fact: memory,", "fact: memry,", "no fact has this name"),
        ("basis: nominal", "basis: usable", "memory is nominal memory"),
        ("as_of: 2024-09-01", "as_of: 2027-01-01", "lies in the future"),
        ("as_of: 2024-09-01", "as_of: September", "not a date"),
        ("level: vendor", "level: rumor", "level"),
        ("value: 80 GB,", "value: 80 GB, colour: red,", "colour"),
    ],
)
def test_faulty_fact_is_found_at_its_line(tmp_path, old, new, problem):
    findings = check_sheet(tmp_path, sheet(MEMORY.replace(old, new)))

    assert [(f.line, f.severity) for f in findings if problem in f.problem] == [
        (FIRST_FACT, "error")
    ]


def test_sparse_peak_that_is_not_twice_the_dense_one_is_an_error(tmp_path):
    (finding,) = check_sheet(tmp_path, sheet(DENSE, SPARSE.replace("1979", "989")))

    assert (finding.line, finding.value) == (FIRST_FACT + 1, "989 TFLOPS")
    assert "2 times the dense one" in finding.problem


def test_sparse_peak_with_a_note_is_let_pass(tmp_path):
    assert (
        check_sheet(tmp_path, sheet(DENSE, SPARSE.replace("1979", "1300") + ", note: 4 of 3")) == ()
    )


def test_usable_memory_above_nominal_is_an_error(tmp_path):
    (finding,) = check_sheet(tmp_path, sheet(MEMORY, USABLE.replace("81559", "82944")))

    assert (finding.line, finding.severity) == (FIRST_FACT + 1, "error")
    assert "more than the nominal 80" in finding.problem


def test_two_values_for_one_fact_are_a_warning_unless_a_note_explains(tmp_path):
    other = DENSE.replace("989", "950")
    (finding,) = check_sheet(tmp_path, sheet(DENSE, other))

    assert (finding.line, finding.severity) == (FIRST_FACT + 1, "warning")
    assert check_sheet(tmp_path, sheet(DENSE, other + ", note: PCIe clock")) == ()


def test_peak_that_units_and_clock_cannot_reach_is_a_warning(tmp_path):
    rest = "source: sheet, as_of: 2024-09-01, level: vendor"
    facts = (
        f"fact: gpu_cores, value: 10000 cores, {rest}",
        f"fact: clock_boost, value: 1500 MHz, {rest}",
        DENSE.replace("bf16", "fp32").replace("tensor", "vector").replace("989", "300"),
    )
    (finding,) = check_sheet(tmp_path, sheet(*facts))

    assert (finding.line, finding.severity) == (FIRST_FACT + 2, "warning")
    assert "30.0" in finding.problem


def test_id_has_to_be_the_name_of_the_file(tmp_path):
    (finding,) = check_sheet(tmp_path, sheet(id="acme-x2"))

    assert (finding.line, finding.value) == (2, "acme-x2")


def test_unknown_key_is_found_at_its_line(tmp_path):
    (finding,) = check_sheet(tmp_path, sheet(colour="red"))

    assert (finding.line, finding.value) == (13, "red")


def test_alias_of_two_sheets_is_an_error(tmp_path):
    files = {
        "hardware/acme/acme-x1.md": sheet(),
        "hardware/acme/acme-x2.md": sheet(id="acme-x2", name="ACME X2", aliases="[x1-80gb]"),
    }
    (finding,) = check(tmp_path, files)

    assert (finding.path, finding.line) == ("hardware/acme/acme-x2.md", 12)
    assert finding.value == "x1-80gb"


def test_family_of_two_sheets_is_no_alias(tmp_path):
    files = {
        "hardware/acme/acme-x1.md": sheet(aliases="[X]"),
        "hardware/acme/acme-x2.md": sheet(id="acme-x2", name="ACME X2", aliases="[]"),
    }
    (finding,) = check(tmp_path, files)

    assert (finding.line, finding.value) == (12, "X")


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"device": "acme-x9"}, "no spec sheet has this id"),
        ({"on_demand_usd_per_hour": "0", "spot_usd_per_hour": ""}, "above zero"),
        ({"spot_usd_per_hour": "60"}, "spot costs more"),
        ({"memory_total_gb": "80"}, "8 times 80 GB is 640 GB"),
        ({"count": "0"}, "count does not go with device"),
        ({"residency": "Germany"}, "no country"),
        ({"as_of": "2026-13"}, "month must be in"),
        ({"as_of": "2027-01-01"}, "future"),
        ({"vcpus": "many"}, "not a number"),
        ({"on_demand_usd_per_hour": "", "spot_usd_per_hour": ""}, "no price"),
    ],
)
def test_faulty_offer_is_found_at_its_line(tmp_path, cells, problem):
    rows = ({"region": "eu-0"}, cells)
    files = {
        "hardware/acme/acme-x1.md": sheet(),
        "offers/acme.csv": offers(*rows),
        "sources.toml": SOURCES,
    }
    findings = check(tmp_path, files)

    assert [f.line for f in findings if problem in f.problem] == [3]
    assert {f.path for f in findings} == {"offers/acme.csv"}


def test_machine_listed_twice_is_an_error(tmp_path):
    files = {
        "hardware/acme/acme-x1.md": sheet(),
        "offers/acme.csv": offers({}, {}),
        "sources.toml": SOURCES,
    }
    (finding,) = check(tmp_path, files)

    assert finding.line == 3
    assert "line 2 lists the same machine" in finding.problem


def test_table_without_section_is_an_error(tmp_path):
    (finding,) = check(tmp_path, {"models/m.csv": "model\nAcme-8B\n"})

    assert (finding.path, finding.value) == ("sources.toml", "models/m.csv")


def test_source_section_needs_title_and_date(tmp_path):
    files = {"models/m.csv": "model\nAcme-8B\n", "sources.toml": '\n[models."m.csv"]\nurl = ""\n'}
    findings = check(tmp_path, files)

    assert [(f.line, f.problem) for f in findings] == [
        (2, "as_of is missing"),
        (2, "title is missing"),
    ]


@pytest.mark.parametrize(
    ("change", "line", "severity", "problem"),
    [
        ("[^primer] => [^other]", 11, "error", "no source has this key"),
        ("two disks => **two** disks", 11, "warning", "bold"),
        ("topic: storage => topic: memory", 3, "error", "folder 'storage'"),
        ("as_of: 2026-11-01 => as_of: 2027-11-01", 4, "error", "future"),
        ("as_of: 2026-03-01 => date: 2026-03-01", 6, "error", "date"),
        ("# RAID for => # A RAID for", 9, "warning", "not the title"),
    ],
)
def test_faulty_article_is_found_at_its_line(tmp_path, change, line, severity, problem):
    findings = check(tmp_path, {"guidance/storage/raid.md": article(change=change)})

    assert (line, severity) in [(f.line, f.severity) for f in findings if problem in f.problem]


def test_short_article_is_a_warning(tmp_path):
    (finding,) = check(tmp_path, {"guidance/storage/raid.md": ARTICLE})

    assert finding.severity == "warning"
    assert "300 to 900 words" in finding.problem


def test_file_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "guidance" / "storage" / "raid.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"---\n\xff\n")

    (finding,) = check_corpus(tmp_path)

    assert (finding.path, finding.line) == ("guidance/storage/raid.md", 2)
    assert "not UTF-8" in finding.problem
