from __future__ import annotations

import json

import pytest

from indexer.types import DeviceId, DocumentId, GenerationId, PassageId
from service.advisor.types import Stated, Workload
from service.render import answer_object, answer_text, place_of, plain, short_quote, table_markdown
from service.types import (
    Abstention,
    Answer,
    Citation,
    Computation,
    Input,
    Number,
    Quote,
    Statement,
    Table,
)

FIRST = Quote(document_id=DocumentId("a"), start=0, end=9)
SECOND = Quote(document_id=DocumentId("a"), start=20, end=29)


def citation(n: int, quote: Quote, words: str, **more) -> Citation:
    return Citation(
        **{
            "n": n,
            "passage_id": PassageId(f"p{n}"),
            "document_id": quote.document_id,
            "title": "Title",
            "path": "a.md",
            "url": "",
            "kind": "hardware",
            "as_of": "2026-01-01",
            "heading_path": ("Title", "Memory"),
            "page": None,
            "quote": words,
            "start": quote.start,
            "end": quote.end,
            **more,
        }
    )


def answer(**more) -> Answer:
    return Answer(
        **{
            "id": "1",
            "question": "?",
            "kind": "answer",
            "intent": "lookup",
            "text": "It has 80 GB. [1]",
            "statements": (),
            "citations": (
                citation(1, FIRST, "value: 80 GB"),
                citation(2, SECOND, "value: 3,350 GB/s"),
            ),
            "retrieved": (),
            "generation": GenerationId("g"),
            "timings_ms": {},
            **more,
        }
    )


def test_a_cited_number_names_the_quote_that_shows_it():
    numbers = (
        Number(value=3350.0, unit="GB/s", origin="cited"),
        Number(value=80.0, unit="GB", origin="cited"),
    )
    statement = Statement(text="x", quotes=(FIRST, SECOND), numbers=numbers)

    shown = answer_object(answer(statements=(statement,)))["statements"][0]

    assert shown["citations"] == [1, 2]
    assert [number["citation"] for number in shown["numbers"]] == [2, 1]


def test_a_number_is_not_found_inside_a_longer_one():
    number = Number(value=35.0, unit="GB/s", origin="cited")
    statement = Statement(text="x", quotes=(FIRST, SECOND), numbers=(number,))

    assert (
        answer_object(answer(statements=(statement,)))["statements"][0]["numbers"][0]["citation"]
        == 1
    )


def test_a_computed_number_shows_formula_and_cited_inputs():
    source = Input(name="memory_gb", value=80, unit="GB", basis="cited", quote=FIRST)
    number = Number(
        value=160,
        unit="GB",
        origin="computed",
        computation=Computation(formula="2 * memory_gb", inputs=(source,)),
    )

    statement = Statement(text="x", quotes=(), numbers=(number,))
    shown = answer_object(answer(statements=(statement,)))["statements"][0]["numbers"][0]

    assert (shown["citation"], shown["computation"]["formula"]) == (None, "2 * memory_gb")
    assert shown["computation"]["inputs"][0]["quote"]["citation"] == 1


def test_a_stated_field_says_where_it_is_from_and_silent_fields_are_left_out():
    workload = Workload(
        task=Stated(value="lora", words="LoRA"), batch=Stated(value=1, origin="default")
    )

    assert plain(workload) == {
        "task": {"value": "lora", "from": "question", "words": "LoRA"},
        "batch": {"value": 1, "from": "default", "words": ""},
    }


def test_qualifiers_become_an_object():
    number = Number(value=1, unit="GB", origin="question", qualifiers=(("basis", "nominal"),))

    assert plain(number)["qualifiers"] == {"basis": "nominal"}


def test_the_object_is_json_without_special_numbers():
    shown = json.dumps(answer_object(answer(devices=(DeviceId("x"),))), allow_nan=False)

    assert json.loads(shown)["devices"] == ["x"]


def test_the_text_holds_statements_and_sources():
    assert answer_text(answer()) == (
        "It has 80 GB. [1]\n"
        "\n"
        "Sources:\n"
        "[1] Title > Memory (a.md, as of 2026-01-01)\n"
        '    "value: 80 GB"\n'
        "[2] Title > Memory (a.md, as of 2026-01-01)\n"
        '    "value: 3,350 GB/s"\n'
    )


def test_an_abstention_shows_the_nearest_passages():
    refused = answer(
        kind="abstain",
        text="Nothing supports it.",
        citations=(),
        abstention=Abstention(
            code="no_evidence", why="Nothing supports it.", nearest=(PassageId("p9"),)
        ),
    )

    assert answer_text(refused) == "Nothing supports it.\n\nNearest passages: p9\n"


def test_a_table_keeps_bars_inside_cells():
    table = Table(
        header=("a", "b"),
        rows=(Statement(text="", quotes=()),),
        cells=(("x|y", "2"),),
        caption="Caption",
    )

    assert table_markdown(table) == "Caption\n\n| a | b |\n|---|---|\n| x\\|y | 2 |"


def test_a_row_of_a_table_has_its_citations():
    table = Table(header=("a",), rows=(Statement(text="", quotes=(SECOND,)),), cells=(("1",),))

    assert answer_object(answer(table=table))["table"]["rows"][0]["citations"] == [2]


def test_a_page_is_part_of_the_place():
    assert place_of(citation(1, FIRST, "x", page=3, as_of="")) == "Title > Memory (a.md, page 3)"


@pytest.mark.parametrize(("length", "shown"), [(280, 280), (281, 280)])
def test_a_long_quote_is_cut_for_reading(length, shown):
    assert len(short_quote(citation(1, FIRST, "x" * length))) == shown
