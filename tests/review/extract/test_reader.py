from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourcorners.library.contract import Contract
from fourcorners.models.card import ModelInfo
from fourcorners.models.clause_reader.features import PARTS, Vocabulary
from fourcorners.models.clause_reader.match import MATCH_FEATURES, OWN_FEATURE
from fourcorners.models.clause_reader.reader import ClauseReader, Weights
from fourcorners.models.registry import default_clause_reader
from fourcorners.playbooks.load import load_playbook, parse_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import (
    DATE_PROVISIONS,
    EFFECTIVE,
    UNREACHABLE,
    ProvisionReader,
    date_quote,
    merge_candidates,
    narrow_candidates,
    narrow_to_date,
    query_hash,
    rescale_probability,
)
from fourcorners.review.extract.scoring import (
    FEATURES,
    Calibration,
    Curve,
    PreparedProvision,
    default_calibration,
)
from fourcorners.review.finding import CellState
from fourcorners.text.span import Span
from fourcorners_bench.extraction.loader import CATEGORY_PROVISIONS

BODY = (
    "This Agreement takes effect on May 29, 2018 and continues for a first term of three years, "
    "after which it continues from year to year until it is ended by notice."
)
OPENING = (
    "This Supply Agreement is made and entered into as of May 29, 2018 (the Effective Date) by and "
    "between Alder Components Limited, a company of Ohio, and Birch Retail Limited."
)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (OPENING, "May 29, 2018"),
        (OPENING.replace("May 29, 2018", "the day of its signature"), None),
        (
            OPENING.replace("May 29, 2018", "the ___ day of ________, 2018"),
            "the ___ day of ________, 2018",
        ),
        (OPENING.replace("May 29, 2018", "May __, 2018"), "May __, 2018"),
        (OPENING.replace("May 29, 2018", "[●]"), "[●]"),
        ("Effective Date: May 29, 2018", None),
        (BODY, None),
    ],
)
def test_an_opening_sentence_is_quoted_by_its_date(text: str, quoted: str | None) -> None:
    assert narrow_to_date(text, Span(0, len(text)), EFFECTIVE).text_in(text) == (quoted or text)


def test_of_two_dates_the_one_that_is_asked_for_is_quoted() -> None:
    text = OPENING.replace(
        "made and entered into as of May 29, 2018",
        "made on May 4, 2018 and is effective as of June 1, 2018",
    )
    whole = Span(0, len(text))
    assert narrow_to_date(text, whole, EFFECTIVE).text_in(text) == "June 1, 2018"
    assert narrow_to_date(text, whole, "agreement-date").text_in(text) == "May 4, 2018"


def test_only_a_contracts_opening_is_narrowed() -> None:
    later = "x " * 4_000 + OPENING
    span = Span(8_000, len(later))
    assert narrow_to_date(later, span, EFFECTIVE) == span
    probability = np.array([0.9], np.float32)
    whole = [Span(0, len(OPENING))]
    assert merge_candidates(OPENING, whole, probability, "assignment", 5)[0][0] == whole[0]
    for provision in DATE_PROVISIONS:
        (date, _), *_ = merge_candidates(OPENING, whole, probability, provision, 5)
        assert date.text_in(OPENING) == "May 29, 2018"


def test_a_date_of_effect_is_quoted_with_the_words_that_lead_to_it() -> None:
    date = narrow_to_date(OPENING, Span(0, len(OPENING)), EFFECTIVE)
    quoted = date_quote(OPENING, date, EFFECTIVE).text_in(OPENING)
    assert quoted == "is made and entered into as of May 29, 2018"
    assert date_quote(OPENING, date, "agreement-date") == date
    assert date_quote(OPENING, Span(0, len(OPENING)), EFFECTIVE) == Span(0, len(OPENING))


def taught(playbook: Playbook, word: str) -> ClauseReader:
    """Return a reader that takes a word for a change of control, beside the playbook's query."""
    codes = {part: np.zeros(0, np.int64) for part in PARTS}
    codes["own"] = np.zeros(1, np.int64)
    second = np.zeros((2, 1, 15 + len(FEATURES) + 1 + 1), np.float32)
    second[:, :, 0] = 1.0
    info = ModelInfo("hand", "1", "clause-reader", "", 1, 0, "MIT", "here", Path("nowhere"), ())
    reader = ClauseReader(
        info,
        ("change-of-control",),
        (query_hash(playbook.provision("change-of-control")),),
        "none",
        frozenset(),
    )
    weights = Weights(
        Vocabulary({word: 0}, codes, np.ones(1, np.float32)),
        first=np.array([[20.0]], np.float32),
        first_bias=np.array([-5.0], np.float32),
        meaning=np.zeros((5, 1), np.float32),
        second=second,
        limits=np.array([[0.5, 0.5, 0.0]], np.float32),
        match=np.eye(1, MATCH_FEATURES + 1, OWN_FEATURE, dtype=np.float32),
    )
    reader.__dict__["weights"] = weights
    return reader


def test_the_reader_judges_what_it_was_taught_and_curves_the_rest(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    judge = ProvisionReader(taught(playbook, "requirements"), vectors=False)
    asked = [PreparedProvision(provision, None) for provision in playbook.provisions]
    change, insurance = extract_findings(reading, asked, calibration, judge)
    bought, sure = (" ".join(each.quote.words.split()) for each in change.evidence)
    assert bought.startswith("The Customer shall buy all of its requirements")
    assert "a change of control of the Supplier" in sure  # of this the query's curve is sure
    assert change.candidates[0][1] == pytest.approx(1 / (1 + np.exp(5 - 14)), abs=1e-4)
    assert insurance.state is CellState.NOT_FOUND


def test_a_curve_counts_where_it_is_sure_and_on_the_readers_scale() -> None:
    curve = Curve((1.0,), 0.0, 0.6, 0.2)
    said = np.array([0.0, 0.59, 0.6, 0.8, 1.0], np.float32)
    scaled = rescale_probability(said, curve, 0.2, 0.0)
    assert scaled == pytest.approx([0.0, 0.0, 0.2, 0.6, 1.0], abs=1e-6)
    assert rescale_probability(said, curve, 0.2, 0.5) == pytest.approx([0, 0, 0, 0.2, 1], abs=1e-6)
    assert not rescale_probability(said, curve, 0.2, UNREACHABLE).any()


def test_a_query_in_other_words_is_judged_by_its_curve(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    judge = ProvisionReader(taught(playbook, "requirements"), vectors=False)
    provision = playbook.provision("change-of-control")
    other = parse_playbook(
        "id: o\nname: O\nversion: '1'\nprovisions:\n  - id: change-of-control\n    name: C\n"
        "    definition: D.\n    query: '[\"change control\"~3^8]'\n",
        "other.yaml",
    ).provision("change-of-control")
    for changed in (other, replace(provision, avoid=None)):
        (cell,) = extract_findings(reading, [PreparedProvision(changed, None)], calibration, judge)
        assert not judge.is_known(changed)
        assert "change of control" in cell.evidence[0].quote.words


def test_a_threshold_of_the_playbook_holds_for_the_reader_too(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    judge = ProvisionReader(taught(playbook, "requirements"), vectors=False)
    strict = replace(playbook.provision("change-of-control"), threshold=0.99999)
    (cell,) = extract_findings(reading, [PreparedProvision(strict, None)], calibration, judge)
    assert cell.state is CellState.NOT_FOUND
    assert cell.searched is not None
    assert cell.searched.threshold == 0.99999


def test_the_shipped_reader_was_taught_beside_the_queries_of_today() -> None:
    judge = ProvisionReader(default_clause_reader(), vectors=True)
    asked = [
        load_playbook(name).provision(provision) for name, provision in CATEGORY_PROVISIONS.values()
    ]
    changed = [provision.id for provision in asked if not judge.is_known(provision)]
    assert not changed, "their queries changed: run bench/training/clause_reader/train.py"


def test_the_shipped_reader_finds_a_plain_clause(reading: Contract) -> None:
    judge = ProvisionReader(default_clause_reader(), vectors=False)
    playbook = load_playbook("due-diligence")
    asked = [
        PreparedProvision(playbook.provision(name), None)
        for name in ("assignment", "governing-law")
    ]
    cells = extract_findings(reading, asked, default_calibration(), judge)
    quotes = [[each.quote.words for each in cell.evidence] for cell in cells]
    assert "Neither party may assign" in quotes[0][0]
    assert "laws of England and Wales" in quotes[1][0]


def test_a_date_of_effect_is_quoted_from_words_that_say_when() -> None:
    lines = [
        "By: Ann Example, Director of the Supplier",
        "It starts on the Commencement Date.",
        "Signed on 3 May 2021 in Leeds.",
        "This ____ day of ________, 2021",
    ]
    text = "\n".join(lines)
    likely = [(Span(text.index(line), text.index(line) + len(line)), 0.4) for line in lines]
    assert narrow_candidates(text, likely, EFFECTIVE) == likely[1:]
    assert narrow_candidates(text, likely, "audit-rights") == likely
