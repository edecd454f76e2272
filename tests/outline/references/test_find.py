from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.references.find import find_references
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.text.span import Span

Make = Callable[..., Document]


def test_references_point_at_nodes(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    found = {
        reference.span.text_in(supply): outline.nodes[reference.target].label
        for reference in outline.references
        if reference.target is not None
    }
    assert found == {
        "Schedule 1": "Schedule 1",
        "Section 2.3": "2.3",
        "Section 2.2(b)(i)": "2.2(b)(i)",
    }


def test_ways_to_refer(document: Make, supply: str) -> None:
    said = (
        "See Sections 2.1 and 2.3, Article IX, paragraph 2 of Schedule 1, clause 3.1 and "
        "Section 5 of the Clean Oats Act."
    )
    text = supply.replace("no other terms apply to it.", said)
    outline = build_outline(document(text))
    start = text.index(said)
    found = [
        (
            reference.span.text_in(text),
            outline.nodes[reference.target].label if reference.target is not None else None,
        )
        for reference in find_references(text, outline.nodes)
        if start <= reference.span.start < start + len(said)
    ]
    assert found == [
        ("Sections 2.1", "2.1"),
        ("2.3", "2.3"),
        ("Article IX", None),
        ("paragraph 2", "Schedule 1 2"),
        ("Schedule 1", "Schedule 1"),
        ("clause 3.1", "3.1"),
    ]


@pytest.mark.parametrize("sign", ["", "İ ", "ſ "])
def test_words_for_parts_in_any_form(document: Make, supply: str, sign: str) -> None:
    said = f"{sign}See SECTION 2.1, sub-clause 2.3, Subsection 2.1 and this Section, with the sub"
    text = supply.replace("no other terms apply to it.", said)
    outline = build_outline(document(text))
    references = find_references(text, outline.nodes)
    start = text.index(said)
    here = Span(start, start + len(said))
    found = [each.span.text_in(text) for each in references if here.contains(each.span)]
    assert found == ["SECTION 2.1", "sub-clause 2.3", "Subsection 2.1", "this Section"]


def test_a_reference_at_the_start_of_a_text_that_ends_like_a_prefix() -> None:
    assert [each.span for each in find_references("Section 2 of it and a sub-", ())] == [Span(0, 9)]


def test_headings_are_no_references(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    heading = supply.index("SCHEDULE 1")
    assert all(reference.span.start != heading for reference in outline.references)


def cited(document: Make, supply: str, said: str) -> list[tuple[str, str | None]]:
    """Return what is cited by a sentence in clause 2.1, and the labels it leads to."""
    text = supply.replace("no other terms apply to it.", said)
    outline = build_outline(document(text))
    start = text.index(said)
    return [
        (reference.raw, None if reference.target is None else outline.nodes[reference.target].label)
        for reference in outline.references
        if start <= reference.span.start < start + len(said)
    ]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("See Sections 2.1, 2.2(a) and (b) here.", ["2.1", "2.2(a)", "2.2(b)"]),
        ("See Sections 2.1 to 2.3 above.", ["2.1", "2.3"]),
        ("See Section 2.2(b)(i) or (ii) above.", ["2.2(b)(i)", "2.2(b)(ii)"]),
        ("See Articles 2 and 3.", ["2", "3"]),
        ("See clause II of this Agreement.", ["2"]),
        ("See Section 2.02.", ["2.2"]),
        ("See Section 3.0 and so on.", ["3"]),
        ("See paragraph (b) of Section 2.2.", ["2.2(b)", "2.2"]),
        ("This Section binds both.", ["2.1"]),
        ("The following Section binds both.", ["2.2"]),
        ("See Exhibit Q and Section 9.9.", [None, None]),
        ("See Section 3.2, and (iii) nothing else.", ["3.2"]),
        ("See this Section 2.1 (Orders), below.", ["2.1"]),
    ],
)
def test_lists_ranges_and_places(
    document: Make, supply: str, said: str, found: list[str | None]
) -> None:
    assert [label for _, label in cited(document, supply, said)] == found


def test_what_is_cited_is_told_in_full(document: Make, supply: str) -> None:
    said = "See Sections 2.1, 2.2(a) and (b) and paragraph 2 of Schedule 1 here."
    assert [raw for raw, _ in cited(document, supply, said)] == [
        "Section 2.1",
        "Section 2.2(a)",
        "Section 2.2(b)",
        "Paragraph 2 of Schedule 1",
        "Schedule 1",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "See Section 409A of the Code.",
        "See Section 16 of the Securities Exchange Act of 1934.",
        "See Bankruptcy Code Section 36.",
        "See Sections 4.1 and 4.2 of the Escrow Agreement.",
        "See Article 53 of the Japanese bankruptcy Law.",
        "See Article 24, Paragraph 1 of the FIEL.",
        "See Section 7.09 of the Separation Agreement.",
        "See Section 5.1 thereof.",
        "See Article 6 GDPR.",
        "See Exhibit 21 to the Registration Statement.",
        "See Section 3.2 of the Seller Disclosure Schedule.",
    ],
)
def test_parts_of_other_documents_are_no_references(document: Make, supply: str, said: str) -> None:
    assert cited(document, supply, said) == []


@pytest.mark.parametrize(
    "said",
    [
        "See Section 2.2 of this Agreement.",
        "See Section 2.2 of the Agreement.",
        "See Section 2.2 hereof.",
    ],
)
def test_the_contract_itself_is_no_other_document(document: Make, supply: str, said: str) -> None:
    assert cited(document, supply, said) == [("Section 2.2", "2.2")]


def test_an_amendment_cites_the_contract_it_amends(document: Make, supply: str) -> None:
    text = "AMENDMENT NO. 1\n\n" + supply.replace("no other terms apply", "Section 9.9 applies")
    outline = build_outline(document(text))
    assert all(reference.target is not None for reference in outline.references)


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ('"SCHEDULE  4" Prices', True),
        ("**SCHEDULE 4", True),
        ("of it. ] SCHEDULE 4", True),
        ("Schedule 4.", True),
        ("SCHEDULE 4(a) Prices", False),
        ("Oats SCHEDULE 4 of it", True),
        ("See SCHEDULE 4 of it", False),
        ("See, SCHEDULE 4 of it", False),
        ("Schedule 4 lists it", False),
    ],
)
def test_headings_of_attachments_that_are_no_nodes(heading: str, found: bool) -> None:
    text = f"The prices are in Schedule 4.\n\n{heading}\n\nOats: 1."
    start = text.rindex(heading)
    node = Node(0, None, NodeKind.SECTION, "9", None, Span(start, len(text)))
    assert find_references(text, (node,))[0].target == (0 if found else None)


def test_references_take_linear_time(document: Make, supply: str) -> None:
    text = (
        supply + "Sections 2.1, 2.2(a), (b), (c) and 9.9 to 9.12 of the Lease, Exhibit Z; " * 8_000
    )
    nodes = build_outline(document(supply)).nodes
    start = time.process_time()
    find_references(text, nodes)
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    "words",
    [
        "in the form of EXHIBIT B, attached to this Agreement",
        "set forth on EXHIBIT B",
        "the region described in the attached\nEXHIBIT B",
        "the plans in\n          Exhibit B",
    ],
)
def test_a_reference_in_a_sentence_is_no_heading(document: Make, supply: str, words: str) -> None:
    text = supply.replace(
        "no other terms apply to it.", f"“Sites” means {words}. \n“Oats” are oats."
    )
    outline = build_outline(document(text))
    found = [each for each in outline.references if each.raw == "Exhibit B"]
    assert [each.target for each in found] == [None]
