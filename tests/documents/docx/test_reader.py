"""Word documents: the accepted text, its marks, and packages that mean harm."""

from __future__ import annotations

import struct
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents import office_package as package
from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.docx import reader
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from tests.documents.conftest import OFFICE
from tests.documents.docx.packages import parts


def p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def r(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def gone(words: str) -> str:
    return f"<w:r><w:delText>{words}</w:delText></w:r>"


def marked(document: Document, kind: MarkKind) -> list[tuple[str, str]]:
    return [
        (mark.detail, mark.span.text_in(document.text))
        for mark in document.marks
        if mark.kind is kind
    ]


def test_paragraphs_tabs_and_breaks(make_docx: Any) -> None:
    body = p(r("First"), "<w:r><w:tab/></w:r>", r("part"), "<w:r><w:br/></w:r>", r("below"))
    body += p() + p(r("Sec\nond, non"), "<w:r><w:noBreakHyphen/></w:r>", r("exclusive"))
    document = read_document(make_docx(body))
    assert document.text == "First\tpart\nbelow\n\nSec ond, non-exclusive\n"
    assert (document.marks, document.warnings, document.pages) == ((), (), ())
    assert document.reader == "docx/8"


def test_tracked_changes_are_read_as_accepted(make_docx: Any) -> None:
    body = p(
        r("The fee is "),
        f'<w:del w:id="1" w:author="Ann">{gone("100k")}</w:del>',
        f'<w:ins w:id="2" w:author="Ben">{r("25")}{r("0k")}</w:ins>',
        r(" per annum."),
    )
    body += p(f'<w:moveFrom w:id="3" w:author="Ann">{r("Moved clause.")}</w:moveFrom>')
    body += p(r("Stays."))
    body += p(f'<w:moveTo w:id="4" w:author="Ann">{r("Moved clause.")}</w:moveTo>')
    document = read_document(make_docx(body))
    assert document.text == "The fee is 250k per annum.\n\nStays.\n\nMoved clause.\n"
    assert marked(document, MarkKind.INSERTED) == [("Ben", "250k"), ("Ann, moved", "Moved clause.")]
    assert document.warnings == (
        "It has tracked changes (Ann, Ben), read as if all were accepted.",
    )


def test_both_versions_of_a_redline_are_read(make_docx: Any) -> None:
    day = 'w:date="2026-03-04T09:00:00Z"'
    lists = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    number = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = p(
        r("The fee is "),
        f'<w:del w:id="1" w:author="Ann" {day}>{gone("100")}</w:del>',
        f'<w:ins w:id="2" w:author="Ben" {day}>{r("250")}</w:ins>',
        r(" a day."),
        properties=number,
    )
    body += p(
        f'<w:del w:id="3" w:author="Ann" {day}>{gone("Gone clause.")}</w:del>',
        properties=f'{number}<w:rPr><w:del w:id="4" w:author="Ann" {day}/></w:rPr>',
    )
    body += p(
        f'<w:ins w:id="5" w:author="Ben" {day}>{r("New clause.")}</w:ins>',
        properties=f'{number}<w:rPr><w:ins w:id="6" w:author="Ben" {day}/></w:rPr>',
    )
    body += p(f'<w:moveFrom w:id="7" w:author="Ann" {day}>{r("Moved.")}</w:moveFrom>')
    body += p(r("Stays."), properties=number)
    body += p(f'<w:moveTo w:id="8" w:author="Ann" {day}>{r("Moved.")}</w:moveTo>')
    path = make_docx(body, numbering=lists)
    accepted = read_document(path)
    assert accepted.text == "1. The fee is 250 a day.\n\n2. New clause.\n\n3. Stays.\n\nMoved.\n"
    when = "2026-03-04T09:00:00Z"
    assert marked(accepted, MarkKind.INSERTED) == [
        (f"Ben, {when}", "250"),
        (f"Ben, {when}", "New clause."),
        (f"Ann, {when}, moved", "Moved."),
    ]
    assert marked(accepted, MarkKind.DELETED) == [
        (f"Ann, {when}: 100", ""),
        (f"Ann, {when}: Gone clause.", ""),
        (f"Ann, {when}, moved: Moved.", ""),
    ]


def test_rows_and_formats_that_were_changed(make_docx: Any) -> None:
    def row(words: str, change: str = "") -> str:
        return f"<w:tr><w:trPr>{change}</w:trPr><w:tc>{p(r(words))}</w:tc></w:tr>"

    body = (
        f"<w:tbl>{row('kept')}"
        + row("gone", '<w:del w:id="1" w:author="Ann"/>')
        + row("new", '<w:ins w:id="2" w:author="Ben"/>')
        + "</w:tbl>"
    )
    body += p(
        r("Was a heading."),
        properties='<w:pPrChange w:id="3" w:author="Ann"><w:pPr><w:outlineLvl w:val="0"/></w:pPr>'
        "</w:pPrChange>",
    )
    path = make_docx(body)
    accepted = read_document(path)
    assert accepted.text == "kept\nnew\n\nWas a heading.\n"
    assert marked(accepted, MarkKind.DELETED) == [("Ann: gone", "")]
    assert marked(accepted, MarkKind.INSERTED) == [("Ben", "new")]
    assert marked(accepted, MarkKind.HEADING) == []


def test_headers_and_footers_stand_once_at_the_end(make_docx: Any) -> None:
    path = make_docx(
        p(r("Body.")) + p(r("End.")), hdr=p(r("Draft of May")), ftr=p(r("Page "), r("1"))
    )
    renamed = path.with_name("margins.docx")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(renamed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "word/_rels/document.xml.rels":
                data = data.replace(b'/hdr"', b'/header"').replace(b'/ftr"', b'/footer"')
            target.writestr(name, data)
    document = read_document(renamed)
    assert document.text == "Body.\n\nEnd.\n\nDraft of May\n\nPage 1\n"
    assert marked(document, MarkKind.HEADER) == [("", "Draft of May")]
    assert marked(document, MarkKind.FOOTER) == [("", "Page 1")]


def test_a_hidden_paragraph_end_lets_the_next_run_on(make_docx: Any) -> None:
    """What Word calls a style separator: a heading and its clause on one line."""
    lead = '<w:outlineLvl w:val="1"/><w:rPr><w:vanish/><w:specVanish/></w:rPr>'
    body = p(r("Term."), properties=lead) + p(r(" It runs for a year.")) + p(r("Next."))
    document = read_document(make_docx(body))
    assert document.text == "Term. It runs for a year.\n\nNext.\n"
    assert marked(document, MarkKind.HEADING) == [("2", "Term.")]


def test_form_fields_show_what_was_chosen(make_docx: Any) -> None:
    def form(data: str) -> str:
        begin = f'<w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar>'
        return f'<w:r>{begin}</w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'

    entries = "".join(f'<w:listEntry w:val="{law}"/>' for law in ("Ohio", "Texas", "Utah"))
    body = p(r("Law of "), form(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>'))
    body += p(form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'), r(" agreed"))
    body += p(form('<w:checkBox><w:default w:val="0"/></w:checkBox>'), r(" refused"))
    assert (
        read_document(make_docx(body)).text == "Law of Texas\n\n\u2612 agreed\n\n\u2610 refused\n"
    )


def test_fields_without_a_stored_result_are_reported(make_docx: Any) -> None:
    def simple(code: str) -> str:
        return f'<w:fldSimple w:instr=" {code} "/>'

    page = p(r("Page "), simple("PAGE"))
    body = p(r("See clause "), simple(r"REF _Ref1 \r"), simple("TC x"), r(" and "), simple("SEQ a"))
    document = read_document(make_docx(body + p(simple("MACROBUTTON Nothing [Fee]")), footer=page))
    assert document.text == "See clause  and \n\n[Fee]\n\nPage \n"
    assert [each.split(",")[0] for each in document.warnings] == [
        "It has 2 fields without a stored result (REF"
    ]


def test_linked_documents_and_controls_are_reported(make_docx: Any) -> None:
    linked = p('<w:subDoc r:id="rId7"/>')
    control = '<w:r><w:object><w:control r:id="rId8" w:name="Fee"/></w:object></w:r>'
    assert read_document(make_docx(p(r("Fee: "), control) + 2 * linked)).warnings == (
        "It has 1 ActiveX control, which is not read.",
        "It has 2 linked documents, which are not read.",
    )
    refused(make_docx(linked), "no text. It has 1 linked document")


def test_content_controls_have_their_state(make_docx: Any) -> None:
    def control(properties: str, words: str) -> str:
        return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{words}</w:sdtContent></w:sdt>"

    word14 = 'xmlns:n="http://schemas.microsoft.com/office/word/2010/wordml"'
    boxes = (
        control(f'<n:checkbox {word14}><n:checked n:val="{on}"/></n:checkbox>', r("\u00fe"))
        for on in (1, 0)
    )
    empty = control("<w:showingPlcHdr/><w:date/>", r("[pick a date]"))
    chosen = control("<w:dropDownList/>", r("Ohio"))
    document = read_document(make_docx(p(*boxes, r(" "), empty, r(" "), chosen)))
    assert document.text == "\u2612\u2610 [pick a date] Ohio\n"
    assert document.warnings == (
        "It has 1 field to fill in that shows only a placeholder, which is read as text.",
    )


def embedding(path: Path, *documents: tuple[str, bytes]) -> Path:
    """Add documents to a file that shows them by the ids `e0`, `e1` and so on."""
    held = parts(path.read_bytes())
    relations = "".join(
        f'<Relationship Id="e{at}" Type="{OFFICE}/aFChunk" Target="{name}"/>'
        for at, (name, _) in enumerate(documents)
    )
    held["word/_rels/document.xml.rels"] = held["word/_rels/document.xml.rels"].replace(
        b"</Relationships>", f"{relations}</Relationships>".encode()
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (*held.items(), *((f"word/{n}", c) for n, c in documents)):
            archive.writestr(name, content)
    return path


def test_embedded_documents_are_read_where_they_are(make_docx: Any) -> None:
    archive = (
        b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\n'
        b"Content-Type: text/html\r\n\r\n<html><p>Archived</p></html>\r\n--b--\r\n"
    )
    documents = [
        ("a.html", b"<html><body><ol><li>Page</ol></body></html>"),
        ("b.rtf", rb"{\rtf1\ansi Rich}"), ("c.txt", b"Plain\n"), ("d.mht", archive),
        ("e.docx", embedding(make_docx(p(r("Word")) + shown(1)), ("f.txt", b"Deep")).read_bytes()),
        ("g.bin", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old"),
    ]  # fmt: skip
    body = p(r("First")) + shown(len(documents)) + p(r("Last"))
    document = read_document(embedding(make_docx(body), *documents))
    assert document.text == (
        "First\n\n1. Page\n\nRich\n\nPlain\n\nArchived\n\nWord\n\nDeep\n\nLast\n"
    )
    assert marked(document, MarkKind.NUMBER) == [("1", "1.")]
    assert [each.split(",")[0] for each in document.warnings] == [
        "It embeds another document (word/g.bin)"
    ]


def shown(count: int) -> str:
    return "".join(f'<w:altChunk r:id="e{at}"/>' for at in range(count))


def test_embedded_documents_have_limits(make_docx: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    held = ("x.docx", make_docx(p(r("Deepest."))).read_bytes())
    for level in range(reader.MAX_EMBEDDED_DEPTH + 1):
        held = ("x.docx", embedding(make_docx(p(r(f"{level}")) + shown(1)), held).read_bytes())
    path = embedding(make_docx(shown(1)), held)
    document = read_document(path)
    assert document.text == "4\n\n3\n\n2\n\n1\n"
    assert "nested too deep" in document.warnings[0]
    monkeypatch.setattr(reader, "MAX_EMBEDDED", 100)
    refused(path, "too large")


def test_a_document_of_one_embedded_page_is_read() -> None:
    document = read_document(Path(__file__).parents[1] / "cases" / "altchunk.docx")
    assert document.text.startswith("LOAN AGREEMENT\n\nThis Agreement is made on 1 June 2020")
    assert document.text.endswith("\n\n1. Loan. GBP 5,000.\n")


def test_a_field_within_the_code_of_another_is_not_shown(make_docx: Any) -> None:
    def sign(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = "<w:r><w:instrText>IF </w:instrText></w:r>"
    inner = sign("begin") + code + sign("separate") + r("1 = 1") + sign("end")
    body = p(sign("begin"), code, inner, sign("separate"), r("Shown."), sign("end"))
    assert (
        read_document(make_docx(body + p(sign("begin"), r("Not lost.")))).text
        == "Shown.\n\nNot lost.\n"
    )


def test_bold_words_are_marked(make_docx: Any) -> None:
    styles = "".join(
        f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>'
        "<w:rPr><w:b/></w:rPr></w:style>"
        for kind, name in (("paragraph", "B"), ("character", "E"))
    )
    body = p(r("Plain "), r("bo", "<w:b/>"), r("ld", "<w:b/>"), r(" plain"))
    body += p(
        r("Heavy "),
        r("turned off", '<w:rStyle w:val="E"/>'),
        r(" and off", '<w:b w:val="0"/>'),
        properties='<w:pStyle w:val="B"/>',
    )
    document = read_document(make_docx(body, styles=styles))
    assert marked(document, MarkKind.BOLD) == [("", "bold"), ("", "Heavy ")]


def test_cells_are_marked_with_row_and_column(make_docx: Any) -> None:
    def cell(words: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(r(words))}</w:tc>"

    wide = cell("Title", '<w:gridSpan w:val="2"/>')
    inner = f"<w:tc><w:tbl><w:tr>{cell('in')}{cell('side')}</w:tr></w:tbl>{p()}</w:tc>"
    body = (
        f"<w:tbl><w:tr>{wide}{cell('x')}</w:tr><w:tr>{inner}{cell('b')}{cell('c')}</w:tr></w:tbl>"
    )
    document = read_document(make_docx(body))
    assert document.text == "Title | x\nin | side | b | c\n"
    assert marked(document, MarkKind.CELL) == [
        ("1,1", "Title"),
        ("1,3", "x"),
        ("2,1", "in | side"),
        ("1,1", "in"),
        ("1,2", "side"),
        ("2,2", "b"),
        ("2,3", "c"),
    ]


def test_a_deleted_paragraph_end_joins_the_paragraphs(make_docx: Any) -> None:
    deleted = '<w:rPr><w:del w:id="1" w:author="Ann"/></w:rPr>'
    body = p(r("One "), properties=deleted) + p(r("sentence.")) + p(r("Last"), properties=deleted)
    assert read_document(make_docx(body)).text == "One sentence.\n\nLast\n"


def test_headings_come_from_styles_and_outline_levels(make_docx: Any) -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="Heading 2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/>'
        '<w:basedOn w:val="H2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Top"><w:name w:val="Firm Top"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    )
    body = "".join(
        p(r(words), properties=f'<w:pStyle w:val="{name}"/>{extra}')
        for words, name, extra in (
            ("Deed", "T", ""),
            ("Terms", "Top", ""),
            ("Fees", "Mine", ""),
            ("Not one", "H2", '<w:outlineLvl w:val="9"/>'),
            ("Third", "None", '<w:outlineLvl w:val="2"/>'),
            ("Text", "None", ""),
        )
    )
    document = read_document(make_docx(body, styles=styles))
    assert marked(document, MarkKind.HEADING) == [
        ("0", "Deed"),
        ("1", "Terms"),
        ("2", "Fees"),
        ("3", "Third"),
    ]


def test_a_numbered_heading_is_marked_with_its_number(make_docx: Any) -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="7"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = p(r("Term"), properties=f'{numbered}<w:outlineLvl w:val="0"/>')
    document = read_document(make_docx(body, numbering=numbering))
    assert document.text == "7. Term\n"
    assert marked(document, MarkKind.HEADING) == [("1", "7. Term")]
    assert marked(document, MarkKind.NUMBER) == [("1", "7.")]


def test_tables_keep_rows_and_cells(make_docx: Any) -> None:
    def cell(*paragraphs: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(paragraphs)}</w:tc>"

    inner = f"<w:tbl><w:tr>{cell(p(r('in')))}</w:tr></w:tbl>"
    rows = (
        f"<w:tr>{cell(p(r('Fee')))}{cell(p(r('100')), p(r('200')))}</w:tr>"
        f"<w:tr><w:sdt><w:sdtContent>{cell(p(r('Term')))}</w:sdtContent></w:sdt>"
        f"{cell(inner, p())}</w:tr>"
        f"<w:tr><w:trPr><w:del w:id='1' w:author='Ann'/></w:trPr>{cell(p(r('dropped')))}</w:tr>"
        f"<w:tr>{cell(p(r('hidden below')), properties='<w:vMerge/>')}{cell(p(r('z')))}</w:tr>"
        f"<w:tr>{cell(p())}{cell(p())}</w:tr>"
    )
    document = read_document(make_docx(p(r("Before")) + f"<w:tbl>{rows}</w:tbl>" + p(r("After"))))
    table = "Fee | 100\n200\nTerm | in\n | z"
    assert document.text == f"Before\n\n{table}\n\nAfter\n"
    assert marked(document, MarkKind.TABLE) == [("", "in"), ("", table)][::-1]


def test_footnotes_follow_at_the_end(make_docx: Any) -> None:
    note = '<w:footnote w:id="{}">{}</w:footnote>'
    footnotes = (
        note.format(-1, p(r("separator")))
        + note.format(3, p("<w:r><w:footnoteRef/></w:r>", r("Net of tax.")))
        + note.format(2, p(r("Unless agreed.")))
        + note.format(9, p(r("Never referred to.")))
    )
    body = p(
        r("Fees"),
        '<w:r><w:footnoteReference w:id="3"/></w:r>',
        r(" are due"),
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        r("."),
    ) + p(r("End."))
    document = read_document(make_docx(body, footnotes=footnotes))
    assert document.text == (
        "Fees[1] are due[2].\n\nEnd.\n\n[1] Net of tax.\n\n[2] Unless agreed.\n"
    )
    assert marked(document, MarkKind.FOOTNOTE) == [
        ("footnotes", "[1] Net of tax."),
        ("footnotes", "[2] Unless agreed."),
    ]
    assert ("footnotes", "[1]") in marked(document, MarkKind.NUMBER)


def test_a_text_box_is_read_once(make_docx: Any) -> None:
    content = f"<w:txbxContent>{p(r('In the box'))}</w:txbxContent>"
    box = (
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:inline>"
        f"<wp:docPr id='1' name='Box'/><wps:txbx>{content}</wps:txbx>"
        "</wp:inline></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{content}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert (
        read_document(make_docx(p(r("Around"), box, r(" it.")))).text
        == "Around it.\n\nIn the box\n"
    )


def test_a_form_for_programs_other_than_word_is_not_read(make_docx: Any) -> None:
    choice = '<mc:Choice xmlns:zz="urn:unknown" Requires="wps zz">' + r("EUR 999") + "</mc:Choice>"
    fallback = f"<mc:Fallback>{r('EUR 5')}</mc:Fallback>"
    body = p(r("Cap: "), f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>")
    assert read_document(make_docx(body)).text == "Cap: EUR 5\n"


def test_content_controls_links_and_fields_are_read(make_docx: Any) -> None:
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF x </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + r("7.2")
    )
    body = f"<w:sdt><w:sdtPr/><w:sdtContent>{p(r('Alder Ltd'))}</w:sdtContent></w:sdt>" + p(
        r("See clause "),
        field,
        f"<w:hyperlink r:id='x'>{r(' and here')}</w:hyperlink>",
        f"<w:sdt><w:sdtContent>{r(' [date]')}</w:sdtContent></w:sdt>",
        f"<w:smartTag>{r(' London')}</w:smartTag>",
        "<w:r><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>",
    )
    assert read_document(make_docx(body)).text == (
        "Alder Ltd\n\nSee clause 7.2 and here [date] London\u2611\n"
    )


def test_hidden_text_is_kept_and_marked(make_docx: Any) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/>'
        "<w:rPr><w:vanish/></w:rPr></w:style>"
    )
    body = p(
        r("Shown "),
        r("hid", "<w:vanish/>"),
        r("den", '<w:rStyle w:val="Secret"/>'),
        r(" shown", '<w:vanish w:val="0"/>'),
    )
    document = read_document(make_docx(body, styles=styles))
    assert document.text == "Shown hidden shown\n"
    assert marked(document, MarkKind.HIDDEN) == [("", "hidden")]
    assert document.warnings == ("It holds hidden text, which is read and marked.",)


def test_comments_mark_the_words_they_are_about(make_docx: Any) -> None:
    comments = f'<w:comment w:id="0" w:author="Ann">{p(r("Really?"))}</w:comment>'
    body = p('<w:commentRangeStart w:id="0"/>', r("Fee"), '<w:commentRangeEnd w:id="0"/>')
    document = read_document(make_docx(body, comments=comments))
    assert document.text == "Fee\n"
    assert document.warnings == ("It has 1 comment, kept separate from the text.",)
    assert marked(document, MarkKind.COMMENT) == [("Ann: Really?", "Fee")]


def test_a_comment_may_span_paragraphs_or_no_words(make_docx: Any) -> None:
    comments = "".join(
        f'<w:comment w:id="{number}" w:author="Ann" w:date="2026-01-02">{p(r(words))}</w:comment>'
        for number, words in enumerate(("Both?", "Here?"))
    )
    body = p(r("One "), '<w:commentRangeStart w:id="0"/>', r("two")) + p(
        r("three"), '<w:commentRangeEnd w:id="0"/>', r(" four")
    )
    body += p(r("five"), '<w:r><w:commentReference w:id="1"/></w:r>', r(" six"))
    document = read_document(make_docx(body, comments=comments))
    assert document.text == "One two\n\nthree four\n\nfive six\n"
    assert marked(document, MarkKind.COMMENT) == [
        ("Ann, 2026-01-02: Both?", "two"),
        ("Ann, 2026-01-02: Both?", "three"),
        ("Ann, 2026-01-02: Here?", ""),
    ]
    place = document.marks[-1].span
    assert document.text[: place.start].endswith("five")


def test_strict_documents_are_read(make_docx: Any) -> None:
    path = make_docx(p(r("Strict words")))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            data = data.replace(
                b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                b"http://purl.oclc.org/ooxml/wordprocessingml/main",
            ).replace(
                b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                b"http://purl.oclc.org/ooxml/officeDocument/relationships",
            )
            archive.writestr(name, data)
    assert read_document(path).text == "Strict words\n"


def refused(path: Path, reason: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError, match=reason) as error:
        read_document(path)
    assert str(path) in error.value.message
    assert error.value.remedy
    assert time.process_time() - start < 10


def test_a_document_of_pictures_alone_is_refused(make_docx: Any) -> None:
    refused(make_docx(p()), "holds no text")


def inflating(path: Path, size: int) -> None:
    """Add to a .docx a main part that inflates to `size` bytes of text."""
    block = b"x" * (1 << 20)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head, tail = parts.pop("word/document.xml").split(b"FILL")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
        with archive.open("word/document.xml", "w") as member:
            member.write(head)
            for _ in range(size >> 20):
                member.write(block)
            member.write(tail)


def test_a_document_that_inflates_to_a_gigabyte_is_refused(make_docx: Any) -> None:
    path = make_docx(p(r("FILL")))
    inflating(path, 1 << 30)
    assert path.stat().st_size < 8 << 20
    refused(path, "unpacks to far more than any contract holds")


def test_a_directory_that_lies_about_the_size_does_not_help(make_docx: Any) -> None:
    path = make_docx(p(r("FILL")))
    inflating(path, 64 << 20)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("word/document.xml")
    place = data.rindex(b"word/document.xml") - 46
    assert data[place : place + 4] == b"PK\x01\x02"
    assert struct.unpack_from("<I", data, place + 24) == (entry.file_size,)
    struct.pack_into("<I", data, place + 24, 1000)
    path.write_bytes(data)
    refused(path, "does not unpack|unpacks to far more")


def test_too_many_parts_are_refused(make_docx: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_ENTRIES", 3)
    refused(make_docx(p(r("x"))), "unpacks to far more")


def rewritten(path: Path, part: str, content: bytes) -> Path:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = content
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def test_entities_are_refused_and_nothing_is_fetched(make_docx: Any, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    document = (
        f'<!DOCTYPE d [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>"
    )
    path = rewritten(make_docx(p(r("x"))), "word/document.xml", document.encode())
    refused(path, "declares a document type")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<w:document", "is not well-formed"),
        (b"<a>" * 3000 + b"</a>" * 3000, "is not well-formed"),
        (b"<other/>", "has no text part"),
    ],
)
def test_a_damaged_main_part_is_called_so(make_docx: Any, content: bytes, reason: str) -> None:
    refused(rewritten(make_docx(p(r("x"))), "word/document.xml", content), reason)


def test_a_truncated_document_is_called_so(make_docx: Any) -> None:
    path = make_docx(p(r("words " * 500)))
    path.write_bytes(path.read_bytes()[:-300])
    refused(path, "may be truncated")
    path.write_bytes(b"PK\x03\x04garbage" * 9)
    refused(path, "may be truncated")


def test_a_document_without_styles_or_relations_is_read(make_docx: Any) -> None:
    path = make_docx(p(r("Bare words")))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            if "rels" not in name:
                archive.writestr(name, data)
    assert read_document(path).text == "Bare words\n"
