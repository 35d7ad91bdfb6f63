"""Which documents a build takes: new ones parsed, unchanged ones taken over, the last good version of bad ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from indexer.contents import OpenIndex
from indexer.derive import Parsed, derive
from indexer.embedders import Embedder
from indexer.errors import CorpusError
from indexer.manifest import Rejection
from indexer.parsing.sandbox import read_source
from indexer.report import BuildReport, Cancellable
from indexer.reuse import records, same_recipe
from indexer.scan import Found
from indexer.types import GenerationId

_NONE = GenerationId("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The documents that could be used, the last good ones among them, and the files that could not."""

    parsed: tuple[Parsed, ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What the generation before knows of the files. `trusted`: it would come out the same today."""

    records: dict[str, Parsed]
    refused: dict[str, Rejection]
    trusted: bool

    def unchanged(self, found: Found) -> Parsed | None:
        """The document as it was, if its file has the same bytes."""
        known = self.records.get(found.path)
        same = known is not None and known.entry.sha256 == found.sha256 and not known.entry.stale
        return known if same and self.trusted else None

    def refusal(self, found: Found) -> Rejection | None:
        """Why the same bytes were refused before: a file that killed its parser is not tried again."""
        known = self.refused.get(found.path)
        return known if known and known.sha256 == found.sha256 and self.trusted else None


class _Refused(Exception):
    """A file is not used."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.reason)
        self.rejection = rejection


def before_of(old: OpenIndex | None, embedder: Embedder, *, full: bool) -> Before:
    """What can be taken over; with `full` only last good versions."""
    if old is None:
        return Before(records={}, refused={}, trusted=False)
    return Before(
        records=records(old),
        refused={item.path: item for item in old.manifest.rejected},
        trusted=same_recipe(old.manifest, embedder.spec) and not full,
    )


def gather(
    found: Sequence[Found], before: Before, embedder: Embedder, progress: Cancellable
) -> Gathered:
    """Read every file that is not known yet. The order is that of `found`."""
    parsed: dict[str, Parsed] = {}
    rejected: list[Rejection] = []
    readable = {item.path for item in found if item.sha256}
    progress.start("parse", len(found))
    for item in found:
        try:
            _add(parsed, before.unchanged(item) or _fresh(item, before, embedder))
        except _Refused as error:
            rejected.append(error.rejection)
            last_good = before.records.get(item.path)
            if last_good and (item.sha256 or item.path not in readable):
                parsed.setdefault(last_good.document.id, _as_stale(last_good))
        progress.advance(1)
    return Gathered(parsed=tuple(parsed.values()), rejected=tuple(rejected))


def compared(old: OpenIndex | None, gathered: Gathered) -> BuildReport:
    """Which documents are new, other or gone against the generation before; the rest of the report is open."""
    before = {entry.path: entry.sha256 for entry in old.manifest.documents} if old else {}
    after = {item.entry.path: item.entry.sha256 for item in gathered.parsed}
    both = after.keys() & before.keys()
    return BuildReport(
        generation=old.id if old else _NONE,
        published=False,
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(path for path in both if after[path] != before[path])),
        removed=tuple(sorted(before.keys() - after.keys())),
        rejected=gathered.rejected,
        stale=tuple(item.entry.path for item in gathered.parsed if item.entry.stale),
    )


def _fresh(found: Found, before: Before, embedder: Embedder) -> Parsed:
    if not found.sha256:
        raise _Refused(Rejection(path=found.path, line=1, reason=found.refusal))
    refusal = before.refusal(found)
    if refusal is not None:
        raise _Refused(refusal)
    try:
        source = read_source(found.file, found.path)
        return derive(source, hashlib.sha256(source.content).hexdigest(), embedder)
    except CorpusError as error:
        raise _Refused(
            Rejection(path=found.path, line=error.line, reason=error.reason, sha256=found.sha256)
        ) from error
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise _Refused(Rejection(path=found.path, line=1, reason=reason)) from error


def _add(parsed: dict[str, Parsed], item: Parsed) -> None:
    """Take a document in, unless another has its id."""
    other = parsed.get(item.document.id)
    if other is not None:
        reason = f"has the same id as {other.entry.path}: {item.document.id}; rename one of them"
        raise _Refused(
            Rejection(path=item.entry.path, line=1, reason=reason, sha256=item.entry.sha256)
        )
    parsed[item.document.id] = item


def _as_stale(item: Parsed) -> Parsed:
    return replace(item, entry=msgspec.structs.replace(item.entry, stale=True))
