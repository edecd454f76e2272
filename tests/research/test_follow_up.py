from __future__ import annotations

import pytest

from fourcorners.research.follow_up import join_questions

NOTICE = "On what notice can Larch end the lease?"
_OAK = "In what time must Oak do so (must Oak pay)?"


@pytest.mark.parametrize(
    ("before", "question", "joined"),
    [
        ("Can Larch end the lease?", "And on what notice?", NOTICE),
        (NOTICE, "and by whom?", "By whom can Larch end the lease?"),
        ("May the Tenant assign it?", "Why?", "Why may the Tenant assign it?"),
        ("Must we pay a fee?", "But how much?", "How much must we pay a fee?"),
        ("Is Oak bound to secrecy?", "For how long?", "For how long is Oak bound to secrecy?"),
        ("Who may assign it?", "On what terms?", "On what terms (who may assign it)?"),
        ("How much rent must Oak pay?", "And from when?", "From when must Oak pay rent?"),
        ("How many audits are allowed?", "By whom?", "By whom are audits allowed?"),
    ],
)
def test_a_question_without_a_verb_takes_that_of_the_question_before(
    before: str, question: str, joined: str
) -> None:
    assert join_questions(question, before) == joined


@pytest.mark.parametrize(
    ("before", "question", "joined"),
    [
        ("Can the Tenant assign it?", "And the Landlord?", "Can the Landlord assign it?"),
        ("May the Supplier audit us?", "And we?", "May we audit us?"),
        ("When can Oak resign?", "What about Larch?", "When can Larch resign?"),
        ("Can Oak assign it?", "What about the fee?", "What about the fee (can Oak assign it)?"),
    ],
)
def test_another_party_takes_the_place_of_the_first(
    before: str, question: str, joined: str
) -> None:
    assert join_questions(question, before) == joined


@pytest.mark.parametrize(
    ("before", "question", "joined"),
    [
        ("What is Oak liable for?", "Is that capped?", "Is that capped (what is Oak liable for)?"),
        (NOTICE, "Must the notice be written?", f"Must the notice be written (o{NOTICE[1:-1]})?"),
        ("Can Oak Mills resign?", "Must they give reasons?", "Must Oak Mills give reasons?"),
        ("Can the Tenant resign?", "What is their fee?", "What is the Tenant’s fee?"),
        ("Who may resign?", "And must they say why?", "Must they say why (who may resign)?"),
        ("Is a sale barred?", "When may he do so?", "When may he do so (is a sale barred)?"),
        ("Must Oak pay?", "In what time must they do so?", _OAK),
    ],
)
def test_what_points_back_is_named(before: str, question: str, joined: str) -> None:
    assert join_questions(question, before) == joined


@pytest.mark.parametrize(
    "question",
    [
        "Who pays the costs?",
        "Is there a cap on liability?",
        "May the Tenant assign this lease?",
        "Does this agreement renew?",
        "May we resign if we do so by letter?",
    ],
)
def test_a_whole_question_stays_as_it_is(question: str) -> None:
    assert join_questions(question, "Can the Tenant end it early?") == question
    assert join_questions(f"And {question[0].lower()}{question[1:]}", "Can we?") == question
