import pytest

from indexer.errors import CorpusError
from tests.indexer.parsing.papers import SHEET, parsed, pdf_sheet, rows_of


@pytest.mark.parametrize("borders", ["HORIZONTAL_LINES", "ALL", "MINIMAL", "NONE"])
def test_a_table_keeps_its_rows_under_any_kind_of_ruling(borders):
    rows = rows_of(parsed("x100.pdf", pdf_sheet(borders=borders)))

    assert "GPU Memory; X100 PCIe: 48GB HBM3; X100 SXM: 64GB HBM3" in rows
    assert len(rows) == len(SHEET) - 1


def test_a_footnote_stands_in_the_rows_that_carry_its_mark_and_only_there():
    rows = rows_of(parsed("x100.pdf", pdf_sheet()))

    assert [row for row in rows if "With sparsity" in row] == [
        "BF16 Tensor Core*; X100 PCIe: 1,200 TFLOPS; X100 SXM: 1,400 TFLOPS; [*] With sparsity"
    ]


def test_every_block_names_its_page_and_its_span_is_its_text():
    document = parsed("x100.pdf", pdf_sheet())

    assert document.title == "Acme X100 Tensor Core GPU"
    assert {block.page for block in document.blocks} == {1}
    assert all(document.text[block.start : block.end].strip() for block in document.blocks)


def test_a_table_over_two_pages_is_stitched_and_its_rows_keep_their_pages():
    many = [
        SHEET[0],
        *((f"Feature {number}", f"{number} units", f"{number + 1} units") for number in range(60)),
    ]

    blocks = [
        block for block in parsed("long.pdf", pdf_sheet(many)).blocks if block.kind == "table"
    ]

    assert [block.page for block in blocks] == list(range(1, len(blocks) + 1))
    assert sum(len(block.rows) for block in blocks) == 60
    assert {block.header for block in blocks} == {SHEET[0]}


def test_columns_of_prose_are_read_one_after_the_other():
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    left = "The left column speaks of memory and it goes on for some lines of text. " * 5
    right = "The right column speaks of power and it goes on for some lines as well. " * 5
    with pdf.text_columns(ncols=2, gutter=10) as columns:
        columns.write(left)
        columns.new_column()
        columns.write(right)

    text = parsed("two.pdf", bytes(pdf.output())).text

    assert text.index("right column") > text.rindex("left column")


def test_a_cut_off_pdf_is_refused():
    with pytest.raises(CorpusError, match="damaged"):
        parsed("cut.pdf", pdf_sheet()[:400])


def test_an_encrypted_pdf_is_refused_by_name():
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_encryption(owner_password="owner", user_password="secret")  # noqa: S106
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    pdf.cell(text="hidden")

    with pytest.raises(CorpusError, match="encrypted"):
        parsed("locked.pdf", bytes(pdf.output()))


def test_a_pdf_without_text_is_a_failure():
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()

    with pytest.raises(CorpusError, match="nothing to read"):
        parsed("blank.pdf", bytes(pdf.output()))
