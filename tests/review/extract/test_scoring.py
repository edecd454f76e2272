"""What speaks for a sentence, feature by feature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fourcorners.library.contract import Contract
from fourcorners.playbooks.playbook import CardField, Playbook, Provision
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.scoring import (
    DEFAULT,
    FEATURES,
    Calibration,
    PreparedProvision,
    default_calibration,
    score_segments,
    top_positions,
)
from fourcorners.review.finding import CellState
from fourcorners.search.query import parse_query
from fourcorners.search.query.match import find_matches
from fourcorners.search.sentences.signals import remove_lookalikes
from fourcorners.text.tokenization import WordIndex
from tests.review.conftest import prepared


def column(reading: Contract, provision: Provision, name: str) -> dict[str, float]:
    """Return a feature by the first words of its sentence."""
    values = score_segments(reading, PreparedProvision(provision, None))[:, FEATURES.index(name)]
    text = reading.text
    return {
        " ".join(segment.span.text_in(text).split()[:3]): float(value)
        for segment, value in zip(reading.sentences, values, strict=True)
    }


def test_a_sentence_collects_the_boosts_of_the_parts_it_matches(
    reading: Contract, playbook: Playbook
) -> None:
    words = column(reading, playbook.provisions[0], "words")
    assert words["2.2 The Customer"] == np.float32(0.8)  # ^6 and ^2
    assert words["3.2 This Agreement"] == 0


def test_words_of_a_look_alike_count_for_nothing(reading: Contract, playbook: Playbook) -> None:
    control = playbook.provisions[0]
    assert column(reading, control, "words")["1.2 Quality control"] == 0
    assert column(reading, control, "avoid")["1.2 Quality control"] == 9


def test_a_look_alike_takes_only_the_words_it_shares() -> None:
    index = WordIndex("The audit committee meets. The Customer may audit the records.")
    kept = remove_lookalikes(
        find_matches(parse_query("audit"), index),
        find_matches(parse_query('"audit committee"'), index),
    )
    assert [match.span.start for match in kept] == [44]


def test_the_card_speaks_for_the_sentence_of_its_fact(reading: Contract) -> None:
    law = Provision("law", "Law", "", parse_query("zzz"), card=CardField.GOVERNING_LAW)
    card = column(reading, law, "card")
    assert card["3.2 This Agreement"] > 0.5
    assert sum(value > 0 for value in card.values()) == 1


def test_headings_above_speak_for_the_sentences_below(reading: Contract) -> None:
    supply = Provision("supply", "Supply", "", parse_query("termination^4"))
    heading = column(reading, supply, "heading")
    assert heading["2.1 This Agreement"] > 0
    assert heading["3.1 Neither party"] == 0


def test_a_heading_is_no_sentence(reading: Contract) -> None:
    quoted = [segment.span.text_in(reading.text) for segment in reading.sentences]
    assert not any(words.strip() in ("SUPPLY AGREEMENT", "3. GENERAL") for words in quoted)


def test_ties_go_to_the_earlier_sentence() -> None:
    assert top_positions(np.array([0.1, 0.9, 0.9, 0.2], np.float32), 3) == [1, 2, 3]


OWN = Provision(
    "late-payment-interest",
    "Late payment interest",
    "Interest that is due when an invoice is paid late.",
    parse_query('["late payment"~3, "interest rate"~8, "overdue interest"~10, "sums overdue"~3]'),
)
LATE = """4. LATE PAYMENT

4.1 In the event of late payment, sums that are overdue bear interest at an interest rate of four \
per cent a year above the base rate from the day on which they fell due until they are paid.
"""


@pytest.mark.parametrize("curves", ["curves", "by_words"])
def test_a_sentence_without_signs_is_no_provision_of_a_users_own(curves: str) -> None:
    default = getattr(default_calibration(), curves)[DEFAULT]
    nothing = np.zeros((1, len(FEATURES)), np.float32)
    nothing[0, FEATURES.index("length")] = np.log1p(300) / 10
    assert default.probability(nothing)[0] < default.also < default.threshold


def test_a_provision_of_a_users_own_is_found_where_its_words_are(reading: Contract) -> None:
    found = [
        cell.state
        for text in (reading, prepared(LATE))
        for cell in extract_findings(text, [PreparedProvision(OWN, None)], default_calibration())
    ]
    assert found == [CellState.NOT_FOUND, CellState.FOUND]


def test_how_high_the_boosts_of_a_users_query_are_does_not_matter(
    reading: Contract, calibration: Calibration
) -> None:
    own, high = (
        PreparedProvision(replace(OWN, query=parse_query(query)), None)
        for query in (
            '["change control"~5^2, termination]',
            '["change control"~5^8, termination^4]',
        )
    )
    levelled = calibration.features(reading, own)
    assert np.allclose(levelled, calibration.features(reading, high))
    assert levelled[:, FEATURES.index("words")].max() == pytest.approx(0.5)
    taught = replace(calibration, curves={OWN.id: calibration.curves[DEFAULT]})
    assert np.array_equal(taught.features(reading, own), score_segments(reading, own))
