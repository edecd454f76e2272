"""The table that answers a question to a collection, from cards and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import ContractRow, RowState
from fourcorners.research.context import build_context
from fourcorners.research.offline.cells import CellReader, RowPart
from fourcorners.research.offline.collection import ask_contracts
from fourcorners.research.offline.run import combine_rows
from fourcorners.research.offline.sizes import compare_rows
from fourcorners.review import store
from fourcorners.review.finding import CellState, Evidence, Finding, RiskAnswer
from fourcorners.review.parties import set_side
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.review.conftest import document

TEXT = """{title}

This {title} is dated {dated} and made between Ostler Ferries Limited ("Operator") and {other} \
Limited ("Customer").

1. SERVICES

1.1 The Operator shall carry the Customer's crates.

2. ENDING

2.1 {ending}

3. GENERAL

3.1 {law}
"""
HARBOUR = TEXT.format(
    title="Carriage Agreement",
    dated="9 June 2022",
    other="Tallow Quarries",
    ending="The Customer may end this Agreement at any time on ninety days' notice.",
    law="This Agreement is governed by the laws of the State of New York.",
)
ISLAND = TEXT.format(
    title="Storage Agreement",
    dated="2 May 2024",
    other="Merrin Glass",
    ending="Either party may end this Agreement at any time on six months' notice.",
    law="This Agreement is governed by the laws of Israel.",
)
SHORE = TEXT.format(
    title="Mooring Agreement",
    dated="7 July 2024",
    other="Dunnock Sails",
    ending="The Carriage Agreement of 9 June 2022 is not changed by this Agreement.",
    law="Notices are given in writing.",
)
BOOK = load_playbook("due-diligence")
Ask = Callable[[str], dict[str, ContractRow]]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("rows") / "room.db") as opened:
        for name, text, who, notice in (
            ("harbour", HARBOUR, "Customer", "P90D"),
            ("island", ISLAND, "each party", "P6M"),
            ("shore", SHORE, "", ""),
        ):
            _add(opened, name, text, who, notice)
        set_side(opened, "Quay", ["Ostler Ferries"])
        yield opened


def _add(library: Library, name: str, text: str, who: str, notice: str) -> None:
    added = document(text, f"{name}.txt")
    outline = build_outline(added)
    card = read_card(added, outline)
    library.add(added, outline, card, cut_passages(added, outline), None, collection="Quay")
    start = text.index("2.1 ")
    span = Span(start, text.index("\n", start))
    evidence = Evidence(Quote(span.text_in(text), span, Match.EXACT), span, (), None, 0.9)
    answers = (
        RiskAnswer("Who?", who, id="who", value=who, statement=f"{who} may end it"),
        RiskAnswer("Notice?", notice, id="notice", value=notice, statement=f"notice of {notice}"),
    )
    finding = Finding(
        added.id,
        "termination-for-convenience",
        CellState.FOUND if who else CellState.NOT_FOUND,
        evidence=(evidence,) if who else (),
        answers=answers if who else (),
    )
    law = text.index("3.1 ")
    chosen = Span(law, text.index("\n", law))
    quote = Quote(chosen.text_in(text), chosen, Match.EXACT)
    settled = {"harbour.txt": "yes", "island.txt": "no"}.get(added.name, "")
    is_chosen = "governed" in text
    governing = Finding(
        added.id,
        "governing-law",
        CellState.FOUND if is_chosen else CellState.NOT_FOUND,
        evidence=(Evidence(quote, chosen, (), None, 0.9),) if is_chosen else (),
        answers=(RiskAnswer("?", settled, id="arbitration", value=settled, statement="so"),),
    )
    changing = Finding(
        added.id,
        "change-of-control",
        CellState.FOUND if who == "Customer" else CellState.NOT_FOUND,
        evidence=(evidence,) if who == "Customer" else (),
    )
    store.save_findings(library, BOOK, "engine", [finding, governing, changing])


@pytest.fixture(scope="module")
def ask(library: Library) -> Ask:
    context = build_context(library, collection="Quay", concepts=default_concepts())

    def rows(question: str) -> dict[str, ContractRow]:
        names = {each.id: each.name.removesuffix(".txt") for each in context.contracts}
        return {names[each.document]: each for each in ask_contracts(context, question)}

    return rows


@pytest.mark.parametrize(
    ("question", "states"),
    [
        (
            "Which contracts are governed by New York law?",
            {"harbour": "yes", "island": "no", "shore": "not said"},
        ),
        (
            "Which agreements are under Israeli law?",
            {"harbour": "no", "island": "yes", "shore": "not said"},
        ),
        (
            "Which contracts refer to the agreement of 9 June 2022?",
            {"harbour": "no", "island": "not said", "shore": "yes"},
        ),
        (
            "Which contracts may the other side terminate for convenience?",
            {"harbour": "yes", "island": "yes", "shore": "not said"},
        ),
        (
            "Which contracts may we terminate for convenience?",
            {"harbour": "no", "island": "yes", "shore": "not said"},
        ),
        (
            "Which contracts have termination for convenience?",
            {"harbour": "yes", "island": "yes", "shore": "not said"},
        ),
        (
            "Which contracts can the other side end without cause?",
            {"harbour": "yes", "island": "yes", "shore": "not said"},
        ),
        (
            "In which contracts are disputes settled by arbitration?",
            {"harbour": "yes", "island": "no", "shore": "not said"},
        ),
        (
            "Which contracts have a change of control clause?",
            {"harbour": "yes", "island": "not said", "shore": "not said"},
        ),
        (
            "Which contracts mention a change of control?",
            {"harbour": "yes", "island": "not said", "shore": "not said"},
        ),
    ],
)
def test_what_cards_and_findings_know_is_not_read(
    ask: Ask, question: str, states: dict[str, str]
) -> None:
    assert {name: row.state.value for name, row in ask(question).items()} == states


@pytest.mark.parametrize(
    "question",
    [
        "Which contracts change the price every year?",
        "Which contracts have an amendment clause?",
        "Which contracts vary the crates to be carried?",
    ],
)
def test_a_clause_about_changes_is_no_amendment(ask: Ask, question: str) -> None:
    assert "no amendment was found" not in {each.value for each in ask(question).values()}


@pytest.mark.parametrize("question", ["Which contracts were amended?", "Which were changed?"])
def test_contracts_that_were_changed_are_known_by_their_amendments(ask: Ask, question: str) -> None:
    assert {each.value for each in ask(question).values()} == {"no amendment was found"}


TERMS = {
    "over": "This Agreement begins on 1 May 2015 and expires on 30 April 2018.",
    "rolling": (
        "The initial term of this Agreement shall be for a period of three (3) years from the date "
        "first set forth above and shall thereafter automatically renew for additional one (1) "
        "year terms unless either party gives notice 60 days before the end of a term."
    ),
    "option": (
        "This Agreement begins on 1 May 2015 and expires on 30 April 2018. The Customer may renew "
        "this Agreement for a further term of two years."
    ),
}


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with Library.open(tmp_path_factory.mktemp("ends") / "room.db") as opened:
        for name, ending in TERMS.items():
            text = TEXT.format(
                title="Carriage Agreement",
                dated="1 May 2015",
                other=f"{name.title()} Quarries",
                ending=ending,
                law="Notices are given in writing.",
            )
            _add(opened, name, text, "", "")
        context = build_context(opened, collection="Quay", concepts=default_concepts())
        names = {each.id: each.name.removesuffix(".txt") for each in context.contracts}
        yield lambda question: {
            names[row.document]: row for row in ask_contracts(context, question)
        }


@pytest.mark.parametrize(
    ("question", "states"),
    [
        ("Which contracts have expired?", {"over": "yes", "rolling": "no", "option": "yes"}),
        ("Which contracts expired in 2018?", {"over": "yes", "rolling": "no", "option": "yes"}),
        ("Which contracts expire before 2017?", {"over": "no", "rolling": "no", "option": "no"}),
        (
            "Which contracts expire after 2016?",
            {"over": "yes", "rolling": "to be read", "option": "yes"},
        ),
    ],
)
def test_a_contract_that_renews_by_itself_has_not_expired(
    ends: Ask, question: str, states: dict[str, str]
) -> None:
    rows = ends(question)
    assert {name: row.state.value for name, row in rows.items()} == states
    assert rows["rolling"].value.startswith("first term until 2018-0")


def test_a_row_has_the_value_and_the_words_for_it(ask: Ask, library: Library) -> None:
    row = ask("Which contracts are governed by New York law?")["harbour"]
    assert row.value == "New York"
    assert row.quote is not None
    assert row.quote.where == "clause 3.1"
    assert row.quote.quote.words in library.text(row.document)


def test_the_law_leaves_out_what_need_not_be_read(ask: Ask) -> None:
    found = ask("Which contracts under Israeli law have termination for convenience?")
    assert found["harbour"].state is RowState.NO
    assert found["harbour"].value == "New York"
    assert found["island"].state is RowState.YES


def test_only_the_contracts_of_a_party_that_is_named_are_asked(ask: Ask) -> None:
    found = ask("Which contracts with Merrin Glass have termination for convenience?")
    assert list(found) == ["island"]


def test_the_longest_is_computed(ask: Ask) -> None:
    question = "What is the longest notice period for termination for convenience?"
    rows = list(ask(question).values())
    assert compare_rows(question, rows).startswith("Longest of 2: “Storage Agreement")
    shortest = compare_rows(question.replace("longest", "shortest"), rows)
    assert shortest.startswith("Shortest of 2: “Carriage Agreement")


def test_sums_are_shown_with_their_parts_and_never_over_two_currencies() -> None:
    rows = [
        ContractRow(name, name, RowState.YES, size=size)
        for name, size in (("a", "1200 £"), ("b", "300 £"))
    ]
    assert compare_rows("What is the total rent?", rows) == "£1,500: 1,200 + 300."
    mixed = [*rows, ContractRow("c", "c", RowState.YES, size="5 $")]
    assert compare_rows("What is the total rent?", mixed) == ""


def test_the_headline_counts_each_state(ask: Ask) -> None:
    rows = list(ask("Which contracts are governed by New York law?").values())
    answer = combine_rows("Which contracts are governed by New York law?", rows)
    assert answer.headline.startswith("1 of 3 contracts: “Carriage Agreement")
    assert answer.headline.endswith("Not said in 1.")
    assert len(answer.sentences) == 1


AMENDMENT = """AMENDMENT NO. 1 TO THE {title}

This Amendment No. 1 is made on 3 August 2024 between Ostler Ferries Limited and {other} Limited \
and amends the {title} dated 2 May 2023.

1. {change}

2. All else stays as it is.
"""


@pytest.mark.parametrize(
    ("law", "change", "states"),
    [
        (
            "This Agreement is governed by the laws of England.",
            (
                'Clause 3.1 is deleted and replaced by: "3.1 This Agreement is governed by the '
                'laws of Scotland."'
            ),
            {"England": "no", "Scotland": "yes"},
        ),
        (
            "This Agreement is governed by the laws of Ireland.",
            'In clause 3.1, "Ireland" is replaced by "France".',
            {"Ireland": "no", "France": "yes"},
        ),
        (
            "This Agreement is governed by the laws of Ireland.",
            'In clause 2.1, "ninety days" is replaced by "a year".',
            {"Ireland": "yes", "France": "no"},
        ),
        (
            "This Agreement is governed by the laws of Ireland.",
            (
                'If the Customer so elects, clause 3.1 is replaced by: "3.1 This Agreement is '
                'governed by the laws of France."'
            ),
            {"Ireland": "to be read", "France": "to be read"},
        ),
    ],
)
def test_the_law_is_the_one_in_force(
    tmp_path: Path, law: str, change: str, states: dict[str, str]
) -> None:
    names = {"title": "Carriage Agreement", "other": "Tallow Quarries"}
    ending = "The Customer may end this Agreement on ninety days' notice."
    text = TEXT.format(dated="2 May 2023", ending=ending, law=law, **names)
    with Library.open(tmp_path / "room.db") as opened:
        _add(opened, "carriage", text, "", "")
        added = document(AMENDMENT.format(change=change, **names), "amendment.txt")
        outline = build_outline(added)
        card = read_card(added, outline)
        opened.add(added, outline, card, cut_passages(added, outline), None, collection="Quay")
        context = build_context(opened, collection="Quay", concepts=default_concepts())
        for place, state in states.items():
            question = f"Which contracts are governed by the law of {place}?"
            rows = {each.title[:8]: each for each in ask_contracts(context, question)}
            row = rows["Carriage"]
            assert row.state.value == state, (row.title, row.value)
            assert row.quote is not None
            assert row.quote.quote.words in opened.text(row.quote.document)
            assert state != "yes" or place in row.quote.quote.words
            is_own = row.quote.document == row.document
            assert is_own == (not row.quote.where.startswith(row.quote.name))
            assert combine_rows(question, [row]).line.count(row.quote.name) <= 1


def _cell(text: str, provision: str, words: str, *answers: tuple[str, str, str]) -> Finding:
    """Return a cell that found words of a text, with answers: id, value and statement."""
    found = tuple(RiskAnswer("?", v, id=i, value=v, statement=said) for i, v, said in answers)
    if not words:
        return Finding("", provision, CellState.NOT_FOUND)
    span = Span(text.index(words), text.index(words) + len(words))
    evidence = Evidence(Quote(words, span, Match.EXACT), span, (), None, 0.9)
    return Finding("", provision, CellState.FOUND, evidence=(evidence,), answers=found)


OPEN = "The Customer may end this Agreement at any time on ninety days' notice."
CLOSED = "Neither party may end this Agreement for convenience."
DUTIES = "The Operator {may}:\n\n(a) wash the crates; or\n\n(b) insure the crates."


@pytest.mark.parametrize(
    ("question", "ending", "cells", "state"),
    [
        (
            "Which contracts have termination for convenience?",
            OPEN,
            [("termination-for-convenience", OPEN)],
            "yes",
        ),
        (
            "Which contracts have termination for convenience?",
            CLOSED,
            [("termination-for-convenience", CLOSED)],
            "to be read",
        ),
        (
            "Which contracts do not have termination for convenience?",
            CLOSED,
            [("termination-for-convenience", CLOSED)],
            "to be read",
        ),
        (
            "Which contracts do not have termination for convenience?",
            OPEN,
            [("termination-for-convenience", OPEN)],
            "no",
        ),
        (
            "Which contracts do not have a cap on liability?",
            OPEN,
            [("cap-on-liability", "")],
            "to be read",
        ),
        ("Which contracts lack insurance?", OPEN, [("insurance", "")], "to be read"),
        ("Which contracts have a cap on liability?", OPEN, [("cap-on-liability", "")], "not said"),
        (
            "Which contracts have termination for convenience and insurance?",
            OPEN,
            [("termination-for-convenience", OPEN), ("insurance", "")],
            "not said",
        ),
        (
            "Which contracts have termination for convenience but no insurance?",
            OPEN,
            [("termination-for-convenience", OPEN), ("insurance", "")],
            "to be read",
        ),
        (
            "Which contracts have a minimum commitment?",
            OPEN,
            [("minimum-commitment", OPEN, ("binding", "no", "no binding minimum"))],
            "to be read",
        ),
        (
            "Which contracts require insurance?",
            DUTIES.format(may="shall not be obliged to"),
            [("insurance", "insure the crates")],
            "to be read",
        ),
        (
            "Which contracts require insurance?",
            DUTIES.format(may="shall"),
            [("insurance", "insure the crates")],
            "yes",
        ),
        (
            "Which contracts are exclusive?",
            OPEN,
            [("exclusivity", OPEN, ("kind", "none", ""))],
            "to be read",
        ),
        (
            "Which contracts are exclusive?",
            OPEN,
            [("exclusivity", OPEN, ("kind", "supply", "exclusive supply"))],
            "yes",
        ),
    ],
)
def test_neither_denials_nor_silence_are_asserted(
    tmp_path: Path,
    question: str,
    ending: str,
    cells: Sequence[tuple[str, str]],
    state: str,
) -> None:
    text = TEXT.format(
        title="Carriage Agreement",
        dated="9 June 2022",
        other="Tallow Quarries",
        ending=ending,
        law="Notices are given in writing.",
    )
    added = document(text, "carriage.txt")
    outline = build_outline(added)
    card = read_card(added, outline)
    with Library.open(tmp_path / "room.db") as opened:
        opened.add(added, outline, card, cut_passages(added, outline), None, collection="Quay")
        found = [replace(_cell(text, *each), document=added.id) for each in cells]
        store.save_findings(opened, BOOK, "engine", found)
        context = build_context(opened, collection="Quay", concepts=default_concepts())
        (row,) = ask_contracts(context, question)
        assert row.state.value == state
        bare = [replace(each, evidence=()) for each in found if each.state is CellState.FOUND]
        store.save_findings(opened, BOOK, "engine", bare)
        context = build_context(opened, collection="Quay", concepts=default_concepts())
        (row,) = ask_contracts(context, question)
        assert row.state is not RowState.YES


ASSIGNED = "Neither party may assign this Agreement without the consent of the other party."
SOLD = "A sale of the Operator needs the prior approval of the Customer."


@pytest.mark.parametrize(
    ("question", "provision", "words", "state"),
    [
        ("Which contracts need consent to a change of control?", "change-of-control", SOLD, ""),
        ("Which contracts allow a change of control on notice?", "change-of-control", SOLD, ""),
        ("Which contracts need no consent to a change of control?", "change-of-control", SOLD, ""),
        ("Which contracts can the Operator not assign?", "assignment", ASSIGNED, ""),
        ("Which contracts can we not assign without consent?", "assignment", ASSIGNED, ""),
        ("Which contracts may not be assigned?", "assignment", ASSIGNED, ""),
        ("Which contracts have an assignment clause?", "assignment", ASSIGNED, "yes"),
        (
            "Which contracts need consent to a change of control?",
            "change-of-control",
            "",
            "not said",
        ),
    ],
)
def test_what_the_review_found_is_in_the_table(
    tmp_path: Path, question: str, provision: str, words: str, state: str
) -> None:
    text = TEXT.format(
        title="Carriage Agreement",
        dated="9 June 2022",
        other="Tallow Quarries",
        ending=f"{ASSIGNED}\n\n2.2 A change of the route needs consent.\n\n2.3 {SOLD}",
        law="Notices are given in writing.",
    )
    with Library.open(tmp_path / "room.db") as opened:
        row = _ask_with_cells(opened, text, question, _cell(text, provision, words))
    assert row.state.value == (state or "to be read")
    quoted = row.quote.quote.words if row.quote else ""
    assert words in quoted
    assert row.value or state


def test_words_that_answer_stay_where_the_review_quotes_their_clause(tmp_path: Path) -> None:
    ending = f"{SOLD}\n\n2.2 A sale of a ship needs no consent."
    text = TEXT.format(
        title="Carriage Agreement",
        dated="9 June 2022",
        other="Tallow Quarries",
        ending=ending,
        law="Notices are given in writing.",
    )
    cell, start = _cell(text, "change-of-control", "needs the prior approval"), text.index(SOLD)
    clause = Span(start, start + len(SOLD))
    cell = replace(cell, evidence=tuple(replace(each, clause=clause) for each in cell.evidence))
    with Library.open(tmp_path / "room.db") as opened:
        row = _ask_with_cells(opened, text, "Which contracts have a change of control?", cell)
        context = build_context(opened, collection="Quay", concepts=default_concepts())
        cells = store.load_cells(opened, BOOK, ["change-of-control"])
        reader, contract = CellReader(context, "?", cells), context.read_contract(row.document)
        own = RowPart(RowState.TO_READ, quote=context.cite(contract.id, clause))
        other = context.cite(contract.id, Span(clause.end, len(text)).strip(text))
        assert reader.add_found(contract, own).quote == own.quote
        elsewhere = reader.add_found(contract, RowPart(RowState.TO_READ, quote=other))
        nowhere = reader.add_found(contract, RowPart(RowState.SILENT, "no answer was found"))
    assert elsewhere == nowhere == RowPart(RowState.TO_READ, "Change of control", row.quote)


def _ask_with_cells(library: Library, text: str, question: str, cell: Finding) -> ContractRow:
    """Return the row of the only contract of a library, with a cell of its review."""
    added = document(text, "carriage.txt")
    outline = build_outline(added)
    card = read_card(added, outline)
    library.add(added, outline, card, cut_passages(added, outline), None, collection="Quay")
    store.save_findings(library, BOOK, "engine", [replace(cell, document=added.id)])
    context = build_context(library, collection="Quay", concepts=default_concepts())
    (row,) = ask_contracts(context, question)
    return row


def test_words_of_a_list_come_with_what_leads_to_them(tmp_path: Path) -> None:
    text = TEXT.format(
        title="Carriage Agreement",
        dated="9 June 2022",
        other="Tallow Quarries",
        ending=DUTIES.format(may="shall at its own cost"),
        law="Notices are given in writing.",
    )
    added = document(text, "carriage.txt")
    outline = build_outline(added)
    card = read_card(added, outline)
    with Library.open(tmp_path / "room.db") as opened:
        opened.add(added, outline, card, cut_passages(added, outline), None, collection="Quay")
        found = replace(_cell(text, "insurance", "insure the crates"), document=added.id)
        store.save_findings(opened, BOOK, "engine", [found])
        context = build_context(opened, collection="Quay", concepts=default_concepts())
        question = "Which contracts require insurance?"
        (row,) = ask_contracts(context, question)
    assert row.quote is not None
    assert row.quote.where == "clause 2.1(b)"
    (lead,) = row.leads
    assert lead.quote.words == "The Operator shall at its own cost"
    assert lead.quote.span is not None
    assert lead.quote.span.text_in(text) == lead.quote.words
    assert combine_rows(question, [row]).sentences[0].quotes == (lead, row.quote)


def test_what_is_to_be_read_is_not_counted_as_a_no_where_no_yes_is_asked_for() -> None:
    rows = [ContractRow(each, each, RowState.TO_READ) for each in ("one", "two")]
    asked = "On what notice can each contract be ended?"
    assert combine_rows(asked, rows).headline == "2 of 2 contracts have words on it, to be read."
    asked = "Can each contract be ended?"
    assert combine_rows(asked, rows).headline == "0 of 2 contracts. 2 to be read."
