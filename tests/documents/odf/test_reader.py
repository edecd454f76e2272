"""OpenDocument texts: computed numbers, changes, tables, notes; and hostile packages."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

import pytest

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError

NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing",
    }.items()
)  # fmt: skip
NAMES += ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
KIND = "application/vnd.oasis.opendocument.text"
LIST = (
    '<text:list-style style:name="L">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/>'
    '<text:list-level-style-number text:level="3" style:num-format="a" style:num-prefix="("'
    ' style:num-suffix=")" text:start-value="2"/></text:list-style>'
)
CLAUSE = "Neither party may assign this Agreement."


def parts(body: str, styles: str = "", manifest: str = "") -> dict[str, str]:
    return {
        "mimetype": KIND,
        "content.xml": f"<office:document-content {NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>",
        "META-INF/manifest.xml": manifest or "<manifest/>",
    }


def pack(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def odt(tmp_path: Path, body: str, styles: str = "") -> Document:
    return read_document(pack(tmp_path / "a.odt", parts(body, styles)))


def p(words: str) -> str:
    return f"<text:p>{words}</text:p>"


def item(*content: str, start: str = "") -> str:
    given = f' text:start-value="{start}"' if start else ""
    return f"<text:list-item{given}>{''.join(content)}</text:list-item>"


def inside(items: str) -> str:
    return f"<text:list>{items}</text:list>"


def numbered(items: str, attributes: str = "") -> str:
    return f'<text:list {attributes} text:style-name="L">{items}</text:list>'


def marked(document: Document, kind: MarkKind) -> list[tuple[str, str]]:
    return [
        (mark.span.text_in(document.text), mark.detail)
        for mark in document.marks
        if mark.kind is kind
    ]


def test_paragraphs_and_blanks(tmp_path: Path) -> None:
    document = odt(
        tmp_path,
        p(
            'One\n  two<text:s text:c="2"/>three<text:tab/>x<text:line-break/>y '
            "<text:span>z</text:span>"
        )
        + p("  lead"),
    )
    assert document.text == "One two  three\tx\ny z\n\nlead\n"
    assert (document.media_type, document.reader) == (KIND, "odt/6")


def test_lists_are_counted_by_their_styles(tmp_path: Path) -> None:
    second = inside(item(p("Begin"), inside(item(p("deep")))) + item(p("End"), p("more")))
    document = odt(
        tmp_path,
        numbered(item(p("Term"), second), 'xml:id="x"')
        + p("between")
        + numbered(item(p("Fees")), 'text:continue-list="x"')
        + numbered(item(p("Anew")) + item(p("Far"), start="9"))
        + numbered(item(p("On")), 'text:continue-numbering="true"'),
        LIST,
    )
    assert document.text.split("\n\n") == [
        *("1. Term", "1.1 Begin", "(b) deep", "1.2 End", "more", "between"),
        *("2. Fees", "1. Anew", "9. Far", "10. On\n"),
    ]
    assert marked(document, MarkKind.NUMBER)[1:3] == [("1.1", "2"), ("(b)", "3")]


def test_a_list_within_items_without_words_goes_on(tmp_path: Path) -> None:
    document = odt(
        tmp_path,
        numbered(item(p("A"), inside(item(p("One")))), 'xml:id="x"')
        + p("gap")
        + numbered(item(inside(item(p("Two")))), 'text:continue-list="x"'),
        LIST,
    )
    assert document.text == "1. A\n\n1.1 One\n\ngap\n\n1.2 Two\n"


def test_headings_are_numbered_by_the_outline(tmp_path: Path) -> None:
    document = odt(
        tmp_path,
        '<text:h text:outline-level="1">Term</text:h><text:h text:outline-level="2">Start</text:h>'
        '<text:h text:outline-level="1" text:is-list-header="true">Bare</text:h>',
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="I"/>'
        '<text:outline-level-style text:level="2" style:num-format=""/></text:outline-style>',
    )
    assert document.text == "I Term\n\nStart\n\nBare\n"
    assert marked(document, MarkKind.HEADING) == [("I Term", "1"), ("Start", "2"), ("Bare", "1")]


def test_changes_are_accepted(tmp_path: Path) -> None:
    document = odt(
        tmp_path,
        '<text:tracked-changes><text:changed-region text:id="i"><text:insertion>'
        "<office:change-info><dc:creator>Ann</dc:creator></office:change-info></text:insertion></text:changed-region>"
        '<text:changed-region text:id="d"><text:deletion><text:p>gone</text:p></text:deletion>'
        "</text:changed-region></text:tracked-changes>"
        + p(
            'Pay <text:change text:change-id="d"/><text:change-start text:change-id="i"/>250'
            '<text:change-end text:change-id="i"/> now'
        ),
    )
    assert document.text == "Pay 250 now\n"
    assert marked(document, MarkKind.INSERTED) == [("250", "Ann")]
    assert "tracked changes (Ann)" in document.warnings[0]


def test_hidden_text_tables_notes_and_comments(tmp_path: Path) -> None:
    cell = "<table:table-cell{}>{}</table:table-cell>"
    document = odt(
        tmp_path,
        p('a<text:span text:style-name="H">b</text:span>')
        + "<table:table><table:table-header-rows><table:table-row>"
        + cell.format("", p("Goods")) + cell.format("", p("Price"))
        + "</table:table-row></table:table-header-rows><table:table-row>"
        + cell.format(' table:number-columns-repeated="2"', p("4"))
        + cell.format(' table:number-columns-repeated="99999999"', "")
        + "</table:table-row></table:table>"
        + p("x<text:note><text:note-citation>1</text:note-citation><text:note-body>"
            + p("Net.") + "</text:note-body></text:note>")
        + p("y<office:annotation><text:p>no</text:p></office:annotation>"),
        '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>',
    )  # fmt: skip
    assert document.text == "ab\n\nGoods | Price\n4 | 4 | \n\nx[1]\n\ny\n\n[1] Net.\n"
    assert marked(document, MarkKind.HIDDEN) == [("b", "")]
    assert marked(document, MarkKind.FOOTNOTE) == [("[1] Net.", "footnotes")]
    assert document.warnings[-1] == "It has 1 comment, kept separate from the text."


def test_a_locked_file_is_called_so(tmp_path: Path) -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:x"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    )
    path = pack(tmp_path / "a.odt", parts(p(CLAUSE), manifest=manifest))
    with pytest.raises(InputError, match="locked with a password"):
        read_document(path)


BOMB = (
    '<!DOCTYPE x [<!ENTITY c0 "ha">'
    + "".join(f'<!ENTITY c{n + 1} "' + f"&c{n};" * 10 + '">' for n in range(9))
    + "]>"
)
DEEP = "<text:section>" * 3000 + CLAUSE + "</text:section>" * 3000
XXE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (BOMB + parts(p("&c9;"))["content.xml"], "damaged"),
        (XXE + parts(p("&e;"))["content.xml"], "damaged"),
        (parts(DEEP)["content.xml"], "damaged"),
        ("not XML at all", "damaged"),
        (parts("")["content.xml"].replace("office:text", "office:sheet"), "it has no text part"),
        (parts("")["content.xml"], "holds no text"),
        (parts(p("x" * (40 << 20)))["content.xml"], "unpacks to far more"),
    ],
)  # fmt: skip
def test_hostile_packages_are_refused(tmp_path: Path, content: str, reason: str) -> None:
    path = pack(tmp_path / "a.odt", {**parts(""), "content.xml": content})
    start = time.process_time()
    with pytest.raises(InputError, match=reason) as caught:
        read_document(path)
    assert str(path) in caught.value.message
    assert caught.value.remedy
    assert time.process_time() - start < 10


def test_repetitions_that_would_fill_the_memory_are_cut(tmp_path: Path) -> None:
    document = odt(tmp_path, p(f'a<text:s text:c="999999"/>{CLAUSE}'))
    assert len(document.text) < 2_000
    assert CLAUSE in document.text


def test_each_of_many_boxes_of_a_paragraph_is_read_once(tmp_path: Path) -> None:
    boxes = "".join(f"<draw:text-box>{p(f'box {n}.')}</draw:text-box>" for n in range(50))
    text = odt(tmp_path, f"<text:p>before{boxes}</text:p>").text
    assert text == "before\n\n" + "\n\n".join(f"box {n}." for n in range(50)) + "\n"
