"""Labeled retrieval sets in BEIR form: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` in one folder.

A query may carry `doc` and `spans` (characters of that document's text): then a passage is right if it
comes from `doc` and overlaps a span.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDocument:
    """One document of a set."""

    id: str
    title: str
    text: str

    @property
    def slug(self) -> str:
        """The id as a file name, which is also the product's document id."""
        return quote(self.id, safe="").replace(".", "%2E")

    @property
    def head(self) -> str:
        """The front matter of the file; the text follows it character for character."""
        title = self.title or self.text.lstrip().split("\n", 1)[0][:200]
        return f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetQuery:
    """One query; `relevant` are grades by document id, `spans` characters of the text of `document`."""

    id: str
    text: str
    relevant: Mapping[str, int]
    document: str = ""
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabeledSet:
    """A set with its judgments. `digest` names the corpus by content."""

    name: str
    documents: tuple[SetDocument, ...]
    queries: tuple[SetQuery, ...]
    digest: str


def find_sets(folder: Path) -> list[Path]:
    """The labeled sets under a folder, by name."""
    names = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
    if not folder.is_dir():
        return []
    return [
        path for path in sorted(folder.iterdir()) if all((path / name).is_file() for name in names)
    ]


def load_set(folder: Path) -> LabeledSet:
    """Read a set. Queries without a judgment are left out; CR line ends are read as newlines."""
    documents = tuple(
        SetDocument(id=str(row["_id"]), title=str(row.get("title") or ""), text=str(row["text"]))
        for row in _rows(folder / "corpus.jsonl")
    )
    grades = _grades(folder / "qrels.tsv")
    queries = tuple(
        SetQuery(
            id=str(row["_id"]),
            text=str(row["text"]),
            relevant=grades[str(row["_id"])],
            document=str(row.get("doc") or ""),
            spans=tuple((int(start), int(end)) for start, end in row.get("spans") or ()),
        )
        for row in _rows(folder / "queries.jsonl")
        if str(row["_id"]) in grades
    )
    digest = hashlib.sha256((folder / "corpus.jsonl").read_bytes()).hexdigest()[:12]
    return LabeledSet(name=folder.name, documents=documents, queries=queries, digest=digest)


def write_corpus(labeled: LabeledSet, folder: Path) -> None:
    """Write the set as a corpus of Markdown files, as a user would add it."""
    folder.mkdir(parents=True, exist_ok=True)
    for document in labeled.documents:
        (folder / f"{document.slug}.md").write_text(
            document.head + document.text, encoding="utf-8", newline=""
        )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            grades.setdefault(query, {})[document] = int(grade)
    return grades
