"""What the print says beyond the words: tables and their cells, bold and large lines."""

from __future__ import annotations

from typing import Any

from fourcorners.documents.boxes import line_boxes, span_boxes
from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span
from tests.documents.conftest import show

ROWS = (("Goods", "Unit", "Price"), ("Bolts", "box", "400"), ("Nuts of brass", "bag", "35"))


def table(*, ruled: bool, start: float = 600) -> bytes:
    words = [
        (x + 4, start - 20 * i - 14, cell)
        for i, row in enumerate(ROWS)
        for x, cell in zip((72, 252, 362), row, strict=True)
    ]
    content = show([(72, 700, "Prices are as follows:"), *words, (72, 400, "They are fixed.")])
    if not ruled:
        return content
    lines = [f"72 {start - 20 * i} m 452 {start - 20 * i} l S" for i in range(4)]
    lines += [f"{x} {start} m {x} {start - 60} l S" for x in (72, 252, 362, 452)]
    return content + "\n".join(["", *lines]).encode()


def marked(document: Document, kind: MarkKind) -> list[tuple[str, str]]:
    text = document.text
    return [
        (mark.detail, " ".join(mark.span.text_in(text).split()))
        for mark in document.marks
        if mark.kind is kind
    ]


def expect_table(document: Document) -> None:
    assert marked(document, MarkKind.TABLE) == [
        ("3x3", "Goods Unit Price Bolts box 400 Nuts of brass bag 35")
    ]
    assert marked(document, MarkKind.CELL) == [
        (f"{i},{j}", cell) for i, row in enumerate(ROWS, 1) for j, cell in enumerate(row, 1)
    ]


def test_a_ruled_table_is_marked_with_its_cells(make_pdf: Any) -> None:
    expect_table(read_document(make_pdf(table(ruled=True))))


def test_a_ruled_table_in_one_path_is_marked_too(make_pdf: Any) -> None:
    content = table(ruled=True).replace(b" S\n", b"\n")
    expect_table(read_document(make_pdf(b"1 0 0 1 0 0 cm\n" + content)))


def test_a_table_without_rules_is_told_by_its_columns(make_pdf: Any) -> None:
    expect_table(read_document(make_pdf(table(ruled=False))))


def test_numbered_clauses_are_no_table(make_pdf: Any) -> None:
    lines = [
        (x, 700 - 14 * i, words)
        for i in range(6)
        for x, words in ((72, f"{i}."), (108, f"The Buyer does the thing that has number {i}."))
    ]
    assert marked(read_document(make_pdf(show(lines))), MarkKind.TABLE) == []


def test_a_frame_around_text_is_no_table(make_pdf: Any) -> None:
    content = (
        show([(80, 690, "Draft of today"), (80, 676, "Not binding")]) + b"\n72 660 300 50 re S"
    )
    assert marked(read_document(make_pdf(content)), MarkKind.TABLE) == []


def test_bold_words_are_marked_up_to_where_they_end(make_pdf: Any) -> None:
    plain = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    content = (
        b"BT /F1 11 Tf 2 Tr 1 0 0 1 72 700 Tm (1. Term.) Tj 0 Tr ( It runs for a year.) Tj ET\n"
        b"BT /F1 11 Tf 1 0 0 1 72 680 Tm (2. ) Tj 2 Tr (Price.) Tj 0 Tr ( It is fixed.) Tj ET\n"
        b"BT /F1 11 Tf 1 0 0 1 72 660 Tm (Nothing here is bold.) Tj ET"
    )
    document = read_document(make_pdf(content))
    assert marked(document, MarkKind.BOLD) == [("", "1. Term."), ("", "Price.")]
    path = make_pdf(b"BT /F1 11 Tf 1 0 0 1 72 700 Tm (A heading) Tj ET", name="bold.pdf")
    path.write_bytes(path.read_bytes().replace(plain, plain.replace(b"ca /", b"ca-Bold/")))
    assert marked(read_document(path), MarkKind.BOLD) == [("", "A heading")]


def test_large_lines_are_marked(make_pdf: Any) -> None:
    body = show([(72, 600 - 14 * i, "The parties agree on what follows here.") for i in range(6)])
    path = make_pdf(show([(72, 700, "Deed of Gift")], size=18) + b"\n" + body)
    document = read_document(path)
    assert [words for _, words in marked(document, MarkKind.LARGE)] == ["Deed of Gift"]
    (ratio,) = [float(detail) for detail, _ in marked(document, MarkKind.LARGE)]
    assert abs(ratio - 18 / 11) < 0.02


def test_every_line_has_a_box(make_pdf: Any) -> None:
    path = make_pdf(table(ruled=True), table(ruled=False))
    document = read_document(path)
    found = list(line_boxes(path, document, Span(0, len(document.text))))
    words = " ".join(span.text_in(document.text) for span, _ in found).split()
    assert words == document.text.split()
    assert [box for _, box in found] == span_boxes(path, document, Span(0, len(document.text)))


def test_a_box_leaves_out_words_that_stand_between(make_pdf: Any) -> None:
    lines = [(200.0, 700.0, "between"), (72.0, 600.0, "below")]
    lines += [(72.0, 700.0, "left"), (400.0, 700.0, "right")]
    path = make_pdf(show(lines))
    document = read_document(path)
    start = document.text.index("left")
    found = span_boxes(path, document, Span(start, document.text.index("right") + 5))
    assert len(found) == 2
    assert all(not box.x0 < 210 < box.x1 for box in found)
