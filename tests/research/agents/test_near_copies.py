"""Statements that copy a clause but for a word or a phrase."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fourcorners.research.agents import statement_check
from fourcorners.research.agents.near_copies import Copy, compare_copy
from fourcorners.research.agents.statement_check import check_quotes
from fourcorners.research.answer import Verification
from tests.models.reader.fake import Chances, FakeReader

CASES = yaml.safe_load(Path(__file__).with_name("near_copies.yaml").read_text("utf-8"))
FALSE = [(each["words"], said) for each in CASES for said in each["false"]]
TRUE = [(each["words"], said) for each in CASES for said in each["true"]]
YES: Chances = (0.99, 0.0, 0.0, 0.01)
LIKELY: Chances = (0.6, 0.2, 0.1, 0.1)
SENTENCE = "The Guide shall carry the ropes and shall return them to the Lodge."


def read_as(monkeypatch: pytest.MonkeyPatch, chances: dict[str, Chances]) -> FakeReader:
    reader = FakeReader(chances)
    monkeypatch.setattr(statement_check, "default_reader", lambda: reader)
    return reader


@pytest.mark.parametrize(("words", "said"), FALSE)
def test_a_copy_with_a_change_is_not_verified_however_sure_the_reader_is(
    monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    read_as(monkeypatch, {said: YES})
    assert compare_copy(said, [words]) is Copy.CHANGED
    assert check_quotes(said, [words])[0] is not Verification.VERIFIED


@pytest.mark.parametrize(("words", "said"), TRUE)
def test_a_copy_that_changes_nothing_is_verified_if_the_reader_is_sure(
    monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    read_as(monkeypatch, {said: YES})
    assert check_quotes(said, [words])[0] is Verification.VERIFIED


@pytest.mark.parametrize(
    "said",
    [
        "The Guide is obliged to carry ropes and has to return them to the Lodge.",
        "The guide must carry the ropes, and must return these to the lodge.",
    ],
)
@pytest.mark.parametrize(
    ("more", "standing"),
    [
        ("", Verification.VERIFIED),
        (" This obligation does not apply in May.", Verification.UNCHECKED),
    ],
)
def test_of_an_exact_copy_the_reader_need_not_be_sure(
    monkeypatch: pytest.MonkeyPatch, said: str, more: str, standing: Verification
) -> None:
    said = said.replace("these", "them")
    read_as(monkeypatch, {said: LIKELY})
    assert check_quotes(said, [SENTENCE + more])[0] is standing


@pytest.mark.parametrize(
    ("words", "said", "copy"),
    [
        ("The Lessee may withhold the Rent until the Lessor has repaired the roof.",
         "The Lessor may withhold the Rent until the Lessee has repaired the roof.", Copy.CHANGED),
        ("The Tenant is not required to paint the doors of the Flat.",
         "The Tenant shall not paint the doors of the Flat.", Copy.CHANGED),
        ("The Tenant shall not paint the doors of the Flat.",
         "The Tenant is not allowed to paint the doors of the Flat.", Copy.SAME),
        ("The Tenant shall paint the doors of the Flat within two weeks.",
         "The Tenant must paint the doors of the Flat within fourteen (14) days.", Copy.SAME),
        ("The Seller insures the Goods in transit at the port.",
         "The Seller is insured for the Goods in transit at the port.", Copy.APART),
        ("Guests, who are late for the dinner, may leave the hall.",
         "Guests who are late for the dinner may leave the hall.", Copy.APART),
        ("The Guide shall be paid by the Lodge for each climb.",
         "The Guide shall pay the Lodge for each climb.", Copy.CHANGED),
        ("Title passes on payment to the Seller of the whole price.",
         "Title passes on payment of the Seller of the whole price.", Copy.APART),
        ('The Guest shall pay ninety euros on each day (the "Daily Rate"), plus tax.',
         "The Guest must pay ninety euros on each day, plus tax.", Copy.SAME),
        ("The Guest shall pay ninety euros each month by cheque, plus tax.",
         "The Guest must pay ninety euros each month, plus tax.", Copy.APART),
        ("The Fee is refundable.", "The Fee is not refundable.", Copy.CHANGED),
        ("The Guide shall carry the ropes.", "The Lodge need not wait for anybody.", Copy.APART),
    ],
)  # fmt: skip
def test_what_a_copy_is(words: str, said: str, copy: Copy) -> None:
    assert compare_copy(said, [words]) is copy


def test_a_sentence_of_a_long_quote_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "Ropes are brought by whoever leads the climb, namely the Guide."
    quote = f"{SENTENCE} The Lodge closes in May."

    reader = read_as(monkeypatch, {said: LIKELY})
    monkeypatch.setattr(reader, "is_verified", lambda _: reader.asked[-1][0] == SENTENCE)
    assert check_quotes(said, [quote])[0] is Verification.VERIFIED
