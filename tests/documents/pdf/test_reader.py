"""PDF: text, pages, boxes, margins, and files that are damaged, locked or scanned."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.doubling.shown_files import with_resources
from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.document import MarkKind, TextSource
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from fourcorners.text.span import Span
from tests.documents.conftest import FONT, lay_out, show, stream

PICTURE = b"q 612 0 0 792 0 0 cm /Im1 Do Q"
CLAUSE = "The Supplier shall deliver the goods within ten days of each order."


def filled(number: int) -> list[tuple[float, float, str]]:
    """A page with a header, a numbered footer and text of its own between."""
    body = [(72, 600 - 14 * i, f"{CLAUSE} Line {number}{chr(97 + i)}") for i in range(5)]
    return [(72, 760, "Project Alder - Confidential"), *body, (300, 30, f"Page {number} of 4")]


def test_pages_tile_the_text(make_pdf: Any) -> None:
    document = read_document(make_pdf([(72, 700, CLAUSE)], [(72, 700, "Second page")]))
    assert document.text == f"{CLAUSE}\nSecond page\n"
    assert [page.span.text_in(document.text) for page in document.pages] == [
        f"{CLAUSE}\n",
        "Second page\n",
    ]
    assert [(page.number, page.width, page.height) for page in document.pages] == [
        (1, 612, 792),
        (2, 612, 792),
    ]
    assert document.page_of(document.text.index("Second")) == 2
    assert not document.warnings


def test_line_ends_have_no_carriage_return(make_pdf: Any) -> None:
    document = read_document(make_pdf([(72, 700, "one"), (72, 680, "two")]))
    assert document.text == "one \ntwo\n"


def test_a_hyphen_at_a_line_end_is_a_hyphen(make_pdf: Any) -> None:
    document = read_document(make_pdf([(72, 700, "a duty of non-"), (72, 686, "competition")]))
    assert re.sub(r"\s", "", document.text) == "adutyofnon-competition"
    (first, second) = span_boxes(Path(document.path), document, Span(0, len(document.text)))
    assert first.y1 <= second.y1 - 10


def test_what_was_typed_into_a_form_is_read(make_pdf: Any) -> None:
    words = b"BT /F1 11 Tf 2 5 Td (Alder Ltd) Tj ET"
    annotation = (
        "/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /F 4"
        " /Rect [100 600 300 620] /AP << /N 20 0 R >> >>]"
    )
    path = make_pdf(
        [(72, 700, "Name of the Supplier:")], page=f"/MediaBox [0 0 612 792] {annotation}"
    )
    form = (
        b"20 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Length %d"
        b" /Resources << /Font << /F1 3 0 R >> >> >>\nstream\n%s\nendstream\nendobj\n"
    ) % (len(words), words)
    data = path.read_bytes()
    start = data.index(b"xref\n")
    table = b"xref\n20 1\n%010d 00000 n \n" % start
    trailer = b"trailer\n<< /Size 21 /Root 1 0 R /Prev %d >>\n" % (start + len(form))
    rest = data[start:].split(b"startxref")[0]
    end = start + len(form) + len(rest)
    path.write_bytes(
        data[:start] + form + rest + table + trailer + b"startxref\n%d\n%%%%EOF\n" % end
    )
    document = read_document(path)
    assert document.text.split() == ["Name", "of", "the", "Supplier:", "Alder", "Ltd"]
    place = document.text.index("Alder")
    (box,) = span_boxes(path, document, Span(place, place + 9))
    assert 100 <= box.x0 < box.x1 <= 300
    assert 792 - 620 <= box.y0 < box.y1 <= 792 - 600


def test_running_headers_and_footers_are_marked_and_kept(make_pdf: Any) -> None:
    document = read_document(make_pdf(*(filled(n) for n in range(1, 5))))
    marked = [(mark.kind, mark.span.text_in(document.text)) for mark in document.marks]
    for number in range(1, 5):
        assert (MarkKind.FOOTER, f"Page {number} of 4") in marked
    assert marked.count((MarkKind.HEADER, "Project Alder - Confidential")) == 4
    assert len(marked) == 8
    assert [mark.span for mark in document.marks] == sorted(mark.span for mark in document.marks)


def test_a_line_that_returns_within_the_page_is_no_header(make_pdf: Any) -> None:
    pages = [[(72, 500, "The same words"), (72, 400, f"Other {chr(97 + n)}")] for n in range(4)]
    assert read_document(make_pdf(*pages)).marks == ()


def test_a_scanned_page_needs_ocr_and_a_blank_one_does_not(make_pdf: Any) -> None:
    document = read_document(make_pdf([(72, 700, CLAUSE)], PICTURE, b""))
    assert [page.source for page in document.pages] == [
        TextSource.TEXT,
        TextSource.NONE,
        TextSource.TEXT,
    ]
    assert document.pages_needing_ocr == (2,)
    assert document.warnings == (
        "Page 2 is without a text layer: text recognition (OCR) is needed.",
    )


def test_a_stamp_on_a_scan_does_not_hide_that_it_needs_ocr(make_pdf: Any) -> None:
    stamped = PICTURE + b" BT /F1 8 Tf 1 0 0 1 20 20 Tm (ALDER-000123) Tj ET"
    document = read_document(make_pdf(stamped))
    assert document.pages_needing_ocr == (1,)
    assert document.text == "ALDER-000123\n"


def test_a_stamped_scan_within_a_form_needs_ocr(tmp_path: Path) -> None:
    picture = stream(
        bytes(3 * 64),
        b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceRGB"
        b" /BitsPerComponent 8",
    )
    form = stream(
        b"0 0 m 9 9 l S 5 5 m 8 8 l S q 612 0 0 792 0 0 cm /Im1 Do Q",
        b"/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
        b" /Resources << /XObject << /Im1 8 0 R >> >>",
    )
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> /XObject << /X 7 0 R >> >> >>"
    )
    pages = b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>"
    drawn = stream(b"/X Do BT /F1 8 Tf 1 0 0 1 20 20 Tm (ALDER-000123) Tj ET")
    path = tmp_path / "scan.pdf"
    path.write_bytes(
        lay_out(
            {
                1: b"<< /Type /Catalog /Pages 2 0 R >>",
                3: b"null",
                4: b"null",
                2: pages,
                5: page,
                6: drawn,
                7: form,
                8: picture,
            }
        )
    )
    assert read_document(path).pages_needing_ocr == (1,)


def test_a_wholly_scanned_file_is_still_a_document(make_pdf: Any) -> None:
    document = read_document(make_pdf(PICTURE, PICTURE))
    assert document.pages_needing_ocr == (1, 2)
    assert not document.text.strip()


def test_a_lone_rule_on_a_blank_page_is_nothing_to_recognise(make_pdf: Any) -> None:
    assert (
        read_document(make_pdf([(72, 700, CLAUSE)], b"72 400 468 1 re f")).pages_needing_ocr == ()
    )
    assert read_document(
        make_pdf([(72, 700, CLAUSE)], b"72 400 300 200 re f")
    ).pages_needing_ocr == (2,)


def test_a_password_is_asked_for(locked_pdf: Path) -> None:
    with pytest.raises(
        InputError, match=r"locked\.pdf: the PDF is protected by a password"
    ) as error:
        read_document(locked_pdf)
    assert "save it without one" in error.value.remedy


def test_a_truncated_file_is_called_so(make_pdf: Any) -> None:
    path = make_pdf(*(filled(n) for n in range(1, 5)))
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(InputError, match="truncated: its end is missing") as error:
        read_document(path)
    assert "Fetch it again" in error.value.remedy


def test_damage_within_a_page_is_warned_of(make_pdf: Any) -> None:
    path = make_pdf(*(filled(n) for n in range(1, 5)))
    data = bytearray(path.read_bytes())
    place = data.index(b"/FlateDecode >>\nstream\n") + 40
    for i in range(8):
        data[place + i] ^= 0x55
    path.write_bytes(data)
    (warning,) = read_document(path).warnings
    assert warning == "The PDF is damaged in 1 of 4 compressed parts: text may be missing."


def test_few_words_on_many_pages_are_warned_of(make_pdf: Any) -> None:
    pages = [[(72, 700, f"word{chr(97 + n)}")] for n in range(4)]
    assert any(
        "text may be missing" in warning for warning in read_document(make_pdf(*pages)).warnings
    )


def test_a_loop_in_the_page_tree_ends(make_pdf: Any) -> None:
    path = make_pdf([(72, 700, CLAUSE)])
    looped = path.read_bytes().replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")
    looped = looped.replace(b"/Count 1 ", b"/Count 9999999 ")
    path.write_bytes(looped)
    with pytest.raises(InputError) as error:
        read_document(path)
    assert error.value.remedy


def test_a_file_of_blank_pages_is_no_contract(make_pdf: Any) -> None:
    with pytest.raises(InputError, match="shows nothing"):
        read_document(make_pdf(b"", b""))


def test_a_box_holds_the_words_and_no_others(make_pdf: Any) -> None:
    path = make_pdf([(100, 700, "alpha beta gamma"), (100, 650, "delta")])
    document = read_document(path)
    start = document.text.index("beta")
    (box,) = span_boxes(path, document, Span(start, start + 4))
    assert box.page == 1
    assert 792 - 700 - 11 <= box.y0 < 792 - 700 < box.y1 <= 792 - 700 + 4
    assert 125 < box.x0 < 130
    assert 150 < box.x1 < 155


def test_a_span_over_lines_and_pages_has_a_box_for_each_line(make_pdf: Any) -> None:
    path = make_pdf([(72, 700, "one"), (72, 680, "two three")], [(72, 700, "four"), (72, 80, "x")])
    document = read_document(path)
    span = Span(document.text.index("two"), document.text.index("four") + 4)
    found = span_boxes(path, document, span)
    assert [box.page for box in found] == [1, 2]
    assert len(span_boxes(path, document, Span(0, len(document.text)))) == 4
    blank = document.text.index(" \n")
    assert span_boxes(path, document, Span(blank, blank + 2)) == []


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_follow_rotation_and_crop(make_pdf: Any, rotation: int) -> None:
    """The box must lie where the ink is when the page is drawn."""
    import pypdfium2

    layout = f"/MediaBox [0 0 612 792] /CropBox [50 100 500 700] /Rotate {rotation}"
    path = make_pdf([(100, 400, "MMMMMMMM")], page=layout)
    document = read_document(path)
    (box,) = span_boxes(path, document, Span(0, 8))
    page = document.pages[0]
    assert (page.width, page.height) == ((450, 600) if rotation % 180 == 0 else (600, 450))
    with pypdfium2.PdfDocument(path) as pdf:
        bitmap = pdf[0].render(scale=1, grayscale=True)
        pixels = bytes(bitmap.buffer)
        inked = [(i % bitmap.stride, i // bitmap.stride) for i, v in enumerate(pixels) if v < 128]
    assert inked
    assert all(box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1 for x, y in inked)
    assert (box.x1 - box.x0) * (box.y1 - box.y0) < 90 * 16


def test_boxes_refuse_another_file(make_pdf: Any) -> None:
    path = make_pdf([(72, 700, "before")])
    document = read_document(path)
    make_pdf([(72, 700, "after")])
    with pytest.raises(InputError, match="has changed since it was read"):
        span_boxes(path, document, Span(0, 3))


def letters(words: str) -> str:
    return "".join(re.findall(r"[^\W_]", words))


@pytest.mark.corpus
def test_boxes_in_real_files_hold_the_words(corpus: Path) -> None:
    import pypdfium2

    chance = random.Random(7)
    for path in sorted((corpus / "cuad" / "pdf").iterdir())[::6]:
        document = read_document(path)
        words = [Span(*found.span()) for found in re.finditer(r"\S+", document.text)]
        with pypdfium2.PdfDocument(path) as pdf:
            for _ in range(10):
                first = chance.randrange(len(words))
                last = min(first + chance.randrange(60), len(words) - 1)
                span = Span(words[first].start, words[last].end)
                seen = []
                for box in span_boxes(path, document, span):
                    page = pdf[box.page - 1]
                    height = page.get_height()
                    seen.append(
                        page.get_textpage().get_text_bounded(
                            box.x0 + 0.3, height - box.y1 + 0.3, box.x1 - 0.3, height - box.y0 - 0.3
                        )
                    )
                assert letters("".join(seen)) == letters(span.text_in(document.text))


@pytest.mark.parametrize(
    ("entries", "is_refused"),
    [
        ("/XStep 8 /YStep 8", False),
        ("/XStep .01 /YStep .01", True),
        ("/YStep -1 /XStep 1 /Matrix [.01 0 0 .01 0 0]", True),
        ("/XStep .01 /YStep .01 /Matrix [100 0 0 100 0 0]", False),
    ],
)
def test_a_pattern_that_repeats_without_end_is_refused(
    tmp_path: Path, entries: str, *, is_refused: bool
) -> None:
    pattern = (
        f"/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 8 8] {entries} /Resources << >>"
    )
    drawn = f"/Pattern cs /P scn 0 0 612 792 re f 0 g BT /F1 9 Tf 72 700 Td ({CLAUSE}) Tj ET"
    data = with_resources(
        drawn.encode(),
        "/Font << /F1 3 0 R >> /Pattern << /P 6 0 R >>",
        [stream(b"0 0 1 1 re f", pattern.encode())],
    )
    (tmp_path / "a.pdf").write_bytes(data)
    if is_refused:
        with pytest.raises(InputError, match="a pattern in it repeats without end"):
            read_document(tmp_path / "a.pdf")
    else:
        assert CLAUSE in read_document(tmp_path / "a.pdf").text


@pytest.mark.parametrize(
    ("labels", "cited", "warnings"),
    [
        (b"<< /Nums [0 << /P <FEFF202E0041> >>] >>", "⟦U+202E⟧A", 0),
        (b"<< /Kids [7 0 R] >>", 1, 1),  # its list of labels is part of itself
        (b"7 0 R", 1, 1),
    ],
)
def test_page_labels_are_read_with_care(
    labels: bytes, cited: str | int, warnings: int, tmp_path: Path
) -> None:
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R /PageLabels %s >>" % labels,
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        3: FONT,
        4: stream(show([(72, 700, CLAUSE)])),
        5: (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>"
        ),
        7: b"<< /Kids [8 0 R] /Limits [0 9] >>",
        8: b"<< /Kids [7 0 R] /Limits [0 9] >>",
    }
    (tmp_path / "a.pdf").write_bytes(lay_out(objects))
    document = read_document(tmp_path / "a.pdf")
    assert [page.cited for page in document.pages] == [cited]
    assert len(document.warnings) == warnings


def test_pages_are_cited_by_their_printed_labels() -> None:
    document = read_document(Path(__file__).parents[1] / "cases" / "page-labels.pdf")
    assert [page.number for page in document.pages] == [1, 2, 3, 4]
    assert [page.cited for page in document.pages] == ["i", "ii", 1, 2]
    assert document.page_of(document.text.index("2. Repayment. The")) == 2
