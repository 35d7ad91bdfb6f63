"""The YAML block at the head of a document, with the line and the span of everything in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from indexer.errors import CorpusError

_OPENING = re.compile(r"\A---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain]"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The parsed block. `offset` and `first_line` place its first character in the document."""

    root: yaml.MappingNode
    values: dict[str, Plain]
    offset: int
    first_line: int
    body_start: int

    def line_of(self, *path: str | int) -> int:
        """The line, counted from 1, of what `path` leads to, or of the nearest thing above it."""
        node: yaml.Node = self.root
        line = node.start_mark.line
        for step in path:
            child = _child(node, step)
            if child is None:
                break
            key, node = child
            line = key.start_mark.line
        return self.first_line + int(line)

    def span_of(self, node: yaml.Node) -> tuple[int, int]:
        """The span of a node in the text of the document."""
        return self.offset + node.start_mark.index, self.offset + node.end_mark.index


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    return None


def has_front_matter(text: str) -> bool:
    """Whether the text opens with a line of three dashes."""
    return _OPENING.match(text) is not None


def read_front_matter(path: str, text: str) -> FrontMatter:
    """Parse the block at the head of `text`.

    Every scalar stays the text that was written (a date is no date, `yes` is no boolean), since what is
    quoted must be what stands there. Raises `CorpusError` with the line at fault.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        raise CorpusError(path, 1, "front matter between two lines of '---' is missing")
    root = _compose(path, text[opening.end() : closing.start()])
    return FrontMatter(
        root=root,
        values={str(key): value for key, value in _mapping(path, root).items()},
        offset=opening.end(),
        first_line=2,
        body_start=closing.end(),
    )


def _compose(path: str, block: str) -> yaml.MappingNode:
    try:
        root = yaml.compose(block, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 2 + (mark.line if mark else 0)
        raise CorpusError(path, line, f"not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise CorpusError(path, 2, f"not YAML: {error}") from error
    if not isinstance(root, yaml.MappingNode):
        raise CorpusError(path, 2, "front matter has to be a mapping of keys to values")
    return root


def _mapping(path: str, node: yaml.MappingNode) -> dict[str, Plain]:
    values: dict[str, Plain] = {}
    for key, value in node.value:
        line = 2 + key.start_mark.line
        if not isinstance(key, yaml.ScalarNode):
            raise CorpusError(path, line, "a key has to be a word")
        if key.value in values:
            raise CorpusError(path, line, f"key {key.value!r} stands here twice")
        values[key.value] = _plain(path, value)
    return values


def _plain(path: str, node: yaml.Node) -> Plain:
    if isinstance(node, yaml.MappingNode):
        return _mapping(path, node)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(path, item) for item in node.value]
    return str(node.value)
