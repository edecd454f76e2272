"""Whether a sentence carries or denies a ruling of yes or no."""

from __future__ import annotations

import pytest

from fourcorners.research.agents.ruling_check import denies_ruling, has_ruling
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
    ],
)
def test_the_contracts_words_carry_the_ruling_that_the_reader_finds_in_them(
    question: str, text: str, carried: Verdict | None
) -> None:
    quote = Citation(Quote(text, Span(0, len(text)), Match.EXACT), "d", "lease", "clause 1")
    sentence = Statement(text, Role.EVIDENCE, Verification.VERIFIED, "", (quote,))
    for ruling in (Verdict.YES, Verdict.NO):
        assert has_ruling(sentence, ruling, question) is (ruling is carried)
