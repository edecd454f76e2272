"""What a playbook's `certain` and `never` decide, with wordings that no contract here has."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from fourcorners.playbooks.load import load_playbook, parse_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract.cells import Wording, extract_findings, matching_spans
from fourcorners.review.extract.scoring import Calibration, PreparedProvision
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.prepared_document import PreparedDocument
from fourcorners.search.query import parse_query
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from tests.review.conftest import PLAYBOOK

CERTAIN = [
    ("assignment", "You may not pass this contract over to anyone else."),
    ("assignment", "It may not be handed over, charged or sublet."),
    ("assignment", "This licence is personal to the Grower."),
    ("audit-rights", "The Trust may instruct a valuer to verify the accounts of the sales."),
    ("audit-rights", "The Author is entitled to look at the records of every printing."),
    ("cap-on-liability", "The Vet's liability for one animal shall never exceed its market price."),
    ("cap-on-liability", "The Depot is not liable for more than fifty francs a crate."),
    ("cap-on-liability", "The most that the Museum can recover is the fee for the loan."),
    ("cap-on-liability", "No limit in this deed applies to the liability for spilt oil."),
    ("cap-on-liability", "The Stevedore indemnifies the Port without limit."),
    (
        "change-of-control",
        "The Brewer may cancel the tie if the Inn comes under the control of a rival.",
    ),
    (
        "change-of-control",
        "The Bank has an important reason to give notice if the ownership of the Mill changes.",
    ),
    ("exclusivity", "The Orchard appoints Brown as its sole agent for pears in Kent."),
    ("insurance", "The Stable shall at all times hold third party cover for its rides."),
    ("minimum-commitment", "The School pays for twelve lessons, whether or not they are taken."),
    (
        "most-favoured-nation",
        "If it sells to another shop at a lower price, it will give the Shop that price.",
    ),
    (
        "non-compete",
        "For two years the Chef shall not accept a position with any other inn.",
    ),
    ("non-solicitation", "Neither firm shall tempt a clerk of the other to resign."),
    ("non-solicitation", "The Bank must not hire an employee of the other party for a year."),
    ("non-solicitation", "We will not approach your customers with offers of our own."),
    ("termination-for-convenience", "A member may leave whenever it wishes on ten days' notice."),
    (
        "termination-for-convenience",
        "The Farm may recover possession of the barn at any time on a month's notice.",
    ),
    (
        "termination-for-convenience",
        "The Trust may decide not to continue, and then this agreement ends a month later.",
    ),
    ("termination-for-convenience", "Ordinary notice of termination may be given each quarter."),
]
NEVER = [
    ("audit-rights", "Changes are kept in an audit trail for seven years."),
    ("change-of-control", "A drawing is altered by the change control process in Annex 3."),
    ("exclusivity", "Nothing in this letter makes the arrangement exclusive."),
    ("exclusivity", "The Baker buys flour only from mills and other suppliers that are approved."),
    ("insurance", "The Agency pays the national insurance contributions of its nurses."),
    ("minimum-commitment", "The cable shall withstand a minimum load of four tonnes."),
    ("right-of-first-refusal", "The Licensor has the first right to sue those who infringe."),
    (
        "termination-for-convenience",
        "If rent is overdue for a month, the Landlord may terminate by ten days' notice.",
    ),
]
NEITHER = [
    ("assignment", "The Agency may pass this message on to its nurses."),
    ("audit-rights", "The Author may look at the sea from the records room."),
    ("cap-on-liability", "The Vet is not liable for late trains."),
    ("cap-on-liability", "The most that the Museum can show is ten pictures."),
    ("change-of-control", "The lorry is under the control of the Driver."),
    ("change-of-control", "The Owner may alter the ownership register."),
    ("exclusivity", "The Orchard appoints Brown as its non-exclusive agent."),
    ("insurance", "The Stable shall hold the horses."),
    ("minimum-commitment", "Title passes on delivery, whether or not the goods are used."),
    ("most-favoured-nation", "If another shop has a lower shelf, the Shop may move its own."),
    ("non-compete", "The Chef shall accept a position with the Inn for two years."),
    ("non-solicitation", "The Bank may hire an employee of the other party."),
    ("non-solicitation", "The Agent does not approach customers abroad."),
    ("termination-for-convenience", "The Tenant may paint the barn at any time on notice."),
    ("termination-for-convenience", "Ordinary notice of termination is excluded."),
]


@cache
def due_diligence() -> Playbook:
    return load_playbook("due-diligence")


def decided(provision: str, sentence: str) -> tuple[bool, bool]:
    """Return whether a sentence is certain to be the provision, and to be something else."""
    known, index, spans = (
        due_diligence().provision(provision),
        WordIndex(sentence),
        [Span(0, len(sentence))],
    )
    return bool(matching_spans(known.certain, index, spans)), bool(
        matching_spans(known.never, index, spans)
    )


@pytest.mark.parametrize(("provision", "sentence"), CERTAIN)
def test_a_sentence_is_the_provision_by_its_wording(provision: str, sentence: str) -> None:
    assert decided(provision, sentence) == (True, False)


@pytest.mark.parametrize(("provision", "sentence"), NEVER)
def test_a_look_alike_is_something_else_by_its_wording(provision: str, sentence: str) -> None:
    assert decided(provision, sentence)[1]


@pytest.mark.parametrize(("provision", "sentence"), NEITHER)
def test_other_words_leave_it_to_the_reader(provision: str, sentence: str) -> None:
    assert decided(provision, sentence) == (False, False)


@pytest.mark.parametrize(
    ("query", "held"),
    [
        ("goods", {0, 1}),
        ('"the goods"', {0}),
        ("supplier AND goods", {0}),
        ("goods NOT supplier", {1}),
        ("customer OR supplier", {0, 2}),
        ("goods w/4 customer", set()),  # they stand near each other, in two sentences
        ("supplier AND customer", set()),
    ],
)
def test_each_sentence_is_judged_by_its_own_words(query: str, held: set[int]) -> None:
    text = "The Supplier ships the goods. They are good goods. The Customer pays."
    starts = [0, text.index("They"), text.index("The Customer"), len(text) + 1]
    spans = [Span(a, b - 1) for a, b in pairwise(starts)]
    assert matching_spans(parse_query(query), WordIndex(text), spans) == held


def test_no_query_is_satisfied_by_nothing() -> None:
    assert matching_spans(None, WordIndex("words"), [Span(0, 5)]) == frozenset()


def test_what_is_certain_is_as_sure_as_the_best_beside_it() -> None:
    known, new, other = Span(0, 5), Span(10, 15), Span(20, 25)
    wording = Wording(certain=(known, new))
    joined = dict(wording.join([(known, 0.3), (other, 0.8)], 0.5))
    assert joined == {known: 0.8, other: 0.8, new: 0.8}
    assert wording.join([], 0.5) == [(known, 0.5), (new, 0.5)]


BOTH = """2.2 The Customer may terminate this Agreement at once"""
ASSIGNMENT = "3.1 Neither party may assign this Agreement without the consent of the other."


def cell(reading: PreparedDocument, calibration: Calibration, wording: str) -> Finding:
    """Fill the cell on a change of control, whose query finds sentence 2.2, by some wording too."""
    text = PLAYBOOK.replace("    questions:", f"{wording}\n    questions:", 1)
    provision = parse_playbook(text, "small.yaml").provisions[0]
    (found,) = extract_findings(reading, [PreparedProvision(provision, None)], calibration)
    return found


def test_a_certain_sentence_is_quoted_beside_what_is_found(
    reading: PreparedDocument, calibration: Calibration
) -> None:
    found = cell(reading, calibration, "    certain: '\"neither party may assign\"'")
    change, assignment = (each.quote.words for each in found.evidence)
    assert change.startswith(BOTH)
    assert assignment == ASSIGNMENT


def test_a_sentence_that_never_is_the_provision_is_not_quoted(
    reading: PreparedDocument, calibration: Calibration
) -> None:
    found = cell(reading, calibration, "    never: '\"change of control\"'")
    assert (found.state, found.evidence) == (CellState.NOT_FOUND, ())


def test_never_prevails(reading: PreparedDocument, calibration: Calibration) -> None:
    wording = "    certain: '\"may assign\"'\n    never: '[neither, \"change of control\"]'"
    found = cell(reading, calibration, wording)
    assert found.state is CellState.NOT_FOUND
