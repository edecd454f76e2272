"""The smallest change that fits a clause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from fourcorners.documents.document import Document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Value
from fourcorners.outline.tree import Outline
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import ClauseEdit, Wording
from fourcorners.redline.clause_edits import NoEdit, TextEdit, find_edit
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.proposal import Extent
from fourcorners.review.finding import RiskAnswer
from fourcorners.review.parties import UNKNOWN_SIDE
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

CLAUSE = "Neither party may assign it without the prior written consent of the other. So be it."


def find(
    text: str, *edits: ClauseEdit, decided: bool = False, card: Card | None = None, **answers: str
) -> TextEdit | NoEdit:
    document = Document("x", "x", "x", "0", "text/plain", "test", text)
    contract = Contract.build(document, Outline((), 1.0), card or Card(), [])
    terms = ContractTerms(contract, UNKNOWN_SIDE)
    given = {name: RiskAnswer("?", value, id=name, value=value) for name, value in answers.items()}
    whole = Span(0, len(text))
    wording = Wording(clause="A {party} may assign it.", edits=edits)
    return find_edit(text, whole, whole, wording, given, terms, decided=decided)


def changed(text: str, found: Any) -> str:
    assert isinstance(found, TextEdit)
    return text[: found.span.start] + added(found.edits) + text[found.span.end :]


def added(edits: Iterable[Edit]) -> str:
    return "".join(each.text for each in edits if each.kind is not EditKind.DELETE)


def test_words_after_a_phrase_of_which_the_first_listed_counts() -> None:
    edit = ClauseEdit("(not withheld)", after=("express consent", "written  consent", "consent"))
    found = find(CLAUSE, edit)
    assert changed(CLAUSE, found) == CLAUSE.replace("consent", "consent (not withheld)")
    assert isinstance(found, TextEdit)
    assert found.extent is Extent.WORDS


def test_words_that_only_go_take_a_space_along() -> None:
    text = "The Agent and its Affiliates shall not compete."
    found = find(text, ClauseEdit(replace=("and its affiliates",)))
    assert changed(text, found) == "The Agent shall not compete."


def test_words_in_place_of_others_are_changed_word_by_word() -> None:
    text = "It is governed by the laws of Ohio."
    found = find(text, ClauseEdit("the laws of Iowa", replace=("the laws of Ohio",)))
    assert changed(text, found) == "It is governed by the laws of Iowa."
    assert isinstance(found, TextEdit)
    assert [each.text for each in found.edits if each.kind is EditKind.DELETE] == ["Ohio"]


def test_a_sentence_follows_a_sentence_alone() -> None:
    assert changed(CLAUSE, find(CLAUSE, ClauseEdit("It may pass on."))).endswith(
        "So be it. It may pass on."
    )
    assert isinstance(find("the Agent shall not compete; and", ClauseEdit("No.")), NoEdit)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("by ninety (90) days’ notice.", "by one hundred eighty (180) days’ notice."),
        ("by 90 days' notice.", "by 180 days' notice."),
        ("by ninety days notice.", "by one hundred eighty days notice."),
        ("by a 90-day notice.", "by a 180-day notice."),
        ("by Ninety (90) Days notice.", "by One Hundred Eighty (180) Days notice."),
        ("by three months’ notice.", None),  # another period than the answer
        ("by 90 days’ notice, or 90 days’ pay.", None),  # which of the two?
    ],
)
def test_a_period_in_the_way_it_is_written(before: str, after: str | None) -> None:
    found = find(before, ClauseEdit(of="notice", at_least="180 days"), notice="P90D")
    if after is None:
        assert isinstance(found, NoEdit)
    else:
        assert changed(before, found) == after


@pytest.mark.parametrize(
    ("place", "after"),
    [("England", "one hundred and eighty days"), ("Ohio", "one hundred eighty days")],
)
def test_a_number_is_written_as_where_the_contract_is_from(place: str, after: str) -> None:
    text = f"A company of {place}. It ends by seven days' notice."
    found = find(text, ClauseEdit(of="notice", at_least="180 days"), notice="P7D")
    assert after in changed(text, found).replace("days'", "days")


def test_a_period_that_is_long_enough_stays() -> None:
    text = "by 200 days notice."
    edit = ClauseEdit(of="notice", at_least="180 days")
    assert isinstance(find(text, edit, notice="P200D"), NoEdit)
    assert isinstance(find(text, edit), NoEdit)  # nobody said how long it is


@pytest.mark.parametrize(
    ("term", "renewal", "is_changed"),
    [
        ("three years", "P1Y", True),
        ("twelve months", "", True),
        ("six months", "", False),
        ("three years", "P1M", False),  # from month to month
    ],
)
def test_no_notice_is_made_longer_than_half_a_term(
    term: str, renewal: str, is_changed: bool
) -> None:
    lasts = f"It lasts for {term} from its date."
    text = f"{lasts} Either party may end it without cause by 30 days' notice."
    values = [Value("end", "2021-06-30", Span(0, len(lasts)), 0.99, asserted=True)]
    if renewal:
        values.append(Value("renewal", renewal, Span(0, 2), 0.99, asserted=True))
    edit = ClauseEdit(of="notice", at_least="180 days")
    card = Card(values=tuple(values))
    assert isinstance(find(text, edit, card=card, notice="P30D"), TextEdit) is is_changed
    assert isinstance(find(text, edit, decided=True, card=card, notice="P30D"), TextEdit)


def test_a_change_is_for_clauses_of_its_answers() -> None:
    edit = ClauseEdit("Yes.", answers={"effect": ("forbidden",)})
    assert isinstance(find(CLAUSE, edit, effect="consent"), NoEdit)
    assert isinstance(find(CLAUSE, edit, effect="forbidden"), TextEdit)


def test_what_the_clause_says_beside_it_leaves_it_to_a_person() -> None:
    edit = ClauseEdit("(so)", after=("consent",), unless=("the other", "nowhere"))
    found = find(CLAUSE, edit)
    assert isinstance(found, NoEdit)
    assert "the other" in found.reason


def test_a_point_of_a_list_has_the_words_that_lead_to_it() -> None:
    text = """Alder Ltd and Birch Ltd agree:

1. Term. It lasts for three years.

2. End. In the event of a default:

(a) either party may end this Agreement by 30 days' notice; and

(b) all sums are due.

3. Notices. A notice must be in writing.
"""
    document = Document("x", "x", "x", "0", "text/plain", "test", text)
    contract = Contract.build(document, build_outline(document), Card(), [])
    terms = ContractTerms(contract, UNKNOWN_SIDE)
    start = text.index("(a) either")
    quote = Span(start, text.index("; and"))
    answers = {"notice": RiskAnswer("?", "P30D", id="notice", value="P30D")}
    edit = ClauseEdit(of="notice", at_least="180 days", not_about=("in the event",))
    for changes, is_changed in (((edit,), False), ((replace(edit, not_about=("renew",)),), True)):
        found = find_edit(text, quote, quote, Wording(edits=changes), answers, terms, decided=False)
        assert isinstance(found, TextEdit) is is_changed


@pytest.mark.parametrize(
    ("words", "is_changed"),
    [
        ("No party may assign it without written consent, and without such written consent", True),
        (
            "Alder may assign it with written consent of Birch, and Birch with written consent",
            False,
        ),
    ],
)
def test_words_that_are_in_a_sentence_twice_are_left_to_a_person(
    words: str, is_changed: bool
) -> None:
    found = find(words, ClauseEdit("(not withheld)", after=("written consent",)))
    assert isinstance(found, TextEdit) is is_changed


def test_the_sentence_is_the_one_about_it() -> None:
    text = "Control. The fee is due. Control of a party may change at times. Notice is due."
    found = find(text, ClauseEdit("It is free.", about=("control",)))
    assert changed(text, found) == text.replace("times.", "times. It is free.")
    assert isinstance(find(text, ClauseEdit("It is free.", about=("merger",))), NoEdit)


@pytest.mark.parametrize(
    "clause",
    [
        "It may not be assigned without consent (not to be unreasonably withheld).",
        "It may not be assigned without consent. Consent shall not be withheld or delayed.",
        "It may not be assigned without consent, to be refused on reasonable grounds alone.",
    ],
)
@pytest.mark.parametrize("decided", [True, False])
def test_what_a_clause_says_already_is_not_put_in_again(clause: str, *, decided: bool) -> None:
    words = " (not to be unreasonably withheld, conditioned or delayed)"
    edit = ClauseEdit(words, after=("consent",), unless=("unreasonably", "reasonable"))
    assert isinstance(find(clause, edit, decided=decided), NoEdit)
    other = "It may not be assigned without consent of the lender, given in its discretion."
    assert isinstance(find(other, edit, decided=decided), TextEdit)


def test_a_sentence_ends_the_paragraph_that_it_speaks_of() -> None:
    text = "The Buyer shall bear\nall losses.\n\nNothing limits its liability for fraud."
    found = find(text, ClauseEdit("This counts towards the limit."))
    assert changed(text, found) == text.replace("losses.", "losses. This counts towards the limit.")


@pytest.mark.parametrize(
    ("clause", "after"),
    [
        (
            "Save for fraud, its liability shall not exceed $500.",
            "Save for fraud, its liability shall not exceed [cap].",
        ),
        ("Its liability is limited to £1,000 a year.", "Its liability is limited to [cap] a year."),
        (
            "Its liability shall not exceed ten per cent of the sums paid by it in that year.",
            "Its liability shall not exceed [cap].",
        ),
        (
            "Its liability is limited to the fees paid in the two months before it; so be it.",
            "Its liability is limited to the [cap]; so be it.",
        ),
        ("Its liability shall not exceed $5 a day, or $500 in all.", None),
        ("It shall keep liability insurance of up to $500.", None),
        ("Its liability shall not exceed twice the fees or, for damage to goods, $500.", None),
        ("Its liability is limited to the greater of $500 and the fees of a year.", None),
        ("Its liability shall not exceed $500 or, if more, the fees of a year.", None),
    ],
)
def test_only_the_amount_of_a_limit_is_changed(clause: str, after: str | None) -> None:
    edit = ClauseEdit("{cap}", of="amount", about=("exceed", "limited to"))
    found = find(clause, edit)
    assert isinstance(found, NoEdit) if after is None else changed(clause, found) == after


def test_a_person_decides_over_answers_and_all_else() -> None:
    edit = ClauseEdit("(so)", answers={"effect": ("x",)}, after=("consent",), unless=("other",))
    assert "consent (so) of" in changed(CLAUSE, find(CLAUSE, edit, decided=True))
    found = find(CLAUSE, decided=True)
    assert changed(CLAUSE, found) == "A party may assign it. So be it."


@pytest.mark.parametrize(
    ("words", "is_changed"),
    [
        ("Either party may end this Agreement by 30 days' written notice.", True),
        (
            "Either party may end it at any time for any reason or no reason by 30 days' notice.",
            True,
        ),
        ("Either party may end it at will by 30 days' notice. It ends at once on breach.", True),
        ("Either party may also end it by 30 days' notice. Its renewal takes an agreement.", True),
        (
            "Either party may end it at any time by 30 days' notice if the other fails to pay.",
            False,
        ),
        ("Either party may end this Agreement by 30 days' notice of a material breach.", False),
        ("Either party may end it by 30 days' notice unless the default is cured by then.", False),
        (
            "Either party may by 30 days' notice before its end prevent the renewal of a term.",
            False,
        ),
        ("Either party may end it by 30 days' notice in the event of a bankruptcy.", False),
        ("Either party may end it for any reason as to a Fund by 30 days' notice.", False),
    ],
)
def test_only_notice_without_cause_is_made_longer(words: str, is_changed: bool) -> None:
    position, *_ = load_playbook("due-diligence").provision("termination-for-convenience").positions
    assert position.wording is not None
    found = find(words, *position.wording.edits, who="each party", notice="P30D")
    expected = words.replace("30 days'", "180 days'") if is_changed else None
    assert (changed(words, found) if isinstance(found, TextEdit) else None) == expected


def test_what_is_said_of_a_consent_follows_all_of_its_words() -> None:
    position = load_playbook("due-diligence").provision("assignment").positions[1]
    assert position.wording is not None
    words = "Party B may not assign its rights without Party A's consent in writing."
    qualified = "consent in writing (not to be unreasonably withheld, conditioned or delayed)"
    found = find(words, *position.wording.edits, effect="consent")
    assert changed(words, found) == words.replace("consent in writing", qualified)


def test_a_consent_that_a_statute_requires_stays_as_it_is() -> None:
    position = load_playbook("due-diligence").provision("assignment").positions[1]
    assert position.wording is not None
    words = "No party may assign this Agreement without the prior written consent of the other."
    legal = words.replace("Agreement", "Agreement (within the meaning of the Advisers Act)")
    assert isinstance(find(words, *position.wording.edits, effect="consent"), TextEdit)
    assert isinstance(find(legal, *position.wording.edits, effect="consent"), NoEdit)
