"""Rich text: words, numbers, tables, notes, changes; and files that are no such thing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.read import read_document
from fourcorners.documents.reader import RawFile
from fourcorners.documents.rtf.reader import read_rtf
from fourcorners.errors import InputError

CLAUSE = "Neither party may assign this Agreement."
HEAD = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}{\f1\fcharset204 Arial Cyr;}}"


def rtf(tmp_path: Path, body: str | bytes) -> Document:
    path = tmp_path / "a.rtf"
    data = body.encode("latin-1") if isinstance(body, str) else body
    path.write_bytes(HEAD.encode() + data + b"}")
    return read_document(path)


def marked(document: Document, kind: MarkKind) -> list[tuple[str, str]]:
    return [
        (mark.span.text_in(document.text), mark.detail)
        for mark in document.marks
        if mark.kind is kind
    ]


def test_paragraphs_signs_and_letters(tmp_path: Path) -> None:
    document = rtf(
        tmp_path,
        r"{\info{\title no}}{\stylesheet{\s1 no;}}\pard One\par"
        "\r\n"
        r"\ldblquote Fee\rdblquote\~\'80 5\endash 6 \u8364? \u-10179?\u-8704?"
        r"\uc2\u228ab\uc0 c\tab d\par"
        r"{\f1\'c0\'e1}\{x\}\\y{\*\nosuch gone}{\pict 00ff}",
    )
    assert document.text == "One\n\n“Fee”\u00a0€ 5–6 € 😀äc\td\n\nАб{x}\\y\n"
    assert (document.media_type, document.reader) == ("application/rtf", "rtf/6")


def test_the_numbers_of_lists_are_in_the_text_and_marked(tmp_path: Path) -> None:
    document = rtf(
        tmp_path, r"{\listtext\tab 7.2\tab}" + CLAUSE + r"\par{\pntext (a)\tab}First\par"
    )
    assert document.text == f"7.2 {CLAUSE}\n\n(a) First\n"
    assert [words for words, _ in marked(document, MarkKind.NUMBER)] == ["7.2", "(a)"]


def test_deletions_go_and_insertions_stay(tmp_path: Path) -> None:
    document = rtf(tmp_path, r"The fee is {\deleted 100}{\revised 250} a year.")
    assert document.text == "The fee is 250 a year.\n"
    assert marked(document, MarkKind.INSERTED) == [("250", "")]
    assert "tracked changes" in document.warnings[0]


def test_hidden_text_is_marked_and_headings_are(tmp_path: Path) -> None:
    document = rtf(tmp_path, r"\outlinelevel0 Term\par\pard Open {\v secret} {\v\v0 open}\par")
    assert document.text == "Term\n\nOpen secret open\n"
    assert marked(document, MarkKind.HIDDEN) == [("secret", "")]
    assert marked(document, MarkKind.HEADING) == [("Term", "1")]


def test_tables_and_notes(tmp_path: Path) -> None:
    document = rtf(
        tmp_path,
        r"Prices{\footnote Net of tax.}:\par\trowd\pard\intbl Goods\cell Price\cell\row"
        r"\pard\intbl Bolts\par steel\cell 4\cell\row\pard After\par",
    )
    table = "Goods | Price\nBolts\nsteel | 4"
    assert document.text == f"Prices[1]:\n\n{table}\n\nAfter\n\n[1] Net of tax.\n"
    assert marked(document, MarkKind.TABLE) == [(table, "")]
    assert marked(document, MarkKind.FOOTNOTE) == [("[1] Net of tax.", "footnotes")]


def test_a_truncated_file_is_read_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "cut.rtf"
    path.write_text(HEAD + "{" + CLAUSE)
    document = read_document(path)
    assert document.text == f"{CLAUSE}\n"
    assert document.warnings == ("The file may be truncated: its end is missing.",)


def test_a_file_without_words_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the document holds no text"):
        rtf(tmp_path, r"{\pict 00ff00}")


HOSTILE = {
    "deep": b"{" * 300_000 + CLAUSE.encode() + b"}" * 300_000,
    "closed too often": b"}" * 300_000 + CLAUSE.encode(),
    "notes within notes": rb"{\footnote x" * 20_000 + b"}" * 20_000 + CLAUSE.encode(),
    "cells": rb"\intbl a\cell " * 100_000 + rb"\row\pard " + CLAUSE.encode(),
    "binary beyond the end": CLAUSE.encode() + rb"\bin999999999 abc",
    "numbers": rb"\u99999999999 \uc999999 \ansicpg99999999 \f-1 " + rb"\uc0 " + CLAUSE.encode(),
    "surrogates": rb"\u-10240?\u-10240?\u-9216?\u-9216? " + CLAUSE.encode(),
    "nul": b"\0\0" + CLAUSE.encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_as_documents(tmp_path: Path, name: str) -> None:
    start = time.process_time()
    document = rtf(tmp_path, HOSTILE[name])
    assert CLAUSE in document.text
    assert "\0" not in document.text
    document.text.encode()
    assert time.process_time() - start < 20


@given(st.lists(st.sampled_from(
    ["{", "}", "\\par ", "\\cell ", "\\row ", "\\intbl ", "\\pard ", "{\\footnote ", "{\\listtext ",
     "\\v ", "\\plain ", "\\deleted ", "\\'e4", "\\u228?", "word", "\\*", "\\bin3 ", "\\uc0 ", "\\"]
), max_size=60))  # fmt: skip
def test_any_controls_give_text_with_marks_in_it(parts: list[str]) -> None:
    data = (HEAD + "x" + "".join(parts)).encode()
    try:
        content = read_rtf(RawFile(Path("a.rtf"), data, MediaType.RTF))
    except InputError:  # controls can hide even the x
        return
    for mark in content.marks:
        assert 0 <= mark.span.start <= mark.span.end <= len(content.text)
        assert mark.span.start < mark.span.end or mark.kind is MarkKind.DELETED


def test_what_is_put_in_as_bytes_is_no_text(tmp_path: Path) -> None:
    document = rtf(tmp_path, rb"A {\pict\bin9 }}}\par}{}B\bin0 C {\bin-5 D}")
    assert document.text == "A BC D\n"
    assert document.warnings == ()


def test_bytes_longer_than_the_file_hide_nothing(tmp_path: Path) -> None:
    document = rtf(tmp_path, rb"A\bin2147483647 B\par " + CLAUSE.encode())
    assert document.text == f"AB\n\n{CLAUSE}\n"
    assert document.warnings == (
        "The file is damaged: a picture in it is said to be longer than the file.",
    )
