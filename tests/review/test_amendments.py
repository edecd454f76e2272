"""Which other documents change what was found, in which words, and what is left in force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import Amendment, CellState, Evidence, Finding
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.review.conftest import document

SUPPLY = """SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2021 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. SUPPLY

1.1 The Supplier shall sell the Goods and the Customer shall buy them.

2. LIABILITY

2.1 The liability of the Supplier shall not exceed one million pounds.

3. ENDING

3.1 The Customer may terminate this Agreement on six months' notice.

3.2 Notices are given in writing.

4. INSURANCE

4.1 The Supplier shall keep insurance of five million pounds.

5. LAW

5.1 This Agreement is governed by the laws of England.
"""

AMENDMENT = """AMENDMENT NO. 1 TO THE SUPPLY AGREEMENT

This Amendment No. 1 to the Supply Agreement is dated 2 May 2023 and made between Alder
Components Limited ("Supplier") and Birch Retail Limited ("Customer"). It amends the Supply
Agreement dated 4 March 2021.

1. Clause 2.1 is deleted and replaced by the following:

“2.1 The liability of the Supplier shall not exceed two million pounds.”

2. In clause 3.1, the words “six months' notice” are replaced by “ninety days' notice”.

3. In clause 4.1, the words “and theft” are deleted.

4. The following is added as clause 1.2:

“1.2 If the Supplier offers another buyer a lower price, it shall offer the same to the Customer.”
"""


@pytest.fixture
def room(tmp_path: Path) -> Iterator[tuple[Library, str, str]]:
    with Library.open(tmp_path / "room.db", create=True) as library:
        yield library, put(library, "supply.txt", SUPPLY), put(library, "amendment.txt", AMENDMENT)


def put(library: Library, name: str, text: str) -> str:
    read = document(text, name)
    outline = build_outline(read)
    card = read_card(read, outline)
    library.add(read, outline, card, cut_passages(read, outline), None, collection="Room")
    return read.id


def cell(document: str, provision: str, text: str, words: str) -> Finding:
    if not words:
        return Finding(document, provision, CellState.NOT_FOUND)
    span = Span(text.index(words), text.index(words) + len(words))
    quoted = Evidence(evidence.quote_span(text, span), span, (), None, 0.9)
    return Finding(document, provision, CellState.FOUND, (quoted,))


def changed(room: tuple[Library, str, str], words: str, brought: str = "") -> list[Amendment]:
    library, supply, amendment = room
    cells = apply_amendments(
        library,
        [cell(supply, "it", SUPPLY, words), cell(amendment, "it", AMENDMENT, brought)],
    )
    assert cells[1].amendments == ()
    for each in cells[0].amendments:
        assert (each.document, each.name) == (amendment, "amendment.txt")
        assert each.quote.span is not None
        assert each.quote.span.text_in(AMENDMENT) == each.quote.words
    return list(cells[0].amendments)


def test_a_replaced_clause_is_out_of_force(room: tuple[Library, str, str]) -> None:
    (only,) = changed(room, "The liability of the Supplier shall not exceed one million pounds.")
    assert only.replaces
    assert "two million pounds" in only.quote.words


def test_several_amendments_are_told_in_the_order_of_their_dates(
    room: tuple[Library, str, str],
) -> None:
    library, supply, _ = room
    third = (
        "THIRD AMENDMENT\n\nThis Third Amendment is made on 5 May 2025 between Alder Components "
        "Limited and Birch Retail Limited, who entered into a supply agreement dated 4 March 2021 "
        "(as amended).\n\n1. Clause 2.1 is deleted and replaced by the following:\n\n“2.1 The "
        "liability of the Supplier shall not exceed four million pounds.”\n"
    )
    second = third.replace("THIRD", "SECOND").replace("Third", "Second").replace("2025", "2024")
    first = third.replace("THIRD", "FIRST").replace("Third", "First").replace("2025", "2023")
    ids = [put(library, f"{at}.txt", text) for at, text in enumerate((third, first, second))]
    words = "The liability of the Supplier shall not exceed one million pounds."
    cells = [cell(supply, "it", SUPPLY, words)]
    cells += [cell(each, "it", "", "") for each in ids]
    found = apply_amendments(library, cells)[0].amendments
    assert [each.document for each in found] == [ids[1], ids[2], ids[0]]
    assert all(each.replaces for each in found)


def test_words_taken_out_are_out_of_force_where_they_stand_in_what_was_found(
    room: tuple[Library, str, str],
) -> None:
    (ends,) = changed(room, "terminate this Agreement on six months' notice")
    assert ends.replaces
    assert "ninety days" in ends.quote.words
    (insured,) = changed(room, "The Supplier shall keep insurance of five million pounds.")
    assert not insured.replaces


def test_what_is_left_alone_says_nothing(room: tuple[Library, str, str]) -> None:
    assert changed(room, "governed by the laws of England") == []
    assert changed(room, "Notices are given in writing.") == []
    assert changed(room, "The Supplier shall sell the Goods") == []  # 1.2 is another clause


def test_a_change_to_words_quoted_beside_the_finding_does_not_change_it(
    room: tuple[Library, str, str],
) -> None:
    library, supply, amendment = room
    law = cell(supply, "it", SUPPLY, "governed by the laws of England")
    ends = cell(supply, "it", SUPPLY, "terminate this Agreement on six months' notice")
    both = replace(law, evidence=(*law.evidence, replace(ends.evidence[0], score=0.04)))
    nothing = cell(amendment, "it", AMENDMENT, "")
    assert apply_amendments(library, [both, nothing])[0].amendments == ()
    # Where the amendment itself holds the provision in the changing words, they are of it.
    brought = cell(amendment, "it", AMENDMENT, "ninety days' notice")
    (only,) = apply_amendments(library, [both, brought])[0].amendments
    assert only.replaces
    strong = replace(law, evidence=(*law.evidence, ends.evidence[0]))
    assert len(apply_amendments(library, [strong, nothing])[0].amendments) == 1


def test_an_amendment_brings_a_provision_that_was_not_there(
    room: tuple[Library, str, str],
) -> None:
    (only,) = changed(room, "", "it shall offer the same to the Customer")
    assert not only.replaces
    assert only.quote.words.endswith("offer the same to the Customer.”")


def test_only_documents_of_the_review_count(room: tuple[Library, str, str]) -> None:
    library, supply, _ = room
    alone = [cell(supply, "it", SUPPLY, "shall not exceed one million pounds")]
    assert apply_amendments(library, alone) == alone


SPECIAL = (
    SUPPLY
    + """
SPECIAL CONDITIONS

{}
"""
)


@pytest.mark.parametrize(
    ("words", "clause", "replaces"),
    [
        ("Clause 4.1 is deleted.", "4.1", True),
        ("Clause 4 shall not apply.", "4.1", True),
        ("Clauses 3 and 4 of this Agreement do not apply.", "4.1", True),
        ("Clause 4.1 shall not apply to Goods made in Kent.", "4.1", False),
        ("If the Customer insures the Goods, clause 4.1 shall not apply.", "4.1", False),
        ("Clause 4.1 applies to all Goods.", "", False),
        ("Clause 3.2 shall not apply.", "", False),
        ("Nothing in clause 4.1 shall be excluded by law.", "", False),
    ],
)
def test_a_contract_takes_its_own_clause_out_of_force(
    tmp_path: Path, words: str, clause: str, replaces: bool
) -> None:
    insured = "The Supplier shall keep insurance of five million pounds."
    text = SPECIAL.format(words)
    with Library.open(tmp_path / "own.db") as library:
        made = put(library, "supply.txt", text)
        (own,) = apply_amendments(library, [cell(made, "insurance", text, insured)])
    told = [(each.quote.words, each.replaces) for each in own.amendments]
    assert told == ([(words, replaces)] if clause else [])
    for each in own.amendments:
        assert each.describe(own.document).startswith("Elsewhere this contract")
