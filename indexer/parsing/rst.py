"""reStructuredText, Sphinx's dialect included: sections, paragraphs, lists, grid, simple and list tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile, decode
from indexer.parsing.grid import make_grid
from indexer.parsing.writer import Writer
from indexer.types import Document

if TYPE_CHECKING:
    from docutils import nodes

_DIRECTIVE: Final = re.compile(r"^[ \t]*\.\. ([\w:.+-]+)::", re.MULTILINE)
_ROLE: Final = re.compile(r"(?<!\w):([a-zA-Z][\w:.+-]*):`")
_REFERENCE: Final = re.compile(r"^(.*?)\s*<[^<>]+>$", re.DOTALL)
_DEEPEST_INDENT: Final = 200
_SILENT: Final = {
    "report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True,
    "warning_stream": False, "line_length_limit": 100_000, "doctitle_xform": False,
}  # fmt: skip


def parse(source: SourceFile) -> Document:
    """Parse a reST file; nothing is included from other files, directives of extensions give their content.

    Raises:
        CorpusError: nested too deeply, or markup that breaks the parser.
    """
    from docutils import nodes
    from docutils.core import publish_doctree

    text = decode(source)
    if any(len(line) - len(line.lstrip()) > _DEEPEST_INDENT for line in text.split("\n")):
        raise CorpusError(source.path, 1, f"indented by more than {_DEEPEST_INDENT} characters")
    _register(text)
    try:
        tree = publish_doctree(text, settings_overrides=dict(_SILENT))
    except RecursionError as error:
        raise CorpusError(source.path, 1, "nested too deeply") from error
    writer = Writer()
    _Walk(writer, nodes).write(tree, 1)
    return writer.document(source, "text/x-rst")


def _register(text: str) -> None:
    """Make directives and roles that docutils does not know give their content."""
    from docutils.parsers.rst import directives, roles
    from docutils.parsers.rst.languages import en

    taken: dict[str, Any] = getattr(directives, "_directives", {})
    for name in set(_DIRECTIVE.findall(text)) - set(en.directives) - set(taken):
        directives.register_directive(name, _content_directive())
    known = set(en.roles) | set(getattr(roles, "_roles", {}))
    for name in set(_ROLE.findall(text)) - known:
        roles.register_local_role(name, _plain_role)


def _content_directive() -> Any:
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Content(Directive):
        has_content = True
        optional_arguments = 1000
        final_argument_whitespace = True

        def run(self) -> list[nodes.Node]:
            box = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, box)
            return [box]

    return Content


def _plain_role(_name: str, rawtext: str, text: str, *_: object) -> tuple[list[Any], list[Any]]:
    """The words of a cross-reference, without its target."""
    from docutils import nodes

    match = _REFERENCE.match(text)
    shown = match[1] if match and match[1] else text
    return [nodes.inline(rawtext, shown.replace("\x00", ""))], []


class _Walk:
    def __init__(self, writer: Writer, nodes: Any) -> None:
        self._writer = writer
        self._n = nodes

    def write(self, node: nodes.Node, level: int) -> None:
        """Write what is below a node, at a level of headings."""
        for child in node.children:
            handler = self._handler(child)
            if handler:
                handler(child, level)

    def _handler(self, child: nodes.Node) -> Callable[[Any, int], None] | None:
        n = self._n
        if isinstance(
            child,
            n.system_message
            | n.comment
            | n.target
            | n.substitution_definition
            | n.image
            | n.raw
            | n.pending,
        ):
            return None
        table: list[tuple[Any, Callable[[Any, int], None]]] = [
            (n.section, lambda node, level: self.write(node, level + 1)),
            (n.title, lambda node, level: self._writer.heading(max(1, level - 1), node.astext())),
            (n.table, lambda node, _: self._table(node)),
            ((n.bullet_list, n.enumerated_list), lambda node, _: self._list(node)),
            (n.footnote, lambda node, _: self._footnote(node)),
            (n.literal_block, lambda node, _: self._writer.prose(node.astext())),
            (
                (n.paragraph, n.term, n.field_name, n.line_block),
                lambda node, _: self._writer.prose(_words(node)),
            ),
            (n.Element, self.write),
        ]
        return next((handler for kind, handler in table if isinstance(child, kind)), None)

    def _list(self, node: nodes.Node) -> None:
        self._writer.prose("\n".join(self._items(node, 0)))

    def _items(self, node: nodes.Node, depth: int) -> list[str]:
        lines = []
        for item in node.children:
            words = " ".join(
                _words(part)
                for part in item.children
                if not isinstance(part, self._n.bullet_list | self._n.enumerated_list)
            )
            lines.append(f"{'  ' * depth}- {words}")
            for part in item.children:
                if isinstance(part, self._n.bullet_list | self._n.enumerated_list):
                    lines += self._items(part, depth + 1)
        return lines

    def _footnote(self, node: Any) -> None:
        label, *rest = [_words(child) for child in node.children]
        self._writer.prose(f"[{label}] {' '.join(rest)}")

    def _table(self, node: Any) -> None:
        n = self._n
        head = [row for part in node.findall(n.thead) for row in part.children]
        body = [row for part in node.findall(n.tbody) for row in part.children]
        title = next((child.astext() for child in node.children if isinstance(child, n.title)), "")
        rows = _filled([list(row.children) for row in [*head, *body]])
        grid = make_grid(rows, header_rows=len(head) or None, caption=title)
        if grid:
            self._writer.table(grid)
        else:
            self._writer.prose("\n".join(" ".join(row) for row in rows))


def _filled(rows: list[list[Any]]) -> list[list[str]]:
    """The cells' texts with those that span rows or columns repeated."""
    grid: list[dict[int, str]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        column = 0
        for entry in row:
            while column in grid[number]:
                column += 1
            width, height = entry.get("morecols", 0) + 1, entry.get("morerows", 0) + 1
            text = _cell(entry)
            for below in range(number, min(number + height, len(rows))):
                grid[below].update(dict.fromkeys(range(column, column + width), text))
            column += width
    width = max((max(row, default=-1) for row in grid), default=-1) + 1
    return [[row.get(column, "") for column in range(width)] for row in grid]


def _cell(entry: Any) -> str:
    """A cell on one line; the points of a list stand behind one another with semicolons."""
    from docutils import nodes

    parts = []
    for child in entry.children:
        if isinstance(child, nodes.bullet_list | nodes.enumerated_list):
            parts.append("; ".join(_words(item) for item in child.children))
        elif not isinstance(child, nodes.system_message):
            parts.append(_words(child))
    return " ".join(part for part in parts if part)


def _words(node: nodes.Node) -> str:
    return " ".join(node.astext().split())
