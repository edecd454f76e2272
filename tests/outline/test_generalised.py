"""The top level in forms that contracts bring which no rule was made for one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.parser.numbering import CARDINALS, ORDINALS
from fourcorners.outline.tree import NodeKind

Make = Callable[..., Document]
NAMES = ("Flour", "Bread", "Payment", "Notices", "Law")
WORDS = "The mill and the baker shall do what this clause says."
CLAUSES = "\n\n".join(f"{number}. {name}. {WORDS}" for number, name in enumerate(NAMES, start=1))
SIGNED = "IN WITNESS WHEREOF, the parties have signed.\n\nBy: ________\n"
NUMBERS = ["1", "2", "3", "4", "5"]
BREAK = "\n" * 6


def read(document: Make, text: str) -> list[str]:
    """The top level without title and mere text: labels, or kinds of what has none."""
    return [
        node.label or node.kind.value
        for node in build_outline(document(text)).nodes
        if node.parent is None
        and node.kind is not NodeKind.TITLE
        and (node.label or node.heading or node.kind is not NodeKind.PARAGRAPH)
    ]


@pytest.mark.parametrize(
    "heading",
    [
        f"{BREAK}ATTACHMENT A KINDS OF FLOUR The following kinds are milled. {WORDS}",
        f"{BREAK}ATTACHMENT A to MILLING AGREEMENT\n\nKINDS OF FLOUR",
        f"{BREAK}Case 20-1234 Filed 01/02/20 Page 9 of 9 Attachment A Kinds of Flour\n{WORDS}",
        f"{BREAK}May 3, 2016 ATTACHMENT A KINDS OF FLOUR\n\n{WORDS}",
        f"\n\nTHE GREAT MILL CO. ATTACHMENT A\n\n{WORDS}",
        "\n\nAttachment A - kinds of flour as agreed\n",
        f"\nII-3\nATTACHMENT A\nKINDS OF FLOUR\n{WORDS}",
        f"{BREAK}ATTACHMENT A to\n\nMILLING AGREEMENT\n\nAttachment A-1\n\nSource: Mill{BREAK}",
    ],
)
def test_attachments(document: Make, heading: str) -> None:
    assert read(document, f"MILLING AGREEMENT\n\n{CLAUSES}\n\n{SIGNED}{heading}") == [
        *NUMBERS,
        "signature",
        "Attachment A",
    ]


def test_a_heading_on_each_page_of_an_exhibit_is_one(document: Make) -> None:
    pages = "".join(f"{BREAK}EXHIBIT A - PLAN\n\n{WORDS}\n" for _ in range(4))
    assert read(document, f"{CLAUSES}\n\n{SIGNED}{pages}") == [*NUMBERS, "signature", "Exhibit A"]


def test_numbers_of_an_exhibits_pages_are_no_exhibits(document: Make) -> None:
    pages = f"\n\nEXHIBIT A\n\nPLAN\n\n{WORDS}\n\nExhibit A-1{BREAK}EXHIBIT B\n\n{WORDS}\n"
    assert read(document, f"{CLAUSES}\n\n{SIGNED}{pages}") == [
        *NUMBERS,
        "signature",
        "Exhibit A",
        "Exhibit B",
    ]


def test_list_of_exhibits_is_none(document: Make) -> None:
    named = "\n\n".join(f"Exhibit {letter} Grade {letter} of flour" for letter in "ABCD")
    assert read(document, f"{CLAUSES}\n\n{SIGNED}\n\nEXHIBIT LIST\n\n{named}\n") == [
        *NUMBERS,
        "signature",
    ]


def test_plural_is_no_label(document: Make) -> None:
    assert read(document, f"{CLAUSES}\n\n{SIGNED}\n\nEXHIBITS\n\n{WORDS}\n") == [
        *NUMBERS,
        "signature",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "IN WITNESS, WHEREOF, the parties have signed.",
        "IN WITNESS HEREOF, the parties have signed.",
        "IN WITNESS WHEREFORE the parties have signed.",
        "Execution copy IN WITNESS WHEREOF, the parties have signed.",
        "The parties have executed this Agreement on the day above.\n\nBy: ______",
        "Executed as of the day above.\n\nBy: ______",
    ],
)
def test_witness_clauses(document: Make, words: str) -> None:
    assert read(document, f"{CLAUSES}\n\n{words}\n") == [*NUMBERS, "signature"]


@pytest.mark.parametrize(
    "words",
    [
        "R E C I T A L S\n\nWHEREAS, the mill mills flour.",
        "W I T N E S S T H\n\nWHEREAS, the mill mills flour.",
        "WITNESSES, THAT WHEREAS, the mill mills flour.",
        "BACKGROUND. The mill mills flour.",
        'They are "the Parties". RECITALS a. The mill mills. b. The baker bakes.',
        'They are "the Parties". Whereas 1. The mill mills flour.',
    ],
)
def test_recitals(document: Make, words: str) -> None:
    text = f"MILLING AGREEMENT\n\n{words}\n\nNow, therefore, the parties agree:\n\n{CLAUSES}"
    assert read(document, text) == ["recitals", *NUMBERS]


def test_recitals_of_an_article_are_its_own(document: Make) -> None:
    articles = "\n\n".join(
        f"ARTICLE {number}. {name.upper()}\n\n{WORDS}"
        for number, name in enumerate(("Background", *NAMES), start=1)
    )
    assert read(document, articles) == [f"Article {number}" for number in range(1, 7)]


def test_title_above_the_opening_is_no_clause(document: Make) -> None:
    cover = "THE MILL, INC.\n\nMILLING AGREEMENT\n\nEXECUTION VERSION\n\nMILLING AGREEMENT\n\n"
    text = f"{cover}This Milling Agreement is made by the mill.\n\n{CLAUSES}"
    assert read(document, text) == NUMBERS


def test_numbered_parties_are_no_clauses(document: Make) -> None:
    parties = "BETWEEN\n\n1. The Mill Ltd., a miller.\n\n2. The Bakery Ltd., a baker.\n\n"
    text = f"{parties}WHEREAS the mill mills flour.\n\n{CLAUSES}"
    assert read(document, text) == ["recitals", *NUMBERS]


def test_items_of_the_opening_words_are_no_clauses(document: Make) -> None:
    opening = "This agreement is made by\n\n(a) the mill, and\n\n(b) the baker.\n\n"
    assert read(document, opening + CLAUSES) == NUMBERS


def test_quoted_clauses_of_another_contract_stand_deeper(document: Make) -> None:
    quoted = f"12.1 Flour. {WORDS}\n\n12.2 Bread. {WORDS}"
    first, second, rest = CLAUSES.split("\n\n", 2)
    assert read(document, f"{first}\n\n{second}\n\n{quoted}\n\n{rest}") == NUMBERS


def test_misread_first_number(document: Make) -> None:
    assert read(document, "I" + CLAUSES[1:]) == ["I", *NUMBERS[1:]]


def test_number_without_dot_above_its_decimals(document: Make) -> None:
    text = " ".join(
        f"{number} {name.upper()} {number}.1 Scope. {WORDS} {number}.2 Care. {WORDS}"
        for number, name in enumerate(NAMES, start=1)
    )
    assert read(document, f"The parties agree as follows: {text}") == NUMBERS


def test_clause_behind_a_quotation_mark(document: Make) -> None:
    text = f'They are together the "Parties." {CLAUSES.replace(chr(10) * 2, " ")}'
    assert read(document, text) == NUMBERS


def test_ordinals_after_a_word(document: Make) -> None:
    words = ("FIRST", "SECOND", "THIRD", "FOURTH")
    text = "\n\n".join(
        f"CLAUSE {word} {name.upper()}\n\n{WORDS}" for word, name in zip(words, NAMES, strict=False)
    )
    assert read(document, text) == list(words)


def test_day_is_no_clause(document: Make) -> None:
    assert read(document, f"{CLAUSES}\n\n{SIGNED}\n1.September.05\n") == [*NUMBERS, "signature"]


def test_article_with_its_name_in_brackets_is_cited(document: Make) -> None:
    articles = "\n\n".join(
        f"ARTICLE {n}\n\n{name.upper()}\n\n{WORDS}" for n, name in enumerate(NAMES, 1)
    )
    text = f"{articles}\n\nWhat survives:\n\nArticle 1 (Flour), Article 2 (Bread) and this one."
    assert read(document, text) == [f"Article {n}" for n in range(1, 6)]


def test_frame_of_a_paper_without_clauses(document: Make) -> None:
    text = f"POWER OF ATTORNEY\n\n{WORDS} {WORDS}\n\n{SIGNED}\n\nSchedule 1 to Power of Attorney\n"
    assert read(document, text) == ["signature", "Schedule 1"]


def test_contents_with_leaders_within_a_line(document: Make) -> None:
    entries = "     ".join(f"{n}. {name.upper()}{'.' * 20}{n}" for n, name in enumerate(NAMES, 1))
    assert (
        read(document, f"MILLING AGREEMENT     TABLE OF CONTENTS\n\n{entries}\n\n{CLAUSES}")
        == NUMBERS
    )


def test_list_within_a_list_of_the_same_scheme(document: Make) -> None:
    first, rest = CLAUSES.split("\n\n", 1)
    inner = "\n\n".join(f'{n}. "{name}" means what is milled.' for n, name in enumerate(NAMES, 1))
    assert read(document, f"{first}\n\n{inner}\n\n{rest}") == NUMBERS


@pytest.mark.parametrize("blank", ["\xa0", "\u2003", "\u202f"])
def test_typographic_blanks_are_blanks(document: Make, blank: str) -> None:
    headed = "\n".join(f"{name.upper()} AND CARE \n{WORDS}" for name in NAMES)
    recitals = "R E C I T A L S\n\nThe mill mills flour."
    text = f"MILLING AGREEMENT\n\n{recitals}\n\nNow, therefore:\n{headed}"
    assert read(document, text.replace(" ", blank)) == ["recitals", *["section"] * len(NAMES)]


def test_chapters_hold_decimals(document: Make) -> None:
    text = "\n\n".join(
        f"Chapter {n} {name}\n\n{n}.1 Scope\n\n{WORDS}\n\n{n}.2 Care\n\n{WORDS}"
        for n, name in enumerate(NAMES, start=1)
    )
    nodes = build_outline(document(text)).nodes
    assert [node.label for node in nodes if node.parent is None and node.label] == [
        f"Chapter {n}" for n in range(1, 6)
    ]
    assert [node.label for node in nodes if node.parent == nodes[0].id] == ["1.1", "1.2"]


@pytest.mark.parametrize(
    "recitals",
    [
        "Whereas: 1. The mill mills flour; 2. The baker bakes bread.\n\nThis agreement is made. ",
        "Whereas,\n\n1. The mill mills.\n\n2. It bakes.\n\nTherefore, the parties agree:\n\n",
    ],
)
def test_numbered_recitals_end_where_the_numbers_start_again(document: Make, recitals: str) -> None:
    assert read(document, recitals + CLAUSES) == ["recitals", *NUMBERS]


def test_blank_before_the_dot_of_a_number(document: Make) -> None:
    assert read(document, CLAUSES.replace("2.", "2 .").replace("4.", "4 .")) == NUMBERS


def test_number_written_again_before_each_letter(document: Make) -> None:
    letters = " ".join(f"     3. {letter}. Care. {WORDS}" for letter in "abc")
    text = CLAUSES.replace(f"3. Payment. {WORDS}", letters).replace("\n\n", "      ")
    nodes = build_outline(document(text)).nodes
    assert [node.label for node in nodes if node.parent is None] == NUMBERS
    assert [node.label for node in nodes if node.label.startswith("3.")] == ["3.a", "3.b", "3.c"]


def test_page_number_before_a_heading_without_dot(document: Make) -> None:
    text = "\n\n".join(
        f"{n}    {name.upper()}\n\n{n}.1    Scope. {WORDS}\n\n{n}.2    Care. {WORDS}"
        for n, name in enumerate(NAMES, start=1)
    )
    assert read(document, text.replace("\n\n3    ", f"{BREAK}9 3    ")) == NUMBERS


def test_running_header_on_the_line_of_a_heading(document: Make) -> None:
    text = f"{CLAUSES}\n\n{SIGNED}\n\nSCHEDULE 1\n\n{WORDS} 9\n\nAnnex 2 - Form\n\n{WORDS}"
    for place in ("2. Bread", "4. Notices", "SCHEDULE", "Annex"):
        text = text.replace(f"\n\n{place}", f"{BREAK}The Great Mill Group {place}")
    assert read(document, text) == [*NUMBERS, "signature", "Schedule 1", "Annex 2"]
    tops = [node.span for node in build_outline(document(text)).nodes if node.parent is None]
    assert not any(text[one.end : two.start].strip() for one, two in pairwise(tops))


def test_letters_torn_from_the_recitals_hold_no_clauses(document: Make) -> None:
    text = f"BACKGROUND:\n\n{WORDS}\n\nThe parties agree as follows:\n\nA.\n\nB.\n\n{CLAUSES}"
    assert read(document, text) == ["recitals", *NUMBERS]


def test_numbers_further_in_are_a_list(document: Make) -> None:
    first, rest = CLAUSES.split("\n\n", 1)
    inner = "".join(
        f"          {letter}. Grade\n\n             1. Fine.\n             2. Coarse.\n\n"
        for letter in "ABCDE"
    )
    page = f"{' ' * 40}1.\n"
    assert read(document, f"{first}\n\n{inner}{page}{rest}") == NUMBERS


def test_headings_of_paragraphs_stand_below_those_of_lines(document: Make) -> None:
    text = "MILLING AGREEMENT\n\nThe parties agree as follows:\n" + "\n".join(
        f"{name.upper()} OF THE MILL\nSCOPE OF CARE: {WORDS}\nDUTY OF CARE: {WORDS}"
        for name in NAMES
    )
    assert read(document, text) == ["section"] * len(NAMES)


def test_items_of_flat_texts(document: Make) -> None:
    flour = f"2. Flour (1) The mill warrants: (a) its wheel; and/or (b) its stone. (2) {WORDS}"
    rest = " ".join(f"{n}. {NAMES[n - 1]}. {WORDS}" for n in (3, 4, 5))
    text = f"1. Bread. {WORDS} {flour} {rest}"
    labels = [node.label for node in build_outline(document(text)).nodes if node.label]
    assert labels == ["1", "2", "2(1)", "2(1)(a)", "2(1)(b)", "2(2)", "3", "4", "5"]


def test_decimals_in_lower_case_behind_a_colon(document: Make) -> None:
    text = CLAUSES.replace(
        WORDS, "The mill will: 1.1 promptly mill the flour; and 1.2 promptly bag it.", 1
    )
    labels = [node.label for node in build_outline(document(text)).nodes if node.label]
    assert labels == ["1", "1.1", "1.2", "2", "3", "4", "5"]


def test_legend_on_the_line_of_a_heading(document: Make) -> None:
    legend = (
        f"THE GREAT MILL KEEPS THIS PAPER TO ITSELF AND {'WHOEVER READS IT SHALL ' * 12}KEEP IT."
    )
    pages = "".join(f"{BREAK}{legend} {head}" for head in ("Exhibit A Flour", "Next", "Exhibit B"))
    others = "".join(f"{BREAK}{name} is milled here. {WORDS}" for name in NAMES)
    text = f"{CLAUSES}{others}\n\n{SIGNED}{pages} Bread"
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A", "Exhibit B"]


@pytest.mark.parametrize("page", ["-2-    3 ", "2      3 ", "2 "])
def test_page_numbers_before_a_number(document: Make, page: str) -> None:
    assert read(document, CLAUSES.replace("\n\n4.", f"\n\n{page}4.")) == NUMBERS


def test_paper_behind_the_signatures(document: Make) -> None:
    paper = f"GUARANTY\n\n{WORDS * 6}\n\nBy: ________"
    text = f"MILLING AGREEMENT\n\n{CLAUSES}\n\n{SIGNED}\n\n{paper}"
    assert read(document, text) == [*NUMBERS, "signature", "section"]


def test_exhibit_below_the_name_of_a_list(document: Make) -> None:
    text = (
        f"{CLAUSES}\n\n{SIGNED}\n\nExhibit F:\nExhibit A to the Milling Agreement: Flour\n{WORDS}"
    )
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit F", "Exhibit A"]


def test_day_on_the_cover_is_no_heading(document: Make) -> None:
    cover = "MILLING AGREEMENT\n\nBETWEEN\n\nTHE MILL\n\nEFFECTIVE AS OF (EFFECTIVE DATE)\n\n"
    assert read(document, cover + CLAUSES) == NUMBERS


def test_clause_put_in_later(document: Make) -> None:
    text = CLAUSES.replace("\n\n3.", f"\n\n2A. Cake. {WORDS}\n\n3.")
    assert read(document, text) == ["1", "2", "2A", "3", "4", "5"]


def test_roles_of_those_who_sign_are_no_headings(document: Make) -> None:
    signed = "\n\n".join(
        f"{role}:\n\nTHE {role} LIMITED, a company\n\nBy: /s/ A. Miller"
        for role in ("MILL", "BAKER")
    )
    assert read(document, f"{CLAUSES}\n\nThe parties agree to this.\n\n{signed}") == NUMBERS


@pytest.mark.parametrize(("first", "second"), [("(1)", "(2)"), ("a)", "b)")])
def test_items_between_the_recitals_and_the_first_clause(
    document: Make, first: str, second: str
) -> None:
    items = f"The papers are:\n\n{first} this agreement\n\n{second} its attachments\n\n"
    text = f"WHEREAS, the mill mills.\n\nNow, therefore, they agree. {items}{CLAUSES}"
    assert read(document, text) == ["recitals", *NUMBERS]


def test_joinder_behind_the_signatures(document: Make) -> None:
    joined = f"JOINDER OF THE GREAT MILL, INC.\n\n{WORDS}\n"
    assert read(document, f"MILLING AGREEMENT\n\n{CLAUSES}\n\n{SIGNED}\n\n{joined}") == [
        *NUMBERS,
        "signature",
        "Joinder",
    ]


def test_headings_within_a_line_outweigh_a_gap(document: Make) -> None:
    text = CLAUSES.replace("\n\n", " ").replace(f"3. Payment. {WORDS} ", "")
    assert read(document, text) == ["1", "2", "4", "5"]


def test_schedules_with_names_and_no_number(document: Make) -> None:
    cited = "The Flour Schedule and the Bread and Cake Schedule are parts of this agreement."
    text = (
        f"{CLAUSES} {cited}\n\n{SIGNED}{BREAK}FLOUR SCHEDULE\n\n{WORDS}{BREAK}"
        f"Bread and Cake Schedule\n\n{WORDS}\n"
    )
    assert read(document, text) == [
        *NUMBERS,
        "signature",
        "Flour Schedule",
        "Bread and Cake Schedule",
    ]


def test_running_number_of_the_contract_on_the_line_of_a_heading(document: Make) -> None:
    clauses = [f"Article {n} {name}" for n, name in enumerate(NAMES, start=1)]
    pages = "".join(
        f"{BREAK}Contract No.: M1 BX 20 {head}. {WORDS}" for head in (*clauses, "The end")
    )
    assert read(document, f"MILLING AGREEMENT{pages}") == [f"Article {n}" for n in range(1, 6)]


def test_parts_that_hold_sections_counted_anew(document: Make) -> None:
    text = "\n\n".join(
        f"{part}. {name}\n\n§ 1 Scope\n\n{WORDS}\n\n§ 2 Care\n\n{WORDS}"
        for part, name in zip(("I", "II", "III", "IV"), NAMES, strict=False)
    )
    assert read(document, text) == ["I", "II", "III", "IV"]


@pytest.mark.parametrize("word", ["ARTICLE", "Section"])
def test_article_put_in_later(document: Make, word: str) -> None:
    text = "\n\n".join(
        f"{word} {number} {name.upper()}\n\n{WORDS}"
        for number, name in zip(("1", "2", "2A", "3", "4"), NAMES, strict=True)
    )
    labels = read(document, text)
    assert [label.split()[-1] for label in labels] == ["1", "2", "2A", "3", "4"]
    assert build_outline(document(text)).confidence > 0.9


def test_clauses_behind_the_exhibits_of_a_cover(document: Make) -> None:
    exhibits = f"{BREAK}EXHIBIT A\n\nFLOUR\n\n{WORDS}{BREAK}EXHIBIT B\n\nPRICES\n\n{WORDS}"
    text = (
        f"MILLING AGREEMENT\n\nThe terms below apply.{exhibits}"
        f"{BREAK}TERMS AND CONDITIONS\n\n{CLAUSES}"
    )
    assert read(document, text) == ["Exhibit A", "Exhibit B", *NUMBERS]


@pytest.mark.parametrize("word", ["Section", "CLAUSE"])
def test_numbers_in_words_above_twelve(document: Make, word: str) -> None:
    for words, last in ((CARDINALS, "TWENTY-TWO"), (ORDINALS, "TWENTY-SECOND")):
        numbers = [each.upper() for each in words[:22]]
        text = "\n\n".join(f"{word} {number}. FLOUR\n\n{WORDS}" for number in numbers)
        assert read(document, text) == numbers
        assert numbers[-1] == last
    assert (CARDINALS[39], ORDINALS[29]) == ("forty", "thirtieth")


def test_pages_of_an_exhibit_that_go_on_at_once(document: Make) -> None:
    pages = "\n\n".join(f"Exhibit A-{page}\n\n{WORDS}" for page in (1, 2, 3))
    text = f"{CLAUSES}\n\n{SIGNED}{BREAK}EXHIBIT A\n\nFLOUR\n\n{pages}"
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A"]


def test_amendments_behind_the_exhibits(document: Make) -> None:
    paper = (
        f"AMENDMENT TO MILLING AGREEMENT\n\nMay 3, 2016\n\nWHEREAS, the mill mills.\n\n"
        f"NOW, THEREFORE, they agree:\n\n1. Flour. {WORDS}\n\n2. Bread. {WORDS}\n\n{SIGNED}"
    )
    exhibit = f"EXHIBIT A\n\nFLOUR\n\n{WORDS * 8}"
    text = f"MILLING AGREEMENT\n\n{CLAUSES}\n\n{SIGNED}{BREAK}{exhibit}{BREAK}{paper}{BREAK}{paper}"
    nodes = [node for node in build_outline(document(text)).nodes if node.parent is None]
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A", "schedule", "schedule"]
    assert nodes[-1].heading is not None
    assert nodes[-1].heading.text_in(text) == "AMENDMENT TO MILLING AGREEMENT"


def test_title_of_an_exhibit_is_its_own(document: Make) -> None:
    form = f"AMENDMENT AGREEMENT\n\nTHIS AMENDMENT AGREEMENT is made.\n\n1. Flour. {WORDS}"
    text = f"{CLAUSES}\n\n{SIGNED}{BREAK}EXHIBIT A\n\nFORM OF AMENDMENT\n\n{form}"
    assert read(document, text) == [*NUMBERS, "signature", "Exhibit A"]
