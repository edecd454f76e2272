"""How far statements are borne out by the words that are quoted for them."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from fourcorners.research.agents import statement_check
from fourcorners.research.agents.same_words import has_close_words
from fourcorners.research.agents.statement_check import (
    NOT_CHECKED,
    NOT_MENTIONED,
    TURNED,
    check_quotes,
    check_statement,
    is_repeated,
    quoted_words,
)
from fourcorners.research.answer import Citation, Verification
from fourcorners.text.quote import Match, Quote
from tests.models.reader.fake import SILENT, Chances, FakeReader

WORDS = (
    "The Tenant shall not assign this Lease without the prior written consent of the Landlord, and "
    "the Landlord shall insure the Premises."
)
SAID = "The Tenant needs the Landlord's consent to assign."
ReadAs = Callable[[Chances], FakeReader]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (WORDS, True),
        (f"3.1 {WORDS}", True),
        (f"No, {WORDS}", True),
        (f"Yes, {WORDS}", False),
        (SAID, False),
        ("The Landlord shall insure the Premises.", False),
        ("", False),
    ],
)
def test_a_statement_repeats_a_whole_sentence(statement: str, *, expected: bool) -> None:
    assert is_repeated(statement, WORDS) is expected


@pytest.fixture
def read_as(monkeypatch: pytest.MonkeyPatch) -> ReadAs:
    """Make the reader answer all statements alike."""

    def set_chances(chances: Chances) -> FakeReader:
        reader = FakeReader({SAID: chances, WORDS: chances})
        monkeypatch.setattr(statement_check, "default_reader", lambda: reader)
        return reader

    return set_chances


@pytest.mark.parametrize(
    ("chances", "standing"),
    [
        ((0.97, 0.01, 0.01, 0.01), (Verification.VERIFIED, "")),
        ((0.6, 0.2, 0.1, 0.1), (Verification.UNCHECKED, NOT_CHECKED)),
        ((0.02, 0.9, 0.03, 0.05), (Verification.UNVERIFIED, TURNED)),
        (SILENT, (Verification.UNVERIFIED, NOT_MENTIONED)),
    ],
)
def test_what_the_reader_is_sure_of_decides(
    read_as: ReadAs, chances: Chances, standing: tuple[Verification, str]
) -> None:
    reader = read_as(chances)
    assert check_statement(SAID, [WORDS, "It ends in May."]) == standing
    assert reader.asked[0] == (f"{WORDS}\nIt ends in May.", (SAID,))


@pytest.mark.parametrize(
    ("statement", "words", "standing"),
    [
        ("The Cook agrees that it will not sell its knives.",
         "The Cook agrees that the Cook will not sell the Cook's knives, nor shall it lend them.",
         Verification.UNCHECKED),
        ("The Cook must return the knives to the Inn.", "It shall return the knives to the Inn.",
         Verification.UNCHECKED),
        ("The Cook must return them.", "The Cook shall return the sharp knives.",
         Verification.UNCHECKED),
        ("The Cook must sell them.", "The Cook shall return the sharp knives.",
         Verification.UNVERIFIED),
        ("The Cook returns the knives.", "The Inn shall return the knives.",
         Verification.UNVERIFIED),
        ("It shall not return the knives.", "The Cook shall return the knives.",
         Verification.UNVERIFIED),
        ("It returns the knives.", "The Cook may not return the knives.", Verification.UNVERIFIED),
    ],
)  # fmt: skip
def test_a_copy_with_a_pronoun_is_on_the_subject_of_its_quote(
    monkeypatch: pytest.MonkeyPatch, statement: str, words: str, standing: Verification
) -> None:
    reader = FakeReader({statement: SILENT})
    monkeypatch.setattr(statement_check, "default_reader", lambda: reader)
    assert check_statement(statement, [words])[0] is standing


def test_a_text_of_pronouns_is_compared_in_bounded_time() -> None:
    words = "it " * 2_000
    started = process_time()
    assert not has_close_words(f"{words} one", f"{words} other")
    assert process_time() - started < 1


def test_what_depends_is_not_refused(read_as: ReadAs) -> None:
    read_as((0.02, 0.02, 0.94, 0.02))
    assert check_statement(SAID, [WORDS])[0] is Verification.UNCHECKED


def test_the_reader_does_not_see_what_yes_or_no_answers(read_as: ReadAs) -> None:
    reader = read_as((0.97, 0.01, 0.01, 0.01))
    assert check_statement(f"Yes, {SAID}", [WORDS])[0] is Verification.UNCHECKED
    assert reader.asked == [(WORDS, (SAID,))]


def test_a_conclusion_may_say_what_no_contract_says(read_as: ReadAs) -> None:
    read_as(SILENT)
    assert check_statement(SAID, [WORDS], concludes=True)[0] is Verification.UNCHECKED


def test_a_repeated_sentence_needs_no_reader(read_as: ReadAs) -> None:
    reader = read_as(SILENT)
    assert check_statement(WORDS, [WORDS])[0] is Verification.VERIFIED
    assert reader.asked == []


@pytest.mark.parametrize("word", ["perpetual", "oral", "royalty-free", "exclusive"])
def test_a_word_more_is_not_the_same(word: str) -> None:
    words = "The Licensor grants the Licensee a right to use the Marks in the Territory on notice."
    assert is_repeated(words, words)
    added = words.replace("a right", f"a {word} right")
    assert not is_repeated(added, words)


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
        assert not is_repeated(said, quoted)
        assert is_repeated(said, said)
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
    assert not is_repeated(statement, words)


@pytest.mark.parametrize(
    ("words", "where", "statement", "expected"),
    [
        ("Save as this Section allows, the Tenant may not sublet.", "clause 3, page 2",
         "Save as Section 3 allows, the Tenant must not sublet.", False),
        ("Save as this Section allows, the Tenant shall not sublet.", "clause 3, page 2",
         "Save as Section 3 allows, the Tenant must not sublet.", True),
        ("Save as this Section allows, the Tenant shall not sublet.", "clause 4",
         "Save as Section 3 allows, the Tenant must not sublet.", False),
        ("Under this Article the Cook is paid.", "clause 8.2(b)",
         "Under Article 8 the Cook is paid.", True),
        ("Under this clause 8.2 the Cook is paid.", "clause 8.2(b)",
         "Under clause 8.2 the Cook is paid.", True),
        ("Under this Section the Cook is paid.", "Schedule 2",
         "Under Section 2 the Cook is paid.", False),
    ],
)  # fmt: skip
def test_this_section_has_the_number_of_its_clause(
    words: str, where: str, statement: str, *, expected: bool
) -> None:
    quoted = quoted_words(Citation(Quote(words, None, Match.UNVERIFIED), "", "", where))
    assert is_repeated(statement, quoted) is expected
    if expected:
        assert check_quotes(statement, [quoted])[0] is Verification.VERIFIED


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("The Tenant shall not assign the Lease.", "The Tenant shall not assign this Lease."),
        ("Neither party may assign.", "Each may sublet. Neither party may assign."),
        ("The cap is USD 460,000.", "The cap is USD460,000."),
        ("The cap is £460,000.", "The cap is GBP 460,000."),
        ("Notice is ninety (90) days.", "2.2  Notice is  ninety (90) days"),
        ("The Miller must grind the wheat.", "The Miller shall grind the wheat."),
        (
            "The Miller will grind wheat in 3 days.",
            "4.2 The Miller shall grind the wheat in 3 days.",
        ),
        ("The Miller grinds the wheat.", "The Miller shall grind the wheat."),
        ("The Flour is stored dry.", "The Flour shall be stored dry."),
        ("The price does not exceed £4,000.", "The price shall not exceed GBP 4,000."),
        ("The price is not disclosed.", "The price shall not be disclosed."),
        (
            "Otherwise the Miller bears the expenses.",
            "Otherwise, the Miller shall bear the expenses.",
        ),
        ("The Miller pays duty.", "For the avoidance of doubt, the Miller shall pay the duty."),
        ("The Miller’s “Flour” is sold.", 'The Miller\'s "Flour" is sold.'),
        (
            "The Miller must give a notice under Section 3.",
            "The Miller must give notice under this Section 3.",
        ),
        (
            "The Miller shall not be liable for a loss of the flour.",
            "THE MILLER SHALL NOT BE LIABLE FOR A LOSS OF FLOUR.",
        ),
    ],
)
def test_a_sentence_in_its_own_words_is_the_same(statement: str, words: str) -> None:
    assert is_repeated(statement, words)


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
        ("The Baker must grind the wheat.", "The Miller shall grind the wheat."),
        ("It shall grind the wheat.", "The Miller shall grind the wheat."),
        ("The Miller may grind the wheat.", "The Miller shall grind the wheat."),
        ("The Miller shall grind the wheat.", "The Miller may grind the wheat."),
        ("The Miller must pay the tax.", "The Miller will pay the tax."),
        ("The Miller must pay.", "The Miller should pay."),
        ("The Miller pays.", "The Miller need not pay."),
        ("The Miller must not grind the wheat.", "The Miller shall grind the wheat."),
        ("The Miller does grind the wheat.", "The Miller shall not grind the wheat."),
        ("The Miller pays.", "Subject to clause 5, the Miller shall pay."),
        ("The Miller pays.", "If asked, the Miller shall pay."),
        ("The Miller pays.", "The Miller shall pay, save on Sundays."),
        ("The Miller pays £4.", "The Miller shall pay £5."),
        ("The Miller pays any duty.", "The Miller shall pay a duty."),
        ("The Miller pays all expenses.", "The Miller shall pay such expenses."),
        ("No consent is needed.", "No such consent is needed."),
        ("Few sacks are sold.", "A few sacks are sold."),
        ("Schedule A applies.", "Schedule B applies."),
        ("Schedule applies.", "Schedule A applies."),
        ("The Miller is paid.", "The Miller shall have paid."),
        ("The Miller has paid all taxes.", "The Miller shall have paid all taxes."),
        ("The Miller is solvent.", "The Miller must be solvent."),
        ("The Miller has two ovens.", "The Miller must have two ovens."),
        ("If a fire occurs, it closes.", "If such a fire occurs, it closes."),
        ("It indemnifies a director.", "It shall indemnify such director."),
        ("This is a breach of a lease.", "This is a breach of the lease."),
        ("Sales shall exceed 500 tonnes.", "Sales will exceed 500 tonnes."),
        ("5 directors form a quorum.", "3 directors form a quorum."),
        ("9 copies are delivered.", "2 copies are delivered."),
        ("The Miller, who is late, may leave.", "The Miller who is late may leave."),
    ],
)
def test_other_words_are_never_the_same(statement: str, words: str) -> None:
    assert not is_repeated(statement, words)


@pytest.mark.parametrize(
    ("stated", "rest"),
    [
        ("The Tenant may assign this Lease.", "{} This right does not apply in the first year."),
        ("The Baker accepts the Order.", "{} The foregoing sentence is void."),
        ("The Baker may leave.", "This paragraph applies if a strike lasts 90 days. {}"),
    ],
)
def test_another_sentence_may_take_one_away(stated: str, rest: str) -> None:
    assert check_quotes(stated, [stated])[0] is Verification.VERIFIED
    assert check_quotes(stated, [rest.format(stated)])[0] is Verification.UNCHECKED
