"""What the owner of added documents should know: files that cannot be used, and facts that contradict the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from indexer.checking.finding import Finding
from indexer.errors import CorpusError
from indexer.extract import extract_devices
from indexer.facts import read_device
from indexer.joining import Conflict, conflicts, make_catalog
from indexer.parsing import SourceFile, is_document, kind_of, parse_document
from indexer.parsing.sandbox import parse_safely, read_source
from indexer.types import Device, Document


def check_documents(root: Path, documents: Path) -> Iterator[Finding]:
    """One finding a refused file and a contradiction; paths are relative to the folder that the file lies in.

    A contradiction is a warning: both facts are kept, and answers show both.
    """
    devices: list[Device] = list(_sheets(root))
    texts: dict[str, Document] = {}
    for path in sorted(documents.rglob("*")):
        name = path.relative_to(documents).as_posix()
        if (
            path.is_symlink()
            or not path.is_file()
            or not is_document(name)
            or kind_of(name) != "user"
        ):
            continue
        try:
            document = parse_safely(read_source(path, name))
        except CorpusError as error:
            yield Finding(
                path=name,
                line=error.line,
                value="",
                problem=f"cannot be used: {error.reason}",
                remedy="correct or remove the file",
                severity="warning",
            )
            continue
        texts[document.id] = document
        devices += extract_devices(document)
    for conflict in conflicts(make_catalog(devices, (), ())):
        yield _contradiction(conflict, texts)


def _sheets(root: Path) -> Iterator[Device]:
    """The spec sheets that can be read; what is wrong with the others is told by the check of the corpus."""
    for path in sorted((root / "hardware").rglob("*.md")):
        name = path.relative_to(root).as_posix()
        if is_document(name):
            try:
                yield read_device(parse_document(SourceFile(path=name, content=path.read_bytes())))
            except CorpusError:
                continue


def _contradiction(conflict: Conflict, texts: dict[str, Document]) -> Finding:
    added, known = conflict.added, conflict.known
    document = texts[added.document_id]
    what = " ".join([added.name, *(f"{key} {value}" for key, value in added.qualifiers)])
    return Finding(
        path=document.path,
        line=document.text.count("\n", 0, added.start) + 1,
        value=added.text,
        problem=f"{what} of {conflict.device.name}: the spec sheet states {known.text} ({known.source}, {known.as_of})",
        remedy="both are kept and shown; remove the document or correct the sheet if one is wrong",
        severity="warning",
    )
