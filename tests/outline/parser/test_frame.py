"""The frame of a contract, in the forms that filings and readers leave it in."""

from __future__ import annotations

from collections.abc import Callable

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import NodeKind, Outline

Make = Callable[..., Document]
CLAUSES = "\n\n".join(
    f"{number}. {name}. The mill and the baker shall do what this clause says of {name.lower()}."
    for number, name in enumerate(("Flour", "Bread", "Payment", "Notices", "Law"), start=1)
)
SIGNED = "IN WITNESS WHEREOF, the parties have signed.\n\nBy: ________\n"


def top(outline: Outline) -> list[str]:
    """The top level without title and mere text: labels, or kinds of what has none."""
    return [
        node.label or node.kind.value
        for node in outline.nodes
        if node.parent is None
        and node.kind is not NodeKind.TITLE
        and (node.label or node.heading or node.kind is not NodeKind.PARAGRAPH)
    ]


def read(document: Make, text: str) -> list[str]:
    return top(build_outline(document(text)))


NUMBERS = ["1", "2", "3", "4", "5"]


def test_witness_clauses(document: Make) -> None:
    for words in (
        " IN WITNESS WHEREOF, the parties have signed.\nPer: the miller",
        "IN WITNESS OF THE FOREGOING, the parties have signed.",
        "In witness thereof the parties have signed.\nThe miller",
    ):
        assert read(document, f"{CLAUSES}\n\n{words}\n") == [*NUMBERS, "signature"], words


def test_names_of_those_who_sign_are_no_headings(document: Make) -> None:
    text = f"{CLAUSES}\n\n{SIGNED}\nTHE GREAT NORTHERN MILL CO.\nBy /s/ A Miller\n"
    assert read(document, text) == [*NUMBERS, "signature"]


def test_exhibit_below_a_page_number(document: Make) -> None:
    text = f"{CLAUSES}\n\n{SIGNED}Title: Miller\n12\nEXHIBIT A\nGRADES OF FLOUR\nWhite.\n"
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A"]


def test_exhibit_behind_a_page_number(document: Make) -> None:
    text = f"{CLAUSES}\n\n{SIGNED}\n\n\n9 Annex A THESE GRADES ARE THE CUSTOMARY ONES.\n"
    assert read(document, text) == [*NUMBERS, "signature", "Annex A"]


def test_clause_behind_a_page_number(document: Make) -> None:
    text = CLAUSES.replace("3. Payment", "2 3. Payment")
    assert read(document, text) == NUMBERS


def test_exhibit_that_says_what_it_is(document: Make) -> None:
    text = f'{CLAUSES}\n\n{SIGNED}\n\nTHIS IS SCHEDULE "A" TO THE FLOUR CONTRACT\n\nWhite.\n'
    assert read(document, text) == [*NUMBERS, "signature", "Schedule A"]


def test_papers_with_a_name_behind_the_signatures(document: Make) -> None:
    paper = "STATEMENT OF WORK Milling.\n\n1. Mill.\n\n2. Sift.\n"
    text = f"FLOUR AGREEMENT\n\n{CLAUSES}\n\n{SIGNED}\n\n\n{paper}"
    assert read(document, text) == [*NUMBERS, "signature", "Statement of Work"]


def test_signature_within_an_exhibit(document: Make) -> None:
    form = "EXHIBIT A\n\nForm of Order\n\n1. Order. One sack.\n\n"
    text = f"{CLAUSES}\n\n{SIGNED}\n\n{form}IN WITNESS WHEREOF, the baker signs.\n\nBy: ____\n"
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A"]


def test_recitals_within_a_line(document: Make) -> None:
    filler = "The mill stands on the river and the bakery beside it. "
    for head in ("WHEREAS the mill", "RECITALS WHEREAS, the mill", "WHEREAS: A. The mill"):
        text = f"{filler}(the “Baker”) {head} mills; NOW, THEREFORE, they agree:\n\n{CLAUSES}"
        assert read(document, text) == ["recitals", *NUMBERS], head


def test_numbered_recitals_of_a_restatement(document: Make) -> None:
    text = (
        "WHEREAS\n\n1. The mill mills.\n\n2. The baker bakes.\n\nThe contract of last year is "
        f"amended and restated as follows:\n\n{CLAUSES}"
    )
    assert read(document, text) == ["recitals", *NUMBERS]


def test_list_of_schedules_below_the_contents(document: Make) -> None:
    names = ("Flour", "Bread", "Payment", "Notices", "Law")
    paged = "".join(f"{n}. {name} {n + 2}\n" for n, name in enumerate(names, start=1))
    plain = "".join(f"{n}. {name}\n" for n, name in enumerate(names, start=1))
    for listed in (
        f"CONTENTS\n{paged}Schedule\n1. Grades of Flour 17\n2. Sacks 18\n",
        f"CONTENTS\n{plain}Schedules\n2.2 Grades of Flour\nExhibits\nA Sacks\n",
    ):
        text = f"{listed}FLOUR AGREEMENT\n\nThe mill agrees.\n\n{CLAUSES}"
        assert read(document, text) == NUMBERS, listed


def test_contents_below_a_party_list(document: Make) -> None:
    names = ("Flour", "Bread", "Payment", "Notices", "Law")
    listed = "".join(f"{n}. {name}\n" for n, name in enumerate(names, start=1))
    text = f"FLOUR AGREEMENT\nbetween\n1. The Mill\n2. The Baker\nCONTENTS\n{listed}\n{CLAUSES}"
    assert read(document, text)[-5:] == NUMBERS
    assert len(read(document, text)) <= 7


def test_heap_of_numbers_behind_the_signatures(document: Make) -> None:
    heap = "1.\na.\ni.\n2.\na.\nb.\n3.\na.\n"
    text = f"{CLAUSES}\n\n{SIGNED}\n\n{heap}EXHIBIT A\nGrades\nWhite.\n"
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A"]


def test_first_at_the_start_of_a_wrapped_line(document: Make) -> None:
    text = CLAUSES.replace("of bread.", "of bread, whichever of the two days comes\nfirst. Or not.")
    assert "First" not in [node.label for node in build_outline(document(text)).nodes]
    assert read(document, text) == NUMBERS


def test_clauses_numbered_with_a_nought(document: Make) -> None:
    text = (
        "Section 1. Flour\n\n1.1 White. It is white.\n\n1.2 Brown. It is brown.\n\n"
        "Section 2. Bread\n\n2.1 Loaves. They are round.\n\n(a) large; and\n\n(b) small.\n\n"
        "3.0 Law. That of the river.\n\n4.0 Notices. By letter.\n"
    )
    assert [name.removesuffix(".0") for name in read(document, text)] == ["1", "2", "3", "4"]


def test_number_that_counts_on_from_a_decimal(document: Make) -> None:
    text = (
        CLAUSES[CLAUSES.index("2. ") :]
        .replace("2. Bread.", "2.1 Bread.")
        .replace("3. Payment", "2.2 Loaves. They are round.\n\n3. Payment")
    )
    outline = build_outline(document(text))
    assert next(n for n in outline.nodes if n.label == "3").parent is None
    assert [n.label for n in outline.nodes if n.label][-3:] == ["3", "4", "5"]


def test_capitals_that_open_paragraphs_head_them_where_nothing_is_numbered(document: Make) -> None:
    named = "\n\n".join(
        f"{name.upper()} AND MORE. The mill and the baker shall do what is said of {name} here."
        for name in ("flour", "bread", "payment", "law")
    )
    text = f"FLOUR AGREEMENT\n\nThe mill and the baker agree.\n\n{named}\n"
    outline = build_outline(document(text))
    heads = [n.heading.text_in(text) for n in outline.nodes if n.heading and not n.parent][1:]
    assert heads == [f"{name} AND MORE" for name in ("FLOUR", "BREAD", "PAYMENT", "LAW")]
    numbered = build_outline(document(f"FLOUR AGREEMENT\n\n{CLAUSES}\n\n{named}\n"))
    assert top(numbered) == NUMBERS


def test_articles_with_a_dash_before_their_number(document: Make) -> None:
    text = "\n\n".join(
        f"ARTICLE - {n} {name}\n\n{n}.1 It is as this clause says.\n\n{n}.2 And so on."
        for n, name in enumerate(("FLOUR", "BREAD", "PAYMENT", "LAW"), start=1)
    )
    assert read(document, text) == [f"Article {n}" for n in (1, 2, 3, 4)]


def test_titled_numbers_without_a_dot_in_a_flat_text(document: Make) -> None:
    names = ("Flour", "Bread", "Payment", "Notices", "Law")
    text = "   ".join(
        f"{n} {name} and More   {n}.1 The mill shall do what this clause says of it.   "
        f"{n}.2 It shall take 12 Sacks.   14   Sacks are the least that it is to take"
        for n, name in enumerate(names, start=1)
    )
    assert read(document, text) == NUMBERS


def test_numbers_of_those_who_sign_are_no_clauses(document: Make) -> None:
    text = f"{CLAUSES}\n\n{SIGNED}\n1. /s/ A Miller\n2. /s/ A Baker\n3. ________\n"
    assert read(document, text) == [*NUMBERS, "signature"]


def test_recitals_that_are_a_clause_of_their_own(document: Make) -> None:
    text = (
        "FLOUR AGREEMENT\n\n1. Recitals\n\nWHEREAS, the mill mills; and\n\nWHEREAS, the baker "
        f"bakes;\n\nNOW, THEREFORE, they agree:\n\n{CLAUSES[CLAUSES.index('2. ') :]}"
    )
    assert read(document, text) == NUMBERS


def test_recitals_that_the_contract_witnesses(document: Make) -> None:
    text = (
        "FLOUR AGREEMENT\n\nWITNESSES THAT WHEREAS the mill mills;\n\n"
        f"the parties agree as follows:\n\n{CLAUSES}"
    )
    assert read(document, text) == ["recitals", *NUMBERS]
