"""Check a whole corpus: what `rigwise corpus check` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from indexer.checking.articles import check_article
from indexer.checking.consistency import check_consistency
from indexer.checking.documents import check_documents
from indexer.checking.finding import Finding, Severity, unreadable
from indexer.checking.links import check_links, nominal_memory_gb
from indexer.checking.offers import check_offers
from indexer.checking.sheets import Sheet, check_sheet, read_sheet
from indexer.checking.tables import SOURCES, check_benchmarks, check_models, check_sources
from indexer.errors import CorpusError
from indexer.parsing import SourceFile, decode, is_document

__all__ = ["Finding", "Severity", "check_corpus"]

_TABLE_FOLDERS = ("offers", "benchmarks", "models")
_Checker = Callable[[str, str], Iterator[Finding]]


def check_corpus(
    root: Path, *, today: date | None = None, documents: Path | None = None
) -> tuple[Finding, ...]:
    """All faults of the corpus under `root`, sorted by path, line, problem and value.

    Paths are relative to `root`. Without `today` no date counts as future. `documents` is the folder of documents that
    users add: files there that cannot be used, and facts that contradict the corpus, are warnings.
    """
    files = _Files(root)
    findings: list[Finding] = []
    sheets: list[Sheet] = []
    for path, text in files.read("hardware", ".md"):
        sheet, faults = read_sheet(path, text)
        findings += faults
        if sheet is not None:
            sheets.append(sheet)
            findings += [*check_sheet(sheet, text, today=today), *check_consistency(sheet)]
    findings += check_links(sheets)
    memory_gb = nominal_memory_gb(sheets)
    checkers: dict[str, _Checker] = {
        "guidance": lambda path, text: check_article(path, text, today=today),
        "offers": lambda path, text: check_offers(path, text, memory_gb=memory_gb, today=today),
        "benchmarks": lambda path, text: check_benchmarks(
            path, text, devices=memory_gb, today=today
        ),
        "models": check_models,
    }
    for folder, checker in checkers.items():
        for path, text in files.read(folder, ".csv" if folder in _TABLE_FOLDERS else ".md"):
            findings += checker(path, text)
    tables = [p for folder in _TABLE_FOLDERS for p in files.paths(folder, ".csv")]
    findings += check_sources(files.text(SOURCES), tables, today=today)
    if documents is not None and documents.is_dir():
        findings += check_documents(root, documents)
    findings += [*_same_slugs(files.paths("guidance", ".md")), *files.unreadable]
    return tuple(sorted(findings, key=lambda f: (f.path, f.line, f.problem, f.value)))


class _Files:
    """The text files of a corpus; what is not UTF-8 becomes a finding once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.unreadable: list[Finding] = []

    def paths(self, folder: str, suffix: str) -> list[str]:
        """Paths relative to the root, sorted."""
        found = (path for path in (self._root / folder).rglob(f"*{suffix}") if path.is_file())
        paths = sorted(path.relative_to(self._root).as_posix() for path in found)
        return [path for path in paths if is_document(path)]

    def read(self, folder: str, suffix: str) -> Iterator[tuple[str, str]]:
        """Path and text of each file that can be read."""
        for path in self.paths(folder, suffix):
            text = self.text(path)
            if text is not None:
                yield path, text

    def text(self, path: str) -> str | None:
        """The text of one file; None where it is missing or not UTF-8."""
        try:
            return decode(SourceFile(path=path, content=(self._root / path).read_bytes()))
        except FileNotFoundError:
            return None
        except CorpusError as error:
            self.unreadable.append(unreadable(error))
            return None


def _same_slugs(paths: list[str]) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    for path in paths:
        slug = Path(path).stem
        owner = owners.setdefault(slug, path)
        if owner != path:
            yield Finding(
                path=path,
                line=1,
                value=slug,
                problem=f"{owner} has the same name",
                remedy="rename one of the two: the name of an article is its id",
            )
