"""Small documents that tests make themselves."""

from __future__ import annotations

import io
from collections.abc import Sequence

from indexer.parsing import SourceFile, parse_document
from indexer.types import Document

SHEET = (
    ("", "X100 PCIe", "X100 SXM"),
    ("FP32", "10 TFLOPS", "12 TFLOPS"),
    ("BF16 Tensor Core*", "1,200 TFLOPS", "1,400 TFLOPS"),
    ("GPU Memory", "48GB HBM3", "64GB HBM3"),
    ("GPU Memory Bandwidth", "2TB/s", "2.4TB/s"),
    ("Max Thermal Design Power (TDP)", "300W", "450W"),
)


def parsed(path: str, content: bytes | str) -> Document:
    return parse_document(
        SourceFile(path=path, content=content.encode() if isinstance(content, str) else content)
    )


def rows_of(document: Document) -> list[str]:
    return [document.text[start:end] for block in document.blocks for start, end in block.rows]


def pdf_sheet(
    rows: Sequence[Sequence[str]] = SHEET,
    *,
    borders: str = "HORIZONTAL_LINES",
    note: str = "*With sparsity",
    rows_before: int = 0,
) -> bytes:
    """A data sheet: title, a paragraph, a table with a rule below each row, a footnote."""
    from fpdf import FPDF

    pdf = FPDF(format="Letter")
    pdf.add_page()
    pdf.set_font("Helvetica", style="B", size=20)
    pdf.cell(text="Acme X100 Tensor Core GPU", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", size=10)
    pdf.multi_cell(
        w=0,
        text="The X100 is a card for machine learning. It comes in two forms that differ in memory and power.",
        new_x="LMARGIN",
        new_y="NEXT",
    )
    for number in range(rows_before):
        pdf.cell(
            text=f"Line {number} of text above the table, to move it down the page.",
            new_x="LMARGIN",
            new_y="NEXT",
            h=6,
        )
    with pdf.table(borders_layout=borders, repeat_headings=1, line_height=7, width=170) as table:
        for row in rows:
            cells = table.row()
            for cell in row:
                cells.cell(cell)
    pdf.set_font("Helvetica", size=7)
    pdf.cell(text=note, new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


def docx_sheet() -> bytes:
    from docx import Document as new_document

    document = new_document()
    document.add_heading("Acme X100", level=0)
    document.add_heading("Specifications", level=1)
    document.add_paragraph("The card comes in two forms.")
    table = document.add_table(rows=0, cols=3)
    for row in SHEET:
        cells = table.add_row().cells
        for cell, text in zip(cells, row, strict=True):
            cell.text = text
    document.add_paragraph("* With sparsity")
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def xlsx_sheet() -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Cards"
    sheet.append(["Name", "Memory (GB)", "Memory bandwidth (GB/s)", "TDP (W)"])
    sheet.append(["Acme X100", 48, 2000, 300])
    sheet.append(["Acme X200", 96, 4100.5, 600])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()
