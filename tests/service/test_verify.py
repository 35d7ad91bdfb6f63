"""Planted errors are caught, right statements pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexer.types import DeviceId, Fact
from service.phrases import quote_of, say
from service.snapshot import Snapshot
from service.types import Computation, Input, Number, Quote, Statement
from service.verify import verify

SXM = DeviceId("nvidia-h100-sxm-80gb")
PCIE = DeviceId("nvidia-h100-pcie-80gb")


def fact(snapshot: Snapshot, name: str, device: DeviceId = SXM, **qualifiers: str) -> Fact:
    found = snapshot.index.catalog.by_id[device].find(name, **qualifiers)
    assert found is not None
    return found


def said(snapshot: Snapshot, name: str, device: DeviceId = SXM, **qualifiers: str) -> Statement:
    return say(snapshot.index.catalog.by_id[device], fact(snapshot, name, device, **qualifiers))


def faults(statement: Statement, snapshot: Snapshot) -> tuple[str, ...]:
    return verify([statement], snapshot.index.documents)[0].faults


def test_every_fact_of_every_sheet_can_be_said(snapshot):
    told = [say(device, one) for device in snapshot.index.catalog.devices for one in device.facts]
    assert len(told) > 20
    assert [verdict for verdict in verify(told, snapshot.index.documents) if verdict.faults] == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("80 GB", "81 GB"), ("80 GB", "80 GiB"), ("80 GB", "80 TB"), ("80 GB of", "800 GB of")],
    ids=["digit", "binary unit", "prefix", "a zero more"],
)
def test_a_changed_number_is_caught(right, wrong, snapshot):
    statement = said(snapshot, "memory")
    # The name of the device holds "80 GB" too: only the figure is changed.
    head, tail = statement.text.rsplit(right, 1)
    assert faults(replace(statement, text=f"{head}{wrong}{tail}"), snapshot)


def test_a_sparse_figure_called_dense_is_caught(snapshot):
    sparse = fact(snapshot, "peak", sparsity="sparse")
    text = "The NVIDIA H100 SXM 80 GB peaks at 1,979 TFLOPS in BF16 on its matrix units, dense."
    assert faults(Statement(text=text, quotes=(quote_of(sparse),)), snapshot)


def test_a_sparse_number_under_the_dense_citation_is_caught(snapshot):
    statement = said(snapshot, "peak", sparsity="dense")
    assert faults(replace(statement, text=statement.text.replace("989.4", "1,979")), snapshot)


@pytest.mark.parametrize("name", ["power", "memory_bandwidth"])
def test_the_citation_of_another_variant_is_caught(name, snapshot):
    own, other = said(snapshot, name), said(snapshot, name, PCIE)
    assert faults(replace(own, quotes=other.quotes), snapshot)


def test_the_citation_of_another_property_is_caught(snapshot):
    power = said(snapshot, "power")
    assert faults(replace(power, quotes=said(snapshot, "memory").quotes), snapshot)


def test_a_statement_without_a_quote_is_caught(snapshot):
    assert faults(Statement(text="GPUs are fast.", quotes=()), snapshot)


@pytest.mark.parametrize(
    ("start", "end"),
    [(-1, 10), (10, 10), (10, 5), (0, 10**9)],
    ids=["before", "empty", "back", "after"],
)
def test_a_span_that_does_not_exist_is_caught(start, end, snapshot):
    quote = Quote(document_id=fact(snapshot, "memory").document_id, start=start, end=end)
    assert faults(Statement(text="It is a card.", quotes=(quote,)), snapshot)


def test_a_span_that_misses_the_figure_is_caught(snapshot):
    statement = said(snapshot, "power")
    (quote,) = statement.quotes
    text = snapshot.index.documents[quote.document_id].text
    before = replace(quote, end=text.index("700", quote.start) + 2)
    assert faults(replace(statement, quotes=(before,)), snapshot)


def test_a_document_that_does_not_exist_is_caught(snapshot):
    quote = Quote(document_id="hardware/none", start=0, end=5)  # type: ignore[arg-type]
    assert faults(Statement(text="It is a card.", quotes=(quote,)), snapshot)


def test_a_computed_number_passes_with_its_computation_and_fails_without(snapshot):
    memory = fact(snapshot, "memory")
    inputs = (Input(name="memory", value=80, unit="GB", basis="cited", quote=quote_of(memory)),)
    number = Number(
        value=640.0,
        unit="GB",
        origin="computed",
        computation=Computation(formula="8 x memory", inputs=inputs),
    )
    shown = Statement(
        text="Eight NVIDIA H100 SXM 80 GB have 640 GB in sum.",
        quotes=(quote_of(memory),),
        numbers=(number,),
    )
    assert faults(replace(shown, numbers=()), snapshot)
    assert [fault for fault in faults(shown, snapshot) if "640" in fault] == []
