"""Confirmed findings join a clause bank, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.bank import store as bank
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState, ReviewState
from fourcorners.review.people import review_actions as states
from fourcorners.review.people.confirmed import add_to_bank
from tests.review.filled import ASSIGN, LAW, LEAVE, fill

CELL, OTHER = "change-of-control", "insurance"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


def test_only_what_people_stand_for_in_the_contracts_words(
    library: Library, playbook: Playbook
) -> None:
    names = ("confirmed", "corrected", "own", "rejected", "proposed", "changed")
    rooms = {
        name: fill(library, playbook, {CELL: [LEAVE], OTHER: CellState.NOT_FOUND}, f"{name}.txt")
        for name in names
    }

    def say(name: str, cell: str = CELL, value: str = "", state: ReviewState | None = None) -> None:
        states.annotate_finding(
            library,
            playbook,
            rooms[name],
            cell,
            states.NewAnnotation(by="Ann", state=state, value=value),
        )

    say("confirmed", state=ReviewState.CONFIRMED)
    say("confirmed", OTHER, state=ReviewState.CONFIRMED)  # nothing is found, rightly
    say("corrected", value=ASSIGN)
    say("own", value="a person's own words, which no contract has")
    say("rejected", state=ReviewState.REJECTED)
    say("changed", state=ReviewState.CONFIRMED)
    fill(library, playbook, {CELL: [LAW]}, "changed.txt")

    done = add_to_bank(library, playbook, "ours", "Larch")
    assert (done.added, done.known) == (2, 0)
    first, second = bank.bank_clauses(library, "ours")
    assert (first.provision, first.text, first.source) == (
        *("Change of control", LEAVE, "confirmed.txt"),
    )
    assert first.tags == ("confirmed by Ann", f"document {rooms['confirmed']}")
    assert (second.text, second.tags[0]) == (ASSIGN, "corrected by Ann")
    assert second.start is not None
    text = library.text(rooms["corrected"])
    assert text[second.start : second.end] == ASSIGN
    assert add_to_bank(library, playbook, "ours").added == 0
    assert len(bank.bank_clauses(library, "ours")) == 2


def test_a_bank_needs_a_name_and_a_collection_must_be_there(
    library: Library, playbook: Playbook
) -> None:
    fill(library, playbook, {CELL: [LEAVE]})
    with pytest.raises(ConfigError, match="needs a name"):
        add_to_bank(library, playbook, " ")
    with pytest.raises(ConfigError, match="collection 'Oak' not found"):
        add_to_bank(library, playbook, "ours", "Oak")


def test_a_clause_joins_the_sections_that_it_refers_to_and_then_has_no_one_place(
    library: Library, playbook: Playbook
) -> None:
    room = fill(library, playbook, {CELL: [LEAVE]})
    annotation = states.NewAnnotation(by="Ann", state=ReviewState.CONFIRMED)
    states.annotate_finding(library, playbook, room, CELL, annotation)
    assert add_to_bank(library, playbook, "plain").added == 1
    assert add_to_bank(library, playbook, "joined", joined=True).added == 1
    (plain,), (joined,) = (bank.bank_clauses(library, name) for name in ("plain", "joined"))
    assert plain.text in joined.text
    assert (joined.start is None) is ("<omitted>" in joined.text)
