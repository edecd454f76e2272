"""A second look: what the clause reader is not sure of, read by those who know other drafting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.models.reader.reader import Reading
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.reader import IS, Verdict
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import default_calibration
from fourcorners.review.extract.second_look import (
    ANSWERS_FROM,
    CANDIDATES,
    SUCH_FROM,
    CandidateReader,
)
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.run import prepare_provisions
from fourcorners.text.span import Span
from tests.review.asked import reading_of
from tests.review.scripted_reader import ScriptedReader

TEXT = "\n\n".join(f"{number}. Clause of the number {number}." for number in range(1, 8))
PLACES = [(Span(start, start + 28), 0.1) for start in (TEXT.find(f"{at}. ") for at in range(1, 8))]


@dataclass(frozen=True)
class SureReader(ScriptedReader):
    """Is as sure that words are such a provision as it is told to be."""

    chance: float = 1.0
    value: str = "yes"

    def read(self, provision: str, clause: MarkedClause) -> dict[str, Verdict]:  # noqa: ARG002
        self.seen.append(clause)
        return {IS: Verdict(self.value, self.chance, says=True, is_asserted=False)}


@dataclass(frozen=True)
class Answering:
    """Finds that each sentence answers with the same log-odds."""

    odds: float
    name: str = "answering"

    def relevance(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        assert question.endswith("?")
        return np.full(len(sentences), self.odds)

    def read(self, clause: str, questions: Sequence[str]) -> list[Reading]:
        raise AssertionError(f"{clause} denies nothing: {questions}")

    def is_asserted(self, reading: Reading) -> bool:
        return bool(reading.chances)

    is_verified = is_refused = is_asserted


@pytest.mark.parametrize(
    ("value", "chance", "odds", "found"),
    [
        ("yes", SUCH_FROM, ANSWERS_FROM, True),
        ("yes", SUCH_FROM - 0.01, ANSWERS_FROM, False),
        ("yes", SUCH_FROM, ANSWERS_FROM - 0.01, False),
        ("no", 0.99, 5.0, False),
        ("related", 0.99, 5.0, False),
    ],
)
def test_only_what_both_are_sure_of_is_found(
    value: str, chance: float, odds: float, found: bool
) -> None:
    look = CandidateReader(
        reading_of(TEXT), SureReader(chance=chance, value=value), Answering(odds)
    )
    first = [(span, chance) for span, _ in PLACES[:CANDIDATES]]
    assert look.find("insurance", PLACES) == (first if found else [])


def test_it_reads_the_first_candidates_alone() -> None:
    verdicts = SureReader()
    CandidateReader(reading_of(TEXT), verdicts, Answering(9)).find("insurance", PLACES)
    assert [each.marked for each in verdicts.seen] == [span for span, _ in PLACES[:CANDIDATES]]


@dataclass(frozen=True)
class DoubtingReader(ScriptedReader):
    """Doubts each quote as much as the test says, by its start."""

    doubts: tuple[tuple[int, float], ...] = ()

    def no_such_chance(self, provision: str, clause: MarkedClause) -> float:  # noqa: ARG002
        return dict(self.doubts)[clause.marked.start]


@pytest.mark.parametrize(
    ("doubts", "found", "kept"),
    [
        ((0.1, 0.2), 0.5, (0, 1)),
        ((0.1, 0.85), 0.5, (0,)),
        ((0.85, 0.1), 0.5, (1,)),
        ((0.85, 0.85), 0.5, (0, 1)),
        ((0.95, 0.85), 0.5, (1,)),
        ((0.95, 0.95), 0.5, ()),
        ((0.95, 0.95), 0.99, (0, 1)),
        ((0.7, 0.7), 0.01, ()),
    ],
)
def test_quotes_that_surely_are_other_business_are_left_out(
    doubts: tuple[float, ...], found: float, kept: tuple[int, ...]
) -> None:
    quotes = [(span, found) for span, _ in PLACES[: len(doubts)]]
    doubted = tuple((span.start, doubt) for (span, _), doubt in zip(quotes, doubts, strict=True))
    look = CandidateReader(reading_of(TEXT), DoubtingReader(doubts=doubted), Answering(9))
    assert look.keep_such("insurance", quotes) == [quotes[at] for at in kept]


def test_quotes_of_a_provision_that_the_reader_does_not_know_stay() -> None:
    look = CandidateReader(reading_of(TEXT), DoubtingReader(), Answering(9))
    assert look.keep_such("unheard-of", PLACES) == PLACES


@pytest.mark.parametrize("provision", ["unheard-of", "termination-for-convenience"])
def test_what_it_has_no_question_for_it_leaves(provision: str) -> None:
    assert (
        CandidateReader(reading_of(TEXT), SureReader(), Answering(9)).find(provision, PLACES) == []
    )


OTHER_DRAFTING = {
    "insurance": "HIRE OF A CRANE\n\n1. The crane\nThe Hirer shall:\n\n(a) keep the crane "
    "under cover at night;\n\n(b) insure it with a Danish insurer for its market value, and "
    "against liability for damage done with it.",
    "audit-rights": "ROYALTIES\n\n1. Reports\nThe Press reports each quarter what it has sold.\n\n"
    "2. Books\nThe Author's accountant may look at the sales ledger on five days' notice.",
    "non-compete": "BAKERY\n\n1. Shop\nThe Franchisee runs the shop in Elmore.\n\n2. Afterwards\n"
    "While this contract lasts, and for ten months after it ends, the Franchisee shall not own or "
    "work in another bakery within eight miles of the shop.",
    "exclusivity": "LAMPS\n\n1. Appointment\nThe Maker authorises the Agent alone to sell the "
    "lamps in Estonia, and shall not itself sell lamps there.\n\n2. Fee\nThe Agent earns six "
    "per cent.",
    "assignment": "WORKS\n\n1. Works\nThe Builder builds the wall.\n\n2. No transfer\nThe Builder "
    "cannot put anyone else in its place under this contract, nor make over what is owed to it, "
    "unless the Client agrees in writing.",
}
LOOK_ALIKES = {
    "insurance": "CARRIAGE\n\n1. Goods\nThe Carrier is no insurer of what it carries.",
    "audit-rights": "BOOKS\n\n1. Sale\nThe Shop keeps the books of the Press on its front shelf.",
    "non-compete": "ADVICE\n\n1. Other work\nThe Adviser may work for whomever it likes.",
    "exclusivity": "ADVICE\n\n1. Fee\nThe fee is exclusive of value added tax.",
    "assignment": "PORTRAITS\n\n1. Sitting\nThe Studio may assign another painter to the sitting.",
}


def review(text: str) -> dict[str, Finding]:
    provisions = prepare_provisions(load_playbook("due-diligence"), None)
    reader = ProvisionReader.default(None)
    cells = extract_findings(reading_of(text), provisions, default_calibration(), reader)
    return {cell.provision: cell for cell in cells}


@pytest.mark.parametrize("provision", OTHER_DRAFTING)
def test_a_provision_in_other_words_is_found(provision: str) -> None:
    cell = review(OTHER_DRAFTING[provision])[provision]
    assert cell.state is CellState.FOUND
    assert cell.evidence[-1].score >= SUCH_FROM
    assert cell.evidence[-1].clause.text_in(OTHER_DRAFTING[provision])


@pytest.mark.parametrize("provision", LOOK_ALIKES)
def test_what_only_looks_like_one_is_not(provision: str) -> None:
    assert review(LOOK_ALIKES[provision])[provision].state is CellState.NOT_FOUND


@pytest.mark.parametrize(
    ("provision", "words", "is_kept"),
    [
        ("audit-rights", "The Customer has no right to audit the books of the Carrier.", False),
        ("audit-rights", "The Customer may audit the books, but not more than once a year.", True),
        ("insurance", "The Carrier is not required to maintain any insurance.", False),
        ("insurance", "The Carrier shall not let its insurance of the crates lapse.", True),
        ("minimum-commitment", "The Customer does not commit to any minimum volume.", False),
        ("minimum-commitment", "The Customer shall not order less than 40 crates a year.", True),
        ("termination-for-convenience", "Neither party may terminate it for convenience.", False),
        ("termination-for-convenience", "Either may end it on notice, without a reason.", True),
        ("non-compete", "The Carrier shall not be prevented from competing with us.", False),
        ("non-compete", "The Carrier shall not compete with the Customer for two years.", True),
        ("right-of-first-refusal", "The Customer has no right of first refusal.", False),
    ],
)
def test_words_that_deny_a_provision_are_not_quoted_for_it(
    provision: str, words: str, is_kept: bool
) -> None:
    text = f"1. {words}\n\n2. The Carrier carries the crates."
    quotes = [(Span(3, 3 + len(words)), 0.9)]
    verdicts = DoubtingReader(doubts=((3, 0.01),))
    assert CandidateReader(reading_of(text), verdicts).keep_such(provision, quotes) == (
        quotes if is_kept else []
    )
