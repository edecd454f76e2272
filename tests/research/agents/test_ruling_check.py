"""Whether a sentence carries or denies a ruling of yes or no."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.research.agents.ruling_check import check_lead, denies_ruling, has_ruling
from fourcorners.research.answer import Citation, Role, Statement, Verdict, Verification
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

LET = "Can the Tenant assign the lease?"


@pytest.mark.parametrize(
    ("question", "text", "ruling", "is_denied"),
    [
        (LET, "No — the Tenant may not assign this Lease.", Verdict.YES, True),
        (LET, "“No, the Tenant may not assign it.”", Verdict.YES, True),
        (LET, "No the Tenant may not.", Verdict.YES, True),
        (LET, "The answer is no.", Verdict.YES, True),
        (LET, "The Tenant is barred from assigning this Lease.", Verdict.YES, True),
        (LET, "The Tenant is free to assign the Lease to anyone.", Verdict.NO, True),
        (LET, "The Tenant is free to assign the Lease to anyone.", Verdict.YES, False),
        ("Is consent required?", "It can be assigned without consent.", Verdict.YES, True),
        (LET, "Yes, with consent.", Verdict.YES, False),
        (LET, "Yes, with consent.", Verdict.DEPENDS, False),
    ],
)
def test_a_sentence_denies_a_ruling(
    question: str, text: str, ruling: Verdict, *, is_denied: bool
) -> None:
    sentence = Statement(text, Role.EVIDENCE, Verification.UNCHECKED)
    assert denies_ruling(sentence, ruling, question) is is_denied
    assert not has_ruling(sentence, ruling, question)


@pytest.mark.parametrize(
    ("question", "text", "carried"),
    [
        ("Can the Tenant sublet?", "The Tenant is prohibited from subletting.", Verdict.NO),
        ("Is the licence exclusive?", "The Licence is non-exclusive.", Verdict.NO),
        ("May the Landlord terminate?", "The Landlord may terminate this Lease.", Verdict.YES),
        ("Is the rent due in advance?", "The rent is payable quarterly in arrears.", None),
        ("Does English law apply?", "This Lease is governed by the law of Denmark.", None),
        ("Does English law apply?", "This Lease is governed by the laws of England.", Verdict.YES),
        ("May the Yard work on Sundays?", "The Yard is not obliged to work on Sundays.", None),
        ("Must the Yard work on Sundays?", "The Yard need not work on Sundays.", Verdict.NO),
        ("Can it refuse to sail in a wind of 40 knots?",
         "The Yard may refuse to sail if the wind exceeds 30 knots.", None),
    ],
)  # fmt: skip
def test_the_contracts_words_carry_the_ruling_that_the_reader_finds_in_them(
    question: str, text: str, carried: Verdict | None
) -> None:
    for ruling in (Verdict.YES, Verdict.NO):
        assert has_ruling(_verified(text), ruling, question) is (ruling is carried)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Can the Yard terminate for convenience?",
         "The Yard may terminate only for non-payment that lasts for a month after a reminder."),
        ("Must the Yard insure the Vessels?", "The Customer shall insure each Vessel."),
        ("Is the fee payable in arrears?", "The Customer shall pay the fee in advance."),
    ],
)  # fmt: skip
def test_a_sentence_that_denies_nothing_does_not_deny_a_no(question: str, text: str) -> None:
    assert not denies_ruling(_verified(text), Verdict.NO, question)


def test_what_a_sentence_denies_is_open_if_the_question_denies_too() -> None:
    text = "Disputes are governed by the law of Denmark and are not subject to arbitration."
    assert not denies_ruling(_verified(text), Verdict.YES, "Is arbitration excluded?")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is the Seller's liability limited?",
         "The Seller's liability shall not exceed GBP 500,000 in any year."),
        ("Can the Hirer end the hire early?",
         "The Hirer may end the hire early, and pays no penalty for it."),
        ("Is the deposit refundable?", "The deposit is refundable and is not subject to set-off."),
    ],
)  # fmt: skip
def test_no_in_front_of_words_that_affirm_is_not_the_contracts(question: str, text: str) -> None:
    said = replace(_verified(text), text=f"No, {text[0].lower()}{text[1:]}")
    assert check_lead(said, question).standing is Verification.UNCHECKED
    assert not has_ruling(said, Verdict.NO, question)
    assert denies_ruling(said, Verdict.NO, question)


def test_no_in_front_of_words_that_deny_is_verified() -> None:
    said = replace(_verified("The Tenant shall not assign it."), text="No, it shall not assign it.")
    assert check_lead(said, LET) == said


def _verified(text: str) -> Statement:
    quote = Citation(Quote(text, Span(0, len(text)), Match.EXACT), "d", "yard", "clause 1")
    return Statement(text, Role.EVIDENCE, Verification.VERIFIED, "", (quote,))
