"""Which other documents change what was found, in which words, and what is left in force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.review.amendments import (
    amended_finding,
    amendment_key,
    apply_amendments,
    finding_of_amendment,
)
from fourcorners.review.finding import Amendment, CellState, Evidence, Finding, RiskAnswer, Severity
from fourcorners.search.graph.in_force import read_in_force
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
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
    library, supply, amendment = room
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
    assert [each.document for each in found] == [amendment, ids[1], ids[2], ids[0]]
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
    library, supply, _ = room
    law = cell(supply, "it", SUPPLY, "governed by the laws of England")
    ends = cell(supply, "it", SUPPLY, "terminate this Agreement on six months' notice")
    both = replace(law, evidence=(*law.evidence, replace(ends.evidence[0], score=0.04)))
    assert apply_amendments(library, [both])[0].amendments == ()
    strong = replace(law, evidence=(*law.evidence, ends.evidence[0]))
    assert len(apply_amendments(library, [strong])[0].amendments) == 1


def in_force(room: tuple[Library, str, str], old: str, new: str) -> Finding:
    """Return the finding of the supply agreement, with words of it and words in force."""
    library, supply, _ = room
    amended = read_in_force(library, supply)
    assert amended is not None
    own = replace(cell(supply, "it", SUPPLY, old), severity=Severity.HIGH)
    found = cell(supply, "it", amended.contract.text, new)
    answer = RiskAnswer("How much?", "two", id="much", value="2", quotes=quotes(found))
    found = replace(found, answers=(answer,), severity=Severity.MEDIUM, reason="It is less.")
    return amended_finding(library, own, found, amended)


def quotes(finding: Finding) -> tuple[Quote, ...]:
    return tuple(each.quote for each in finding.evidence)


def test_a_cell_says_what_the_words_in_force_say(room: tuple[Library, str, str]) -> None:
    found = in_force(room, "shall not exceed one million", "shall not exceed two million pounds")
    assert (found.state, found.severity) == (CellState.FOUND, Severity.MEDIUM)
    assert found.reason == "It is less. Amended by amendment.txt, clause 1."
    assert [each.value for each in found.answers] == ["2"]
    (only,) = found.amendments
    assert (only.place, only.replaces) == ("1", True)
    assert only.old is not None
    assert "one million pounds" in only.old.words
    for quote in (*quotes(found), *found.answers[0].quotes, only.old):
        assert quote.span is not None
        assert quote.span.text_in(SUPPLY) == quote.words


def test_a_cell_that_no_amendment_concerns_stays_as_it_was(room: tuple[Library, str, str]) -> None:
    law = "governed by the laws of England"
    assert in_force(room, law, law).severity is Severity.HIGH
    assert in_force(room, law, law).amendments == ()


def test_words_that_an_amendment_takes_away_are_not_found(room: tuple[Library, str, str]) -> None:
    found = in_force(room, "shall not exceed one million pounds", "")
    assert (found.state, found.evidence) == (CellState.NOT_FOUND, ())
    assert found.amendments[0].replaces


def test_an_uncertain_change_is_to_be_read_with_both_quotes(room: tuple[Library, str, str]) -> None:
    insured = "The Supplier shall keep insurance of five million pounds."
    found = in_force(room, insured, insured)
    assert (found.severity, found.possible_severity) == (Severity.TO_READ, Severity.HIGH)
    assert [each.words for each in quotes(found)] == [insured]
    assert all(each.is_open for each in found.answers)
    (only,) = found.amendments
    assert not only.replaces
    assert "and theft" in only.quote.words
    assert only.old is not None
    assert insured in only.old.words


def test_an_amendment_brings_a_provision(room: tuple[Library, str, str]) -> None:
    found = in_force(room, "", "it shall offer the same to the Customer")
    assert found.state is CellState.FOUND
    (only,) = found.amendments
    assert only.quote.words.endswith("offer the same to the Customer.”")


def test_a_restated_contract_is_read_in_its_new_version(room: tuple[Library, str, str]) -> None:
    library, supply, _ = room
    put(
        library,
        "restatement.txt",
        "AMENDED AND RESTATED SUPPLY AGREEMENT\n\nmade on 8 August 2024 between Alder Components "
        "Limited (“Supplier”) and Birch Retail Limited (“Customer”)\n\nThe parties made a Supply "
        "Agreement on 4 March 2021. With this day it is amended and restatement as follows:\n\n"
        "1. The Supplier shall sell the Goods.\n",
    )
    assert read_contract(library, supply).card.governing_law is not None
    found = in_force(room, "governed by the laws of England", "governed by the laws of England")
    assert (found.state, found.severity) == (CellState.NOT_APPLICABLE, Severity.NONE)
    assert found.reason.startswith("restatement.txt takes the place")
    assert "amended and restatement" in found.amendments[0].quote.words


def test_an_amendment_has_no_flag_of_its_own(room: tuple[Library, str, str]) -> None:
    library, _, amendment = room
    missing = replace(cell(amendment, "it", AMENDMENT, ""), severity=Severity.HIGH, reason="None.")
    silent = finding_of_amendment(library, missing)
    assert (silent.severity, silent.reason) == (Severity.NONE, "")
    changed = replace(
        cell(amendment, "it", AMENDMENT, "two million pounds"), severity=Severity.HIGH
    )
    read = finding_of_amendment(library, replace(changed, severity=Severity.HIGH))
    assert (read.severity, read.reason) == (Severity.NONE, "Read with what it amends: supply.txt.")
    own = replace(cell(amendment, "it", AMENDMENT, "dated 2 May 2023"), severity=Severity.HIGH)
    assert finding_of_amendment(library, own) == own


def test_cells_are_filled_again_once_an_amendment_is_added(
    room: tuple[Library, str, str],
) -> None:
    library, supply, amendment = room
    key = amendment_key(library, supply)
    assert key
    assert amendment_key(library, amendment) not in ("", key)
    old = cell(supply, "it", SUPPLY, "shall not exceed one million pounds")
    (unread,) = apply_amendments(library, [replace(old, severity=Severity.LOW)])
    assert (unread.severity, unread.possible_severity) == (Severity.TO_READ, Severity.HIGH)
    assert "not read yet" in unread.reason


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


@pytest.fixture
def other_room(tmp_path: Path) -> Iterator[tuple[Library, str, str]]:
    changes = "\n1. The price list is replaced.\n\n2. From 1 May 2031 clause 2.1 is deleted.\n"
    with Library.open(tmp_path / "other.db", create=True) as library:
        text = AMENDMENT[: AMENDMENT.index("1. Clause 2.1")] + changes
        yield library, put(library, "supply.txt", SUPPLY), put(library, "open.txt", text)


@pytest.mark.parametrize("words", ["The Customer may terminate this Agreement", ""])
def test_a_change_to_an_unknown_clause_leaves_every_cell_to_a_person(
    other_room: tuple[Library, str, str], words: str
) -> None:
    found = in_force(other_room, words, words)
    assert (found.severity, found.possible_severity) == (Severity.TO_READ, Severity.HIGH)
    assert found.reason.startswith("These words may be changed. Amended by open.txt, clause 1")
    assert [each.quote.words for each in found.amendments][:1] == ["1. The price list is replaced."]
    assert SUPPLY not in [each.old and each.old.words for each in found.amendments]


def test_a_change_to_come_is_named_and_its_day_makes_the_cell_another(
    other_room: tuple[Library, str, str],
) -> None:
    library, supply, _ = other_room
    words = "shall not exceed one million pounds"
    found = in_force(other_room, words, words)
    assert [each.words for each in quotes(found)] == [words]
    assert "open.txt, clause 2, from 1 May 2031" in found.reason
    assert not any(each.replaces for each in found.amendments)
    keys = {amendment_key(library, supply, date(year, 6, 1)) for year in (2029, 2030, 2031)}
    assert len(keys) == 2
    (unread,) = apply_amendments(library, [found], date(2031, 6, 1))
    assert "with which this cell was not read yet" in unread.reason
