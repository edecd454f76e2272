"""Columns: read one after the other, however they were drawn; tables and forms stay as they are."""

from __future__ import annotations

from typing import Any

import pytest

from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span
from tests.documents.conftest import show

LEFT = (
    "The Supplier delivers the goods in the",
    "places that the orders name, and bears",
    "the risk of each journey until the goods",
    "have been set down there and counted by",
    "a person whom the Buyer has named to it",
    "in writing. A count that is not disputed",
    "within ten days is final and binds both.",
    "Goods refused are carried back for free.",
)
RIGHT = (
    "The Buyer pays each invoice within thirty",
    "days of its date, in the currency that it",
    "states, and without any deduction unless",
    "the law asks for one. Late amounts carry",
    "interest at four per cent a year from the",
    "day on which they fell due until they are",
    "paid, both before and after any judgment.",
    "A disputed amount is paid when it is due.",
)
HEADLINE = (
    72,
    720,
    "Terms of trade, which run over the whole width of the page as a headline does",
)
Lines = list[tuple[float, float, str]]


def columns(*, across: bool) -> Lines:
    left = [(72.0, 680.0 - 14 * i, words) for i, words in enumerate(LEFT)]
    right = [(330.0, 680.0 - 14 * i, words) for i, words in enumerate(RIGHT)]
    if not across:
        return [*left, *right]
    return [piece for pair in zip(left, right, strict=True) for piece in pair]


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("headline", [False, True])
def test_columns_are_read_one_after_the_other(make_pdf: Any, across: bool, headline: bool) -> None:
    lines = ([HEADLINE] if headline else []) + columns(across=across)
    closing = (72, 500, "Signed in two copies, one of which each of the parties to it keeps safe")
    text = read_document(make_pdf([*lines, closing])).text
    assert [line.strip() for line in text.splitlines()] == [
        *([HEADLINE[2]] if headline else []),
        *LEFT,
        *RIGHT,
        closing[2],
    ]


@pytest.mark.parametrize("sideways", [False, True])
def test_boxes_follow_the_words_into_their_column(make_pdf: Any, sideways: bool) -> None:
    """On a page turned by a quarter, what is drawn sideways is shown upright."""
    content, top, layout = show(columns(across=True)), 792, "/MediaBox [0 0 612 792]"
    if sideways:
        content = b"0 1 -1 0 792 0 cm\n" + content
        layout = "/MediaBox [0 0 792 612] /Rotate 90"
    path = make_pdf(content, page=layout)
    document = read_document(path)
    assert (document.pages[0].width, document.pages[0].height) == (612, 792)
    words = f"{LEFT[6]}\n{LEFT[7]}"
    start = document.text.index(words)
    upper, lower = span_boxes(path, document, Span(start, start + len(words)))
    assert upper.x0 == pytest.approx(72, abs=1)
    assert upper.x1 < 330
    baseline = top - 680 + 14 * 6
    assert baseline - 12 < upper.y0 < baseline < upper.y1 < lower.y1 < baseline + 14 + 4
    whole = Span(document.text.index(LEFT[7]), document.text.index(RIGHT[0]) + len(RIGHT[0]))
    assert len(span_boxes(path, document, whole)) == 2


def test_a_table_drawn_row_by_row_keeps_its_rows(make_pdf: Any) -> None:
    rows = [("Goods", "Price"), ("Bolts of steel, M8", "40"), ("Nuts", "35"), ("Oil", "12")] * 3
    lines = [
        (x, 700.0 - 14 * i, words)
        for i, row in enumerate(rows)
        for x, words in zip((72.0, 330.0), row, strict=True)
    ]
    text = read_document(make_pdf(lines)).text
    assert " ".join(text.splitlines()[1].split()) == "Bolts of steel, M8 40"


def test_addresses_beside_their_captions_keep_their_rows(make_pdf: Any) -> None:
    left = ["If to the Supplier:", "with a copy, which is no", "notice of itself, to:"] * 3
    right = ["Alder Limited", "14 Wharf Street", "Kingsport, second floor of the east wing"] * 3
    lines = [
        (x, 700.0 - 14 * i, words)
        for i, row in enumerate(zip(left, right, strict=True))
        for x, words in zip((72.0, 300.0), row, strict=True)
    ]
    text = read_document(make_pdf(lines)).text
    assert text.splitlines()[0].strip() == "If to the Supplier: Alder Limited"


def test_pages_still_tile_and_characters_are_only_moved(make_pdf: Any) -> None:
    document = read_document(make_pdf(columns(across=True), columns(across=False)))
    first, second = (page.span.text_in(document.text) for page in document.pages)
    assert sorted(first.split()) == sorted(second.split())
    assert first.split() == second.split()
    assert document.pages[-1].span.end == len(document.text)
