"""What a change of the index costs: `python -m tools.measure_index [--embedder onnx] [--passages 10000]`.

Writes synthetic articles, builds them, changes one passage, builds again, builds a third time without a change, and
opens the index in two processes. Prints one line a measurement.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from indexer.embedders import Embedder, EmbedderChoice, make_embedder
from indexer.generation import GenerationStore
from indexer.pipeline import BuildReport, build_generation

_SECTIONS = 50
_WORDS = (
    "memory bandwidth card training model batch precision tensor core node link rack power "
    "cooling price cloud region instance driver kernel cache latency throughput token layer"
).split()
_READER = """
import sys
from pathlib import Path
from indexer.generation import GenerationStore
index = GenerationStore(Path(sys.argv[1])).open_current()
vector = index.dense.vectors()[0].copy()
print(index.dense.similar(vector).cosines.argmax(), index.lexical.scores("memory card").argmax(), flush=True)
index.sentence_vectors @ vector
print(len(index.passages), flush=True)
sys.stdin.read()
"""


def write_articles(root: Path, passages: int, *, seed: int = 1) -> Path:
    """Articles of 50 sections, each section one passage of two sentences; returns the first article."""
    choice = random.Random(seed)  # noqa: S311 - text to fill an index with
    for number in range(passages // _SECTIONS):
        sections = [
            f"## Section {number}-{section}\n\nThe {' '.join(choice.choices(_WORDS, k=18))}. "
            f"It has {number * 100 + section} {' '.join(choice.choices(_WORDS, k=8))}.\n"
            for section in range(_SECTIONS)
        ]
        text = f"# Article {number}\n\n" + "\n".join(sections)
        (root / f"article-{number:04}.md").write_text(text, encoding="utf-8")
    return root / "article-0000.md"


def _timed(name: str, docs: Path, store: GenerationStore, embedder: Embedder) -> float:
    began = perf_counter()
    report: BuildReport = build_generation([docs], store, embedder)
    seconds = perf_counter() - began
    stages = ", ".join(f"{stage} {value:.2f}" for stage, value in report.seconds.items())
    print(
        f"{name}: {seconds:.2f} s ({stages}); {report.passages} passages, embedded {report.embedded}, "
        f"reused {report.reused}, published {report.published}"
    )
    return seconds


def _memory_mib(process: subprocess.Popen[str]) -> dict[str, float]:
    """Proportional and private memory of a process; its share of mapped files is split among those that map them."""
    sizes: dict[str, float] = {}
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in {"Pss", "Rss", "Pss_File", "Private_Dirty", "Shared_Clean"}:
            sizes[name] = int(rest.split()[0]) / 1024
    return sizes


def _readers(root: Path) -> None:
    command = [sys.executable, "-c", _READER, str(root)]
    running: list[subprocess.Popen[str]] = []
    for count in (1, 2):
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        if process.stdout is not None:
            process.stdout.readline()
            process.stdout.readline()
        total = sum(_memory_mib(item)["Pss"] for item in running)
        print(f"{count} reader(s): {total:.0f} MiB together; the last: {_memory_mib(process)}")
    for process in running:
        process.communicate()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="onnx")
    parser.add_argument("--passages", type=int, default=10_000)
    chosen = parser.parse_args()
    embedder = make_embedder(EmbedderChoice(backend=chosen.embedder))
    with tempfile.TemporaryDirectory() as folder:
        docs, store = Path(folder, "docs"), GenerationStore(Path(folder, "index"))
        docs.mkdir()
        article = write_articles(docs, chosen.passages)
        full = _timed("full build", docs, store, embedder)
        text = article.read_text(encoding="utf-8")
        article.write_text(text.replace("It has 7 ", "It has seven "), encoding="utf-8")
        change = _timed("one passage changed", docs, store, embedder)
        nothing = _timed("nothing changed", docs, store, embedder)
        print(f"change / full = {change / full:.2%}; nothing / full = {nothing / full:.2%}")
        size = sum(path.stat().st_size for path in store.root.rglob("*") if path.is_file())
        print(f"index: {size / 2 / 2**20:.0f} MiB a generation")
        _readers(store.root)


if __name__ == "__main__":
    main()
