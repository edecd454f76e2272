"""Cells of one document: what is quoted, what is not, and what is said about either."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.document import Box, OcrWord
from fourcorners.library.contract import Contract
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract import cells as extraction
from fourcorners.review.extract.cells import (
    MAX_CHARACTERS,
    SHARE,
    choose_candidates,
    extract_findings,
    join_quotes,
)
from fourcorners.review.extract.scoring import DEFAULT, Calibration, PreparedProvision
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.risk import assessment
from fourcorners.review.severity import NOT_RECOGNISED
from fourcorners.text.quote import Match
from fourcorners.text.span import Span
from tests.review.conftest import TEXT, prepared
from tests.review.scripted_reader import ScriptedReader


@pytest.fixture
def cells(reading: Contract, playbook: Playbook, calibration: Calibration) -> dict[str, Finding]:
    scripted = ScriptedReader(says={"change of control": {"terminate": ("yes", 0.95)}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assessment, "default_verdict_reader", lambda: scripted)
        prepared = [PreparedProvision(provision, None) for provision in playbook.provisions]
        return {cell.provision: cell for cell in extract_findings(reading, prepared, calibration)}


def test_the_sentence_that_answers_is_quoted_with_its_place(
    cells: dict[str, Finding], reading: Contract
) -> None:
    cell = cells["change-of-control"]
    assert cell.state is CellState.FOUND
    (evidence,) = cell.evidence
    assert evidence.quote.words.startswith("2.2 The Customer may terminate")
    assert evidence.quote.words.endswith("Supplier.")
    assert evidence.quote.match is Match.EXACT
    span = evidence.quote.span
    assert span is not None
    assert span.text_in(reading.text) == evidence.quote.words
    assert evidence.clause.contains(span)
    assert evidence.path[-1].startswith("2.2")
    assert evidence.pages is None
    assert evidence.score == pytest.approx(0.982, abs=0.001)


def test_a_look_alike_is_no_find(cells: dict[str, Finding], reading: Contract) -> None:
    quoted = [each.quote.words for each in cells["change-of-control"].evidence]
    assert "Quality control" in reading.text
    assert not any("Quality control" in words for words in quoted)


def test_severity_and_answers_come_from_the_clause(cells: dict[str, Finding]) -> None:
    cell = cells["change-of-control"]
    assert (cell.severity, cell.reason) == (Severity.HIGH, "It can be ended.")
    assert [answer.answer for answer in cell.answers] == ["Yes", ""]


def test_absence_says_what_was_searched_and_how_near_the_best_came(
    cells: dict[str, Finding], reading: Contract
) -> None:
    cell = cells["insurance"]
    assert cell.state is CellState.NOT_FOUND
    assert not cell.evidence
    assert cell.searched is not None
    assert cell.searched.passages == len(reading.passages)
    assert cell.searched.threshold == 0.5
    assert cell.searched.best is not None
    assert cell.searched.best.score < 0.5
    assert cell.nearest == cell.searched.best
    assert (cell.severity, cell.reason) == (Severity.LOW, f"{NOT_RECOGNISED} Nobody must insure.")


@pytest.mark.parametrize(
    "clause",
    [
        "4. CHANGE OF CONTROL\n\n4.1 The parties meet on the first Monday of each month.",
        "4. Change of Control. The parties meet on the first Monday of each month.",
        "4 Change of Control:\n\nThe parties meet on the first Monday of each month.",
        "4. CHANGE OF CONTROL\n\n[Not used.]",
        "4. Change of control\n\n(a) each party meets the other on the first Monday of each month;",
    ],
)
def test_a_heading_alone_is_no_find(
    clause: str, playbook: Playbook, calibration: Calibration
) -> None:
    contract = prepared(f"{TEXT.partition('2. TERM')[0]}{clause}\n\n5. LAW\n\n5.1 Law of Ohio.\n")
    wanted = [PreparedProvision(playbook.provisions[0], None)]
    (cell,) = extract_findings(contract, wanted, calibration)
    assert cell.state is CellState.NOT_FOUND
    assert cell.nearest is not None
    assert "control" in cell.nearest.quote.words.casefold()


@pytest.mark.parametrize(
    "clause",
    [
        "4. Control\n\n4.1 On a change of control either party may leave.",
        "4. Change of control: notice due.",
        "4. CHANGE OF CONTROL\n\n4.1 A change of control of the Supplier ends this Agreement.",
    ],
)
def test_a_sentence_of_the_clause_is_a_find(
    clause: str, playbook: Playbook, calibration: Calibration
) -> None:
    contract = prepared(f"{TEXT.partition('2. TERM')[0]}{clause}\n\n5. LAW\n\n5.1 Law of Ohio.\n")
    wanted = [PreparedProvision(playbook.provisions[0], None)]
    (cell,) = extract_findings(contract, wanted, calibration)
    assert cell.state is CellState.FOUND
    assert [each.quote.words for each in cell.evidence] != ["4. CHANGE OF CONTROL"]


def test_the_threshold_of_a_playbook_wins_over_the_calibrated_one(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    strict = replace(playbook.provisions[0], threshold=0.99)
    (cell,) = extract_findings(reading, [PreparedProvision(strict, None)], calibration)
    assert cell.state is CellState.NOT_FOUND
    assert cell.searched is not None
    assert cell.searched.threshold == 0.99


def test_a_further_quote_has_a_share_of_the_best_ones_probability() -> None:
    ranked = [(Span(0, 9), 0.8), (Span(20, 29), 0.8 * SHARE), (Span(40, 49), 0.7 * SHARE)]
    assert choose_candidates(ranked, 0.5, 0.001) == ranked[:2]


def test_nothing_below_the_threshold_of_a_playbook_is_quoted(
    reading: Contract,
    playbook: Playbook,
    calibration: Calibration,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extraction, "SHARE", 0.0)
    curve = replace(calibration.curves[DEFAULT], also=0.0)
    eager = replace(calibration, curves={DEFAULT: curve}, by_words={DEFAULT: curve})
    provision = playbook.provisions[0]
    (cell,) = extract_findings(reading, [PreparedProvision(provision, None)], eager)
    assert min(each.score for each in cell.evidence) < 0.5
    for threshold in (0.5, 0.1):  # above the curve's own, and below
        own = replace(provision, threshold=threshold)
        (cell,) = extract_findings(reading, [PreparedProvision(own, None)], eager)
        assert cell.state is CellState.FOUND
        assert min(each.score for each in cell.evidence) >= threshold


def test_a_document_without_words_has_cells_all_the_same(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    empty = Contract.build(
        replace(reading.document, text="  \n"), Outline((), 0.0, windows=True), Card(), [], None
    )
    prepared = [PreparedProvision(provision, None) for provision in playbook.provisions]
    for cell in extract_findings(empty, prepared, calibration):
        assert cell.state is CellState.NOT_FOUND
        assert cell.searched is not None
        assert (cell.searched.passages, cell.searched.best) == (0, None)


def test_a_cell_is_no_longer_than_a_person_reads() -> None:
    long = [(Span(i * 2_000, i * 2_000 + 1_400), 0.9) for i in range(5)]
    assert sum(len(span) for span, _ in choose_candidates(long, 0.5, 0.5)) <= MAX_CHARACTERS
    assert choose_candidates([(Span(0, 9_000), 0.9)], 0.5, 0.5) == [(Span(0, 9_000), 0.9)]
    assert sum(len(span) for span, _ in choose_candidates(long, 0.5, 0.5, 5_000)) in range(
        4_001, 5_001
    )


def test_the_best_decides_and_others_go_along_from_a_lower_threshold() -> None:
    ranked = [(Span(0, 9), 0.8), (Span(20, 29), 0.4), (Span(40, 49), 0.2)]
    assert choose_candidates(ranked, 0.9, 0.3) == []
    assert choose_candidates(ranked, 0.8, 0.3) == ranked[:2]
    assert choose_candidates(ranked, 0.8, 0.8) == ranked[:1]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6), st.floats(0, 1)), max_size=8))
def test_joined_quotes_cover_the_same_words(several: list[tuple[int, int, float]]) -> None:
    text = "ab  cd e\n\n fgh  ij klm no   p q r s t uv  wx yz  "
    chosen = [(Span(start, min(start + length, len(text))), p) for start, length, p in several]
    before = {i for span, _ in chosen for i in range(span.start, span.end) if text[i].strip()}
    joined = join_quotes(chosen, text)
    after = {i for span, _ in joined for i in range(span.start, span.end) if text[i].strip()}
    assert before == after
    for (left, _), (right, _) in pairwise(joined):
        assert text[left.end : right.start].strip()


def test_the_default_curve_serves_provisions_it_was_not_made_for(
    calibration: Calibration,
) -> None:
    for meaning in (True, False):
        assert calibration.curve("never-heard-of", meaning=meaning) is calibration.curves[DEFAULT]


def test_a_quote_that_was_recognised_has_the_confidence_of_its_words(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    document = reading.document
    start = document.text.index("change of control")
    words = tuple(
        OcrWord(Span(start + at, start + at + size), Box(1, 0, 0, 9, 9), sure)
        for at, size, sure in ((0, 6, 0.9), (7, 2, 0.7), (10, 7, 0.8))
    )
    read = replace(document, words=words)
    scanned = Contract.build(read, reading.outline, reading.card, reading.passages)
    prepared = [PreparedProvision(provision, None) for provision in playbook.provisions]
    quotes = [
        each for cell in extract_findings(scanned, prepared, calibration) for each in cell.evidence
    ]
    within = [
        each for each in quotes if each.quote.span and each.quote.span.contains(words[1].span)
    ]
    assert within
    assert {each.ocr for each in within} == {0.8}
    assert {each.ocr for each in quotes if each not in within} <= {None}
