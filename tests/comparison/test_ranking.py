from __future__ import annotations

import pytest

from fourcorners.comparison.ranking import Section, rank_changes
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
    lines = [f"{at}.1 The pump of type {at} needs oil that is fit for it." for at in range(6, 12)]
    changed = [each.replace("oil", "grease") for each in lines]
    found = rank_changes(compare(*CLAUSES, *changed, before=(*CLAUSES, *lines)))
    assert [(each.gone, each.come, each.places) for each in found.repeated] == [
        ("oil", "grease", len(lines))
    ]
    assert not any(found.sections.values())


@pytest.mark.parametrize("new", ["Customer", "Customer Group"])
def test_a_term_with_another_name_is_one_change_and_the_others_are_listed(new: str) -> None:
    changed = [each.replace("Buyer", new) for each in CLAUSES]
    changed[7] = changed[7].replace("may inspect", "may not inspect")
    changed[10] += f" The {new}'s auditor may inspect the {new}'s books."
    before = list(CLAUSES)
    before[10] += " The Buyer's auditor may inspect the Buyer's books."
    found = compare(*changed, before=tuple(before))
    ranked = rank_changes(found)
    assert [(each.aspect, each.gone, each.come, each.places) for each in ranked.repeated] == [
        ("term", "Buyer", new, 7)
    ]
    listed = [each for changes in ranked.sections.values() for each in changes]
    assert [each.after[0].label for each in listed] == ["2.2"]
    assert [e.aspect.value for e in listed[0].changes] == ["term", "negation"]


def test_a_term_of_two_words_is_renamed_too() -> None:
    changed = [each.replace("Working Day", "Business Day") for each in CLAUSES]
    more = "6.1 The Supplier shall answer each letter on the next {} Day, and no Working later."
    defined = '6.0 In this contract "{} Day" means any day.'
    before = (*CLAUSES, defined.format("Working"), more.format("Working"))
    after = (*changed, defined.format("Business"), more.format("Business"))
    found = compare(*after, before=before).clauses
    about = {each.aspect.value for clause in found for each in clause.changes}
    assert about == {"term"}


@pytest.mark.parametrize(
    "replacements",
    [
        {"Buyer may": "Customer may", "Buyer shall": "Customer shall"},  # in some places alone
        {"Buyer": "@", "Supplier": "Buyer", "@": "Supplier"},
    ],
)
def test_a_term_renamed_in_some_places_and_terms_swapped_are_changes_in_each(
    replacements: dict[str, str],
) -> None:
    text = "\n\n".join(CLAUSES)
    text += "\n\n" + "\n\n".join(
        f"{at}.1 In case {at} the Buyer may reject pump {at}." for at in range(6, 13)
    )
    changed = text
    for one, other in replacements.items():
        changed = changed.replace(one, other)
    ranked = rank_changes(compare(*changed.split("\n\n"), before=tuple(text.split("\n\n"))))
    assert not ranked.repeated
    assert len(ranked.sections[Section.VALUES] + ranked.sections[Section.WORDING]) >= 7


def test_a_line_on_every_page_that_only_one_version_has_is_one() -> None:
    pages = []
    for each in CLAUSES:
        pages += [each, "Printed by the registry"]
    found = rank_changes(compare(*pages))
    assert [(each.gone, each.come, each.places) for each in found.repeated] == [
        ("", "Printed by the registry", len(CLAUSES))
    ]
    assert not any(found.sections.values())
