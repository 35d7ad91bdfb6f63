"""Small folders of documents, and what is in a store: used by all tests of the index's life."""

from __future__ import annotations

from pathlib import Path

from indexer.embedders.hashing import HashingEmbedder
from indexer.generation import GenerationStore, OpenIndex
from indexer.pipeline import BuildOptions, BuildReport, build_generation
from indexer.types import GenerationId

EMBEDDER = HashingEmbedder(dimensions=16)


def write_article(root: Path, name: str, *lines: str) -> Path:
    """An article with one section; each line is a paragraph."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    title = path.stem.replace("-", " ").capitalize()
    body = "\n\n".join(lines)
    path.write_text(f"# {title}\n\n## About {title}\n\n{body}\n", encoding="utf-8")
    return path


def write_articles(root: Path, count: int = 3) -> Path:
    """`count` articles on memory."""
    for number in range(count):
        write_article(root, f"guidance/memory/article-{number}.md", f"Card {number} has memory.")
    return root


def build(root: Path, store: GenerationStore, options: BuildOptions | None = None) -> BuildReport:
    """Build from one folder with the hashing embedder."""
    return build_generation([root], store, EMBEDDER, options=options)


def current_of(store: GenerationStore) -> GenerationId:
    """The published generation, which must be there."""
    current = store.current()
    assert current is not None
    return current


def texts(index: OpenIndex) -> str:
    """All that a generation can say."""
    return "\n".join(passage.text for passage in index.passages)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
