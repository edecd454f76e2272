"""The PDF report: its words are data, its fonts are in it, and the same report is the same file."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pypdfium2
import pytest

from fourcorners.errors import ConfigError
from fourcorners.reports.chapters import due_diligence, red_flags
from fourcorners.reports.grid import Grid
from fourcorners.reports.lines import is_right_to_left, text_lines
from fourcorners.reports.tree import Report
from fourcorners.reports.writers import pdf
from fourcorners.review.finding import Review, ReviewState
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.reports import spoken

typst = pytest.importorskip("typst", reason="the extra `pdf` is not installed")


@pytest.fixture(scope="module")
def told(review: Review) -> Review:
    return spoken.spoken(review)


@pytest.fixture(scope="module")
def report(told: Review) -> Report:
    return due_diligence(Grid(told), prepared_by="Ada Byron", whole_quotes=True)


@pytest.fixture(scope="module")
def path(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pdf") / "report.pdf"
    pdf.export_pdf(report, made)
    return made


def text_of(path: Path) -> str:
    """Return the letters of a PDF, without what the setting of pages adds or takes."""
    from pdfminer.high_level import extract_text_to_fp

    held = StringIO()
    with path.open("rb") as file:
        extract_text_to_fp(file, held)
    return held.getvalue()


def letters(text: str) -> str:
    return re.sub(r"[\s\u00ad\u200b\x0c\u2010-]+", "", text)


def one_finding(review: Review, words: str) -> Review:
    """Return a review of one contract that is these words."""
    document = replace(review.documents[0], text=words)
    finding = next(f for f in review.findings if f.document == document.id and f.evidence)
    evidence = replace(
        finding.evidence[0], quote=Quote(words, Span(0, len(words)), Match.EXACT),
        clause=Span(0, len(words)),
    )  # fmt: skip
    column = next(c for c in review.columns if c.id == finding.provision)
    return replace(
        review, documents=(document,), columns=(column,),
        findings=(replace(finding, evidence=(evidence,), searched=None),),
    )  # fmt: skip


def test_the_quotes_are_in_it(path: Path, told: Review) -> None:
    text = letters(text_of(path))
    found = missed = 0
    for finding in told.findings:
        if finding.review is ReviewState.REJECTED:
            continue
        for each in finding.evidence:
            # A page may end within a quote: its foot and the next head then stand between.
            pieces = [letters(piece) for piece in re.split(r"(?<=[.,;])\s", each.quote.words)]
            for piece in pieces:
                found += piece in text
                missed += piece not in text
    assert found > 50
    assert missed <= found // 50


def test_it_is_tagged_and_says_what_it_is(path: Path) -> None:
    data = path.read_bytes()
    assert b"/MarkInfo" in data
    assert b"/StructTreeRoot" in data
    assert b"pdfuaid" in data
    with pypdfium2.PdfDocument(path) as document:
        told = document.get_metadata_dict()
        assert told["Title"] == "Project Larch: Due diligence report"
        assert told["Author"] == "Ada Byron"
        assert len(list(document.get_toc())) > 12


def test_the_pages_are_as_few_as_a_partner_reads(
    large_review: Callable[[int], Review], path: Path, told: Review, tmp_path: Path
) -> None:
    rooms = (told, spoken.grave(told), spoken.grave(large_review(40)))
    for number, room in enumerate(rooms):
        made = tmp_path / f"{number}.pdf"
        pdf.export_pdf(red_flags(Grid(room)), made)
        with pypdfium2.PdfDocument(made) as document:
            assert len(document) <= 3  # no quote is cut
    long = tmp_path / "long.pdf"
    pdf.export_pdf(due_diligence(Grid(spoken.grave(large_review(24)))), long)
    for made, contracts in ((path, len(told.documents)), (long, 24)):
        with pypdfium2.PdfDocument(made) as document:
            schedule = next(
                each for each in document.get_toc() if each.get_title().startswith("Schedule A")
            )
            target = schedule.get_dest()
            assert target is not None
            assert (target.get_index() or 0) <= contracts


def test_the_same_report_is_the_same_file(report: Report, path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pdf"
    pdf.export_pdf(report, again)
    assert again.read_bytes() == path.read_bytes()


def test_a_hostile_review_is_only_words(hostile_review: Review, tmp_path: Path) -> None:
    made = tmp_path / "hostile.pdf"
    pdf.export_pdf(due_diligence(Grid(hostile_review)), made)
    text = letters(text_of(made))
    for words in ("<script>alert(1)</script>", "⟦U+202E⟧", "{{7*7}}", "=HYPERLINK("):
        assert letters(words) in text
    data = made.read_bytes()
    assert b"/JavaScript" not in data
    assert b"/URI" not in data


@pytest.mark.parametrize(
    "words",
    [
        '#read("/etc/passwd") #import "x" $x$ *a* _b_ `c` @label <label> = Heading // no',
        "ההסכם הזה בטל אם השליטה עוברת",
        "本协议 \U0001f600",
        "A" * 5_000,
    ],
    ids=["markup", "right-to-left", "no-glyph", "one-word"],
)
def test_words_stay_words(review: Review, tmp_path: Path, words: str) -> None:
    made = tmp_path / "words.pdf"
    pdf.export_pdf(due_diligence(Grid(one_finding(review, words))), made)
    assert made.read_bytes().startswith(b"%PDF")
    if words.isascii():
        assert letters(words)[:400] in letters(text_of(made))


def test_a_long_word_does_not_leave_the_page(review: Review, tmp_path: Path) -> None:
    made = tmp_path / "wide.pdf"
    pdf.export_pdf(due_diligence(Grid(one_finding(review, "W" * 2_000))), made)
    with pypdfium2.PdfDocument(made) as document:
        for page in document:
            width = page.get_width()
            text = page.get_textpage()
            for at in range(text.count_chars()):
                assert text.get_charbox(at)[2] <= width - 30


def test_the_red_flag_report_has_two_pages(told: Review, tmp_path: Path) -> None:
    made = tmp_path / "flags.pdf"
    pdf.export_pdf(red_flags(Grid(told)), made)
    with pypdfium2.PdfDocument(made) as document:
        assert len(document) <= 2


def test_a_template_gets_the_data_and_no_network(report: Report, tmp_path: Path) -> None:
    template = tmp_path / "house.typ"
    template.write_text(
        '#set document(title: "T")\n#let r = json(bytes(sys.inputs.report))\nHouse of #r.project',
        "utf-8",
    )
    made = tmp_path / "house.pdf"
    pdf.export_pdf(report, made, template=template)
    assert "House of Project Larch" in text_of(made)
    template.write_text('#import "@preview/cetz:0.3.0": *', "utf-8")
    with pytest.raises(ConfigError, match="from the network"):
        pdf.export_pdf(report, made, template=template)
    template.write_text("#let x = (", "utf-8")
    with pytest.raises(ConfigError, match=r"house\.typ: the template does not compile"):
        pdf.export_pdf(report, made, template=template)


def test_without_the_extra_the_remedy_is_said(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ConfigError) as told:
        pdf.export_pdf(report, tmp_path / "x.pdf")
    assert "fourcorners[pdf]" in told.value.remedy


def test_lines_keep_all_words_and_join_what_the_page_broke() -> None:
    text = "1.1 The Seller\nshall sell.\n\n(a) first;\n(b) second\x00 one\u2028two"
    assert text_lines(text) == [
        "1.1 The Seller shall sell.",
        "(a) first;",
        "(b) second⟦U+0000⟧ one two",
    ]
    assert is_right_to_left("12. ההסכם")
    assert not is_right_to_left("12. Deed ההסכם")
    assert not is_right_to_left("12.")
