from __future__ import annotations

from fourcorners.comparison.ranking import Section, change_section, rank_changes
from tests.comparison.contracts import CLAUSES, compare, replaced


def test_values_come_first_and_numbers_last() -> None:
    changed = [
        *replaced("$10,000", "$15,000")[:9],
        CLAUSES[9].replace("spare parts", "replacement parts"),
        *replaced("$10,000", "$15,000")[10:19],
        *(each.replace("5.2", "5.3").replace("5.3 This", "5.4 This") for each in CLAUSES[19:]),
    ]
    changed.insert(19, "5.2 The Buyer shall keep the terms of this Agreement secret for ever.")
    found = rank_changes(compare(*changed))
    listed = {section: len(changes) for section, changes in found.sections.items() if changes}
    assert listed == {
        Section.VALUES: 1,
        Section.CLAUSES: 1,
        Section.WORDING: 1,
        Section.NUMBERING: 2,
    }
    assert next(iter(Section)) is Section.VALUES
    assert list(Section)[-2:] == [Section.NUMBERING, Section.SPACING]


def test_the_same_change_in_many_places_is_one() -> None:
    changed = [each.replace("Buyer", "Customer") for each in CLAUSES]
    found = compare(*changed)
    again = [each for each in rank_changes(found).repeated if each.gone == "Buyer"]
    assert [(each.come, each.places) for each in again] == [("Customer", 5)]
    assert change_section(found.clauses[0]) is None


def test_a_line_on_every_page_that_only_one_version_has_is_one() -> None:
    pages = []
    for each in CLAUSES:
        pages += [each, "Printed by the registry"]
    found = rank_changes(compare(*pages))
    assert [(each.gone, each.come, each.places) for each in found.repeated] == [
        ("", "Printed by the registry", len(CLAUSES))
    ]
    assert not any(found.sections.values())
