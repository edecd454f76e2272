"""The numbers that Word computes, on lists of every kind that contracts use.

The expectations were compared with LibreOffice on the same files; it differs where it does not
know `lvlRestart` and `isLgl`, and where it counts deleted paragraphs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents.document import MarkKind
from fourcorners.documents.number_formats import format_number
from fourcorners.documents.read import read_document


def level(at: int, style: str, text: str, *, start: int = 1, extra: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{style}"/>{extra}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def definition(number: int, *levels: str) -> str:
    multilevel = '<w:multiLevelType w:val="multilevel"/>'
    return (
        f'<w:abstractNum w:abstractNumId="{number}">{multilevel}{"".join(levels)}</w:abstractNum>'
    )


def listed(number: int, of: int, overrides: str = "") -> str:
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def starts(at: int, start: int) -> str:
    return f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


def item(words: str, number: int | None = None, at: int | None = None, style: str = "") -> str:
    numbering = "".join(
        f'<w:{name} w:val="{value}"/>'
        for name, value in (("ilvl", at), ("numId", number))
        if value is not None
    )
    numbering = f"<w:numPr>{numbering}</w:numPr>" if numbering else ""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    text = f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>' if words else ""
    return f"<w:p><w:pPr>{styled}{numbering}</w:pPr>{text}</w:p>"


def style(name: str, based_on: str = "", properties: str = "", kind: str = "paragraph") -> str:
    based = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>{based}'
        f"<w:pPr>{properties}</w:pPr></w:style>"
    )


def numbered(number: int | None = None, at: int | None = None) -> str:
    inner = "" if at is None else f'<w:ilvl w:val="{at}"/>'
    inner += "" if number is None else f'<w:numId w:val="{number}"/>'
    return f"<w:numPr>{inner}</w:numPr>"


LEGAL = definition(
    1,
    level(0, "decimal", "%1."),
    level(1, "decimal", "%1.%2"),
    level(2, "lowerLetter", "(%3)"),
    level(3, "lowerRoman", "(%4)"),
)


def lines(path: Path) -> list[str]:
    return read_document(path).text.split()


def test_clauses_count_and_restart_below(make_docx: Any) -> None:
    body = "".join(item("x", 1, at) for at in (0, 1, 1, 2, 2, 3, 3, 2, 1, 2, 0, 1, 2))
    document = read_document(make_docx(body, numbering=LEGAL + listed(1, 1)))
    labels = [
        "1.",
        "1.1",
        "1.2",
        "(a)",
        "(b)",
        "(i)",
        "(ii)",
        "(c)",
        "1.3",
        "(a)",
        "2.",
        "2.1",
        "(a)",
    ]
    assert document.text == "\n\n".join(f"{label} x" for label in labels) + "\n"
    assert [mark.span.text_in(document.text) for mark in document.marks] == labels
    assert {mark.kind for mark in document.marks} == {MarkKind.NUMBER}
    assert [mark.detail for mark in document.marks[:4]] == ["1", "2", "2", "3"]


def test_articles_in_roman_and_sections_in_decimal_all_the_same(make_docx: Any) -> None:
    legal = definition(
        1,
        level(0, "upperRoman", "ARTICLE %1", extra='<w:suff w:val="space"/>'),
        level(1, "decimalZero", "Section %1.%2", extra="<w:isLgl/>"),
        level(2, "upperLetter", "%1-%3", extra='<w:suff w:val="nothing"/>'),
    )
    body = "".join(item("x", 1, at) for at in (0, 0, 0, 0, 1, 1, 2, 2))
    assert read_document(make_docx(body, numbering=legal + listed(1, 1))).text.split("\n\n") == [
        "ARTICLE I x",
        "ARTICLE II x",
        "ARTICLE III x",
        "ARTICLE IV x",
        "Section 4.01 x",
        "Section 4.02 x",
        "IV-Ax",
        "IV-Bx\n",
    ]


def test_lists_of_one_definition_continue_unless_they_start_anew(make_docx: Any) -> None:
    numbering = LEGAL + listed(1, 1) + listed(2, 1) + listed(3, 1, starts(0, 5))
    body = "".join(item("x", number, 0) for number in (1, 1, 2, 3, 3, 1))
    assert lines(make_docx(body, numbering=numbering))[::2] == ["1.", "2.", "3.", "5.", "6.", "7."]


def test_a_list_that_starts_anew_does_so_once(make_docx: Any) -> None:
    numbering = LEGAL + listed(1, 1) + listed(2, 1, starts(2, 1))
    body = "".join(
        item("x", number, at) for number, at in ((1, 0), (1, 2), (1, 2), (2, 2), (2, 2), (1, 2))
    )
    assert lines(make_docx(body, numbering=numbering))[::2] == [
        "1.",
        "(a)",
        "(b)",
        "(a)",
        "(b)",
        "(c)",
    ]


def test_a_level_may_restart_late_or_never(make_docx: Any) -> None:
    numbering = definition(
        1,
        level(0, "upperRoman", "%1."),
        level(1, "decimal", "Section %2", extra='<w:lvlRestart w:val="0"/>'),
        level(2, "lowerLetter", "(%3)", extra='<w:lvlRestart w:val="1"/>'),
    ) + listed(1, 1)
    body = "".join(item("x", 1, at) for at in (0, 1, 2, 1, 2, 0, 1, 2))
    assert read_document(make_docx(body, numbering=numbering)).text.split("\n\n") == [
        "I. x",
        "Section 1 x",
        "(a) x",
        "Section 2 x",
        "(b) x",
        "II. x",
        "Section 3 x",
        "(a) x\n",
    ]


def test_styles_carry_numbers_that_they_inherit(make_docx: Any) -> None:
    numbering = definition(
        1,
        level(0, "decimal", "%1", extra='<w:pStyle w:val="Clause1"/>'),
        level(1, "decimal", "%1.%2", extra='<w:pStyle w:val="Clause2"/>'),
        level(2, "lowerLetter", "(%3)"),
    ) + listed(7, 1)
    styles = (
        style("Clause1", properties=numbered(7))
        + style("Clause2", "Clause1", numbered(7, 1))
        + style("Clause2Bold", "Clause2")
        + style("Clause3", "Clause1", numbered(at=2))
        + style("Plain", "Clause1", numbered(0))
    )
    body = "".join(
        item("x", style=name)
        for name in ("Clause1", "Clause2", "Clause2Bold", "Clause3", "Plain", "Clause1")
    )
    body += item("x", 0, style="Clause1") + item("x", at=1, style="Clause1")
    text = read_document(make_docx(body, numbering=numbering, styles=styles)).text
    assert text.split("\n\n") == ["1 x", "1.1 x", "1.2 x", "(a) x", "x", "2 x", "x", "2.1 x\n"]


def test_a_definition_may_stand_for_a_list_style(make_docx: Any) -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="5"><w:numStyleLink w:val="House"/></w:abstractNum>'
        + LEGAL.replace("<w:lvl ", '<w:styleLink w:val="House"/><w:lvl ', 1)
        + listed(1, 1)
        + listed(2, 5)
    )
    styles = style("House", properties=numbered(1), kind="numbering")
    body = item("x", 2, 0) + item("x", 2, 1)
    assert lines(make_docx(body, numbering=numbering, styles=styles)) == ["1.", "x", "1.1", "x"]


def test_bullets_empty_labels_and_missing_parents(make_docx: Any) -> None:
    numbering = (
        definition(1, level(0, "bullet", "\uf0b7"), level(1, "none", ""))
        + LEGAL.replace('abstractNumId="1"', 'abstractNumId="2"')
        + listed(1, 1)
        + listed(2, 2)
    )
    body = item("x", 1, 0) + item("y", 1, 1) + item("z", 2, 1) + item("u", 9, 0)
    text = read_document(make_docx(body, numbering=numbering)).text
    assert text.split("\n\n") == ["\u2022 x", "y", "1.1 z", "u\n"]


def test_a_level_left_out_counts_as_if_it_had_been_there(make_docx: Any) -> None:
    body = "".join(item("x", 1, at) for at in (1, 0, 2, 1))
    assert lines(make_docx(body, numbering=LEGAL + listed(1, 1)))[::2] == [
        "1.1",
        "2.",
        "(a)",
        "2.2",
    ]


def test_text_boxes_notes_and_margins_count_apart(make_docx: Any) -> None:
    def box(words: str) -> str:
        inside = f"<w:txbxContent>{item(words, 1, 0)}</w:txbxContent>"
        return f"<w:p><w:r><w:pict><v:textbox>{inside}</v:textbox></w:pict></w:r></w:p>"

    note = '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    body = item("a", 1, 0) + box("b") + item("c", 1, 0) + box("d") + note + item("e", 1, 0)
    footnotes = f'<w:footnote w:id="2">{item("f", 1, 0)}</w:footnote>'
    text = read_document(make_docx(body, numbering=LEGAL + listed(1, 1), footnotes=footnotes)).text
    assert text.split("\n\n") == ["1. a", "1. b", "2. c", "2. d", "[1]", "3. e", "[1] 1. f\n"]


def test_zeros_before_a_number_and_numbers_that_are_hidden(make_docx: Any) -> None:
    own = (
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><mc:AlternateContent><mc:Choice Requires="w14">'
        '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback>'
        '<w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="%1"/>'
        "</w:lvl>"
    )
    unseen = level(1, "decimal", "%2").replace("</w:lvl>", "<w:rPr><w:vanish/></w:rPr></w:lvl>")
    body = item("x", 1, 0) + item("y", 1, 0) + item("z", 1, 1)
    text = read_document(make_docx(body, numbering=definition(1, own, unseen) + listed(1, 1))).text
    assert text.split("\n\n") == ["009 x", "010 y", "z\n"]


def field(code: str, result: str | None = None) -> str:
    marks = [f'<w:r><w:fldChar w:fldCharType="{each}"/></w:r>' for each in ("begin", "end")]
    stored = "" if result is None else f"<w:r><w:t>{result}</w:t></w:r>"
    between = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + stored
    code = f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
    return marks[0] + code + ("" if result is None else between) + marks[1]


def with_fields(*codes: str, **formats: Any) -> str:
    """Return a paragraph whose fields each have a word after them."""
    marked = "".join(f"{field(code)}<w:r><w:t> x </w:t></w:r>" for code in codes)
    return item("", **formats).replace("</w:p>", f"{marked}</w:p>")


def test_fields_that_number_count_as_word_counts_them(make_docx: Any) -> None:
    body = with_fields(r"LISTNUM NumberDefault \l 3 \s 2", "LISTNUM", "LISTNUM")
    body = body.replace("</w:pPr>", "</w:pPr><w:r><w:t>If </w:t></w:r>")
    body += item("A", 1, 0) + with_fields("LISTNUM", "LISTNUM", number=1, at=1)
    body += with_fields(r"LISTNUM LegalDefault \l 2") + with_fields("listnum  mine")
    body += with_fields(r"LISTNUM OutlineDefault \l 1", "LISTNUM", "LISTNUM")
    numbers = LEGAL.replace("<w:multi", '<w:name w:val="Mine"/><w:multi') + listed(1, 1)
    document = read_document(make_docx(body, numbering=numbers))
    assert [" ".join(each.split()) for each in document.text.splitlines() if each] == [
        "If ii) x iii) x iv) x", "1. A", "1.1 (a) x (b) x", "1.1. x", "2. x", "I. x A. x B. x",
    ]  # fmt: skip
    found = [m.span.text_in(document.text) for m in document.marks if m.kind is MarkKind.NUMBER]
    assert (found[:3], found[-1]) == (["ii)", "iii)", "iv)"], "B.")


def test_a_contract_numbered_by_fields_is_numbered() -> None:
    text = read_document(Path(__file__).parents[1] / "cases" / "listnum.docx").text
    labels = [line.split()[0] for line in text.splitlines() if line[:1].isdigit()]
    assert labels == ["1.", "2.", "2.1.", "2.2.", "3.", "4."]
    assert "the other party 3.1. is in material breach; 3.2. is insolvent; or 3.3. ceases" in text


def test_automatic_numbers_follow_headings(make_docx: Any) -> None:
    styles = "".join(style(f"heading {level}") for level in (1, 2))
    body = "".join(
        with_fields(code, style=name)
        for code, name in (
            ("AUTONUMLGL", "heading 1"), ("AUTONUMLGL", "heading 2"), (r"AUTONUMLGL \e", ""),
            ("AUTONUMLGL", ""), ("AUTONUMLGL", "heading 1"), ("AUTONUM", ""),
            (r"AUTONUM \* ROMAN \s )", ""), ("AUTONUMOUT", "heading 2"),
        )
    )  # fmt: skip
    text = read_document(make_docx(body, styles=styles)).text
    assert text.replace(" x ", "").split() == [
        "1.", "1.1.", "1.1.1", "1.1.2.", "2.", "1.", "II)", "A.",
    ]  # fmt: skip


def test_an_empty_paragraph_counts_and_a_deleted_one_does_not(make_docx: Any) -> None:
    deleted = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr>'
        '<w:del w:id="1" w:author="A"/></w:rPr></w:pPr>'
        '<w:del w:id="2" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>'
    )
    body = item("x", 1, 0) + deleted + item("", 1, 0) + item("y", 1, 0)
    assert lines(make_docx(body, numbering=LEGAL + listed(1, 1))) == ["1.", "x", "2.", "3.", "y"]


@pytest.mark.parametrize(
    ("count", "name", "written"),
    [
        (27, "lowerLetter", "aa"),
        (52, "upperLetter", "ZZ"),
        (1994, "upperRoman", "MCMXCIV"),
        (4000, "lowerRoman", "4000"),
        (0, "lowerLetter", "0"),
        (7, "decimalZero", "07"),
        (3, "none", ""),
        (11, "ordinal", "11th"),
        (22, "ordinal", "22nd"),
        (21, "cardinalText", "Twenty-one"),
        (20, "ordinalText", "Twentieth"),
        (32, "ordinalText", "Thirty-second"),
        (9, "ordinalText", "Ninth"),
        (120, "ordinalText", "One hundred twentieth"),
        (1101, "cardinalText", "One thousand one hundred one"),
        (2, "chicago", "\u2020"),
        (5, "chicago", "**"),
        (3, "decimalEnclosedCircle", "\u2462"),
        (7, "numberInDash", "- 7 -"),
        (26, "hex", "1A"),
        (10000, "cardinalText", "10000"),
        (5, "chineseCounting", "5"),
    ],
)
def test_counts_are_written_as_word_writes_them(count: int, name: str, written: str) -> None:
    assert format_number(count, name) == written
