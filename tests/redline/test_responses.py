"""What is answered to a change of another author: by the position before and after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Provision
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.open_points import Preferences
from fourcorners.redline.proposal import ChangeResponse, ResponseKind, Source
from fourcorners.redline.propose import propose
from fourcorners.redline.responses import ReviewedVersion, assess_changes
from fourcorners.review.finding import (
    CellState,
    Evidence,
    Finding,
    PositionMatch,
    RiskAnswer,
)
from fourcorners.review.parties import side_for
from fourcorners.text.evidence import quote_span
from fourcorners.text.span import Span
from tests.redline.word_contracts import NUMBERING, contract, deleted, inserted, run, word_file

CONSENT = "Neither party may assign this Agreement without the prior written consent"
SOFT = " (not to be unreasonably withheld)"
ACCEPTED, REFUSED = 1, 4  # of the positions on assignment

Weigh = Callable[..., list[ChangeResponse]]


def provision() -> Provision:
    return load_playbook("due-diligence").provision("assignment")


def _terms(data: bytes, path: Path) -> ContractTerms:
    path.write_bytes(data)
    document = read_document(path)
    outline = build_outline(document)
    card = read_card(document, outline)
    side = side_for(card, ["Customer"])
    return ContractTerms(Contract.build(document, outline, card, []), side)


def _finding(terms: ContractTerms, position: int | None, restricted: str) -> Finding:
    """Return a finding of the clause on consent in a position; of none, it is not there."""
    text, of = terms.contract.full_text, provision()
    start = text.find(CONSENT)
    if position is None or start < 0:
        return Finding(terms.contract.id, of.id, CellState.NOT_FOUND)
    quote = quote_span(text, Span(start, text.index(".", start) + 1))
    answers = {"effect": "consent", "restricted": restricted}
    given = tuple(
        RiskAnswer("?", value, id=name, value=value, quotes=(quote,))
        for name, value in answers.items()
    )
    held = of.positions[position]
    return Finding(
        terms.contract.id,
        of.id,
        CellState.FOUND,
        evidence=(Evidence(quote, quote.span or Span(0, 1), (), None, 0.99),),
        answers=given,
        position=PositionMatch(held.kind, held.text, held.recommend, (quote,)),
    )


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    def answers(
        *runs: str, before: int | None, after: int | None, restricted: str = "each party"
    ) -> list[ChangeResponse]:
        body = contract(consent=runs)
        data = word_file({"body": body, "numbering": NUMBERING})
        now = _terms(data, tmp_path / "after.docx")
        former = resolve_changes(data, tmp_path, accept=False, author="Other Side")
        was = _terms(former, tmp_path / "before.docx")
        of, finding = provision(), _finding(now, after, restricted)
        outcomes = propose(now, of, finding, Preferences(Source("the playbook")))
        return [
            *assess_changes(
                now.contract.tracked_changes,
                ReviewedVersion(now, {of.id: (of, finding)}),
                ReviewedVersion(was, {of.id: (of, _finding(was, before, restricted))}),
                outcomes,
            )
        ]

    return answers


def test_words_that_take_an_accepted_position_away_are_rejected(weigh: Weigh) -> None:
    changed = (run(CONSENT), deleted(SOFT), run(" of the other party."))
    (answer,) = weigh(*changed, before=ACCEPTED, after=REFUSED)
    assert (answer.kind, answer.name) == (ResponseKind.REJECT, "Assignment")
    assert (answer.change.before, answer.after) == (SOFT, "")
    assert answer.path[-1].startswith("6.1")
    assert answer.reason.startswith("It reaches what the playbook refuses: ")
    assert CONSENT in answer.quotes[0].words


def test_a_new_clause_in_a_refused_position_is_countered(weigh: Weigh) -> None:
    (answer,) = weigh(inserted(f"{CONSENT} of the other party."), before=None, after=REFUSED)
    assert answer.kind is ResponseKind.COUNTER
    assert answer.counter is not None
    assert answer.counter.added == "(not to be unreasonably withheld, conditioned or delayed)"


def test_only_words_that_a_counter_changes_are_countered(weigh: Weigh) -> None:
    apart = (run(f"{CONSENT} of the other party by "), inserted("e-mail."))
    (answer,) = weigh(*apart, before=REFUSED, after=REFUSED)
    assert (answer.kind, answer.counter) == (ResponseKind.OPEN, None)
    start, end = CONSENT.rsplit(" ", 1)
    (answer,) = weigh(
        run(f"{start} "), inserted(end), run(" of the other party."), before=REFUSED, after=REFUSED
    )
    assert answer.kind is ResponseKind.COUNTER


def test_words_that_reach_an_accepted_position_may_be_accepted(weigh: Weigh) -> None:
    changed = (run(CONSENT), inserted(SOFT), run(" of the other party."))
    (answer,) = weigh(*changed, before=REFUSED, after=ACCEPTED)
    assert answer.kind is ResponseKind.ACCEPT
    assert answer.reason.startswith("It reaches what the playbook accepts: ")


def test_what_betters_the_other_sides_position_alone_is_left_to_a_person(weigh: Weigh) -> None:
    changed = (run(CONSENT), inserted(SOFT), run(" of the other party."))
    (answer,) = weigh(*changed, before=REFUSED, after=ACCEPTED, restricted="Supplier")
    assert answer.kind is ResponseKind.OPEN
    assert answer.reason.endswith("; but not for the good of your side.")


@pytest.mark.parametrize(
    ("restricted", "kind"), [("Supplier", ResponseKind.ACCEPT), ("", ResponseKind.COUNTER)]
)
def test_whom_the_words_bind_decides(weigh: Weigh, restricted: str, kind: ResponseKind) -> None:
    changed = (inserted(f"{CONSENT} of the other party."),)
    (answer,) = weigh(*changed, before=None, after=REFUSED, restricted=restricted)
    assert answer.kind is kind


@pytest.mark.parametrize(
    ("position", "kind"), [(ACCEPTED, ResponseKind.REJECT), (REFUSED, ResponseKind.ACCEPT)]
)
def test_a_clause_that_is_removed_is_known_by_what_it_was(
    weigh: Weigh, position: int, kind: ResponseKind
) -> None:
    removed = deleted(f"{CONSENT} of the other party.")
    answer = weigh(removed, run(" Nothing is agreed."), before=position, after=None)[0]
    assert answer.kind is kind
    assert answer.reason.startswith(f"It removes “{CONSENT}")


def test_a_clause_whose_position_stays_is_named(weigh: Weigh) -> None:
    changed = (run(CONSENT), inserted(SOFT), run(" of the other party."))
    (answer,) = weigh(*changed, before=ACCEPTED, after=ACCEPTED)
    assert (answer.kind, answer.name) == (ResponseKind.OPEN, "Assignment")
    assert answer.reason == "The playbook does not weigh what is changed in this clause."


def test_what_the_playbook_does_not_speak_of_is_open(weigh: Weigh) -> None:
    changed = (run(f"{CONSENT} of the other party. Fees are "), inserted("not "), run("due."))
    (answer,) = weigh(*changed, before=REFUSED, after=REFUSED)
    assert (answer.kind, answer.name) == (ResponseKind.OPEN, "")
    assert answer.reason == "The playbook says nothing about it."
