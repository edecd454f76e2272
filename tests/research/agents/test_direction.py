"""Whether statements go the same way round as the words that are quoted for them."""

from __future__ import annotations

import pytest

from fourcorners.research.agents.statement_check import (
    NOT_MENTIONED,
    StatementDirection,
    check_statement,
    compare_direction,
)
from fourcorners.research.answer import Verification

WORDS = (
    "The Tenant shall not assign this Lease without the prior written consent of the Landlord, and "
    "the Landlord shall insure the Premises."
)


@pytest.mark.parametrize(
    ("statement", "direction"),
    [
        (
            "The Tenant may not assign the Lease without the Landlord's consent.",
            StatementDirection.UNKNOWN,
        ),
        (
            "No, the Tenant shall not assign without the Landlord's consent.",
            StatementDirection.UNKNOWN,
        ),
        (WORDS, StatementDirection.SAME),
        (f"3.1 {WORDS}", StatementDirection.SAME),
        (f"No, {WORDS}", StatementDirection.SAME),
        (f"Yes, {WORDS}", StatementDirection.UNKNOWN),
        (
            "The Tenant may assign the Lease without the Landlord's consent.",
            StatementDirection.OPPOSITE,
        ),
        ("The Landlord shall insure the Premises.", StatementDirection.UNKNOWN),
        ("The Landlord need not insure the Premises.", StatementDirection.OPPOSITE),
        ("The Tenant shall insure the Premises.", StatementDirection.UNKNOWN),
        ("The Landlord may insure the Premises.", StatementDirection.UNKNOWN),
        ("The Tenant may assign the Lease.", StatementDirection.UNKNOWN),
        ("The Landlord shall repaint the walls.", StatementDirection.UNKNOWN),
        (
            "The Landlord shall insure the Premises and may assign the Lease.",
            StatementDirection.UNKNOWN,
        ),
        ("", StatementDirection.UNKNOWN),
    ],
)
def test_what_turns_a_statement_round(statement: str, direction: StatementDirection) -> None:
    assert compare_direction(statement, WORDS) is direction


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("A notice is invalid if sent by e-mail.",
         "A notice shall not be validly given if sent by e-mail."),
        ("An email counts when it is received, whether or not it is opened.",
         "An email counts at the time it is received whether it is opened at that time."),
        ("The Party shall not use Information for any purpose other than the Purpose.",
         "Each Party will use Information for no purpose other than the Purpose."),
        ("The Recipient may develop information independently.",
         "The restrictions shall not apply to what the Recipient may develop independently."),
        ("The Agreement grants the Recipient no right to Information.",
         "Neither this Agreement nor the furnishing of Information grants the Recipient a right."),
        ("Information that a Bidder develops without Records is not Information.",
         "Information shall not include: i. rumours; ii. what a Bidder develops without Records."),
    ],
)  # fmt: skip
def test_a_paraphrase_that_denies_in_another_way_is_not_the_opposite(
    statement: str, words: str
) -> None:
    assert compare_direction(statement, words) is not StatementDirection.OPPOSITE


def test_one_of_many_things_that_a_sentence_says_is_spoken_of() -> None:
    words = (
        "c) “Secrets” means any and all information, regardless of form, format or medium "
        "(including without limitation visual or oral information), of, related to, concerning, or "
        "resulting from, the Council, the Tender and/or the Permitted Purpose, which comes into "
        "the possession or knowledge of the Bidder, including, without limitation, the Tender, "
        "documents, business information, know how, data, trade secrets, processes, designs, "
        "communications, materials, drawings, diagrams, computer programs, concepts, and any and "
        "all copies, reproductions, modifications, and derivative works. d) “Effective Date” is "
        "the day and date last below written."
    )
    said = (
        "“Secrets” includes any and all copies, reproductions, modifications, and derivative works."
    )
    assert check_statement(said, [words])[0] is not Verification.UNVERIFIED
    other = "“Secrets” includes the minutes of the council's meetings on the pension fund."
    assert check_statement(other, [words]) == (Verification.UNVERIFIED, NOT_MENTIONED)


@pytest.mark.parametrize("word", ["perpetual", "oral", "royalty-free", "exclusive"])
def test_a_word_more_is_not_the_same(word: str) -> None:
    words = "The Licensor grants the Licensee a right to use the Marks in the Territory on notice."
    assert compare_direction(words, words) is StatementDirection.SAME
    added = words.replace("a right", f"a {word} right")
    assert compare_direction(added, words) is StatementDirection.UNKNOWN


MOVED = (
    ("The Licensee may not assign this Licence and may terminate it on notice.",
     "The Licensee may assign this Licence and may not terminate it on notice."),
    ("The Supplier may terminate for convenience and shall not refund the Fees.",
     "The Supplier may not terminate for convenience and shall refund the Fees."),
    ("Goods that are not paid for remain with the Seller and are insured by the Buyer.",
     "Goods that are paid for remain with the Seller and are not insured by the Buyer."),
    ("The Bank does not lend, and the Borrower does repay.",
     "The Bank does lend, and the Borrower does not repay."),
    ("Neither party may assign this Deed, and either party may charge it.",
     "Either party may assign this Deed, and neither party may charge it."),
    ("No Guest may smoke and every Guest may park a car.",
     "Every Guest may smoke and no Guest may park a car."),
    ("The Agent will never disclose the Price but will publish the Terms.",
     "The Agent will disclose the Price but will never publish the Terms."),
    ("The Tenant may assign only with consent and may sublet with notice.",
     "The Tenant may assign with consent and may sublet only with notice."),
    ("An assignment is void and a sublease is valid.",
     "An assignment is valid and a sublease is void."),
    ("The Deposit is not refundable and is transferable.",
     "The Deposit is refundable and is not transferable."),
    ("Headings are for reference and shall not affect the reading of this Deed.",
     "Headings are not for reference and shall affect the reading of this Deed."),
    ("The Borrower has paid the Fee and has not drawn the Loan.",
     "The Borrower has not paid the Fee and has drawn the Loan."),
    ("The Tenant may sublet the Flat but not the Garage or the Garden.",
     "The Tenant may not sublet the Flat but the Garage or the Garden."),
)  # fmt: skip


@pytest.mark.parametrize(("words", "statement"), MOVED)
def test_a_denial_that_is_moved_to_another_verb_is_not_the_same(words: str, statement: str) -> None:
    for said, quoted in ((statement, words), (words, statement)):
        assert compare_direction(said, quoted) is not StatementDirection.SAME
        assert compare_direction(said, said) is StatementDirection.SAME
        assert check_statement(said, [quoted])[0] is not Verification.VERIFIED


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "The Tenant may assign this Lease.",
            "The Tenant may assign this Lease unless in arrears.",
        ),
        (
            "The Tenant may assign this Lease.",
            "The Tenant may assign this Lease; provided that the Landlord shall consent.",
        ),
        (
            "The Supplier discloses the Customer's confidential prices to anyone.",
            "The Supplier shall not: (a) disclose the Customer's confidential prices to anyone;",
        ),
        (
            "The Supplier shall indemnify the Customer.",
            "Nothing in this clause implies that: (a) the Supplier shall indemnify the Customer;",
        ),
        ("(b) sell the Goods.", "The Supplier shall not: (a) lend the Goods; (b) sell the Goods."),
        ("The Tenant pays the rates.", "The Tenant may pay the rates."),
    ],
)
def test_what_is_left_out_may_turn_it_round(statement: str, words: str) -> None:
    assert compare_direction(statement, words) is not StatementDirection.SAME


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("The Tenant shall not assign the Lease.", "The Tenant shall not assign this Lease."),
        ("Neither party may assign.", "Each may sublet. Neither party may assign."),
        ("The cap is USD 460,000.", "The cap is USD460,000."),
        ("The cap is £460,000.", "The cap is GBP 460,000."),
        ("Notice is ninety (90) days.", "2.2  Notice is  ninety (90) days"),
    ],
)
def test_a_sentence_in_its_own_words_is_the_same(statement: str, words: str) -> None:
    assert compare_direction(statement, words) is StatementDirection.SAME


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("Liability for death is limited.", "Liability for death is not limited."),
        ("Cover of less than £2,000 is needed.", "Cover of not less than £2,000 is needed."),
        ("The charges do exceed £900.", "The charges do not exceed £900."),
        ("Termination is automatic, renewal is not.", "Renewal is automatic, termination is not."),
        ("The Seller shall be indemnified by the Buyer.", "The Seller shall indemnify the Buyer."),
        ("You indemnify us.", "We indemnify you."),
        ("Title passes on delivery.", "Title passes on payment and risk passes on delivery."),
        ("The Buyer may refuse the goods.", "If they are late, the Buyer may refuse the goods."),
        ("The cap is USD460.000.", "The cap is USD460,000."),
        ("The fee is $5.", "The fee is $.05."),
        ("It is kept at 5 degrees.", "It is kept at -5 degrees."),
        ("(b) The Tenant cooks.", "The Tenant does none of it. (b) The Tenant cooks."),
        ("The Tenant may smoke.", "The following are not permitted. The Tenant may smoke."),
        ("The Tenant may smoke.", "It is wrong that: the Tenant may smoke. The Tenant may smoke."),
    ],
)
def test_other_words_are_never_the_same(statement: str, words: str) -> None:
    assert compare_direction(statement, words) is not StatementDirection.SAME
