"""The Word report: real styles, numbers, fields, comments and links; text that stays text."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docx
import pypdfium2
import pytest
from docx.document import Document
from docx.oxml.ns import qn
from docx.shared import Mm, Pt
from docx.text.paragraph import Paragraph
from lxml import etree

from fourcorners.errors import ConfigError
from fourcorners.reports import word
from fourcorners.reports.chapters import due_diligence, red_flags
from fourcorners.reports.grid import Grid
from fourcorners.reports.tree import Report
from fourcorners.review.finding import CellState, Review, ReviewState
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.reports import spoken

OFFICE = shutil.which("soffice")


def even(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def told(review: Review) -> Review:
    return spoken.spoken(review)


@pytest.fixture(scope="module")
def report(told: Review) -> Report:
    return due_diligence(Grid(told), prepared_by="Ada Byron", whole_quotes=True)


@pytest.fixture(scope="module")
def path(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("word") / "report.docx"
    word.export(report, made)
    return made


@pytest.fixture(scope="module")
def document(path: Path) -> Document:
    return docx.Document(str(path))


def paragraphs(document: Document) -> list[Paragraph]:
    """Return all paragraphs in order, those in tables too."""
    body = document.element.body
    return [Paragraph(p, document._body) for p in body.iter(qn("w:p"))]


def styled(document: Document, style: str) -> list[Paragraph]:
    return [p for p in paragraphs(document) if p.style and p.style.name == style]


def text_of(paragraph: Paragraph) -> str:
    return "".join(
        "\n" if node.tag == qn("w:br") else node.text or ""
        for node in paragraph._p.iter(qn("w:t"), qn("w:br"))
    )


def test_headings_are_those_of_the_tree_and_numbered_by_their_styles(
    document: Document, report: Report
) -> None:
    styles = ("Heading", "Schedule Heading")
    headings = [p for p in paragraphs(document) if p.style and p.style.name.startswith(styles)]
    assert [text_of(p) for p in headings] == [section.title for _, _, section in report.walk()]
    levels = [level for level, _, _ in report.walk()]
    assert [int(p.style.name[-1]) for p in headings if p.style] == levels
    numbering = document.part.numbering_part.element
    tied = {node.get(qn("w:val")) for node in numbering.iter(qn("w:pStyle"))}
    schedules = {"ScheduleHeading1", "ScheduleHeading2"}
    assert tied == schedules | {"Heading1", "Heading2", "Heading3", "ListBullet"}
    for name in ("Heading 1", "Heading 2", "Heading 3", "Schedule Heading 1"):
        assert document.styles[name].element.findall(f".//{qn('w:numId')}")
    nums = {n.get(qn("w:numId")) for n in numbering.iter(qn("w:num"))}
    used = {n.get(qn("w:val")) for n in document.styles.element.iter(qn("w:numId"))}
    assert used <= nums


def test_the_contents_are_a_field_with_its_entries_in_it(
    document: Document, report: Report
) -> None:
    entries = [p for p in paragraphs(document) if p.style and p.style.name.startswith("toc ")]
    wanted = [
        f"{number}{section.title}"
        for level, number, section in report.walk()
        if level == 1 or (level == 2 and number[0].isdigit())
    ]
    assert [re.sub(r"^(Schedule .)  ", r"\1", text_of(p)) for p in entries] == wanted
    instructions = [n.text for n in document.element.iter(qn("w:instrText"))]
    assert ' TOC \\o "1-2" \\h \\z \\u ' in instructions
    kinds = [n.get(qn("w:fldCharType")) for n in document.element.body.iter(qn("w:fldChar"))]
    assert kinds.count("begin") == kinds.count("separate") == kinds.count("end") > 0
    assert document.settings.element.find(qn("w:updateFields")) is not None
    footer = document.sections[0].footer._element
    assert [n.text.strip() for n in footer.iter(qn("w:instrText"))] == ["PAGE", "NUMPAGES"]


def test_every_link_has_a_bookmark(document: Document) -> None:
    marks = [n.get(qn("w:name")) for n in document.element.iter(qn("w:bookmarkStart"))]
    assert len(marks) == len(set(marks))
    links = {n.get(qn("w:anchor")) for n in document.element.iter(qn("w:hyperlink"))}
    assert links
    assert links <= set(marks)
    # A link leads to a place in the report, never out of it.
    assert not [r for r in document.part.rels.values() if r.is_external]


def test_every_quote_is_its_evidence_word_for_word(document: Document, told: Review) -> None:
    shown = {
        even(text_of(p)) for p in paragraphs(document) if p.style and p.style.name == "Table Quote"
    }
    evidence = {
        even(each.quote.words)
        for finding in told.findings
        if finding.review is not ReviewState.REJECTED and finding.state is CellState.FOUND
        for each in finding.evidence
    }
    assert evidence <= shown
    amending = {even(a.quote.words) for f in told.findings for a in f.amendments}
    answering = {even(q.words) for f in told.findings for a in f.answers for q in a.quotes}
    assert shown <= evidence | amending | answering


def test_tables_repeat_their_heads_and_say_what_they_are(document: Document) -> None:
    tables = [t for t in document.tables if t.style and t.style.name == "Report Table"]
    assert len(tables) > 20
    for table in tables:
        first = table.rows[0]._tr
        assert first.find(f".//{qn('w:tblHeader')}") is not None
        assert first.find(f".//{qn('w:cantSplit')}") is not None
        captions = [c.get(qn("w:val")) for c in table._tbl.tblPr.iter(qn("w:tblCaption"))]
        assert len(captions) == 1
        assert captions[0]
        widths = [int(g.get(qn("w:w"), "0")) for g in table._tbl.tblGrid]
        assert sum(widths) <= 297 * 57  # twips in a millimetre, a page on its side


def test_the_schedule_of_findings_lies_on_its_side(document: Document) -> None:
    kinds = [section.orientation for section in document.sections]
    assert [int(kind) for kind in kinds] == [0, 1, 0]
    wide = document.sections[1]
    assert (wide.page_width or 0) > (wide.page_height or 0)


def test_comments_are_comments(document: Document) -> None:
    comments = list(document.comments)
    assert [(c.author, c.initials, c.text) for c in comments] == [
        ("Ada Byron", "AB", spoken.COMMENT)
    ]
    assert str(comments[0].timestamp).startswith("2025-02-18 09:00:00")
    (mark,) = list(document.element.iter(qn("w:commentReference")))
    assert mark.get(qn("w:id")) == str(comments[0].comment_id)


def test_the_properties_say_what_it_is(document: Document, told: Review) -> None:
    told_of = document.core_properties
    assert told_of.title == "Project Larch: Due diligence report"
    assert told_of.author == "Ada Byron"
    assert told_of.language == "en-GB"
    assert told_of.created == told.created.replace(
        tzinfo=told_of.created.tzinfo if told_of.created else None
    )
    defaults = document.styles.element.find(f".//{qn('w:lang')}")
    assert defaults.get(qn("w:val")) == "en-GB"


def test_the_same_report_is_the_same_file(report: Report, path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.docx"
    word.export(report, again)
    assert again.read_bytes() == path.read_bytes()


def test_a_hostile_review_runs_nothing_and_hides_nothing(
    hostile_review: Review, tmp_path: Path
) -> None:
    made = tmp_path / "hostile.docx"
    word.export(
        due_diligence(Grid(hostile_review), prepared_by="=1+1\x00", whole_quotes=True), made
    )
    document = docx.Document(str(made))
    quotes = styled(document, "Table Quote")
    words = hostile_review.documents[0].name
    assert even(text_of(quotes[0])) == even(show_invisible(words))
    assert "⟦U+202E⟧" in text_of(quotes[0])
    assert "]]> &amp; &#x3c;" in text_of(quotes[0])
    instructions = {n.text.split()[0] for n in document.element.iter(qn("w:instrText"))}
    assert instructions == {"TOC"}
    assert not [r for r in document.part.rels.values() if r.is_external]
    with zipfile.ZipFile(made) as parts:
        for name in parts.namelist():
            if name.endswith(".xml"):
                etree.fromstring(parts.read(name))
                assert not re.search(
                    "[\u202a-\u202e\u2066-\u2069\u200b]", parts.read(name).decode()
                )


FIELD = '{ INCLUDETEXT C:\\\\secret } DDEAUTO c:\\cmd.exe \x13 HYPERLINK "http://x" \x14 x \x15'


@pytest.mark.parametrize(
    "words",
    [
        FIELD,
        "ההסכם הזה בטל אם השליטה עוברת",
        "\ufffe\uffff\ud800 and \U0001f600 and \x0b\x1f",
        "A" * 100_000,
        "many words of a clause " * 5_000,
        "</w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r>",
    ],
    ids=["fields", "right-to-left", "invalid", "one-word", "long", "markup"],
)
def test_words_stay_words(review: Review, tmp_path: Path, words: str) -> None:
    document = replace(review.documents[0], text=words)
    finding = next(f for f in review.findings if f.document == document.id and f.evidence)
    evidence = replace(
        finding.evidence[0], quote=Quote(words, Span(0, len(words)), Match.EXACT),
        clause=Span(0, len(words)),
    )  # fmt: skip
    told = replace(finding, evidence=(evidence,), searched=None)
    column = next(c for c in review.columns if c.id == finding.provision)
    one = replace(review, documents=(document,), columns=(column,), findings=(told,))
    made = tmp_path / "words.docx"
    word.export(due_diligence(Grid(one), whole_quotes=True), made)
    opened = docx.Document(str(made))
    (quote,) = styled(opened, "Table Quote")
    assert even(text_of(quote)) == even(show_invisible(words))
    right = any(n.tag == qn("w:bidi") for n in quote._p.iter())
    assert right == words.startswith("ה")


def house(path: Path, logo: bytes) -> None:
    """Write a firm's template: A5, a header with a picture, its own heading, a page of old text."""
    made = docx.Document()
    made.sections[0].page_width, made.sections[0].page_height = Mm(148), Mm(210)
    made.styles["Heading 1"].font.name = "Courier New"
    made.styles["Quote"].font.size = Pt(7)
    picture = path.with_suffix(".png")
    picture.write_bytes(logo)
    made.sections[0].header.paragraphs[0].add_run("House & Partners").add_picture(
        str(picture), width=Mm(10)
    )
    made.add_paragraph("An old letter")
    made.save(str(path))


LOGO = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8"
    "cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


@pytest.mark.parametrize("suffix", [".docx", ".dotx"])
def test_a_template_keeps_its_looks_and_gets_our_styles(
    report: Report, tmp_path: Path, suffix: str
) -> None:
    template = tmp_path / "house.docx"
    house(template, LOGO)
    if suffix == ".dotx":
        template = as_dotx(template)
    made = tmp_path / "report.docx"
    word.export(report, made, template=template)
    document = docx.Document(str(made))
    text = "\n".join(text_of(p) for p in paragraphs(document))
    assert "An old letter" not in text
    section = document.sections[0]
    assert round((section.page_width or 0) / Mm(1)) == 148
    assert section.header.paragraphs[0].text == "House & Partners"
    assert section.header._element.findall(f".//{qn('a:blip')}")
    assert document.styles["Heading 1"].font.name == "Courier New"
    assert document.styles["Quote"].font.size == Pt(7)
    names = {style.name for style in document.styles}
    assert {
        "Quote Source",
        "Table Text",
        "Report Table",
        "Severity High",
        "Schedule Heading 1",
    } <= names
    known = {style.style_id for style in document.styles}
    used = {
        node.get(qn("w:val"))
        for root in (document.element, document.styles.element)
        for tag in ("w:pStyle", "w:rStyle", "w:tblStyle", "w:basedOn")
        for node in root.iter(qn(tag))
    }
    assert used <= known
    numbers = {n.get(qn("w:numId")) for n in document.part.numbering_part.element.iter(qn("w:num"))}
    assert {n.get(qn("w:val")) for n in document.styles.element.iter(qn("w:numId"))} <= numbers


def as_dotx(path: Path) -> Path:
    made = path.with_suffix(".dotx")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "[Content_Types].xml":
                data = data.replace(
                    b"wordprocessingml.document.main", b"wordprocessingml.template.main"
                )
            target.writestr(name, data)
    return made


def test_what_is_no_template_is_refused(report: Report, tmp_path: Path) -> None:
    for content in (b"not a zip", b""):
        template = tmp_path / "no.docx"
        template.write_bytes(content)
        with pytest.raises(ConfigError, match=r"no\.docx: this is not a Word document or template"):
            word.export(report, tmp_path / "x.docx", template=template)
    workbook = tmp_path / "book.docx"
    import xlsxwriter

    xlsxwriter.Workbook(str(workbook)).close()
    with pytest.raises(ConfigError, match="not a Word document"):
        word.export(report, tmp_path / "x.docx", template=workbook)


def test_the_red_flag_report_is_short(told: Review, tmp_path: Path) -> None:
    made = tmp_path / "flags.docx"
    word.export(red_flags(Grid(told)), made)
    document = docx.Document(str(made))
    assert [p.text for p in document.paragraphs][:2] == ["Project Larch", "Red-flag report"]
    assert not list(document.element.body.iter(qn("w:instrText")))
    assert "not legal advice" in document.paragraphs[-1].text


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_the_pages_are_as_few_as_a_partner_reads(
    large_review: Callable[[int], Review], report: Report, told: Review, tmp_path: Path
) -> None:
    assert OFFICE
    many = red_flags(Grid(spoken.grave(large_review(40))))
    for name, each in (("few", red_flags(Grid(told))), ("many", many), ("whole", report)):
        word.export(each, tmp_path / f"{name}.docx")
        subprocess.run(
            [OFFICE, f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless",
             "--convert-to", "pdf", "--outdir", tmp_path, tmp_path / f"{name}.docx"],
            check=True, capture_output=True, timeout=240,
        )  # fmt: skip
    for name in ("few", "many"):
        with pypdfium2.PdfDocument(tmp_path / f"{name}.pdf") as document:
            assert len(document) <= 3
    with pypdfium2.PdfDocument(tmp_path / "whole.pdf") as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    starts = [at for at, text in enumerate(texts) if "words, and their place" in text]
    assert starts[0] <= len(told.documents)


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_it_and_finds_the_words(
    report: Report, path: Path, told: Review, tmp_path: Path
) -> None:
    assert OFFICE
    subprocess.run(
        [OFFICE, f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless",
         "--convert-to", "txt:Text", "--outdir", tmp_path, path],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    text = even((tmp_path / "report.txt").read_text("utf-8-sig"))
    for _, _, section in report.walk():
        assert even(section.title) in text
    for finding in told.findings:
        if finding.review is not ReviewState.REJECTED:
            assert all(even(each.quote.words) in text for each in finding.evidence)


def test_fifty_contracts_make_a_file_that_can_be_opened(
    large_review: Callable[[int], Review], tmp_path: Path
) -> None:
    made = tmp_path / "fifty.docx"
    grid = Grid(spoken.grave(large_review(50)))
    word.export(due_diligence(grid, whole_quotes=True), made)
    assert made.stat().st_size < 3_000_000
    assert len(docx.Document(str(made)).tables) > 100


def test_what_leads_to_a_table_stays_with_it(report: Report, tmp_path: Path) -> None:
    made = tmp_path / "made.docx"
    word.export(report, made)
    body = list(docx.Document(str(made)).element.body)
    tables = [at for at, each in enumerate(body) if each.tag == qn("w:tbl")]
    leads = [body[at - 1] for at in tables if body[at - 1].tag == qn("w:p")]
    opening = [each for each in leads if " red flags, " in "".join(each.itertext())]
    assert opening
    assert all(each.find(f"{qn('w:pPr')}/{qn('w:keepNext')}") is not None for each in opening)
