"""Forms and other annotations of PDFs: what they show is read where it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span
from tests.documents.conftest import FONT, lay_out, show, stream

CASES = Path(__file__).parents[1] / "cases"
WIDGET = "/Subtype /Widget /FT"
TEXT, CHOICE, BOX = f"{WIDGET} /Tx", f"{WIDGET} /Ch", f"{WIDGET} /Btn"
RADIO = "/Subtype /Widget /Parent 8 0 R"


def form(
    path: Path,
    lines: Sequence[tuple[float, float, str]],
    annotations: list[tuple[str, str]],
    catalogue: str = "/NeedAppearances true",
    turn: int = 0,
) -> Document:
    """Read a page of lines with annotations, each a rectangle and its entries."""
    first = 9
    ids = " ".join(f"{first + at} 0 R" for at in range(len(annotations)))
    drawn = b"q BT /F1 10 Tf 1 1 Td (%s) Tj ET Q"
    look = b"/Type /XObject /Subtype /Form /BBox [0 0 99 14] /Resources << /Font << /F1 3 0 R >> >>"
    fields = f"/Fields [{ids}] /DR << /Font << /Helv 3 0 R >> >> /DA (/Helv 10 Tf 0 g)"
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R /AcroForm << {fields} {catalogue} >> >>".encode(),
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        3: FONT,
        4: stream(show(lines)),
        5: (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {turn} /Contents 4 0 R"
            f" /Resources << /Font << /F1 3 0 R >> >> /Annots [{ids}] >>"
        ).encode(),
        6: stream(drawn % b"APPROVED", look),
        7: stream(drawn % b"GBP 500,000", look),
        8: b"<< /FT /Btn /T (pay) /Ff 49152 /V /m /Kids [%s] >>" % ids.encode(),
        **{
            first + at: f"<< /Type /Annot /Rect [{rectangle}] {entries} >>".encode()
            for at, (rectangle, entries) in enumerate(annotations)
        },
    }
    path.write_bytes(lay_out(objects))
    return read_document(path)


def rows(document: Document) -> list[str]:
    return [line.strip() for line in document.text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", ["form-appearance.pdf", "form-no-appearance.pdf"])
def test_values_of_a_form_follow_their_labels(name: str) -> None:
    document = read_document(CASES / name)
    assert rows(document)[2:6] == [
        "Lessee: Marrow Quarry Limited",
        "Commencement date: 1 April 2024",
        "Monthly rent: GBP 3,250",
        "Renewal: Automatic for 12 months",
    ]
    assert [mark.kind for mark in document.marks] == [MarkKind.LARGE]  # the title alone
    at = document.text.index("Marrow")
    (box,) = span_boxes(CASES / name, document, Span(at, at + 21))
    assert 200 <= box.x0 < box.x1 <= 420
    assert 99 <= box.y0 < box.y1 <= 118


@pytest.mark.parametrize("turn", [0, 90])
def test_a_line_above_a_field_that_is_no_label_is_not_taken_for_one(
    tmp_path: Path, turn: int
) -> None:
    lines = [(72, 722, f"This Agreement is made {'between the two of us ' * 3}"), (72, 700, "Fee:")]
    fee = ("200 696 400 716", f"{TEXT} /T (a) /V (EUR 100)")
    document = form(tmp_path / "form.pdf", lines, [fee], turn=turn)
    assert sorted(rows(document)) == ["Fee: EUR 100", lines[0][2].strip()]


def test_fields_of_every_kind_have_their_state(tmp_path: Path) -> None:
    lines = [
        (72, 700, "Renewal:"), (150, 700, "Automatic"), (250, 700, "None"), (72, 680, "Pay:"),
        (150, 680, "Monthly"), (250, 680, "Yearly"), (72, 660, "Law:"), (72, 640, "Options:"),
        (72, 600, "Notes"), (72, 520, "The rent is"), (190, 520, "a month."), (72, 500, "1. Law"),
    ]  # fmt: skip
    document = form(
        tmp_path / "form.pdf",
        lines,
        [
            ("135 698 147 710", f"{BOX} /T (a) /V /Yes /AS /Yes"),
            ("235 698 247 710", f"{BOX} /T (b) /V /Off /AS /Off"),
            (
                "135 678 147 690",
                f"{RADIO} /AS /m /AP << /N << /m 6 0 R >> >>",
            ),
            (
                "235 678 247 690",
                f"{RADIO} /AS /Off /AP << /N << /y 6 0 R >> >>",
            ),
            ("120 656 300 672", f"{CHOICE} /T (e) /Ff 131072 /V (n) /Opt [[(n) (New York)]]"),
            ("120 610 300 650", f"{CHOICE} /T (f) /Ff 2097152 /V [(a) (c)] /Opt [(a) (b) (c)]"),
            ("72 540 400 595", f"{TEXT} /T (g) /Ff 4096 /V (First line\\nSecond line)"),
            ("135 516 188 532", f"{TEXT} /V (GBP 3)"),
            ("300 516 400 532", f"{TEXT} /T (h) /F 2 /V (secret)"),
        ],
    )
    assert rows(document) == [
        "Renewal: \u2612 Automatic \u2610 None", "Pay: \u2612 Monthly \u2610 Yearly",
        "Law: New York", "Options: a, c", "Notes", "First line", "Second line",
        "The rent is GBP 3 a month.", "1. Law",
    ]  # fmt: skip
    assert document.warnings == ("It has 1 hidden form value, which is not read.",)


def test_a_field_that_shows_another_value_than_it_stores_is_reported(tmp_path: Path) -> None:
    shown = ("120 698 300 712", f"{TEXT} /T (c) /V (GBP 900,000) /AP << /N 7 0 R >>")
    document = form(tmp_path / "form.pdf", [(72, 700, "Cap:")], [shown], "")
    assert rows(document) == ["Cap: GBP 500,000"]
    assert "“GBP 500,000”, stored as “GBP 900,000”" in document.warnings[0]


def test_words_of_other_annotations_are_read_or_reported(tmp_path: Path) -> None:
    lines = [(72, 700, "1. Secret. The discount is 20%."), (72, 660, "Date:"), (72, 600, "2. Old")]
    document = form(
        tmp_path / "notes.pdf",
        lines,
        [
            ("72 696 240 712", "/Subtype /Redact"),
            ("120 656 200 672", "/Subtype /FreeText /Contents (3 June 2024) /DA (/Helv 10 Tf 0 g)"),
            ("72 620 171 634", "/Subtype /Stamp /AP << /N 6 0 R >>"),
            ("10 10 20 20", "/Subtype /FileAttachment /T (Ann) /Contents (as agreed)"),
            ("70 590 500 614", "/Subtype /StrikeOut"),
        ],
    )
    assert rows(document) == [lines[0][2], "Date: 3 June 2024", "APPROVED", "2. Old"]
    assert [
        (mark.kind, mark.detail, mark.span.text_in(document.text)) for mark in document.marks
    ] == [
        (MarkKind.DELETED, "struck through", "2. Old"),
        (MarkKind.COMMENT, "Ann: as agreed", ""),
    ]
    assert [each.split(",")[0] for each in document.warnings] == [
        "It has words that are struck through",
        "Page 1 has words marked for redaction",
        "It has 1 attached file",
        "It has 1 comment",
    ]


def test_a_clause_struck_out_by_a_long_annotation_is_struck() -> None:
    document = read_document(CASES / "strikeout-long.pdf")
    struck = [each.span for each in document.marks if each.kind is MarkKind.DELETED]
    assert [each.text_in(document.text) for each in struck] == [
        "2. Exclusivity. The Caterer is the only caterer of the School."
    ]


@pytest.mark.parametrize("entry", [b"/Type /Catalog", b"/NeedsRendering true"])
def test_a_form_in_another_format_is_reported(tmp_path: Path, entry: bytes) -> None:
    path = tmp_path / "xfa.pdf"
    form(path, [(72, 700, "Please wait.")], [], "/XFA (<xdp/>)")
    path.write_bytes(path.read_bytes().replace(b"/Type /Catalog", entry))
    assert "It has 1 form in Adobe's format XFA, which is not read." in read_document(path).warnings
    fee = ("72 680 171 694", f"{TEXT} /V (Fee)")  # shown by the form's own fields as well
    assert form(path, [(72, 700, "1.")], [fee], "/XFA (<xdp/>)").warnings == ()
