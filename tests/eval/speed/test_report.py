from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from time import perf_counter, process_time

import pytest

from eval.errors import BadReport
from eval.saved import load_saved
from eval.speed.compare import compare_speed, difference_table
from eval.speed.energy import UNAVAILABLE, counters, measure_energy
from eval.speed.markdown import corpus_document, file_name, markdown
from eval.speed.page import page, write_files
from eval.speed.plots import plots
from eval.speed.prices import Price, UnknownInstance, cost_rows, gpu_rows, price_of
from eval.speed.rows import Report
from eval.speed.runner import Plan, Tools, run_speed
from indexer.embedders.hashing import HashingEmbedder
from indexer.parsing import SourceFile, parse_document
from service.engine import Engine
from service.snapshot import SnapshotHolder

pytest.importorskip("mlperf_loadgen")
pytest.importorskip("matplotlib")
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def report(store) -> Report:
    """A quick run over the small corpus with the test embedder."""
    embedder = HashingEmbedder()
    holder = SnapshotHolder(store, fingerprint=embedder.spec.fingerprint())
    plan = Plan(
        model="all-MiniLM-L6-v2",
        threads=1,
        quick=True,
        questions=("How much memory does the Acme One have?", "Does training need ECC memory?"),
        price=Price(usd_per_hour=0.2, basis="as given"),
        gpu_price=Price(usd_per_hour=1.0, basis="as given"),
    )
    tools = Tools(
        clock=perf_counter,
        cpu_clock=process_time,
        now=lambda: datetime(2026, 12, 1, tzinfo=UTC),
        told=lambda _: None,
    )
    return run_speed(plan, Engine(holder=holder, embedder=embedder), embedder, tools)


@pytest.fixture
def without_gpu(report) -> Report:
    """The same run as a machine without a GPU would have made it."""
    changed: Report = report.model_copy(update={"machine": {**report.machine, "gpus": []}})
    return changed


def test_a_quick_run_measures_every_part(report):
    measured = {row.group for row in report.rows if row.median is not None}

    assert measured >= {"ceiling", "embedding", "loadgen", "answer", "growth", "retrieval", "cost"}


def test_the_three_scenarios_are_there(report):
    names = {row.name.split(",")[0] for row in report.rows if row.group == "loadgen"}

    assert names == {"Offline", "SingleStream", "Server"}


def test_what_needs_a_gpu_says_that_there_is_none(report):
    cuda = [row for row in report.rows if row.device == "cuda" and row.group == "embedding"]

    assert {row.skipped for row in cuda} == {"skipped: no CUDA device"}


def test_plots_are_svg_and_say_that_there_is_no_gpu(without_gpu):
    drawn = plots(without_gpu)

    assert all(re.fullmatch(r"<svg .*</svg>\s*", svg, re.DOTALL) for svg in drawn.values())
    assert "skipped: no CUDA device" in drawn["CPU against GPU"]


def test_the_page_needs_no_other_file(report):
    html = page(report)

    assert html.count("<svg") == len(plots(report))
    assert "<link" not in html
    assert "<script" not in html


def test_files_are_written_and_read_back(report, tmp_path):
    paths = write_files(report, tmp_path / "out")

    assert [path.name for path in paths] == ["report.json", "report.md", "report.html"]
    assert load_saved(paths[0], Report) == report
    assert json.loads(paths[0].read_text())["format"] == 1


def test_markdown_has_a_verdict_and_the_goals(report):
    text = markdown(report)

    assert report.verdict[0] in text
    assert "## Goals" in text


def test_a_report_against_itself_shows_no_difference(report):
    differences = compare_speed(report, report)

    assert {item.ratio for item in differences} == {1.0}
    assert not any(item.clear for item in differences)
    assert "| what | A | B | unit | B over A | |" in list(
        difference_table(report, report, differences)
    )


def test_a_file_that_is_no_report_is_refused(tmp_path):
    path = tmp_path / "report.json"
    path.write_text('{"format": 1}')

    with pytest.raises(BadReport, match="no such report"):
        load_saved(path, Report)


def test_the_document_is_one_of_the_corpus(report):
    text = corpus_document(report)
    document = parse_document(
        SourceFile(path=f"benchmarks/measured/{file_name(report)}", content=text.encode())
    )

    assert document.kind == "benchmarks"
    assert document.title.startswith("Is a GPU worth it for embedding here?")
    assert all(sentence in text for sentence in report.verdict)


def test_energy_without_a_counter_is_unavailable(tmp_path):
    found = measure_energy(
        lambda: None,
        passages=1,
        repetitions=1,
        clock=perf_counter,
        read={},
    )

    assert [row.skipped for row in found] == [UNAVAILABLE]


def test_rapl_counts_packages_and_not_their_parts(tmp_path):
    for name, label in (("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "name").write_text(f"{label}\n")
        (folder / "energy_uj").write_text("2500000\n")

    read = counters(tmp_path)

    assert "core" not in read
    assert read["package-0"]() == 2.5


def test_a_price_comes_from_the_offer_of_an_instance(index):
    price = price_of(index.catalog, "ONE.large")

    assert price.usd_per_hour == 2.5
    assert "acme one.large in north-1, as of 2026-07-20" in price.basis


def test_an_instance_without_a_price_is_refused(index):
    with pytest.raises(UnknownInstance, match="no priced offer"):
        price_of(index.catalog, "cpu.large")


def test_without_a_price_nothing_is_guessed():
    rows = cost_rows(passages_per_second=1.0, questions_per_second=1.0, price=None, watts=None)

    assert all(row.skipped.startswith("unavailable") for row in rows)


def test_break_even_is_skipped_without_a_gpu():
    cpu, gpu = (Price(usd_per_hour=usd, basis="as given") for usd in (0.5, 2.0))

    rows = gpu_rows([], cpu_rate=10.0, cpu=cpu, gpu=gpu)

    assert rows[0].skipped == "skipped: no CUDA device"
    assert rows[1].median == 4.0


def test_break_even_with_a_gpu_is_a_volume():
    cpu, gpu = (Price(usd_per_hour=usd, basis="as given") for usd in (0.36, 3.6))

    rows = gpu_rows([("torch in fp16", 20.0)], cpu_rate=1.0, cpu=cpu, gpu=gpu)

    # 0.001 USD a second for 120 s, over a saving of 0.00005 USD a passage.
    assert rows[0].median == pytest.approx(2_400)
