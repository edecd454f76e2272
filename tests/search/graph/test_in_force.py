"""What an amended contract says: the words in force, and what is left to a person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from fourcorners.library.store import Library
from fourcorners.search.graph.in_force import InForce, card_in_force, read_in_force

Put = Callable[..., str]

HIRE = """CRANE HIRE AGREEMENT

This Crane Hire Agreement is dated 9 May 2019 and made between Hollin Lifting Limited ("Owner")
and Wray Bridges Limited ("Hirer").

1. HIRE
1.1 The Owner lets two tower cranes to the Hirer.
1.2 The Hirer shall return each crane within 10 days after the end of the hire.

2. MONEY
2.1 The Hirer shall pay GBP 4,000 a week, within 21 days after each invoice.
2.2 The Owner may raise the rent once a year by 2 per cent, but not by more than 2 per cent.

3. TERM
3.1 This Agreement begins on 9 May 2019 and continues for three years.

4. LIMIT
4.1 The Owner's liability is limited to GBP 60,000.

SCHEDULE 1
The cranes are of the type Liebe 40.

SCHEDULE 2
1. Cranes are brought by rail.
2. Cranes are fetched at noon.
"""
DELETED = "1. Clause 4.1 is deleted."
CHANGE = """AMENDMENT NO. {number} TO THE CRANE HIRE AGREEMENT

This Amendment No. {number} is made on {day} between Hollin Lifting Limited and Wray Bridges
Limited and amends the Crane Hire Agreement dated 9 May 2019.

{changes}

{last}. All else stays as it is.
"""


def amended(library: Library, put: Put, *changes: str) -> InForce:
    hire = put("hire.txt", HIRE)
    for number, each in enumerate(changes, start=1):
        day = f"3 March {2019 + number}"
        put(
            f"change-{number}.txt",
            CHANGE.format(number=number, day=day, changes=each, last=each.count("\n2.") + 2),
        )
    found = read_in_force(library, hire)
    assert found is not None
    for revision in found.revisions:
        assert revision.span.text_in(library.text(revision.document))
        assert revision.old.end <= len(HIRE)
    return found


@pytest.mark.parametrize(
    ("change", "gone", "new"),
    [
        ('1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".', "4,000", "GBP 4,650 a week"),
        (
            (
                '1. Clause 1.2 shall be deleted and replaced by: "1.2 The Hirer shall leave each '
                'crane where it stands."'
            ),
            "within 10 days",
            "1.2 The Hirer shall leave each crane where it stands.",
        ),
        (
            (
                "1. Clause 4.1 is replaced by the following:\n\n“4.1 The Owner's liability is not "
                "limited.”"
            ),
            "GBP 60,000",
            "4.1 The Owner's liability is not limited.",
        ),
        ("1. Clause 4 (Limit) is hereby deleted in its entirety.", "GBP 60,000", ""),
        (
            '1. In clause 2.1 the words "within 21 days after each invoice" are deleted.',
            "21 days",
            "GBP 4,000 a week",
        ),
        (
            '1. A new clause 4.2 is added after clause 4.1: "4.2 Clause 4.1 does not limit fraud."',
            "",
            "GBP 60,000.\n4.2 Clause 4.1 does not limit fraud.",
        ),
        (
            (
                '1. In clause 1.1, after the words "two tower cranes" the words "and one hoist" '
                "are inserted."
            ),
            "",
            "lets two tower cranes and one hoist to the Hirer",
        ),
        (
            (
                '1. Schedule 1 is deleted and replaced by: "SCHEDULE 1\nThe cranes are of the type '
                'Potain 80."'
            ),
            "Liebe 40",
            "Potain 80",
        ),
    ],
)
def test_a_change_that_leaves_no_choice_is_made(
    library: Library, put: Put, change: str, gone: str, new: str
) -> None:
    found = amended(library, put, change)
    assert all(each.is_certain for each in found.revisions)
    assert not gone or gone not in found.contract.text
    assert new in found.contract.text
    assert [each.place for each in found.revisions] == ["1"]


@pytest.mark.parametrize(
    ("change", "old"),
    [
        ('1. In clause 2.2, "2 per cent" is replaced by "4 per cent".', "2.2 The Owner may raise"),
        ("1. The first sentence of clause 4.1 is deleted.", "4.1 The Owner's liability"),
        ("1. Clause 4.1 is deleted for hires that begin after June.", "4.1 The Owner's liability"),
        ("1. If the Hirer insures the cranes, clause 4.1 is deleted.", "4.1 The Owner's liability"),
        ('1. In clause 4.1, "GBP 70,000" is replaced by "GBP 90,000".', "4.1 The Owner's"),
        ("1. Clause 4.1 is amended so that the parties share the loss.", "4.1 The Owner's"),
        ("1. Clause 4.1 (Deletion of data) survives.", "4.1 The Owner's"),
        ("1. Clause 4.1 applies until this Amendment ceases to have effect.", "4.1 The Owner's"),
        ("1. The Hirer acknowledges that Clause 4.1 has no effect.", "4.1 The Owner's"),
        ("1. Clause 4.1 is not deleted.", "4.1 The Owner's"),
        ("1. Clause 4.1 omits what the parties meant.", "4.1 The Owner's"),
        ("1. We do not agree to your proposal that Clause 4.1 is deleted.", "4.1 The Owner's"),
        (
            '1. It is proposed that in clause 4.1 "GBP 60,000" is replaced by "GBP 90,000".',
            "4.1 The Owner's",
        ),
        (
            '1. At the end of the first sentence of Clause 2.1 "and all rates" is added.',
            "2.1 The Hirer",
        ),
        ('1. At the end of Clause 2.1(c) the words "and all rates" are added.', "2.1 The Hirer"),
        (
            '1. At the end of clause 5 the words "Nothing in it limits fraud." are added.',
            "4. LIMIT",
        ),
        (
            '1. At the beginning of clause 4.1 the sentence "Fraud is not limited." is inserted.',
            "4.1 The Owner's",
        ),
        (
            '1. Clause 4.1, which reads "The liability is limited to GBP 50,000", is deleted.',
            "4.1 The Owner's",
        ),
        (
            '1. Clause 4.1, which reads "The liability is GBP 50,000", shall be replaced.',
            "4.1 The Owner's",
        ),
    ],
)
def test_a_change_that_leaves_a_choice_is_left_to_a_person(
    library: Library, put: Put, change: str, old: str
) -> None:
    found = amended(library, put, change)
    assert found.contract.text == HIRE
    (only,) = found.revisions
    assert not only.is_certain
    assert not only.removes
    assert only.old.text_in(HIRE).startswith(old) or old in only.old.text_in(HIRE)


def test_amendments_are_applied_in_the_order_of_their_dates(library: Library, put: Put) -> None:
    found = amended(
        library,
        put,
        '1. In clause 2.1, "21 days" is replaced by "45 days".',
        '1. In clause 2.1, as amended, "45 days" is replaced by "60 days".\n2. A new clause 4.2 is '
        'added after clause 4.1: "4.2 The limit is doubled for loss of use."',
        '1. In clause 4.2, the word "doubled" is replaced by "trebled".',
    )
    assert "within 60 days after each invoice" in found.contract.text
    assert "4.2 The limit is trebled for loss of use." in found.contract.text
    at = found.contract.text.index("60 days")
    span = type(found.revisions[0].span)(at, at + len("60 days"))
    assert [each.name for each in found.revisions_at(span)] == ["change-1.txt", "change-2.txt"]
    own = found.own_span(span)
    assert own is not None
    assert own.text_in(HIRE) == "21 days"


def test_a_clause_gets_its_first_wording_again(library: Library, put: Put) -> None:
    found = amended(
        library,
        put,
        '1. Clause 1.2 is deleted and replaced by: "1.2 The Hirer may keep the cranes."',
        "1. Clause 1.2, as replaced by Amendment No. 1, is restored to its original wording.",
    )
    assert found.contract.text == HIRE
    assert [each.is_certain for each in found.revisions] == [True, True]


def test_a_renumbered_clause_is_cited_by_its_new_number(library: Library, put: Put) -> None:
    found = amended(
        library,
        put,
        "1. Clause 2 is deleted. Clauses 3 through 4 are renumbered as clauses 2 through 3.",
        '1. In clause 3.1, "GBP 60,000" is replaced by "GBP 80,000".',
    )
    assert "3.1 The Owner's liability is limited to GBP 80,000." in found.contract.text
    assert "2.1 This Agreement begins on 9 May 2019" in found.contract.text


def test_a_clause_of_another_contract_is_not_changed(library: Library, put: Put) -> None:
    found = amended(
        library,
        put,
        '1. In clause 2.1 of the Scaffold Rental Agreement, "GBP 4,000" is replaced by "GBP 9".\n'
        '2. In clause 4.1 of the Agreement, "GBP 60,000" is replaced by "GBP 61,000".',
    )
    assert "GBP 4,000 a week" in found.contract.text
    assert [each.place for each in found.revisions] == ["2"]


@pytest.mark.parametrize(
    ("change", "end"),
    [
        ("1. The term in clause 3.1 is extended by two years.", date(2024, 5, 9)),
        ("1. The term stated in clause 3.1 is extended until 30 June 2026.", date(2026, 6, 30)),
        ('1. In clause 3.1, "three years" is replaced by "six years".', date(2025, 5, 9)),
        ("1. The term in clause 3.1 is extended as the parties will agree.", None),
        ("1. The term of the Agreement is extended by eighteen months.", date(2023, 11, 9)),
        ("1. The duration of the Agreement is changed as the letter of today says.", None),
        ("1. The Hirer may extend the term of the Agreement by two years.", None),
        ("1. The term in clause 3.1 is not extended by two years.", None),
        ("1. The rent in clause 2.1 is reduced by two weeks' rent.", date(2022, 5, 9)),
    ],
)
def test_the_card_says_when_the_amended_term_ends(
    library: Library, put: Put, change: str, end: date | None
) -> None:
    amended(library, put, change)
    hire = next(each.id for each in library.documents() if each.name == "hire.txt")
    card = card_in_force(library, hire)
    assert (card.expiry_date and card.expiry_date.value) == end
    for value in card.values:
        assert value.span.text_in(HIRE)


def test_the_words_behind_a_sum_have_their_place_in_the_contract(
    library: Library, put: Put
) -> None:
    long = "one crane of the Owner's own choice, with all of its ropes and hooks and a second man"
    found = amended(library, put, f'1. In clause 1.1, "two tower cranes" is replaced by "{long}".')
    assert [each.is_certain for each in found.revisions] == [True]
    end = found.card.value("end")
    assert end is not None
    assert {part.text_in(HIRE) for part in end.parts} <= {"9 May 2019", "three years"}
    assert end.parts


@pytest.mark.parametrize(
    ("changes", "arithmetic"),
    [
        (["extended by two years"], "2019-05-09 + 3 years + 2 years"),
        (
            ["extended by 18 months", "extended by one year"],
            "2019-05-09 + 3 years + 18 months + 1 year",
        ),
        (["extended until 30 June 2026"], ""),
        (["extended until 30 June 2026", "extended by six months"], "2026-06-30 + 6 months"),
    ],
)
def test_the_sum_behind_an_amended_end_adds_up(
    library: Library, put: Put, changes: list[str], arithmetic: str
) -> None:
    each_letter = [f"1. The term in clause 3.1 is {each}." for each in changes]
    found = amended(library, put, *each_letter).card.value("end")
    assert found is not None
    assert found.arithmetic == arithmetic


@pytest.mark.parametrize(
    "change",
    [
        "1. Clause 9.4 is deleted.",
        "1. The clause headed Money is replaced by the wording on the sheet attached.",
        '1. The word "crane" is replaced by "hoist" wherever it occurs.',
        "1. Exhibit B is replaced by the Exhibit B of today.",
        "1. Clauses 2.1 and 7.3 are deleted.",
        "1. From now on the rent is GBP 5,000 a week.",
        "1. The 2 cranes are replaced by hoists, and the price is not changed.",
        "1. The letter of 6 June 2019 added a hoist, which is hereby removed.",
        "1. Clause 8.2, as amended by the letter of May, is deleted.",
    ],
)
def test_an_instruction_that_meets_no_clause_leaves_all_words_to_a_person(
    library: Library, put: Put, change: str
) -> None:
    found = amended(library, put, change)
    whole = [each for each in found.revisions if not each.is_certain]
    assert [each.old.text_in(HIRE) for each in whole] == [HIRE]
    assert found.card.expiry_date is None


@pytest.mark.parametrize(
    "change",
    [
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. The Lease, as hereby '
            "amended, continues."
        ),
        (
            '1. The Agreement is amended as follows.\n2. In clause 2.1, "GBP 4,000" is replaced by '
            '"GBP 4,650".\n3. This Amendment may not be modified except in writing.'
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "Headings are inserted for convenience only."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "Any provision that is held to be invalid shall be deleted and the rest stays in force."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "References to a statute are to it as amended or replaced from time to time."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "The Owner's insurer has changed since 1 May 2019."
        ),
        (
            '1. Clause 2.1, as amended by earlier letters, is changed: "GBP 4,000" is replaced by '
            '"GBP 4,650".'
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. A letter of amendment, '
            "dated 6 June 2019, added a hoist at 2 Quay Road and is not affected by this one."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. The side letter of '
            "4 July 2019 has already extended the 3 free days."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. The insurance of the 2 '
            "cranes is not changed, and this letter does not amend the 2018 price list."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "Nothing in this letter changes clause 4.1."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "This letter shall not be construed to amend, vary or waive clause 4.1."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "Nothing herein is intended to alter, modify or replace clause 4.1."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "No provision of this Amendment No. 2 modifies clause 4.1."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "Clause 4.1 shall not be deemed varied or amended by this letter."
        ),
        (
            '1. In clause 2.1, "GBP 4,000" is replaced by "GBP 4,650".\n2. '
            "Clause 4.1 remains unaffected by the changes made here."
        ),
    ],
)
def test_what_only_speaks_of_the_amendment_leaves_nothing_open(
    library: Library, put: Put, change: str
) -> None:
    found = amended(library, put, change)
    assert [each.is_certain for each in found.revisions] == [True]
    assert "GBP 4,650 a week" in found.contract.text


@pytest.mark.parametrize(
    ("change", "new"),
    [
        (
            '1. A new clause 4.1A is inserted after clause 4.1: "4.1A Fraud is not limited."',
            "GBP 60,000.\n4.1A Fraud is not limited.",
        ),
        (
            '1. A new clause 4bis is added: "4bis. The cranes stay in Wales."',
            "GBP 60,000.\n4bis. The cranes stay in Wales.",
        ),
        (
            '1. A new clause 5 is added after clause 4: "5. The cranes stay in Wales."',
            "GBP 60,000.\n5. The cranes stay in Wales.",
        ),
        (
            '1. The following sentence is added at the end of clause 4.1: "Fraud is not limited."',
            "GBP 60,000. Fraud is not limited.",
        ),
        (
            (
                "1. The following sentence is inserted at the end of clause 4.1:\n\n"
                "“Fraud is not limited.”"
            ),
            "GBP 60,000. Fraud is not limited.",
        ),
        (
            '1. Clause 1.1 is amended by adding at its end the words "Each comes with a driver."',
            "cranes to the Hirer. Each comes with a driver.",
        ),
        (
            '1. In paragraph 2 of Schedule 2, "noon" is replaced by "dawn".',
            "2. Cranes are fetched at dawn.",
        ),
        (
            '1. In Schedule 2, paragraph 2, "noon" is replaced by "dawn".',
            "2. Cranes are fetched at dawn.",
        ),
        ("1. Schedule 2 paragraph 1 is deleted.", "SCHEDULE 2\n\n2. Cranes are fetched"),
        (
            (
                '1. Clause 4.1 is varied by the deletion of "GBP 60,000" and the substitution of '
                '"GBP 75,000".'
            ),
            "limited to GBP 75,000.",
        ),
        ('1. In clause 4.1, for "GBP 60,000" read "GBP 75,000".', "limited to GBP 75,000."),
        ("1. The parties agree that clause 4.1 of the Agreement is deleted.", "4. LIMIT\n\n\nSCH"),
        ("1. Clause 4.1 shall no longer apply.", "4. LIMIT\n\n\nSCH"),
    ],
)
def test_places_by_inserted_numbers_paragraphs_and_ends(
    library: Library, put: Put, change: str, new: str
) -> None:
    found = amended(library, put, change)
    assert [each.is_certain for each in found.revisions] == [True]
    assert new in found.contract.text


@pytest.mark.parametrize(
    ("change", "day", "old", "new"),
    [
        ("1. With effect from 1 January 2031, clause 4.1 is deleted.", 2031, "GBP 60,000", ""),
        (
            (
                '1. In clause 4.1, "GBP 60,000" is replaced by "GBP 80,000".\n2. This Amendment '
                "takes effect on 1 January 2031."
            ),
            2031,
            "GBP 60,000",
            "GBP 80,000",
        ),
    ],
)
def test_words_count_from_the_day_that_the_amendment_gives(
    library: Library, put: Put, change: str, day: int, old: str, new: str
) -> None:
    found = amended(library, put, change)
    assert found.contract.text == HIRE
    (only,) = found.revisions
    assert not only.removes
    assert "from 1 January 2031" in only.place
    hire = next(each.id for each in library.documents() if each.name == "hire.txt")
    later = read_in_force(library, hire, as_of=date(day, 1, 1))
    assert later is not None
    assert old not in later.contract.text
    assert new in later.contract.text
    before = read_in_force(library, hire, as_of=date(day - 1, 12, 31))
    assert before is not None
    assert before.contract.text == HIRE


@pytest.mark.parametrize(
    "change",
    [
        DELETED + "\n2. This Amendment takes effect when the Hirer's bank has agreed to it.",
        DELETED + "\n2. This Amendment takes effect on the day on which the Hirer pays GBP 5,000.",
        DELETED + "\n2. This Amendment is effective upon receipt of the board approval.",
        DELETED + "\n2. This Amendment takes effect subject to the consent of the bank.",
        "1. On 1 May 2031 Clause 4.1 is deleted.",
        "1. As of 1 May 2031 clause 4.1 is deleted.",
        "1. With effect from 1 May 2031:\n\n(a) the rent falls.\n\n(b) Clause 4.1 is deleted.",
        "1. Clause 4.1 is deleted.\n2. These changes apply from 1 May 2031.",
        "1. The following changes take effect on 1 May 2031.\n2. Clause 4.1 is deleted.",
        "1. Until 1 May 2021 clause 4.1 is deleted.",
        "1. From 1 to 31 May 2021 clause 4.1 is deleted.",
    ],
)
def test_an_amendment_that_waits_for_an_event_or_another_day_is_left_to_a_person(
    library: Library, put: Put, change: str
) -> None:
    found = amended(library, put, change)
    assert found.contract.text == HIRE
    assert not any(each.is_certain and each.removes for each in found.revisions)
    assert any(
        not each.is_certain and "liability" in each.old.text_in(HIRE) for each in found.revisions
    )


@pytest.mark.parametrize(
    "words",
    [
        "takes effect on the date of this Amendment",
        "is effective as of 4 March 2020",
        "takes effect immediately",
        "has no effect on other clauses",
    ],
)
def test_an_amendment_that_counts_at_once_is_made(library: Library, put: Put, words: str) -> None:
    found = amended(library, put, f"1. Clause 4.1 is deleted.\n2. This Amendment {words}.")
    assert "GBP 60,000" not in found.contract.text


@pytest.mark.parametrize(
    "words",
    [
        "We do not agree to your proposal that Clause 4.1 is deleted.",
        "We ask you to agree that Clause 4.1 is deleted. We look forward to your answer.",
        "We have corrected the invoice sent under Clause 2.1.",
    ],
)
def test_a_letter_that_only_proposes_changes_nothing_for_certain(
    library: Library, put: Put, words: str
) -> None:
    hire = put("hire.txt", HIRE)
    put(
        "letter.txt",
        "Hollin Lifting Limited\n\n4 May 2020\n\nWray Bridges Limited\n\nDear Madam,\n\n"
        f"Crane Hire Agreement dated 9 May 2019\n\n{words}\n\nHollin Lifting Limited\n",
    )
    found = read_in_force(library, hire)
    assert found is None or not any(each.is_certain for each in found.revisions)


@pytest.mark.parametrize(("day", "is_whole"), [("1 May 2021", True), ("1 May 2031", False)])
def test_a_restatement_counts_from_its_day(
    library: Library, put: Put, day: str, is_whole: bool
) -> None:
    hire = put("hire.txt", HIRE)
    put(
        "restated.txt",
        "AMENDED AND RESTATED CRANE HIRE AGREEMENT\n\nThis Crane Hire Agreement "
        "is dated 4 March 2020 and made between Hollin Lifting Limited and Wray Bridges Limited. "
        f"It amends and restates the Crane Hire Agreement dated 9 May 2019 with effect from {day}."
        "\n\n1. HIRE\n1.1 The Owner lets one crane to the Hirer.\n",
    )
    found = read_in_force(library, hire)
    assert found is not None
    assert (found.restatement is not None) is is_whole
    assert [each.is_certain for each in found.revisions] == ([] if is_whole else [False])
