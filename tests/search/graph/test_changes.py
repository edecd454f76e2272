"""Which clauses an amendment changes, and with which words."""

from __future__ import annotations

import pytest

from fourcorners.search.graph.changes import parse_changes


def found(text: str) -> list[tuple[str, str]]:
    return [(change.verb, change.raw) for change in parse_changes(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Section 7.2 is hereby deleted and replaced.", [("replaces", "Section 7.2")]),
        (
            "Sections 3.1 and 3.2(a) of the Lease are hereby amended.",
            [("changes", "Section 3.1"), ("changes", "Section 3.2(a)")],
        ),
        ("In clause 22.1, “six” is replaced by “nine”.", [("replaces", "Clause 22.1")]),
        ("Article IV is deleted in its entirety.", [("deletes", "Article IV")]),
        ("The following is added as clause 6.8: “6.8 Cats.”", [("adds", "Clause 6.8")]),
        (
            "In Part 2 of Schedule 1, the flow is changed from 18 to 23.",
            [("changes", "Part 2 of Schedule 1")],
        ),
        ("Clause 29.2 of the Agreement applies to this letter.", []),
        ("The amendments in paragraphs 2 to 6 take effect at once.", []),
        ("Section 4 of this Amendment is changed by nobody.", []),
        ("Clause 4.1 currently reads “The rent is nil.”", []),
        ("In clause 4.1, for “six” read “nine”.", [("replaces", "Clause 4.1")]),
        ("WHEREAS the parties wish to amend Section 4;", []),
        ("Except as amended by Section 2 the Lease is unchanged.", []),
        ("The Lease, as amended by Section 2, remains unchanged.", []),
        ("Nothing in this Deed of Amendment changes Section 2.", []),
        (
            "Nothing in Section 2 binds us, and Section 3 is amended.",
            [("changes", "Section 2"), ("changes", "Section 3")],
        ),
        ("The Owner shall not modify the rates in Section 2.", [("changes", "Section 2")]),
    ],
)
def test_what_is_changed(text: str, wanted: list[tuple[str, str]]) -> None:
    assert found(text) == wanted


def test_the_new_wording_belongs_to_the_change_and_is_not_read_for_others() -> None:
    wording = (
        "“7.2 The Tenant shall pay, and Section 9 as amended by the parties from time to time "
        "shall apply to it, unless Section 11 is deleted.”"
    )
    text = f"1. Rent.\n\nSection 7.2 is replaced by the following:\n\n{wording}\n\n2. Law.\n"
    [change] = parse_changes(text)
    assert change.raw == "Section 7.2"
    assert change.span.text_in(text).endswith(wording)


def test_items_of_a_list_change_each_their_own() -> None:
    text = (
        "The Lease is amended:\n\n(a) in Section 2, two is changed to three; and\n\n"
        "(b) Section 3 is deleted.\n"
    )
    assert found(text) == [("changes", "Section 2"), ("deletes", "Section 3")]
    assert parse_changes(text)[0].span.text_in(text).startswith("(a)")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("In Schedule 3, paragraph 4, two is replaced by three.", "Paragraph 4 of Schedule 3"),
        ("Schedule 3 paragraph 4 is deleted.", "Paragraph 4 of Schedule 3"),
        ("Paragraph 4 in Schedule 3 is deleted.", "Paragraph 4 of Schedule 3"),
        ("Clause 12bis is deleted.", "Clause 12bis"),
        ("Clause 2A.1 is deleted.", "Clause 2A.1"),
        ("Section 6, as amended by the letter of 3 May, is deleted.", "Section 6"),
        ("Notwithstanding clause 4.2 of the Lease, the rent is nil until June.", "Clause 4.2"),
    ],
)
def test_citations_of_parts_and_inserted_numbers(text: str, wanted: str) -> None:
    assert [raw for _, raw in found(text)] == [wanted]


def test_a_mark_of_inches_does_not_swallow_what_follows() -> None:
    text = (
        'In Section 2 all 12" pipes are changed to steel.\n\nNothing else here is new.\n\n'
        'The Landlord calls them the "Pipes".\n'
    )
    [change] = parse_changes(text)
    assert change.span.text_in(text) == 'In Section 2 all 12" pipes are changed to steel.'
