"""Broken files for every parser. Run by hand for longer: python -m tests.indexer.parsing.fuzz SECONDS [FORMAT …]."""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable
from time import monotonic
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.sandbox import Limits, Sandbox
from tests.indexer.parsing.papers import docx_sheet, pdf_sheet, xlsx_sheet

HTML = "<html><head><title>T</title></head><body><h1>A</h1><table><tr><th>n<sup>1</sup></th><th colspan=2>m (GB)</th></tr><tr><td rowspan=3>x</td><td>1</td><td>2</td></tr></table><ul><li>a<ul><li>b</li></ul></li></ul></body></html>"
RST = "Title\n=====\n\n.. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n\n+---+---+\n| a | b |\n+---+---+\n\n:ref:`x <y>` text [1]_\n\n.. [1] note\n"
MARKDOWN = "---\ntitle: T\n---\n# H\n\ntext[^1]\n\n| a | b (GB) |\n|---|---|\n| x | 80 |\n\n- l\n  - m\n\n```\ncode\n```\n"
SEEDS: dict[str, tuple[str, bytes]] = {
    "pdf": ("x.pdf", pdf_sheet()),
    "docx": ("x.docx", docx_sheet()),
    "xlsx": ("x.xlsx", xlsx_sheet()),
    "html": ("x.html", HTML.encode()),
    "rst": ("x.rst", RST.encode()),
    "markdown": ("x.md", MARKDOWN.encode()),
    "csv": ("x.csv", b'name;memory (GB);note\n"X";80,5;a\nY;96,5;"b\nc"\n'),
    "json": (
        "x.json",
        b'[{"a": {"b": [1, 2.5, null, true]}, "c": "d"}, {"a": {}, "c": ["e", {"f": "g"}]}]',
    ),
    "text": ("x.txt", "Title\n=====\n\n1.1 Heading\n\nwords ümlaut\n\f\npage two\n".encode()),
}
_LIMITS = Limits(memory_bytes=2 * 2**30, cpu_s=20, wall_s=40)


def pictures() -> dict[str, tuple[str, bytes]]:
    """A table as a PNG and as a JPEG; reading them needs the extra ocr."""
    import pypdfium2 as pdfium

    page = pdfium.PdfDocument(pdf_sheet())[0].render(scale=1).to_pil().crop((0, 0, 612, 250))
    found = {}
    for kind in ("png", "jpeg"):
        stream = io.BytesIO()
        page.save(stream, kind)
        found[kind] = (f"x.{kind}", stream.getvalue())
    return found


@st.composite
def broken(draw: Callable[..., Any], base: bytes) -> bytes:
    """The base with bytes flipped, parts cut out, repeated or replaced, or with tokens of its format sown in."""
    data = bytearray(base)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        length = draw(st.integers(1, 40))
        match draw(st.integers(0, 4)):
            case 0:
                data[at : at + 1] = draw(st.binary(min_size=1, max_size=3))
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length] * draw(st.integers(1, 30))
            case 3:
                data[at:at] = draw(
                    st.sampled_from(
                        [
                            b"<",
                            b"|",
                            b"\n",
                            b"\0",
                            b"{",
                            b"[",
                            b"(",
                            b"\xff\xfe",
                            b"9" * 30,
                            b"  " * 50,
                            "é²¹\u202e\ud7ff".encode(),
                        ]
                    )
                )
            case _:
                del data[at:]
    return bytes(data)


def outcome(sandbox: Sandbox, path: str, content: bytes) -> str:
    """What became of a file: read, or the first word of the reason. Anything but a document or a reason raises."""
    try:
        document = sandbox.parse(SourceFile(path=path, content=content))
    except CorpusError as error:
        return (
            "failed"
            if error.reason.startswith("the parser failed")
            else "killed"
            if "its parser" in error.reason
            else "refused"
        )
    for block in document.blocks:
        for start, end in ((block.start, block.end), *block.rows):
            assert 0 <= start <= end <= len(document.text)
    return "read"


def run(path: str, base: bytes, seconds: float) -> Counter[str]:
    """Break files of one format until the time is over; gives back what became of them."""
    sandbox, counts, deadline, number = Sandbox(_LIMITS), Counter[str](), monotonic() + seconds, 0
    while monotonic() < deadline:
        number += 1

        @seed(number)
        @settings(
            max_examples=200,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(broken(base))
        def once(content: bytes) -> None:
            if monotonic() < deadline:
                result = outcome(sandbox, path, content)
                counts[result] += 1
                if result in {"failed", "killed"}:
                    try:
                        sandbox.parse(SourceFile(path=path, content=content))
                    except CorpusError as error:
                        counts[error.reason[:110]] += 1

        once()
    sandbox.close()
    return counts


if __name__ == "__main__":
    bases = SEEDS | pictures()
    for chosen in sys.argv[2:] or bases:
        print(chosen, dict(run(*bases[chosen], float(sys.argv[1])).most_common(12)), flush=True)  # noqa: T201
