"""Web pages: the main content with headings, paragraphs, lists and tables; nothing that a reader does not see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from indexer.errors import CorpusError
from indexer.parsing import SourceFile
from indexer.parsing.encodings import decode_any
from indexer.parsing.footnotes import Note, note_of
from indexer.parsing.grid import make_grid, with_notes
from indexer.parsing.webtable import read_table, text_of
from indexer.parsing.writer import Writer
from indexer.types import Document

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_SKIPPED: Final = frozenset(
    "script style noscript template svg canvas iframe object embed form button select textarea head nav footer aside dialog".split()
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = (
    frozenset("p ul ol dl pre blockquote figcaption address details table".split())
    | _HEADINGS.keys()
)
_INLINE: Final = frozenset(
    "a abbr b bdi bdo br cite code data dfn em i img kbd label mark picture q s samp small source span strong sub sup time tt u var wbr".split()
)
_HIDDEN_STYLE: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])"
)
_CHROME: Final = re.compile(
    r"\b(?:cookie|breadcrumb|sidebar|navbar|share-buttons|skip-link|related-links)", re.IGNORECASE
)
_MAIN: Final = (
    "//main", "//*[@role='main']", "//*[@id='main-content' or @id='main' or @id='content' or @id='main-col-body']",
    "//article", "//body",
)  # fmt: skip
_CHARSET: Final = re.compile(rb"charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
# Characters that no markup may hold.
_NO_XML: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTE_LINES: Final = 12
# So many links without other text are a menu.
_MENU: Final = 3


def parse(source: SourceFile) -> Document:
    """Parse a web page. The main content is the element that says so; without one, the body without its chrome.

    Raises:
        CorpusError: the markup holds no element, or its encoding cannot be told.
    """
    from lxml import etree, html

    declared = _CHARSET.search(source.content[:2048])
    text = decode_any(
        source.path, source.content, declared=declared[1].decode("ascii") if declared else ""
    )
    text = _NO_XML.sub("", re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    parser = html.HTMLParser(
        huge_tree=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = html.document_fromstring(text, parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise CorpusError(source.path, 1, f"no web page: {error}") from error
    title = " ".join((root.findtext(".//title") or "").split())
    _drop_hidden(root)
    writer = Writer()
    _Walk(writer).write(_main(root))
    canonical = root.xpath("string(//link[@rel='canonical']/@href)")
    url = str(canonical) if str(canonical).startswith("https://") else ""
    return writer.document(source, "text/html", title=title, url=url)


def _drop_hidden(root: HtmlElement) -> None:
    for element in list(root.iter()):
        if element.getparent() is not None and isinstance(element.tag, str) and _is_hidden(element):
            element.drop_tree()


def _is_hidden(element: HtmlElement) -> bool:
    get = element.attrib.get
    return (
        element.tag in _SKIPPED
        or "hidden" in element.attrib
        or get("aria-hidden") == "true"
        or bool(_HIDDEN_STYLE.search(get("style") or ""))
        or (
            element.tag not in {"body", "html", "main", "article"}
            and bool(_CHROME.search(f"{get('class')} {get('id')}"))
        )
    )


def _main(root: HtmlElement) -> HtmlElement:
    """The first kind of main element that holds at least a quarter of the page's words."""
    whole = len(root.text_content())
    for path in _MAIN:
        found = root.xpath(path)
        if isinstance(found, list) and found:
            best: HtmlElement = max(found, key=lambda element: len(element.text_content()))
            if len(best.text_content()) * 4 >= whole:
                return best
    return root


class _Walk:
    """Goes through the main content in its order; loose text between blocks is a paragraph."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._loose: list[str] = []
        self._linked: list[int] = []

    def write(self, root: HtmlElement) -> None:
        """Write all of the element."""
        stack: list[Iterator[HtmlElement | str]] = [_pieces(root)]
        while stack:
            piece = next(stack[-1], None)
            if piece is None:
                stack.pop()
                self._flush()
            elif isinstance(piece, str):
                self._loose.append(piece)
            elif piece.tag in _BLOCKS and not _wraps_table(piece):
                self._flush()
                self._block(piece)
            elif piece.tag in _INLINE:
                self._loose.append(text_of(piece))
                self._linked += [len(self._loose[-1])] if piece.tag == "a" else []
            else:
                self._flush()
                stack.append(_pieces(piece))

    def _flush(self) -> None:
        """Loose text becomes a paragraph; a run of links alone is a menu and is left out."""
        text = " ".join("".join(self._loose).split())
        if len(self._linked) < _MENU or sum(self._linked) < 0.9 * len(text):
            self._writer.prose(text)
        self._loose, self._linked = [], []

    def _block(self, element: HtmlElement) -> None:
        if element.tag in _HEADINGS:
            self._writer.heading(_HEADINGS[element.tag], text_of(element))
        elif element.tag == "table":
            self._table(element)
        elif element.tag in {"ul", "ol", "dl"}:
            self._writer.prose("\n".join(_items(element)))
        else:
            text = text_of(element)
            self._writer.prose(text.strip("\n") if element.tag == "pre" else " ".join(text.split()))

    def _table(self, element: HtmlElement) -> None:
        raw = read_table(element)
        grid = make_grid(raw.rows, header_rows=raw.header_rows, caption=raw.caption)
        if grid is None:
            self._writer.prose("\n".join(" ".join(row) for row in raw.rows))
        else:
            self._writer.table(with_notes(grid, list(_notes_after(element))))


def _pieces(element: HtmlElement) -> Iterator[HtmlElement | str]:
    if element.text:
        yield element.text
    for child in element:
        if isinstance(child.tag, str):
            yield child
        if child.tail:
            yield child.tail


def _wraps_table(element: HtmlElement) -> bool:
    return element.tag != "table" and element.find(".//table") is not None


def _items(element: HtmlElement) -> Iterator[str]:
    for item in element.iter("li", "dt", "dd"):
        own = " ".join(text_of(item, without=("ul", "ol")).split())
        if own:
            depth = sum(1 for parent in item.iterancestors("ul", "ol")) - 1
            yield f"{'  ' * max(0, depth)}- {own}"


def _notes_after(element: HtmlElement) -> Iterator[Note]:
    """Footnotes: lines that open with a mark, behind the table and before the next table or heading."""
    seen = 0
    for following in element.xpath(
        "following::*[self::p or self::li or self::div or self::small or self::h2 or self::h3 or self::table]"
    ):
        if following.tag in {"h2", "h3", "table"} or seen >= _NOTE_LINES:
            return
        text = text_of(following)
        note = note_of(" ".join(text.split())) if len(text) < 1000 else None
        seen += bool(text.strip())
        if note:
            yield note
