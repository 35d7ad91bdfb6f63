"""Published benchmark results: rows of the same benchmark, device and scale, with their spread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from indexer.generation import OpenIndex
from indexer.text import lexical_tokens
from indexer.types import Catalog, DeviceId, DocumentId
from service.phrases import number
from service.query import Query
from service.types import Computation, Input, Number, Quote, Statement

_TRIGGER = re.compile(
    r"\bmlperf\b|\bmlcommons\b|benchmark result|\btime[- ]to[- ]train\b", re.IGNORECASE
)
_INFERENCE = re.compile(
    r"inference|tokens?/s|tokens per second|serv(?:e|ing)|offline|interactive|latency",
    re.IGNORECASE,
)
_ONE_NODE = re.compile(r"\b(?:one|single|1)[- ](?:node|server|machine|box)\b", re.IGNORECASE)
_WORDS = {
    "one": 1,
    "two": 2,
    "four": 4,
    "eight": 8,
    "sixteen": 16,
    "thirty-two": 32,
    "sixty-four": 64,
}
_COUNT = re.compile(
    rf"\b({'|'.join(_WORDS)}|\d{{1,4}})\b(?=\s?(?:x|×|-)?\s?(?:nvidia|amd|google|[a-z]{{1,4}}\d{{2,}}|tpu|gpus|accelerators|chips))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One published result: its cells by column, and the span that states it."""

    document_id: DocumentId
    start: int
    end: int
    cells: Mapping[str, str]
    words: frozenset[str]

    @property
    def device_id(self) -> DeviceId:
        """The spec sheet of the accelerator, or an empty id."""
        return DeviceId(self.cells.get("device", ""))


def result_rows(index: OpenIndex) -> tuple[ResultRow, ...]:
    """All rows of the generation's benchmark tables."""
    return tuple(_rows(index))


def _rows(index: OpenIndex) -> Iterable[ResultRow]:
    for document in index.documents.values():
        if document.kind != "benchmarks" or document.media_type != "text/csv":
            continue
        start = 0
        for line in document.text.split("\n"):
            cells = dict(pair.split(": ", 1) for pair in line.split("; ") if ": " in pair)
            words = lexical_tokens(
                " ".join(cells.get(name, "") for name in ("benchmark", "task", "scenario", "round"))
                .replace("_", " ")
                .replace("-", " ")
            )
            yield ResultRow(
                document_id=document.id,
                start=start,
                end=start + len(line),
                cells=cells,
                words=frozenset(words),
            )
            start += len(line) + 1


def published(query: Query, rows: Sequence[ResultRow], catalog: Catalog) -> list[Statement]:
    """For each named device the results of the benchmark that the question means, at the scale that it names."""
    if not _TRIGGER.search(query.text) or not query.mentions:
        return []
    training = not _INFERENCE.search(query.text)
    wanted = [row for row in rows if ("time to train" in row.cells) == training]
    words = frozenset(lexical_tokens(query.text.replace("-", " ").replace("_", " ")))
    count = _COUNT.search(query.text)
    size = (_WORDS.get(count.group(1).casefold()) or int(count.group(1))) if count else None
    statements: list[Statement] = []
    for mention in query.mentions:
        here = [row for row in wanted if row.device_id in mention.devices]
        here = _closest(here, words)
        if size:
            here = [row for row in here if row.cells.get("accelerators total") == str(size)] or here
        if _ONE_NODE.search(query.text):
            here = [row for row in here if row.cells.get("nodes") == "1"] or here
        statements.extend(_summaries(here, catalog))
    return statements


def _closest(rows: Sequence[ResultRow], words: frozenset[str]) -> list[ResultRow]:
    best = max((len(row.words & words) for row in rows), default=0)
    return [row for row in rows if best > 1 and len(row.words & words) == best]


def _summaries(rows: Sequence[ResultRow], catalog: Catalog) -> Iterable[Statement]:
    groups: dict[tuple[str, ...], list[ResultRow]] = {}
    for row in rows:
        key = tuple(
            row.cells.get(name, "")
            for name in ("round", "benchmark", "scenario", "accelerators total", "nodes")
        )
        groups.setdefault(key, []).append(row)
    for key in sorted(groups)[:3]:
        yield _summary(groups[key], catalog)


def _summary(rows: Sequence[ResultRow], catalog: Catalog) -> Statement:
    """One statement for the submissions of one benchmark, device and scale: the value, or median and spread."""
    values = sorted(
        ((*_value(row), row) for row in rows), key=lambda item: (item[0], item[2].start)
    )
    (low, unit, first), (high, _, last) = values[0], values[-1]
    start = _setting(first, catalog)
    quotes = tuple(dict.fromkeys((_quote(first), _quote(last))))
    if len(values) == 1:
        text = f"{start} {number(low)} {unit} ({first.cells.get('submitter', '')})."
        return Statement(text=text, quotes=quotes, numbers=(_cited(low, unit),))
    middle = round(median(value for value, _, _ in values), 3)
    text = (
        f"{start} median {number(middle)} {unit} over {len(values)} submissions, from {number(low)} {unit} "
        f"({first.cells.get('submitter', '')}) to {number(high)} {unit} ({last.cells.get('submitter', '')})."
    )
    inputs = tuple(
        Input(
            name=row.cells.get("submitter", ""),
            value=value,
            unit=unit,
            basis="cited",
            quote=_quote(row),
        )
        for value, _, row in values
    )
    computation = Computation(formula="median of the submissions", inputs=inputs)
    computed = Number(value=middle, unit=unit, origin="computed", computation=computation)
    return Statement(
        text=text, quotes=quotes, numbers=(computed, _cited(low, unit), _cited(high, unit))
    )


def _setting(row: ResultRow, catalog: Catalog) -> str:
    cells = row.cells
    device = catalog.by_id.get(row.device_id)
    name = device.name if device else cells.get("accelerator", "")
    scenario = f", {cells['scenario']} scenario" if cells.get("scenario") else ""
    nodes = f" on {cells['nodes']} node(s)" if cells.get("nodes") else ""
    return (
        f"{cells.get('round', '')} {cells.get('benchmark', '')}{scenario} with "
        f"{cells.get('accelerators total', '?')} x {name}{nodes}:"
    )


def _quote(row: ResultRow) -> Quote:
    return Quote(document_id=row.document_id, start=row.start, end=row.end)


def _cited(value: float, unit: str) -> Number:
    return Number(value=value, unit=unit, origin="cited")


def _value(row: ResultRow) -> tuple[float, str]:
    if "time to train" in row.cells:
        value, unit = row.cells["time to train"].split(" ", 1)
        return float(value), unit
    return float(row.cells["result"]), row.cells.get("unit", "")
