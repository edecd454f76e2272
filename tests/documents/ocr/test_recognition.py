"""Text recognition: what is put where in the document, and what happens without or against it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents import install_hints
from fourcorners.documents.document import MarkKind, TextSource, format_page_numbers
from fourcorners.documents.ocr import engines as ocr_engines
from fourcorners.documents.ocr import recognition as ocr
from fourcorners.documents.ocr.engines import (
    GreyImage,
    OcrEngine,
    OcrEngineError,
    RecognisedPage,
    RecognisedWord,
    Tesseract,
    group_into_lines,
)
from fourcorners.documents.ocr.image_cleanup import remove_rules, whiten_background
from fourcorners.documents.ocr.label_repair import order_lines, repair_labels, reread_labels
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span

CLAUSE = "The Supplier shall deliver the goods to the warehouse of the Customer within ten days."
PICTURE = b"q 500 0 0 700 50 50 cm /Im1 Do Q"


def word(text: str, x0: float, y0: float, sure: float = 0.9, height: float = 20) -> RecognisedWord:
    return RecognisedWord(text, x0, y0, x0 + 12 * len(text), y0 + height, sure)


class Fake:
    """An engine that sees what it is told to, page by page; an error is raised."""

    name = "fake/1"

    def __init__(self, *pages: RecognisedPage | OcrEngineError, turned: int = 0) -> None:
        self.pages = list(pages)
        self.turned = turned
        self.pictures: list[GreyImage] = []

    def read(self, picture: GreyImage) -> RecognisedPage:
        self.pictures.append(picture)
        page = (
            self.pages.pop(0) if self.pages else RecognisedPage(picture.width, picture.height, ())
        )
        if isinstance(page, OcrEngineError):
            raise page
        return page

    def read_file(self, data: bytes) -> list[RecognisedPage]:  # noqa: ARG002
        return [page for page in self.pages if isinstance(page, RecognisedPage)]

    def detect_rotation(self, picture: GreyImage) -> int:  # noqa: ARG002
        return self.turned


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(engine: Fake, *, few: int = 0) -> Fake:
        monkeypatch.setattr(ocr, "MIN_UPRIGHT_WORDS", few)
        monkeypatch.setattr(ocr, "find_ocr_engine", lambda: engine)
        return engine

    return install


def seen(*lines: tuple[RecognisedWord, ...]) -> RecognisedPage:
    return RecognisedPage(1700, 2200, lines)


def test_words_go_where_their_page_stands_with_boxes_in_points(make_pdf: Any, use: Any) -> None:
    use(Fake(seen((word("Change", 200, 100, 0.9), word("of", 300, 100, 0.7)))))
    document = read_document(make_pdf([(72, 700, CLAUSE)], PICTURE, [(72, 700, "After")]))
    first, second, third = document.pages
    assert second.span.text_in(document.text) == "Change of\n"
    assert (first.source, second.source, third.source) == (
        TextSource.TEXT,
        TextSource.OCR,
        TextSource.TEXT,
    )
    assert (first.confidence, second.confidence) == (None, 0.8)
    assert third.span.text_in(document.text).strip() == "After"
    assert first.span.end == second.span.start
    assert second.span.end == third.span.start
    change, of = document.words
    assert change.span.text_in(document.text) == "Change"
    assert (change.box.page, change.box.x0, change.box.y0) == (2, 72.0, 36.0)
    assert (change.box.x1, change.box.y1) == (97.92, 43.2)
    assert document.confidence(Span(change.span.start, of.span.end)) == pytest.approx(0.8)
    assert document.reader.endswith("+fake/1")
    assert document.pages_needing_ocr == ()
    assert document.warnings == ("Page 2 was read by OCR, with a mean confidence of 80%.",)


def test_without_an_engine_or_switched_off_the_page_says_what_it_needs(
    make_pdf: Any, use: Any
) -> None:
    path = make_pdf([(72, 700, CLAUSE)], PICTURE)
    assert read_document(path).pages_needing_ocr == (2,)
    assert install_hints.TESSERACT in ocr.ocr_remedy(OcrOptions())
    engine = use(Fake())
    document = read_document(path, OcrOptions(enabled=False))
    assert document.pages_needing_ocr == (2,)
    assert engine.pictures == []
    assert "switched off" in document.warnings[-1]
    assert "the setting `ocr`" in ocr.ocr_remedy(OcrOptions(enabled=False))
    assert "`seconds`" in ocr.ocr_remedy(OcrOptions())


def test_a_page_with_text_is_never_drawn(make_pdf: Any, use: Any) -> None:
    engine = use(Fake())
    assert read_document(make_pdf([(72, 700, CLAUSE)])).words == ()
    assert engine.pictures == []


def test_a_failure_leaves_its_page_and_no_other(make_pdf: Any, use: Any) -> None:
    use(Fake(OcrEngineError("it took more than 60 seconds"), seen((word("Two", 10, 10),))))
    document = read_document(make_pdf(PICTURE, PICTURE))
    assert document.pages_needing_ocr == (1,)
    assert document.text.strip() == "Two"
    assert document.warnings[-1] == "Page 1: not read by OCR: it took more than 60 seconds."


def test_the_time_for_one_file_is_limited(make_pdf: Any, use: Any) -> None:
    use(Fake())
    document = read_document(make_pdf(PICTURE, PICTURE), OcrOptions(seconds=-1))
    assert document.pages_needing_ocr == (1, 2)
    assert "Pages 1-2: not read by OCR: the time" in document.warnings[-1]


def test_a_picture_without_words_is_no_lack(make_pdf: Any, use: Any) -> None:
    use(Fake())
    document = read_document(make_pdf([(72, 700, CLAUSE)], PICTURE))
    assert document.pages_needing_ocr == ()
    assert document.pages[1].confidence is None
    assert document.warnings == ("Page 2: OCR found no words there.",)


def test_a_stamp_that_says_more_than_the_picture_stays(make_pdf: Any, use: Any) -> None:
    use(Fake(seen((word("AL", 20, 2100),))))
    stamped = PICTURE + b" BT /F1 8 Tf 1 0 0 1 20 20 Tm (ALDER-000123) Tj ET"
    document = read_document(make_pdf(stamped))
    assert document.text == "ALDER-000123\n"
    assert document.pages[0].source is TextSource.TEXT


def test_a_page_on_its_side_is_turned_and_its_boxes_turned_back(make_pdf: Any, use: Any) -> None:
    doubtful = seen((word("8utqf", 10, 10, 0.2),))
    upright = RecognisedPage(2200, 1700, ((word("Upright", 300, 50, 0.95),),))
    engine = use(Fake(doubtful, doubtful, upright, turned=90))
    document = read_document(make_pdf(PICTURE))
    assert document.text == "Upright\n"
    assert [(each.width, each.height) for each in engine.pictures] == [
        (1700, 2200),
        (1700, 2200),
        (2200, 1700),
    ]
    (box,) = [each.box for each in document.words]
    # What is 50 to 70 pixels from the top of the turned page is as far from the left of this one.
    assert (box.x0, box.x1) == (18.0, 25.2)
    assert box.y0 == pytest.approx(792 - 384 * 0.36)
    assert box.y1 == pytest.approx(792 - 300 * 0.36)


def test_running_lines_of_scanned_pages_are_marked(make_pdf: Any, use: Any) -> None:
    pages = [
        seen(
            (word("Alder", 200, 50), word("Supply", 300, 50)),
            (word(f"Clause{number}", 200, 900),),
            (word("Page", 200, 2150), word(str(number), 300, 2150)),
        )
        for number in range(1, 5)
    ]
    use(Fake(*pages))
    document = read_document(make_pdf(*[PICTURE] * 4))
    marked = [(mark.kind, mark.span.text_in(document.text)) for mark in document.marks]
    assert marked.count((MarkKind.HEADER, "Alder Supply")) == 4
    assert (MarkKind.FOOTER, "Page 3") in marked
    assert len(marked) == 8


def test_labels_that_stand_apart_come_before_their_words() -> None:
    lines = [
        (word("1.1", 100, 100),),
        (word("1.2", 100, 200),),
        (word("The", 300, 102), word("Supplier", 350, 102)),
        (word("shall", 300, 130),),
        (word("Fees", 300, 201), word("are", 350, 201)),
        (word("GENERAL", 100, 300),),
    ]
    texts = [" ".join(each.text for each in line) for line in order_lines(lines)]
    assert texts == ["1.1 The Supplier", "shall", "1.2 Fees are", "GENERAL"]


def test_words_are_joined_into_lines() -> None:
    words = [word("b", 300, 103), word("c", 100, 140), word("a", 100, 100)]
    assert [[each.text for each in line] for line in group_into_lines(words)] == [["a", "b"], ["c"]]


def test_a_doubtful_label_is_read_again_close_to_its_words() -> None:
    width, height = 800, 100
    pixels = bytearray([255]) * (width * height)
    for x in (*range(100, 130), *range(200, 400)):  # a label, a gap, and words
        for y in range(40, 60):
            pixels[y * width + x] = 0
    picture = GreyImage(width, height, bytes(pixels))
    line = (
        RecognisedWord("PRN", 100, 40, 130, 60, 0.4),
        RecognisedWord("Supplier", 200, 40, 300, 60, 0.9),
        RecognisedWord("shall", 310, 40, 400, 60, 0.9),
    )
    engine = Fake(RecognisedPage(300, 62, ((word("2.1", 28, 20, 0.7), word("Supp", 70, 20)),)))
    first, *rest = reread_labels(
        picture, RecognisedPage(width, height, (line,)), engine.read
    ).lines[0]
    assert (first.text, first.confidence, first.x0, first.x1) == ("2.1", 0.7, 100, 130)
    assert tuple(rest) == line[1:]
    again = Fake(RecognisedPage(300, 62, ((word("Fax", 28, 20), word("Supp", 70, 20)),)))
    kept = reread_labels(picture, RecognisedPage(width, height, (line,)), again.read)
    assert kept.lines == (line,)  # what is no label changes nothing
    sure = (RecognisedWord("2.1", 100, 40, 130, 60, 0.95), *line[1:])
    never = Fake()
    reread_labels(picture, RecognisedPage(width, height, (sure,)), never.read)
    assert never.pictures == []


def starts(read_as: list[str]) -> list[str]:
    lines = [(word(start, 100, 100), word("Fees", 200, 100)) for start in read_as]
    return [line[0].text for line in repair_labels(lines)]


@pytest.mark.parametrize(
    ("read_as", "meant"),
    [
        (["|.", "1.1", "12", "14", "2.1", "31"], ["1.", "1.1", "1.2", "14", "2.1", "3.1"]),
        (["I.", "II.", "III."], ["I.", "II.", "III."]),
        (["i.", "2.", "3."], ["1.", "2.", "3."]),
        (["*", "¢", "*"], ["•", "•", "•"]),
        (["*", "2."], ["*", "2."]),
        (["1", "2.", "3."], ["1.", "2.", "3."]),
        (["I.", "1.", "2."], ["I.", "1.", "2."]),
        (["1;", "2.", "3:", "4.", "5", "7"], ["1.", "2.", "3.", "4.", "5.", "7"]),
        (["9.", "lO.", "Il.", "12,"], ["9.", "10.", "11.", "12."]),
        (["A.", "B.", "c.", "D."], ["A.", "B.", "C.", "D."]),
        (["a.", "b.", "c."], ["a.", "b.", "c."]),
        (["1", "Seven", "|", "a"], ["1", "Seven", "|", "a"]),
        (["30", "31"], ["30", "31"]),
    ],
)  # fmt: skip
def test_lost_marks_of_labels_are_put_back_in_order(read_as: list[str], meant: list[str]) -> None:
    assert starts(read_as) == meant


def test_a_label_alone_is_not_mended_and_that_of_a_section_is() -> None:
    alone = [(word("3.3", 1, 1), word("Fees", 9, 1)), (word("34", 1, 1),)]
    assert repair_labels(alone) == alone
    sections = [
        (word("Section", 1, 1), word(number, 9, 1), word("Sale", 20, 1)) for number in ("3.", "4,")
    ]
    assert [line[1].text for line in repair_labels(sections)] == ["3.", "4."]


def test_underlines_go_and_letters_stay() -> None:
    width, height = 120, 40
    pixels = bytearray([240]) * (width * height)
    for y in range(10, 35):  # a letter that crosses the line, and one that stands on it
        pixels[y * width + 40] = pixels[y * width + 41] = 20
    for y in range(10, 24):
        pixels[y * width + 60] = 20
    for x in range(20, 100):
        pixels[25 * width + x] = pixels[26 * width + x] = 20
    left = remove_rules(GreyImage(width, height, bytes(pixels))).pixels
    assert set(left[25 * width + 70 : 26 * width]) == {240}
    assert {left[y * width + 40] for y in range(10, 35)} == {20}
    assert {left[y * width + 60] for y in range(10, 24)} == {20}
    block = GreyImage(width, height, bytes([20]) * (width * height))
    assert remove_rules(block).pixels == block.pixels
    short = bytearray([240]) * (width * height)
    short[500:540] = bytes([20]) * 40
    assert remove_rules(GreyImage(width, height, bytes(short))).pixels == bytes(short)


def test_a_page_that_gives_little_is_cleaned_and_read_again(make_pdf: Any, use: Any) -> None:
    little = seen((word("Ex", 200, 100, 0.9),))
    more = seen((word("SUPPLY", 200, 100, 0.8), word("AGREEMENT", 300, 100, 0.9)))
    engine = use(Fake(little, more), few=60)
    assert read_document(make_pdf(PICTURE)).text == "SUPPLY AGREEMENT\n"
    assert len(engine.pictures) == 2
    use(Fake(more, little), few=60)
    assert read_document(make_pdf(PICTURE)).text == "SUPPLY AGREEMENT\n"


def test_the_grain_of_paper_becomes_white_and_ink_stays_dark() -> None:
    grey = bytes([30] + [232, 240, 236, 244, 238] * 20) * 6
    made = whiten_background(GreyImage(101, 6, grey)).pixels
    assert set(made[1:101]) == {255}
    assert made[0] < 40
    black = GreyImage(60, 10, bytes([20, 25, 250] * 200))
    assert whiten_background(black) is black


def test_pages_are_named_as_a_person_would() -> None:
    assert format_page_numbers([3]) == "Page 3"
    assert format_page_numbers([1, 2, 3, 5, 8, 9]) == "Pages 1-3, 5, 8-9"


def test_a_program_that_fails_says_so(tmp_path: Path) -> None:
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\necho 'Error opening data file' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(OcrEngineError, match="Error opening data file"):
        Tesseract(str(program), "5").read(GreyImage(1, 1, b"\0"))
    assert ocr_engines._tesseract_version(str(program)) == ""
    with pytest.raises(OcrEngineError, match="does not start"):
        Tesseract(str(tmp_path / "none"), "5").read(GreyImage(1, 1, b"\0"))


def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(ocr_engines, "PAGE_SECONDS", 0.2)
    start = time.monotonic()
    with pytest.raises(OcrEngineError, match=r"more than 0\.2 seconds"):
        Tesseract(str(program), "5").read(GreyImage(1, 1, b"\0"))
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("table", [b"level\n1\n", b"level\tleft\n5\tx\n"])
def test_an_answer_that_is_no_table_is_a_failure(table: bytes) -> None:
    with pytest.raises(OcrEngineError, match="not a table"):
        list(ocr_engines._parse_pages(table))


def test_the_scan_of_the_data_room_is_read(engine: OcrEngine, dataroom: Path) -> None:
    document = read_document(dataroom / "14-sorrel-trade-mark-licence.pdf")
    assert document.pages_needing_ocr == ()
    assert document.reader.endswith(f"+{engine.name}")
    assert "passes under the control of any person who did\nnot control it" in document.text
    for page in document.pages:
        assert page.source is TextSource.OCR
        assert page.confidence is not None
        assert page.confidence > 0.85
        for each in document.words_in(page.span):
            assert 0 <= each.box.x0 < each.box.x1 <= page.width
            assert 0 <= each.box.y0 < each.box.y1 <= page.height
    if engine.name.startswith("tesseract"):
        starts = {line.split(" ")[0] for line in document.text.splitlines()}
        assert {"1.", "1.1", "2.", "2.1", "7.", "7.1", "7.2", "9.1", "10.", "10.3"} <= starts


def test_a_picture_file_is_a_document_of_one_page(
    engine: OcrEngine, tmp_path: Path, make_pdf: Any
) -> None:
    path = tmp_path / "clause.pnm.png"
    path.write_bytes(drawn(make_pdf([(72, 700, CLAUSE)])))
    document = read_document(path)
    assert document.media_type == "image"
    assert document.text == f"{CLAUSE}\n"
    (page,) = document.pages
    assert (page.source, round(page.width), round(page.height)) == (TextSource.OCR, 612, 792)
    assert engine.name in document.reader


def test_a_damaged_picture_is_told(engine: OcrEngine, tmp_path: Path) -> None:
    path = tmp_path / "broken.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    document = read_document(path)
    assert engine.name not in document.reader
    assert document.pages_needing_ocr == (1,)
    assert "Page 1: not read by OCR: " in document.warnings[-1]


def drawn(pdf: Path) -> bytes:
    """Draw the first page of a PDF at 200 dpi, as a PNG made by hand."""
    import struct
    import zlib

    import pypdfium2

    picture = ocr._draw_page(pypdfium2.PdfDocument(pdf)[0], 200 / 72, 0)
    rows = b"".join(
        b"\0" + picture.pixels[at : at + picture.width]
        for at in range(0, len(picture.pixels), picture.width)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        sum_ = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", sum_)

    head = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    )


def test_tesseract_finds_the_way_up(engine: OcrEngine, make_pdf: Any) -> None:
    if not isinstance(engine, Tesseract):
        pytest.skip("Tesseract is not installed")
    assert subprocess.run(["tesseract", "--list-langs"], check=True, capture_output=True).stdout
    import pypdfium2

    lines = [(72.0, 700.0 - 20 * at, CLAUSE) for at in range(20)]
    sheet = pypdfium2.PdfDocument(make_pdf(lines))[0]
    assert engine.detect_rotation(ocr._draw_page(sheet, 200 / 72, 90)) == 270
    assert engine.detect_rotation(ocr._draw_page(sheet, 200 / 72, 0)) == 0


def test_rapidocr_reads_a_page(make_pdf: Any) -> None:
    pytest.importorskip("rapidocr", reason="the extra `ocr` is not installed")
    import pypdfium2

    sheet = pypdfium2.PdfDocument(make_pdf([(72, 700, CLAUSE)]))[0]
    page = ocr_engines.RapidOcr().read(ocr._draw_page(sheet, 200 / 72, 0))
    assert " ".join(each.text for line in page.lines for each in line) == CLAUSE
