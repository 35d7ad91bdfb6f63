"""Answers of all shapes, long and odd, for the rendering."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from indexer.types import DocumentId, GenerationId, PassageId
from service.types import Abstention, Answer, Citation, Quote, Statement, Table

_ODD = (
    "see https://example.org/a_(b)?x=1&y=[2], then",
    "(https://example.org/wiki/H100_(chip))",
    "[a page](https://example.org/a|b<c>)",
    "`a < b && c > d`",
    "``code with ` inside``",
    "比較すると帯域幅は二倍です。" * 30,
    "👩🏽‍🔬 measured it 🇩🇪 é",
    "5 < 6 & 7 > 2 *not bold* _or this_",
    "<!channel> <@U123> &amp; &lt;",
    "[broken](not a url",
    "x" * 700,
)


def words(longest: int = 60) -> st.SearchStrategy[str]:
    """Texts with at least one visible character."""
    piece = st.one_of(st.sampled_from(_ODD), st.text(min_size=1, max_size=80))
    return (
        st.lists(piece, min_size=1, max_size=longest)
        .map(" ".join)
        .filter(lambda text: bool(text.strip()))
    )


def quote(n: int) -> Quote:
    return Quote(document_id=DocumentId("d"), start=n * 10, end=n * 10 + 9)


class Maker:
    """Answers from a pool of texts: the texts are hypothesis's, how many of which is a seed's."""

    def __init__(self, pool: list[str], seed: int) -> None:
        self._pool = pool
        self._dice = Random(seed)  # noqa: S311

    def answer(self) -> Answer:
        """An answer with up to 60 statements, 60 citations and a table of 120 rows."""
        cited = tuple(self._citation(n) for n in range(1, self._dice.randint(1, 60)))
        said = tuple(
            Statement(text=self._text(20), quotes=self._quotes(len(cited)))
            for _ in range(self._dice.choice((0, 1, 3, 10, 60)))
        )
        return Answer(
            id="request-1",
            question=self._text(2),
            kind="answer",
            intent="lookup",
            text="\n\n".join(each.text for each in said),
            statements=said,
            citations=cited,
            retrieved=(),
            generation=GenerationId("g"),
            timings_ms={},
            table=self._dice.choice((None, self._table())),
            abstention=self._dice.choice((None, self._abstention())),
            rewritten=self._dice.choice(("", "the question in full")),
        )

    def _text(self, most: int) -> str:
        return " ".join(self._dice.choices(self._pool, k=self._dice.randint(1, most)))

    def _quotes(self, citations: int) -> tuple[Quote, ...]:
        known = range(1, citations + 1)
        return tuple(map(quote, self._dice.sample(known, k=min(5, citations))))

    def _citation(self, n: int) -> Citation:
        return Citation(
            n=n,
            passage_id=PassageId("p"),
            document_id=DocumentId("d"),
            title=self._text(2),
            path="a.md",
            url=self._dice.choice(("", "https://example.org/a_(b)|c<d>?e=f&g=[h]")),
            kind="guidance",
            as_of="2026-01-01",
            heading_path=(),
            page=None,
            quote=self._text(4),
            start=n * 10,
            end=n * 10 + 9,
        )

    def _abstention(self) -> Abstention:
        names = tuple(self._text(1) for _ in range(self._dice.randint(0, 10)))
        return Abstention(code="needs_detail", why=self._text(5), ask=self._text(5), choices=names)

    def _table(self) -> Table:
        columns, rows = self._dice.randint(1, 22), self._dice.randint(1, 120)
        cell = self._dice.choice(("", "80 GB", "a | b < c", "帯域", "y" * 90))
        return Table(
            header=("h",) * columns,
            rows=(Statement(text="row", quotes=(quote(1),)),) * rows,
            cells=((cell,) * columns,) * rows,
        )


def answers() -> st.SearchStrategy[Answer]:
    pool = st.lists(words(3), min_size=1, max_size=6)
    return st.builds(Maker, pool, st.integers(0, 2**32)).map(Maker.answer)
