import io
from importlib.util import find_spec

import pytest

from tests.indexer.parsing.papers import parsed, pdf_sheet, rows_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("rapidocr") is None, reason="the extra ocr is not installed"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("borders", ["ALL", "NONE"])
def test_a_picture_of_a_table_gives_its_rows(borders):
    import pypdfium2 as pdfium

    page = pdfium.PdfDocument(pdf_sheet(borders=borders))[0]
    stream = io.BytesIO()
    page.render(scale=2).to_pil().crop((0, 0, 1224, 500)).save(stream, "PNG")

    rows = rows_of(parsed("x100.png", stream.getvalue()))

    assert "GPU Memory Bandwidth; X100 PCIe: 2TB/s; X100 SXM: 2.4TB/s" in rows


def test_a_page_without_text_is_read_as_a_picture_under_its_number():
    import pypdfium2 as pdfium
    from fpdf import FPDF

    picture = pdfium.PdfDocument(pdf_sheet())[0].render(scale=2).to_pil()
    pdf = FPDF(format="Letter")
    pdf.add_page()
    pdf.image(picture, x=0, y=0, w=pdf.w)

    document = parsed("scan.pdf", bytes(pdf.output()))

    assert {block.page for block in document.blocks} == {1}
    assert any("machine learning" in document.text[b.start : b.end] for b in document.blocks)
