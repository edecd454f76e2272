"""The words that a finding quotes: whole, by the clause they are in, without what a page prints."""

from __future__ import annotations

import pytest

from fourcorners.documents.document import Document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.review.evidence import cut_by_clause, evidence_within, is_heading
from fourcorners.text.span import Span
from tests.review.conftest import document

GRAZING = """GRAZING LICENCE

4. FENCES

4.1 The Grazier shall mend every fence within a week of its being broken.

4.2 The Estate may inspect the fences, if

(a) it has told the Grazier on the evening before;

(b) no lambing is in progress on the field concerned; and

(c) the inspector has shut each gate through which he has come,

but the cost of the visit falls on the Estate, unless a fence was found to be down for a week.

4.3 The Estate's liability is limited to:

(a) the rent of the year; and

(b) for a beast that is lost through a fault in a gate which the Estate itself has hung, the price

Grazing Licence, fair copy

                               3

that the beast would have fetched at the market in Sallowby.

5. LAW

The law of Scotland governs this licence.
"""


def _contract(text: str) -> Contract:
    read: Document = document(text, "grazing.txt")
    outline = build_outline(read)
    return Contract.build(read, outline, read_card(read, outline), cut_passages(read, outline))


@pytest.fixture(scope="module")
def grazing() -> Contract:
    return _contract(GRAZING)


def _quoted(contract: Contract, first: str, last: str) -> list[tuple[str, str]]:
    """Return the words from `first` to `last` as they are quoted, each part with its clause."""
    text = contract.full_text
    start = text.index(first)
    span = Span(start, text.index(last, start) + len(last))
    found = [
        each
        for part in cut_by_clause(contract, span)
        for each in evidence_within(contract, part, 0.5)
    ]
    for each in found:
        assert each.quote.span is not None
        assert each.quote.span.text_in(text) == each.quote.words
    return [("".join(each.path[-1:]).partition(" ")[0], each.quote.words) for each in found]


@pytest.mark.parametrize(
    ("first", "last", "clauses"),
    [
        ("4.1 The Grazier", "if", ["4.1", "4.2"]),  # two sections, each by its own number
        ("4.2 The Estate may", "evening before;", ["4.2"]),  # a short item stays with its lead-in
        ("(b) no lambing", "has come,", ["4.2(b)", "4.2(c)"]),
        ("but the cost", "a week.", ["4.2"]),  # closing words are the whole list's
        ("(c) the inspector", "a week.", ["4.2(c)", "4.2"]),
        ("(b) for a beast", "Sallowby.", ["4.3(b)", "4.3(b)"]),  # torn by the end of a page
        ("that the beast", "Sallowby.", ["4.3(b)"]),
        ("5. LAW", "this licence.", ["5"]),
    ],
)
def test_words_are_cited_by_the_clause_they_are_in(
    grazing: Contract, first: str, last: str, clauses: list[str]
) -> None:
    assert [clause for clause, _ in _quoted(grazing, first, last)] == clauses


def test_what_a_page_prints_is_left_out_of_a_torn_sentence(grazing: Contract) -> None:
    parts = [words for _, words in _quoted(grazing, "(b) for a beast", "Sallowby.")]
    assert parts[0].endswith("the price")
    assert parts[1].startswith("that the beast")


def test_a_line_that_recurs_on_each_page_is_left_out() -> None:
    clause = "{}. The Miller shall grind the corn of the tenants in the order of its coming.\n\n"
    page = "".join(clause.format(at) for at in range(1, 16))
    pages = [page, "Source: FENWICK MILLS, 10-K, 3/4/2001\n\n"] * 4
    contract = _contract("MILL LEASE\n\n" + "".join(pages))
    (words,) = [
        "".join(words for _, words in _quoted(contract, "14. The Miller", "1. The Miller shall"))
    ]
    assert "Source" not in words
    assert words.count("The Miller") == 3


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        ("Schedule of rents", True),  # no number of a page
        ("The Estate pays it", True),  # a sentence
        ("12", False),
        ("- 7 -", False),
    ],
)
def test_only_a_number_with_what_is_around_it_tears_a_sentence(between: str, kept: bool) -> None:
    text = f"LEASE\n\n1. The rent is payable to the\n\n{between}\n\nagent of it at Michaelmas.\n"
    parts = _quoted(_contract(text), "1. The rent", "Michaelmas.")
    assert any(between in words for _, words in parts) is kept


MILL = (
    "The Miller shall grind the corn of each of the tenants in the order in which it came to the "
    "mill, and shall take for it no more than the sixteenth part of what he has ground that day. "
) * 3


@pytest.mark.parametrize(
    "gap", ["\n{}\n", "\n\f{}\n", "   {}\n\n\n\n", "\n- {} -\n", "\n\xa0\xa0{}\n"]
)
def test_a_number_that_counts_pages_is_left_out_of_a_sentence(gap: str) -> None:
    pages = [
        f"{MILL}He shall keep the{gap.format(at)}stones of the mill sharp.\n" for at in range(4, 9)
    ]
    contract = _contract("MILL LEASE\n\n1. " + "".join(pages))
    text = contract.full_text
    start = text.index(f"keep the{gap.format(6)}")
    parts = [
        each.quote.words
        for each in evidence_within(contract, Span(start, text.index("mill sharp", start)), 0.5)
    ]
    assert parts == ["keep the", "stones of the"]


@pytest.mark.parametrize(
    "numbers",
    [
        (4, 9, 2),  # they count nothing
        (4,),
        (4, 5),
    ],
)
def test_another_number_is_quoted(numbers: tuple[int, ...]) -> None:
    pages = [f"{MILL}He shall keep\n{at}\nstones in the mill.\n" for at in numbers]
    contract = _contract("MILL LEASE\n\n1. " + "".join(pages))
    start = contract.full_text.index("keep\n4")
    words = evidence_within(contract, Span(start, start + len("keep\n4\nstones")), 0.5)
    assert [each.quote.words for each in words] == ["keep\n4\nstones"]


def test_the_numbers_of_clauses_are_quoted() -> None:
    clauses = "".join(f"{at}\n{MILL}\n\n" for at in range(1, 6))
    contract = _contract("MILL LEASE\n\n" + clauses)
    start = contract.full_text.index("3\nThe Miller")
    (only,) = evidence_within(contract, Span(start, start + len("3\nThe Miller")), 0.5)
    assert only.quote.words == "3\nThe Miller"


def test_a_bare_heading_is_no_evidence(grazing: Contract) -> None:
    text = grazing.full_text
    at = text.index("4. FENCES")
    assert is_heading(grazing, Span(at, at + len("4. FENCES")))
    at = text.index("4.1 The Grazier")
    assert not is_heading(grazing, Span(at, text.index("broken.") + 7))


@pytest.mark.parametrize(
    ("words", "rest", "is_bare"),
    [
        ("2. Fencing.", "The Grazier mends it.", True),
        ("2. FENCING, GATES AND DITCHES", "The Grazier mends all of them.", True),
        ("2. Fencing: at the Owner's cost.", "", False),
        ("2. Irish law.", "", False),
    ],
)
def test_a_heading_may_begin_the_paragraph_of_its_clause(
    words: str, rest: str, is_bare: bool
) -> None:
    text = f"LICENCE\n\n1. Grass. It is let for the summer.\n\n{words} {rest}\n\n3. End. None.\n"
    at = text.index(words)
    assert is_heading(_contract(text), Span(at, at + len(words))) is is_bare
