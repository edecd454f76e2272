"""Words that were found for a provision and say that there is none, by the reader of questions."""

from __future__ import annotations

import pytest

from fourcorners.review.extract.second_look import denied_chance

DENIALS = [
    ("termination-for-convenience", "8.2 Neither Partner may end this Agreement without cause."),
    ("termination-for-convenience", "The Mill cannot terminate this Agreement for convenience."),
    ("right-of-first-refusal", "9.1 The Tenant has no right of first refusal over the barn."),
    ("insurance", "(b) The Carrier is not required to maintain insurance."),
    ("insurance", "If goods are stored, the Carrier shall not be required to insure them."),
    ("minimum-commitment", "2.2 Nothing in this lease obliges the Baker to buy any minimum."),
    ("minimum-commitment", "The Baker does not commit to any minimum quantity."),
    ("exclusivity", "The Owner grants the Printer a non-exclusive licence."),
    ("exclusivity", "The Mill is not appointed as the exclusive miller."),
    ("audit-rights", "The Baker has no right to audit or inspect the books of the Mill."),
    ("licence-grant", "No licence of any mark is granted to the Printer."),
    pytest.param(
        *("source-code-escrow", "The Maker is not obliged to deposit any source code."),
        marks=pytest.mark.xfail(reason="the reader misreads it", strict=True),
    ),
]
PROVISIONS = [
    (
        "termination-for-convenience",
        "The Baker may end this lease at any time. The Mill may not terminate it without cause.",
    ),
    (
        "termination-for-convenience",
        "If the Mill does not deliver, the Baker may end this Agreement without cause.",
    ),
    ("right-of-first-refusal", "The Owner shall not sell the barn to others for a month."),
    ("insurance", "The Carrier shall insure the goods, and need not insure the barges."),
    ("minimum-commitment", "The Baker shall buy not less than ten tons a year."),
    ("exclusivity", "The Mill is not entitled to sell flour to others."),
    (
        "exclusivity",
        "It grants an exclusive licence in Kent and a non-exclusive licence elsewhere.",
    ),
    ("assignment", "Neither partner may assign this lease without consent."),
    ("cap-on-liability", "Neither partner shall be liable for loss of profit."),
    ("audit-rights", "The Baker may not more than once a year audit the books of the Mill."),
    ("non-compete", "For a year the Cook may not compete with the Inn."),
    ("most-favoured-nation", "The Mill shall not offer lower prices to other bakers."),
]


@pytest.mark.parametrize(("provision", "words"), DENIALS)
def test_words_that_deny_a_provision(provision: str, words: str) -> None:
    assert denied_chance(provision, words) >= 0.5


@pytest.mark.parametrize(("provision", "words"), PROVISIONS)
def test_words_that_make_a_provision(provision: str, words: str) -> None:
    assert denied_chance(provision, words) < 0.5
