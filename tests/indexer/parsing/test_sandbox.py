import sys

import pytest

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.sandbox import Limits, Sandbox, parse_safely, read_source
from tests.indexer.parsing.papers import docx_sheet, parsed

LINES = b"[" + b'{"a": 1},' * 3_000_000 + b'{"a": 1}]'


@pytest.fixture
def small():
    sandbox = Sandbox(Limits(memory_bytes=400 * 2**20, cpu_s=60, wall_s=60))
    yield sandbox
    sandbox.close()


def test_the_child_gives_the_same_document():
    content = docx_sheet()

    assert parse_safely(SourceFile(path="x.docx", content=content)) == parsed("x.docx", content)


def test_a_refusal_keeps_its_line():
    with pytest.raises(CorpusError, match="not JSON") as caught:
        parse_safely(SourceFile(path="x.jsonl", content=b'{"a": 1}\n{"a": \n'))

    assert caught.value.line == 2


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space hold on Linux")
def test_a_file_that_needs_too_much_memory_is_refused_and_the_next_is_read(small):
    with pytest.raises(CorpusError, match="memory"):
        small.parse(SourceFile(path="big.json", content=LINES))

    assert small.parse(SourceFile(path="x.json", content=b'{"a": "b"}')).text


def test_a_hanging_parser_is_stopped_and_the_next_file_is_read():
    sandbox = Sandbox(Limits(wall_s=0.001))
    with pytest.raises(CorpusError, match="was stopped"):
        sandbox.parse(SourceFile(path="big.json", content=LINES))
    sandbox.close()

    assert parse_safely(SourceFile(path="x.json", content=b'{"a": "b"}')).text


@pytest.mark.skipif(
    sys.platform != "linux", reason="seconds of processor time are limited on Linux"
)
def test_a_parser_that_burns_time_is_stopped():
    sandbox = Sandbox(Limits(cpu_s=0, wall_s=60))
    with pytest.raises(CorpusError, match="processor time"):
        sandbox.parse(
            SourceFile(
                path="big.json", content=b"[" + b'{"a": [1, 2, {"b": 3}]},' * 600_000 + b"1]"
            )
        )
    sandbox.close()


def test_size_is_looked_at_before_a_byte_is_read(tmp_path):
    huge = tmp_path / "huge.pdf"
    with huge.open("wb") as file:
        file.truncate(500 * 2**20)

    with pytest.raises(CorpusError, match="split the file"):
        read_source(huge, "huge.pdf")
