"""Where a new clause stands, how it is numbered and what it looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.read import read_document
from fourcorners.outline.build import build_outline
from fourcorners.redline.insertion import place_clause
from fourcorners.redline.proposal import NewClause
from tests.redline.word_contracts import NUMBERING, contract, paragraph, run, word_file

WORDS = "Neither party is liable for more than its fees."
HEADED = """SERVICE AGREEMENT

This Service Agreement is made on 4 March 2024 between Alder Components Limited and Birch Retail
Limited.

1. SERVICES. The Supplier shall serve the Customer as it is told from time to time.

2. PRICES. The Customer shall pay what is agreed within thirty days of an invoice.

3. SECRETS. Each party shall keep secret what it learns of the other's business.

4. NOTICES. A notice shall be in writing and is given when it has been received.

[Signature page follows]

IN WITNESS WHEREOF the parties have signed this agreement.

ALDER COMPONENTS LIMITED          BIRCH RETAIL LIMITED
By: ____________________          By: ____________________
"""


def placed(path: Path, *beside: str) -> tuple[str, NewClause | None]:
    document = read_document(path)
    outline = build_outline(document)
    return document.text, place_clause(document, outline, beside, "Limit of liability", WORDS)


def lines(clause: NewClause | None) -> list[str]:
    assert clause is not None
    return ["".join(run.text for run in each.runs) for each in clause.paragraphs]


def word(tmp_path: Path, *, typed: bool = False) -> Path:
    path = tmp_path / "supply.docx"
    path.write_bytes(word_file({"body": contract(typed=typed), "numbering": NUMBERING}))
    return path


def test_it_is_the_last_part_of_the_article_about_such_things(tmp_path: Path) -> None:
    text, clause = placed(word(tmp_path), "liability", "miscellaneous")
    assert lines(clause) == [WORDS]  # Word numbers it
    assert clause is not None
    assert (clause.number, clause.is_numbered) == ("6.4", True)
    assert text[: clause.after + 1].endswith("the laws of England and Wales.")
    assert text[clause.paragraphs[0].like :].startswith("This Agreement is governed")


def test_the_best_heading_comes_first(tmp_path: Path) -> None:
    text, clause = placed(word(tmp_path), "confidentiality", "miscellaneous")
    assert clause is not None
    assert clause.number == "4.3"
    assert text[: clause.after + 1].endswith("must be disclosed by law.")


def test_a_number_is_typed_where_the_others_are(tmp_path: Path) -> None:
    _, clause = placed(word(tmp_path, typed=True), "miscellaneous")
    assert lines(clause) == [f"6.4 {WORDS}"]


def test_without_such_an_article_it_comes_before_the_signatures(tmp_path: Path) -> None:
    path = tmp_path / "services.txt"
    path.write_text(HEADED)
    text, clause = placed(path, "liability")
    assert lines(clause) == [f"5. LIMIT OF LIABILITY. {WORDS}"]
    assert clause is not None
    assert text[: clause.after + 1].endswith("when it has been received.")


@pytest.mark.parametrize("signed", ["ALDER SALES & SERVICE, INC.", "Title: V.P.", "/s/ A. Lee Jr."])
def test_what_is_signed_is_no_sentence_to_follow(tmp_path: Path, signed: str) -> None:
    path = tmp_path / "supply.txt"
    body, _, _ = HEADED.partition("[Signature")
    path.write_text(f"{body}Accepted and agreed by\n\n{signed}\n")
    text, clause = placed(path, "liability")
    assert clause is not None
    assert text[: clause.after + 1].endswith("when it has been received.")


def test_an_outline_that_is_not_sure_tells_no_place(tmp_path: Path) -> None:
    path = tmp_path / "flat.txt"
    path.write_text("Some words without any clause. " * 40)
    assert placed(path, "liability")[1] is None


LINES = """SUPPLY AGREEMENT

This Supply Agreement is made on 4 March 2024 between Alder Components Limited and Birch Retail
Limited.

ARTICLE I

SUPPLY

Section 1.01  The Supplier shall deliver the Goods that the Customer orders in writing.

Section 1.02  Risk in the Goods passes to the Customer when they are delivered to it.

ARTICLE II

GENERAL

Section 2.01  A notice shall be in writing and is given when it has been received.

Section 2.02  This Agreement is the entire agreement of the parties about its subject.

IN WITNESS WHEREOF the parties have signed this agreement.
"""


def test_a_number_that_is_a_line_by_itself_is_one_again(tmp_path: Path) -> None:
    path = tmp_path / "supply.txt"
    path.write_text(LINES)
    _, clause = placed(path, "liability")
    assert lines(clause) == ["ARTICLE III", "LIMIT OF LIABILITY", f"Section 3.01  {WORDS}"]


def test_tabs_around_a_number_are_those_of_its_neighbour(tmp_path: Path) -> None:
    path = tmp_path / "supply.txt"
    text = LINES.replace("ARTICLE I\n\n", "1.\t").replace("ARTICLE II\n\n", "2.\t")
    for number, heading in (
        ("1.01", "Delivery"),
        ("1.02", "Risk"),
        ("2.01", "Form"),
        ("2.02", "All"),
    ):
        text = text.replace(f"Section {number}  ", f"\t{number}\t{heading}.\t")
    path.write_text(text)
    _, clause = placed(path, "general")
    assert lines(clause) == [f"\t2.03\tLimit of liability.\t{WORDS}"]


def test_two_clauses_at_one_place_have_different_numbers(tmp_path: Path) -> None:
    document = read_document(word(tmp_path, typed=True))
    outline = build_outline(document)
    first = place_clause(document, outline, ["miscellaneous"], "Cap", WORDS)
    assert first is not None
    second = place_clause(document, outline, ["miscellaneous"], "Cap", WORDS, [first])
    assert second is not None
    assert (first.number, second.number) == ("6.4", "6.5")


@pytest.mark.parametrize("roman", [True, False])
def test_the_parts_of_two_new_articles_have_different_numbers(
    tmp_path: Path, *, roman: bool
) -> None:
    path = tmp_path / "supply.txt"
    text = LINES if roman else LINES.replace("ARTICLE I\n", "1.\n").replace("ARTICLE II\n", "2.\n")
    path.write_text(text)
    document = read_document(path)
    outline = build_outline(document)
    first = place_clause(document, outline, ["liability"], "Cap", WORDS)
    assert first is not None
    second = place_clause(document, outline, ["secrets"], "Secrets", WORDS, [first])
    third = place_clause(document, outline, ["general"], "Notices", WORDS, [first])
    assert lines(first)[-1] == f"Section 3.01  {WORDS}"
    assert lines(second)[-1] == f"Section 4.01  {WORDS}"
    assert lines(third)[-1] == f"Section 2.03  {WORDS}"


def test_a_new_article_begins_with_a_number_of_words_own(tmp_path: Path) -> None:
    document = read_document(word(tmp_path))
    clause = place_clause(document, build_outline(document), ["liability"], "Cap", WORDS)
    assert clause is not None
    body = clause.paragraphs[-1].like
    assert document.text[body:].startswith("Neither party may assign")  # past the number 6.1


def test_it_comes_before_the_close_of_a_letter(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    body, _, _ = HEADED.partition("[Signature")
    path.write_text(
        f"{body}If the foregoing is what we agreed, please sign below.\n\nVery truly yours,\n\n"
        "ALDER COMPONENTS LIMITED\n\nBy: ____________________\n"
    )
    text, clause = placed(path, "liability")
    assert clause is not None
    assert text[: clause.after + 1].endswith("when it has been received.")


def test_under_headings_without_numbers_a_list_of_words_own_goes_on(tmp_path: Path) -> None:
    def article(title: str, *points: str) -> str:
        counted = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{}"/></w:numPr>'
        own = counted.format(1 + len(lists))
        lists.append(title)
        head = paragraph(run(title, "<w:b/>"), properties='<w:pStyle w:val="Heading1"/>')
        return head + "".join(paragraph(run(each), properties=own) for each in points)

    lists: list[str] = []
    body = paragraph(run("SUPPLY AGREEMENT", "<w:b/>")) + "".join(
        (
            article("Supply", "The Supplier shall deliver the goods that the Customer orders."),
            article("Prices", "The Customer shall pay the price within thirty days."),
            article(
                "General",
                "This Agreement is the entire agreement of the parties about its subject.",
                "This Agreement is governed by the laws of England and Wales.",
            ),
        )
    )
    level = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>'
        '<w:lvlText w:val="(%1)"/></w:lvl>'
    )
    numbering = "".join(
        f'<w:abstractNum w:abstractNumId="{each}">{level}</w:abstractNum>' for each in (1, 2, 3)
    ) + "".join(
        f'<w:num w:numId="{each}"><w:abstractNumId w:val="{each}"/></w:num>' for each in (1, 2, 3)
    )
    styles = (
        '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    )
    path = tmp_path / "lists.docx"
    path.write_bytes(word_file({"body": body, "styles": styles, "numbering": numbering}))
    text, clause = placed(path, "liability")
    assert lines(clause) == [WORDS]
    assert clause is not None
    assert (clause.number, clause.is_numbered) == ("(c)", True)
    assert text[: clause.after + 1].endswith("the laws of England and Wales.")


@pytest.mark.parametrize("full_stop", ["<w:b/>", ""])
def test_a_tab_and_a_full_stop_by_a_run_in_heading_are_as_in_its_neighbour(
    tmp_path: Path, full_stop: str
) -> None:
    tab = "<w:r><w:tab/></w:r>"
    body = paragraph(run("SUPPLY AGREEMENT", "<w:b/>")) + "".join(
        paragraph(tab, run(title, "<w:b/>"), run(".", full_stop), run(f" {words}"), properties=own)
        for own in ['<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>']
        for title, words in (
            ("Supply", "The Supplier shall deliver the goods that the Customer orders."),
            ("Prices", "The Customer shall pay the price within thirty days of an invoice."),
            ("Secrets", "Each party shall keep secret what it learns of the other."),
        )
    )
    path = tmp_path / "tabs.docx"
    path.write_bytes(word_file({"body": body, "numbering": NUMBERING}))
    text, clause = placed(path, "liability")
    assert lines(clause) == [f"\tLimit of liability. {WORDS}"]
    assert clause is not None
    assert [text[each.like] for each in clause.paragraphs[0].runs[:2]] == ["S", "."]


@pytest.mark.parametrize(("mark", "first"), [("(a)\t", "(a)\t"), ("(i) ", "(i) "), ("", "")])
def test_a_new_headings_paragraph_has_the_number_of_its_neighbours_first_one(
    tmp_path: Path, mark: str, first: str
) -> None:
    def head(words: str) -> str:
        return paragraph(run(words, "<w:b/>"), properties='<w:pStyle w:val="Heading1"/>')

    def point(words: str) -> str:
        before, _, _ = mark.partition("\t")
        tab = "<w:r><w:tab/></w:r>" if "\t" in mark else ""
        return paragraph(run(before), tab, run(words)) if mark else paragraph(run(words))

    body = paragraph(run("SUPPLY AGREEMENT", "<w:b/>")) + "".join(
        head(title) + point(words)
        for title, words in (
            ("Supply", "The Supplier shall deliver the goods that the Customer orders."),
            ("Prices", "The Customer shall pay the price within thirty days of an invoice."),
            ("Secrets", "Each party shall keep secret what it learns of the other."),
            ("General", "This Agreement is governed by the laws of England and Wales."),
        )
    )
    styles = (
        '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    )
    path = tmp_path / "headed.docx"
    path.write_bytes(word_file({"body": body, "styles": styles}))
    _, clause = placed(path, "liability")
    assert lines(clause) == ["Limit of liability", f"{first}{WORDS}"]
