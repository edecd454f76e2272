"""Web pages: what shows, in order, with what the reader knows of it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.html.reader import extract_text
from fourcorners.documents.read import read_document

CLAUSE = "Neither party may assign this Agreement."


def page(tmp_path: Path, body: str, *, name: str = "a.html", encoding: str = "utf-8") -> Document:
    path = tmp_path / name
    path.write_text(f"<!DOCTYPE html><html><body>{body}</body></html>", encoding=encoding)
    return read_document(path)


def marked(document: Document, kind: MarkKind) -> list[tuple[str, str]]:
    return [
        (mark.span.text_in(document.text), mark.detail)
        for mark in document.marks
        if mark.kind is kind
    ]


def test_paragraphs_and_headings(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        "<h1>Supply\n  Agreement</h1><div><p>One <b>bo</b>ld<br>line &amp; more"
        "<p>Two&nbsp;x</div>tail",
    )
    assert document.text == "Supply Agreement\n\nOne bold\nline & more\n\nTwo\u00a0x\n\ntail\n"
    assert marked(document, MarkKind.HEADING) == [("Supply Agreement", "1")]
    assert (document.media_type, document.reader) == ("text/html", "html/5")


def test_fields_of_a_form_have_their_state(tmp_path: Path) -> None:
    boxes = "<input type=checkbox checked> yes <input type=radio> no <input type=hidden value=x>"
    document = page(tmp_path, f"<p>Fee <input value='5 GBP'> {boxes}</p>")
    assert document.text == "Fee 5 GBP \u2612 yes \u2610 no\n"


def test_what_does_not_show_is_left_out(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        "<title>no</title><style>p{}</style><script>if (1 < 2) no()</script><!-- no -->"
        f"<template>no</template><p>{CLAUSE}</p><del>no</del><ins>added</ins>",
    )
    assert document.text == f"{CLAUSE}\n\nadded\n"
    assert marked(document, MarkKind.INSERTED) == [("added", "")]
    assert document.warnings == ("It has text marked as deleted, which is left out.",)


@pytest.mark.parametrize("how", ["hidden", "style='display: none'", 'style="visibility:hidden"'])
def test_hidden_text_is_read_and_marked(tmp_path: Path, how: str) -> None:
    document = page(tmp_path, f"<p>Seen</p><div {how}><p>un<i>seen</i></p></div><p>Again</p>")
    assert document.text == "Seen\n\nunseen\n\nAgain\n"
    assert "".join(words for words, _ in marked(document, MarkKind.HIDDEN)) == "unseen"
    assert "hidden text" in document.warnings[0]


def test_lists_are_counted(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        "<ol><li>one<li>two<ol type=a start=3><li>deep</li><li value=7>deeper</li></ol>"
        "<li>three</ol>"
        "<ol style='list-style-type: upper-roman' reversed start=2><li>x</li><li>y</li></ol>"
        "<ul><li>point</ul><ol style='list-style:none'><li>bare</ol>",
    )
    assert document.text.split("\n\n") == [
        *("1. one", "2. two", "c. deep", "g. deeper", "3. three"),
        *("II. x", "I. y", "\u2022 point", "bare\n"),
    ]
    assert marked(document, MarkKind.NUMBER)[2:4] == [("c.", "2"), ("g.", "2")]


def test_tables_are_rows_of_cells(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        "<p>Prices</p><table><thead><tr><th>Goods<th>Price</thead><tr><td>Bolts<p>steel</p><td>4"
        "<tr><td></td><td>5</table><p>End",
    )
    table = "Goods | Price\nBolts \nsteel | 4\n | 5"
    assert document.text == f"Prices\n\n{table}\n\nEnd\n"
    assert marked(document, MarkKind.TABLE) == [(table, "")]
    assert ("Bolts \nsteel", "2,1") in marked(document, MarkKind.CELL)


def test_tables_that_only_lay_out_a_clause_are_paragraphs(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        f"<table><tr><td>&nbsp;</td><td>(a)</td><td>{CLAUSE}</td></tr></table>"
        f"<table><tr><td>7.2</td><td>{CLAUSE}</td></tr></table>"
        "<table><tr><td><table><tr><td>within</td></tr></table></td></tr></table>",
    )
    assert document.text == f"(a) {CLAUSE}\n\n7.2 {CLAUSE}\n\nwithin\n"
    assert marked(document, MarkKind.TABLE) == []


@pytest.mark.parametrize(
    ("head", "encoding"),
    [("", "utf-8"), ("", "utf-16"), ("<meta charset=windows-1252>", "cp1252"), ("", "cp1252")],
)
def test_its_encoding_is_found(tmp_path: Path, head: str, encoding: str) -> None:
    document = page(tmp_path, f"{head}<p>“{CLAUSE}” – Überlassung</p>" * 3, encoding=encoding)
    assert document.text.startswith(f"“{CLAUSE}” – Überlassung\n")


def test_a_declared_encoding_that_is_wrong_does_no_harm(tmp_path: Path) -> None:
    for declared in ("utf-16", "nonsense", "ascii", "hex"):
        document = page(tmp_path, f"<meta charset='{declared}'><p>{CLAUSE} – x</p>")
        assert document.text == f"{CLAUSE} – x\n"


def test_a_page_without_a_frame_is_told_by_name_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "clause.htm"
    path.write_text(f"<p>{CLAUSE}</p>")
    assert read_document(path).media_type == "text/html"
    path.write_text("Dear <name>, 3 < 4")
    assert read_document(path).media_type == "text/plain"
    path.write_text(f"<DOCUMENT>\n<TYPE>EX-10.1\n<TEXT>\n<HTML><P>{CLAUSE}</P></HTML></TEXT>")
    assert read_document(path).text.endswith(f"{CLAUSE}\n")


HOSTILE = {
    "deep divisions": "<div>" * 20_000 + CLAUSE,
    "deep tables": "<table><tr><td>" * 6_000 + CLAUSE,
    "deep lists": "<ol><li>" * 6_000 + CLAUSE,
    "deep styles": "<b>" * 20_000 + CLAUSE + "</b>" * 20_000,
    "open comments": CLAUSE + "<!--" * 20_000,
    "open tags": CLAUSE + "<a " * 20_000,
    "open ends": CLAUSE + "</" * 20_000,
    "open scripts": CLAUSE + "<script>" * 10_000,
    "open quotes": CLAUSE + "<a b=\"'>" * 10_000,
    "ends of nothing": "</td></table></ol></p>" * 5_000 + CLAUSE,
    "entities": "&#x110000;&#0;&nosuch;&#xd800;" * 10_000 + CLAUSE,
    "attributes": "<p " + "a=b " * 50_000 + f">{CLAUSE}",
    "unclosed rows": "<table>" + "<tr><td>a<td>b" * 3_000 + f"</table>{CLAUSE}",
    "nul and directions": f"\0\u202e\u200b{CLAUSE}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_lose_nothing_and_end(name: str) -> None:
    start = time.process_time()
    text = extract_text(HOSTILE[name]).text.text
    assert CLAUSE in text
    assert "\0" not in text
    text.encode()
    assert time.process_time() - start < 5


TAG = st.sampled_from(
    [f"<{end}{name}>" for end in ("", "/") for name in
     ("p", "div", "table", "tr", "td", "ol", "li", "h1", "pre", "del", "ins", "br", "dl", "dd")]
    + ["<ul hidden>", "<!--", "-->", "<td", "text", " ", "&amp;", "<script>", "</script>"]
)  # fmt: skip


@given(st.lists(TAG, max_size=60))
def test_any_tags_give_text_with_marks_in_it(tags: list[str]) -> None:
    made = extract_text("".join(tags)).text
    assert len(made) == len(made.text)
    for mark in made.marks:
        assert 0 <= mark.span.start <= mark.span.end <= len(made)
        assert mark.span.start < mark.span.end or mark.kind is MarkKind.DELETED


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "zlib_codec", "rot13"])
def test_what_is_no_character_set_is_not_used(charset: str, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(rb"<html><meta charset=%s><body>\ud800 a-b" % charset.encode())
    assert read_document(path).text == "\\ud800 a-b\n"


def test_half_a_character_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"<html><meta charset=utf-7><body>a +2AA- b")
    assert read_document(path).text == "a +2AA- b\n"


def test_declarations_within_a_declaration_are_no_words() -> None:
    page = extract_text('<!DOCTYPE html [<!ENTITY a "b"> <!ENTITY c "d">]><html><body>&a; words')
    assert page.text.text == "&a; words"


def test_a_reference_of_very_many_digits() -> None:
    assert extract_text(f"<p>a &#{'9' * 5_000}; b &#{'0' * 50}65;").text.text == "a \ufffd b A"
