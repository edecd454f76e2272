"""Word documents: the accepted text, its marks, and packages that mean harm."""

from __future__ import annotations

import struct
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents import package
from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read
from fourcorners.errors import InputError


def p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def r(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def gone(words: str) -> str:
    return f"<w:r><w:delText>{words}</w:delText></w:r>"


def marked(document: Document, kind: MarkKind) -> list[tuple[str, str]]:
    return [
        (mark.detail, mark.span.of(document.text)) for mark in document.marks if mark.kind is kind
    ]


def test_paragraphs_tabs_and_breaks(make_docx: Any) -> None:
    body = p(r("First"), "<w:r><w:tab/></w:r>", r("part"), "<w:r><w:br/></w:r>", r("below"))
    body += p() + p(r("Sec\nond, non"), "<w:r><w:noBreakHyphen/></w:r>", r("exclusive"))
    document = read(make_docx(body))
    assert document.text == "First\tpart\nbelow\n\nSec ond, non-exclusive\n"
    assert (document.marks, document.warnings, document.pages) == ((), (), ())
    assert document.reader == "docx/1"


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
    document = read(make_docx(body))
    assert document.text == "The fee is 250k per annum.\n\nStays.\n\nMoved clause.\n"
    assert marked(document, MarkKind.INSERTED) == [("Ben", "250k"), ("Ann", "Moved clause.")]
    assert document.warnings == (
        "It has tracked changes (Ann, Ben), read as if all were accepted.",
    )


def test_a_deleted_paragraph_end_joins_the_paragraphs(make_docx: Any) -> None:
    deleted = '<w:rPr><w:del w:id="1" w:author="Ann"/></w:rPr>'
    body = p(r("One "), properties=deleted) + p(r("sentence.")) + p(r("Last"), properties=deleted)
    assert read(make_docx(body)).text == "One sentence.\n\nLast\n"


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
    document = read(make_docx(body, styles=styles))
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
    document = read(make_docx(body, numbering=numbering))
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
    document = read(make_docx(p(r("Before")) + f"<w:tbl>{rows}</w:tbl>" + p(r("After"))))
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
    document = read(make_docx(body, footnotes=footnotes))
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
    assert read(make_docx(p(r("Around"), box, r(" it.")))).text == "Around it.\n\nIn the box\n"


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
    assert read(make_docx(body)).text == (
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
    document = read(make_docx(body, styles=styles))
    assert document.text == "Shown hidden shown\n"
    assert marked(document, MarkKind.HIDDEN) == [("", "hidden")]
    assert document.warnings == ("It holds hidden text, which is read and marked.",)


def test_comments_are_counted(make_docx: Any) -> None:
    comments = f'<w:comment w:id="0" w:author="Ann">{p(r("Really?"))}</w:comment>'
    body = p('<w:commentRangeStart w:id="0"/>', r("Fee"), '<w:commentRangeEnd w:id="0"/>')
    document = read(make_docx(body, comments=comments))
    assert document.text == "Fee\n"
    assert document.warnings == ("It has 1 comments, which are not read.",)


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
    assert read(path).text == "Strict words\n"


def refused(path: Path, reason: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError, match=reason) as error:
        read(path)
    assert str(path) in error.value.message
    assert error.value.remedy
    assert time.process_time() - start < 2


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


def test_a_document_without_styles_or_relations_is_read(make_docx: Any) -> None:
    path = make_docx(p(r("Bare words")))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            if "rels" not in name:
                archive.writestr(name, data)
    assert read(path).text == "Bare words\n"
