"""A right answer about an invented card, small enough to check by hand, and ways to spoil it."""

from dataclasses import replace

from eval.cases import Case
from indexer.types import Document, DocumentId, GenerationId, PassageId
from service.types import Answer, Citation, Number, Quote, Statement

TEXT = "The Zeta 9 has 80 GB of HBM3. The Zeta 9 reads its memory at 3350 GB/s."
DOCUMENT = Document(
    id=DocumentId("guidance/zeta"),
    path="guidance/zeta.md",
    title="Zeta cards",
    kind="guidance",
    text=TEXT,
)
DOCUMENTS = {str(DOCUMENT.id): DOCUMENT}
CASE = Case.model_validate(
    {
        "id": "zeta",
        "question": "Memory of the Zeta 9, and how fast is it?",
        "key_facts": [
            {"text": "80 GB", "value": 80, "unit": "GB", "tolerance": 0.01},
            {"text": "3.35 TB/s", "value": 3.35, "unit": "TB/s", "tolerance": 0.01},
            {"text": "HBM"},
        ],
        "any_of": [["hbm3"]],
        "must_not": ["40 gb only", {"value": 2000, "unit": "GB/s", "scope": "as_answer"}],
    }
)


def right_answer() -> Answer:
    """Two statements, each quoting its sentence."""
    return answer_of(
        statement(
            "The Zeta 9 has 80 GB of HBM3.", 0, 29, Number(value=80, unit="GB", origin="cited")
        ),
        statement("The Zeta 9 reads its memory at 3350 GB/s.", 30, len(TEXT)),
    )


def statement(text: str, start: int, end: int, *numbers: Number) -> Statement:
    """A statement that quotes a span of the document."""
    quote = Quote(document_id=DOCUMENT.id, start=start, end=end)
    return Statement(text=text, quotes=(quote,), numbers=numbers)


def answer_of(*statements: Statement) -> Answer:
    """An answer of these statements, each of its quotes a citation."""
    quotes = dict.fromkeys(quote for item in statements for quote in item.quotes)
    return Answer(
        id="1",
        question=CASE.question,
        kind="answer",
        intent="lookup",
        text="\n\n".join(item.text for item in statements),
        statements=statements,
        citations=tuple(_citation(n, quote) for n, quote in enumerate(quotes, start=1)),
        retrieved=(),
        generation=GenerationId("g"),
        timings_ms={},
    )


def with_citation(answer: Answer, *, start: int) -> Answer:
    """The answer with its first citation beginning elsewhere."""
    return replace(
        answer, citations=(replace(answer.citations[0], start=start), *answer.citations[1:])
    )


def _citation(n: int, quote: Quote) -> Citation:
    return Citation(
        n=n,
        passage_id=PassageId("p"),
        document_id=quote.document_id,
        title=DOCUMENT.title,
        path=DOCUMENT.path,
        url="",
        kind=DOCUMENT.kind,
        as_of="",
        heading_path=(),
        page=None,
        quote=TEXT[quote.start : quote.end],
        start=quote.start,
        end=quote.end,
    )
