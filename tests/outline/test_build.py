from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.outline.build import SIZE_LIMIT, build_outline
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.text.span import Span

Make = Callable[..., Document]


def labelled(outline: Outline, label: str) -> Node:
    return next(node for node in outline.nodes if node.label == label)


def labels(outline: Outline) -> list[str]:
    return [node.label for node in outline.nodes if node.label]


def check(outline: Outline, text: str) -> None:
    """The invariants of every outline."""
    for number, node in enumerate(outline.nodes):
        assert node.id == number
        assert node.span
        assert node.span.end <= len(text)
        if node.heading:
            assert node.span.contains(node.heading)
            assert node.heading.text_in(text).strip()
        if node.parent is not None:
            assert node.parent < node.id
            assert outline.nodes[node.parent].span.contains(node.span)
    for parent in [None, *outline.nodes]:
        children = list(outline.children(parent))
        for left, right in pairwise(children):
            assert left.span.end <= right.span.start
    for reference in outline.references:
        assert reference.target is None or reference.target < len(outline.nodes)
    for term in outline.terms:
        assert term.span.text_in(text) == term.term
        assert term.definition.contains(term.span)


def test_whole_contract(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    check(outline, supply)
    assert not outline.windows
    assert outline.confidence > 0.9
    assert labels(outline) == [
        *("Recital A", "Recital B", "1", "1.1", "1.2", "2", "2.1", "2.2"),
        *("2.2(a)", "2.2(b)", "2.2(b)(i)", "2.2(b)(ii)", "2.2(c)", "2.3"),
        *("3", "3.1", "3.2", "4", "4.1", "Schedule 1", "Schedule 1 1", "Schedule 1 2"),
    ]
    kinds = [node.kind for node in outline.nodes if node.parent is None]
    assert kinds == [
        *(NodeKind.TITLE, NodeKind.PARAGRAPH, NodeKind.RECITALS),
        *[NodeKind.SECTION] * 4,
        *(NodeKind.SIGNATURE, NodeKind.SCHEDULE),
    ]


def test_headings(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))

    def heading(label: str) -> str:
        span = labelled(outline, label).heading
        return span.text_in(supply) if span else ""

    assert heading("3.2") == "Termination for Convenience"
    assert heading("3") == "TERM AND TERMINATION"
    assert heading("Schedule 1") == "The Goods"
    assert heading("1.1") == ""
    assert heading("2.2(a)") == ""


def test_reference_at_a_line_start_is_no_heading(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    clause = labelled(outline, "2.1").span.text_in(supply)
    assert clause.endswith("no other terms apply to it.")


def test_exhibit_in_a_sentence_is_no_heading(document: Make, supply: str) -> None:
    text = supply.replace(
        "the milled oats described in Schedule 1.", "the oats of\nSchedule 1\nonly."
    )
    assert labels(build_outline(document(text))).count("Schedule 1") == 1


def test_letter_or_roman_by_the_neighbours(document: Make) -> None:
    items = [f"({letter}) the thing that comes at this place;" for letter in "abcdefghijk"]
    text = (
        "1. LIST\n\n"
        + "\n\n".join(items)
        + "\n\n2. NEXT\n\n(i) one;\n\n(ii) two.\n\n3. LAST\n\nEnd."
    )
    outline = build_outline(document(text))
    found = labels(outline)
    assert "1(i)" in found
    assert "1(h)(i)" not in found
    assert found[-4:] == ["2", "2(i)", "2(ii)", "3"]


def test_gap_is_recovered(document: Make, supply: str) -> None:
    text = supply.replace("2. SUPPLY", "SUPPLY").replace("3.1 Term", "Term")
    found = labels(build_outline(document(text)))
    assert "2.2(b)(ii)" in found
    assert "3.2" in found
    assert found[-2:] == ["Schedule 1 1", "Schedule 1 2"]


def test_contents_are_set_aside(document: Make, supply: str) -> None:
    contents = (
        "TABLE OF CONTENTS\n\n1. DEFINITIONS ........ 1\n2. SUPPLY ........ 2\n"
        "3. TERM AND TERMINATION ........ 3\n4. GENERAL ........ 4\nSCHEDULE 1 ........ 5\n\n"
    )
    text = supply.replace("This Supply", contents + "This Supply", 1)
    plain, other = build_outline(document(supply)), build_outline(document(text))
    assert labels(other) == labels(plain)
    assert all(node.span.start >= text.index("This Supply Agreement (") for node in other.nodes[1:])


def test_articles_and_sections(document: Make) -> None:
    words = "The parties shall do what this clause says and nothing else in the world."
    parts = []
    for article, name in ((1, "I"), (2, "II"), (3, "III")):
        parts.append(f"ARTICLE {name}\nMATTERS OF CHAPTER {'ABC'[article - 1]}\n")
        parts += [f"Section {article}.0{n} Matter. {words}\n" for n in (1, 2, 3)]
    text = "\n".join(parts)
    outline = build_outline(document(text))
    check(outline, text)
    assert labels(outline)[:5] == ["Article I", "1.01", "1.02", "1.03", "Article II"]
    second = labelled(outline, "Article II")
    assert second.kind is NodeKind.ARTICLE
    assert second.heading is not None
    assert second.heading.text_in(text) == "MATTERS OF CHAPTER B"
    assert labelled(outline, "2.02").parent == second.id


def test_sections_that_restart_bear_their_article(document: Make) -> None:
    words = "The parties shall do what this clause says and nothing else in the world."
    text = "\n\n".join(
        f"ARTICLE {name}. MATTERS\n\n" + "\n\n".join(f"{n}. Matter. {words}" for n in (1, 2, 3))
        for name in ("I", "II")
    )
    found = labels(build_outline(document(text)))
    assert found[0] == "Article I"
    assert "Article I 2" in found
    assert "Article II 2" in found


def test_flat_text(document: Make, supply: str) -> None:
    text = "   ".join(line for line in supply.split("\n") if line)
    outline = build_outline(document(text))
    check(outline, text)
    found = labels(outline)
    assert [label for label in found if label in ("1", "2", "3", "4")] == ["1", "2", "3", "4"]
    assert "3.2" in found
    assert "2.2(b)" in found


def test_markdown_and_styled_headings(document: Make) -> None:
    words = "The parties shall do what this clause says and nothing else in the world.\n\n"
    text = (
        "# Services Agreement\n\n## Scope\n\n" + words + "1. first;\n\n2. second.\n\n"
        "## Fees\n\n" + words + "1. third;\n\n2. fourth.\n\n### Late fees\n\n" + words
    )
    marks = tuple(
        Mark(MarkKind.HEADING, Span(text.index(name), text.index(name) + len(name)), str(level))
        for level, name in ((1, "Services Agreement"), (2, "Scope"), (2, "Fees"), (3, "Late fees"))
    )
    for read in (document(text, marks=marks), document(text)):
        outline = build_outline(read)
        check(outline, text)
        assert [" > ".join(outline.path(node, text)) for node in outline.nodes] == [
            *("Services Agreement", "Scope", "Scope > 1", "Scope > 2"),
            *("Fees", "Fees > 1", "Fees > 2", "Fees > Late fees"),
        ]


@pytest.mark.parametrize("rule", ["------ ", "***** ", "==== ", "~~~~ ", "- - - - ", "-----\n"])
@pytest.mark.parametrize("number", ["{}.0", "{}.", "Article {}", "Section {}."])
@pytest.mark.parametrize("gap", ["\n\n", " "])
def test_rules_before_a_number(document: Make, rule: str, number: str, gap: str) -> None:
    heads = ("Terms", "Orders", "Prices", "Grades", "Delivery", "Defects", "Materials")
    body = "The Supplier shall do so and the Buyer shall pay"
    clauses = [f"{rule}{number.format(at)} {head}{gap}{body}" for at, head in enumerate(heads, 1)]
    text = gap.join(("SUPPLY AGREEMENT\n\nThis Agreement is made on 3 May 2021.", *clauses))
    outline = build_outline(document(text))
    check(outline, text)
    tops = [each for each in outline.nodes if each.label and each.parent is None]
    assert len(tops) == len(heads)
    assert all(head in each.span.text_in(text) for head, each in zip(heads, tops, strict=True))
    if gap != " ":
        assert [each.heading.text_in(text) for each in tops if each.heading] == [*heads]


def test_running_headers_are_ignored(document: Make, supply: str) -> None:
    header = "4. GENERAL\n"
    text = supply.replace("2.2 Delivery", header + "2.2 Delivery")
    at = text.index(header)
    marked = document(text, marks=(Mark(MarkKind.HEADER, Span(at, at + len(header))),))
    assert labels(build_outline(marked)) == labels(build_outline(document(supply)))


@pytest.mark.parametrize("text", ["", "  \n ", "No structure here, only words. " * 40])
def test_no_structure_gives_windows(document: Make, text: str) -> None:
    outline = build_outline(document(text))
    assert outline.windows
    assert outline.nodes == ()


def test_size_is_limited(document: Make) -> None:
    outline = build_outline(document("1. Fees. The fees.\n" * (SIZE_LIMIT // 19 + 2)))
    assert outline.windows


LINE = st.one_of(
    st.sampled_from(
        [
            *("ARTICLE I", "ARTICLE II", "1. FEES", "2. TERM", "1.1 Fees.", "1.2 Term", "3.4 x"),
            *("(a) one;", "(b) two;", "(i) x", "(ii) y", "A. Z", "I. Q", "EXHIBIT A", "Schedule 1"),
            *("RECITALS", "WHEREAS, x", "NOW, THEREFORE, agree as follows:", "By: ____", "# Head"),
            *("IN WITNESS WHEREOF", "TABLE OF CONTENTS", "1. FEES .... 3", "AGREEMENT", "", "\f"),
        ]
    ),
    st.text(st.characters(codec="utf-8"), max_size=60),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINE, max_size=40))
def test_every_outline_nests(document: Make, lines: list[str]) -> None:
    text = "\n".join(lines)
    check(build_outline(document(text)), text)


@pytest.mark.corpus
def test_corpus_outlines_nest(document: Make, corpus: Path) -> None:
    files = sorted((corpus / "cuad" / "contracts").glob("*.txt"))[::20]
    outlines = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        outlines.append(build_outline(document(text)))
        check(outlines[-1], text)
    assert sum(not outline.windows for outline in outlines) >= 0.85 * len(outlines)


@pytest.mark.parametrize(
    "piece",
    [
        "1. A\n",
        "(a) one;\n",
        "   Exhibit A",
        '"A" ',
        '("',
        "AAAA BBBB\n",
        "Section 1.1 ",
        "1.",
        " ",
    ],
)
def test_odd_texts_take_no_longer_than_contracts(document: Make, piece: str) -> None:
    text = piece * (300_000 // len(piece))
    start = time.process_time()
    build_outline(document(text))
    assert time.process_time() - start < 40
