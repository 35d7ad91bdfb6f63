"""JSON and JSON lines: lists of records are tables, an object is a list of "name: value" lines under its keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from indexer.errors import CorpusError
from indexer.parsing import SourceFile, decode
from indexer.parsing.grid import Grid, Row
from indexer.parsing.writer import Writer
from indexer.types import Document

Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"

_DEEPEST: Final = 40
_COLUMNS: Final = 400


def parse(source: SourceFile) -> Document:
    """Parse a JSON document or one JSON value a line.

    Raises:
        CorpusError: not JSON (with the line), or nested too deeply.
    """
    text = decode(source).removeprefix("\ufeff")
    value = _load(source.path, text)
    writer = Writer()
    title = PurePosixPath(source.path).stem.replace("_", " ").replace("-", " ")
    _write(writer, source.path, value, (title,))
    return writer.document(source, "application/json", title=title)


def _load(path: str, text: str) -> Json:
    lines = [
        (number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    ]
    by_line = path.lower().endswith((".jsonl", ".ndjson")) and len(lines) > 1
    try:
        if by_line:
            return [_value(path, number, line) for number, line in lines]
        return _value(path, 1, text)
    except RecursionError as error:
        raise CorpusError(path, 1, "nested too deeply") from error


def _value(path: str, line: int, text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except json.JSONDecodeError as error:
        raise CorpusError(path, line + error.lineno - 1, f"not JSON: {error.msg}") from error
    except ValueError as error:
        raise CorpusError(path, line, f"not JSON: {error}") from error
    return value


def _write(writer: Writer, path: str, value: Json, heads: tuple[str, ...]) -> None:
    if len(heads) > _DEEPEST:
        raise CorpusError(path, 1, f"nested more than {_DEEPEST} levels deep")
    writer.heading(len(heads), heads[-1])
    if isinstance(value, dict):
        _write_object(writer, path, value, heads)
    elif isinstance(value, list):
        _write_list(writer, path, value, heads)
    elif _plain(value):
        writer.prose(_plain(value))


def _write_object(
    writer: Writer, path: str, value: Mapping[str, Json], heads: tuple[str, ...]
) -> None:
    rows = [
        Row(cells=(_name(key), shown)) for key, inner in value.items() if (shown := _shown(inner))
    ]
    if rows:
        writer.table(Grid(header=(), rows=tuple(rows)))
    for key, inner in value.items():
        if isinstance(inner, dict | list) and inner and not _shown(inner):
            _write(writer, path, inner, (*heads, _name(key)))


def _write_list(writer: Writer, path: str, value: Sequence[Json], heads: tuple[str, ...]) -> None:
    records = [item for item in value if isinstance(item, dict)]
    if records and len(records) == len(value):
        flat = [dict(_flat(item, "")) for item in records]
        names = list(dict.fromkeys(name for item in flat for name in item))[:_COLUMNS]
        rows = [Row(cells=tuple(item.get(name, "") for name in names)) for item in flat]
        if len(names) > 1:
            writer.table(
                Grid(
                    header=tuple(map(_name, names)),
                    rows=tuple(row for row in rows if any(row.cells)),
                )
            )
            return
    for item in value:
        if isinstance(item, dict | list):
            _write(writer, path, item, (*heads, heads[-1]))
        elif _plain(item):
            writer.prose(_plain(item))


def _flat(value: Mapping[str, Json], prefix: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from _flat(inner, f"{prefix}{key} ", depth + 1)
        else:
            yield (
                f"{prefix}{key}",
                _shown(inner) or json.dumps(inner, ensure_ascii=False) * bool(inner),
            )


def _shown(value: Json) -> str:
    """A value that fits in a cell: a scalar, or a list of scalars."""
    if isinstance(value, list):
        return (
            ", ".join(_plain(item) for item in value)
            if not any(isinstance(item, dict | list) for item in value)
            else ""
        )
    return "" if isinstance(value, dict) else _plain(value)


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else " ".join(str(value).split())


def _name(key: str) -> str:
    return key.replace("_", " ").strip()
